// What an update may change in the spec of a pod: images, a deadline that comes nearer, further tolerations.
import type { FieldError } from '../api-status-error.ts';
import { arrayAt, deepEqual, isObject, type JsonObject, numberAt, objectAt, textAt } from '../json-object.ts';

const LARGEST_DEADLINE = 2 ** 31 - 1;
const FIXED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export function checkPodUpdate(draft: JsonObject, current: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const list of ['containers', 'initContainers']) {
    const field = `spec.${list}`;
    const containers = arrayAt(draft, 'spec', list);
    if (containers.length !== arrayAt(current, 'spec', list).length) {
      return [...errors, { field, reason: 'Forbidden', detail: 'pod updates may not add or remove containers' }];
    }
    errors.push(
      ...containers.flatMap((container, i) => checkImage(textAt(container, 'image'), `${field}[${i}].image`)),
    );
  }
  const deadline = checkDeadline(draft, current);
  errors.push(...deadline.errors);
  if (deadline.isLast) return errors;
  errors.push(...checkTolerations(draft, current));
  // A negative grace period, from before that was checked, may be mended.
  const before = numberAt(current, 'spec', 'terminationGracePeriodSeconds') ?? 0;
  const mended = before < 0 && numberAt(draft, 'spec', 'terminationGracePeriodSeconds') === 1;
  const wanted = mended ? { terminationGracePeriodSeconds: before } : {};
  if (deepEqual({ ...fixedPart(draft), ...wanted }, fixedPart(current))) return errors;
  return [...errors, { field: 'spec', reason: 'Forbidden', detail: FIXED }];
}

/** Of a pod and of a template, when it is written. */
export function checkDeadlineRange(spec: JsonObject, path: string, least = 1): FieldError[] {
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline === undefined || (deadline >= least && deadline <= LARGEST_DEADLINE)) return [];
  const detail = `must be between ${least} and ${LARGEST_DEADLINE}, inclusive`;
  return [{ field: `${path}.activeDeadlineSeconds`, reason: 'Invalid', value: String(deadline), detail }];
}

function checkImage(image: string, field: string): FieldError[] {
  if (image === image.trim()) return [];
  const detail = 'must not have leading or trailing whitespace';
  return [{ field, reason: 'Invalid', value: JSON.stringify(image), detail }];
}

/** `isLast`: the real server looks no further. */
function checkDeadline(draft: JsonObject, current: JsonObject): { errors: FieldError[]; isLast: boolean } {
  const before = numberAt(current, 'spec', 'activeDeadlineSeconds');
  const after = numberAt(draft, 'spec', 'activeDeadlineSeconds');
  const wrong = (detail: string): FieldError[] => [
    { field: 'spec.activeDeadlineSeconds', reason: 'Invalid', value: String(after ?? null), detail },
  ];
  const outOfRange = checkDeadlineRange(objectAt(draft, 'spec') ?? {}, 'spec', 0);
  if (outOfRange.length > 0) return { errors: outOfRange, isLast: true };
  if (before === undefined || before === after) return { errors: [], isLast: false };
  if (after === undefined) {
    return { errors: wrong('must not update from a positive integer to nil value'), isLast: false };
  }
  if (after < before) return { errors: [], isLast: false };
  return { errors: wrong('must be less than or equal to previous value'), isLast: true };
}

function checkTolerations(draft: JsonObject, current: JsonObject): FieldError[] {
  const untimed = (toleration: unknown) => ({ ...(toleration as JsonObject), tolerationSeconds: undefined });
  const kept = arrayAt(draft, 'spec', 'tolerations').map(untimed);
  const all = arrayAt(current, 'spec', 'tolerations').every((old) => kept.some((one) => deepEqual(one, untimed(old))));
  if (all) return [];
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [{ field: 'spec.tolerations', reason: 'Forbidden', detail }];
}

/** What no update may change. */
function fixedPart(pod: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _, tolerations: __, ...spec } = objectAt(pod, 'spec') ?? {};
  const withoutImages = (list: unknown) =>
    Array.isArray(list)
      ? list.map((container) => (isObject(container) ? { ...container, image: undefined } : container))
      : list;
  return {
    ...spec,
    containers: withoutImages(spec['containers']),
    initContainers: withoutImages(spec['initContainers']),
  };
}

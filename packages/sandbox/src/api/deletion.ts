// What a deletion asks for: how long a pod may take, which finalizers it puts on, what it presumes.
import { preconditionFailed } from './api-status-error.ts';
import type { DeleteOptions, KubeObject, ObjectMeta } from './cluster-api.ts';
import { objectAt, textAt } from './json-object.ts';
import type { ResourceType } from './resource-type.ts';

/** Nothing holds it back any more. */
export function isReleased(metadata: ObjectMeta): boolean {
  return (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** In seconds. For a pod that is ending already only a shorter one that is asked for counts. */
export function gracePeriod(pod: KubeObject, options: DeleteOptions): number {
  const { deletionGracePeriodSeconds: ending } = pod.metadata;
  const asked = options.gracePeriodSeconds;
  if (ending !== undefined) return asked === undefined ? ending : Math.min(ending, asked < 0 ? 1 : asked);
  const phase = textAt(pod, 'status', 'phase');
  if (textAt(pod, 'spec', 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const own = objectAt(pod, 'spec')?.['terminationGracePeriodSeconds'];
  const seconds = options.gracePeriodSeconds ?? (typeof own === 'number' ? own : 30);
  return seconds < 0 ? 1 : seconds;
}

/** A shorter grace period counts from when the deletion began. */
export function shortened(deletionTimestamp: string, bySeconds: number): string {
  return new Date(Date.parse(deletionTimestamp) - bySeconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Those of the object with what the propagation adds. */
export function finalizersFor(type: ResourceType, metadata: ObjectMeta, options: DeleteOptions): string[] {
  const policy = options.propagationPolicy ?? type.rules.propagation;
  const kept = (metadata.finalizers ?? []).filter((one) => one !== 'orphan' && one !== 'foregroundDeletion');
  const asked = options.propagationPolicy === undefined && metadata.deletionTimestamp !== undefined;
  if (asked) return [...(metadata.finalizers ?? [])];
  if (policy === 'Orphan') return [...kept, 'orphan'];
  if (policy === 'Foreground') return [...kept, 'foregroundDeletion'];
  return kept;
}

export function checkPreconditions(
  type: ResourceType,
  name: string,
  current: KubeObject,
  options: DeleteOptions,
): void {
  const { uid, resourceVersion } = current.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    throw preconditionFailed(
      type,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw preconditionFailed(
      type,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

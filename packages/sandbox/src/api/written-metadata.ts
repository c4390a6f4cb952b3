// What of the metadata that a client sends is written, kept or refused. The verbs call it for every create and update.
import type { FieldError } from './api-status-error.ts';
import type { ObjectMeta } from './cluster-api.ts';
import { type JsonObject, mutableCopy } from './json-object.ts';
import type { ResourceType } from './resource-type.ts';

const CLIENT_FIELDS = ['labels', 'annotations', 'finalizers', 'ownerReferences'];
const FIXED_FIELDS = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** What a client sends may change labels, annotations, finalizers and owners; all else stays. */
export function keptMetadata(current: ObjectMeta, wanted: JsonObject): JsonObject {
  const metadata: JsonObject = { ...(current as unknown as JsonObject) };
  for (const field of CLIENT_FIELDS) {
    if (isEmpty(wanted[field])) delete metadata[field];
    else metadata[field] = wanted[field];
  }
  return metadata;
}

/** The same for what comes with a status. */
export function statusMetadata(type: ResourceType, current: ObjectMeta, wanted: JsonObject): JsonObject {
  const written = type.rules.metadataWithStatus;
  const same = (wanted as unknown) === current;
  if (written === 'none' || same) return current as unknown as JsonObject;
  const field = written === 'all but labels' ? 'labels' : written === 'all but owners' ? 'ownerReferences' : undefined;
  const kept = field === undefined ? {} : { [field]: (current as unknown as JsonObject)[field] };
  return keptMetadata(current, { ...(mutableCopy(wanted) as JsonObject), ...kept });
}

/** Empty is as good as absent, and no change. */
export function dropEmpty(metadata: JsonObject): void {
  for (const field of CLIENT_FIELDS) if (isEmpty(metadata[field])) delete metadata[field];
}

/** What a client may leave out, but not write otherwise. Other times than those that are there are ignored. */
export function checkFixed(current: ObjectMeta, wanted: JsonObject): FieldError[] {
  const isLeftOut = (field: string) => [undefined, null, ''].includes(wanted[field] as string);
  return FIXED_FIELDS.filter(
    (field) =>
      !isLeftOut(field) &&
      wanted[field] !== current[field] &&
      !(field === 'deletionTimestamp' && current[field] !== undefined),
  ).map((field) => ({
    field: `metadata.${field}`,
    reason: 'Invalid',
    value: JSON.stringify(wanted[field]),
    detail: 'field is immutable',
  }));
}

/** What is ending may lose finalizers and get no more. */
export function checkAddedFinalizers(current: ObjectMeta, written: ObjectMeta): FieldError[] {
  if (current.deletionTimestamp === undefined) return [];
  const known = new Set(current.finalizers ?? []);
  const added = (written.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const list = `[]string{${added.map((one) => JSON.stringify(one)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [{ field: 'metadata.finalizers', reason: 'Forbidden', detail }];
}

/** The metadata beside a status, without what is put back before it is looked at. */
export function unsettled(type: ResourceType, wanted: JsonObject): JsonObject {
  if (type.rules.metadataWithStatus === 'none') return {};
  const { deletionTimestamp: _, ...rest } = wanted;
  return type.rules.graceful ? rest : wanted;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0;
}

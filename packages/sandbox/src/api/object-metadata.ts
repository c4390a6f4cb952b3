// What labels, annotations and finalizers may look like.
import type { FieldError } from './api-status-error.ts';
import { arrayAt, type JsonObject, objectAt, textAt } from './json-object.ts';
import { labelKeyFault, labelValueFault } from './selectors/label-selector.ts';

const MOST_ANNOTATIONS = 256 * 1024;
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

export function checkMetadata(metadata: JsonObject): FieldError[] {
  return [
    ...checkLabels(metadata),
    ...checkAnnotations(metadata),
    ...checkOwners(metadata),
    ...checkFinalizers(metadata),
  ];
}

function checkLabels(metadata: JsonObject): FieldError[] {
  return Object.entries(objectAt(metadata, 'labels') ?? {}).flatMap(([key, value]) => [
    ...invalidValue('metadata.labels', key, labelKeyFault(key)),
    ...invalidValue('metadata.labels', String(value), labelValueFault(String(value))),
  ]);
}

function checkAnnotations(metadata: JsonObject): FieldError[] {
  const field = 'metadata.annotations';
  const entries = Object.entries(objectAt(metadata, 'annotations') ?? {});
  const errors = entries.flatMap(([key]) => invalidValue(field, key, labelKeyFault(key.toLowerCase())));
  let size = 0;
  for (const [key, value] of entries) size += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  if (size > MOST_ANNOTATIONS) {
    errors.push({ field, reason: 'TooLong', detail: `may not be more than ${MOST_ANNOTATIONS} bytes` });
  }
  return errors;
}

function checkFinalizers(metadata: JsonObject): FieldError[] {
  return arrayAt(metadata, 'finalizers').flatMap((given, i) => {
    const finalizer = String(given);
    const field = `metadata.finalizers[${i}]`;
    if (finalizer.includes('/')) return invalidValue(field, finalizer, labelKeyFault(finalizer));
    const known = STANDARD_FINALIZERS.includes(finalizer);
    const words = 'name is neither a standard finalizer name nor is it fully qualified';
    return invalidValue(field, finalizer, known ? undefined : words);
  });
}

function checkOwners(metadata: JsonObject): FieldError[] {
  return arrayAt(metadata, 'ownerReferences').flatMap((owner) =>
    Object.entries(OWNER_FIELDS).flatMap(([name, words]) =>
      invalidValue(`metadata.ownerReferences.${name}`, '', textAt(owner, name) === '' ? words : undefined),
    ),
  );
}

const OWNER_FIELDS = {
  apiVersion: 'version must not be empty',
  kind: 'must not be empty',
  name: 'must not be empty',
  uid: 'must not be empty',
};

function invalidValue(field: string, value: string, detail: string | undefined): FieldError[] {
  return detail === undefined ? [] : [{ field, reason: 'Invalid', value: JSON.stringify(value), detail }];
}

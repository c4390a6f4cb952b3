// Which annotations of a pod differ from what was last seen. Values are cut before they are compared or kept.
import { createHash } from 'node:crypto';
import type { ChangeValue } from '../model/records.ts';

/** kubectl's copy of the whole manifest: no news in it, and often a secret. */
const LEFT_OUT = new Set(['kubectl.kubernetes.io/last-applied-configuration']);
const LONGEST_VALUE_BYTES = 4096;

export type AnnotationValues = readonly (readonly [key: string, value: ChangeValue])[];

export interface AnnotationChange {
  readonly key: string;
  readonly before: ChangeValue | undefined;
  readonly after: ChangeValue | undefined;
}

export function annotationValues(annotations: ReadonlyMap<string, string>): AnnotationValues {
  const values: [string, ChangeValue][] = [];
  for (const [key, text] of annotations) if (!LEFT_OUT.has(key)) values.push([key, keptValue(text)]);
  return values.sort(([a], [b]) => (a < b ? -1 : 1));
}

export function annotationChanges(before: AnnotationValues, after: AnnotationValues): AnnotationChange[] {
  const old = new Map(before);
  const changes: AnnotationChange[] = [];
  for (const [key, value] of after) {
    const previous = old.get(key);
    old.delete(key);
    if (previous === undefined || previous.text !== value.text || previous.sha256 !== value.sha256) {
      changes.push({ key, before: previous, after: value });
    }
  }
  for (const [key, value] of old) changes.push({ key, before: value, after: undefined });
  return changes;
}

function keptValue(text: string): ChangeValue {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= LONGEST_VALUE_BYTES) return { text, sha256: undefined };
  // Cut between characters: half a character would not survive the way through the store.
  const prefix = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, LONGEST_VALUE_BYTES), {
    stream: true,
  });
  return { text: prefix, sha256: createHash('sha256').update(bytes).digest('hex') };
}

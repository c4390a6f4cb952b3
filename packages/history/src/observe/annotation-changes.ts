// Which annotations of a pod differ from what was last seen. Values are cut before they are compared or kept.
import { createHash } from 'node:crypto';
import type { ChangeValue } from '../model/records.ts';

/** kubectl's copy of the whole manifest: no news in it, and often a secret. */
const LEFT_OUT = new Set(['kubectl.kubernetes.io/last-applied-configuration']);
const LONGEST_VALUE_BYTES = 4096;

export type AnnotationEntry = readonly [key: string, value: ChangeValue];
export type AnnotationValues = readonly AnnotationEntry[];

/** By text. What is on one pod only does no harm: the table begins again when it is full. */
const shared = new Map<string, AnnotationEntry>();
const MOST_SHARED = 4096;
/** Far from where a value is cut. */
const LONGEST_SHARED = 256;

export interface AnnotationChange {
  readonly key: string;
  readonly before: ChangeValue | undefined;
  readonly after: ChangeValue | undefined;
}

export function annotationValues(annotations: ReadonlyMap<string, string>): AnnotationValues {
  const values: AnnotationEntry[] = [];
  for (const [key, text] of annotations) if (!LEFT_OUT.has(key)) values.push(annotationEntry(key, text));
  // A copy has the exact length; an array that was pushed to keeps room for seventeen.
  return values.sort(([a], [b]) => (a < b ? -1 : 1)).slice();
}

/** Most annotations are the same on many pods, and are kept once. `sha256`: of one that was cut before. */
export function annotationEntry(key: string, text: string, sha256?: string): AnnotationEntry {
  if (sha256 !== undefined) return [key, { text, sha256 }];
  if (text.length > LONGEST_SHARED) return [key, keptValue(text)];
  const known = shared.get(text);
  if (known?.[0] === key) return known;
  const entry: AnnotationEntry = [key, { text, sha256: undefined }];
  if (shared.size >= MOST_SHARED) shared.clear();
  shared.set(text, entry);
  return entry;
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

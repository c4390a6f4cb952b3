// What one version of an object can say and the other cannot, as a merge patch in an annotation: applied to what the
// other version yields, it gives back exactly what was there.
import { createHash } from 'node:crypto';

export type Fields = Readonly<Record<string, unknown>>;

/** RFC 7386. */
export function applyMerge(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const merged = new Map<string, unknown>(isFields(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, applyMerge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** The same for equal values, whatever the order of their fields. */
export function fingerprint(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

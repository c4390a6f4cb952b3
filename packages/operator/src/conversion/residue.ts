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
  const pieces: string[] = [];
  canonical(value, pieces);
  return createHash('sha256').update(pieces.join('')).digest('base64url').slice(0, 22);
}

/** In pieces that are joined once: joined at every level, a deep value would cost its size times its depth. */
function canonical(value: unknown, into: string[]): void {
  if (Array.isArray(value)) {
    into.push('[');
    for (const [i, item] of value.entries()) {
      if (i > 0) into.push(',');
      canonical(item, into);
    }
    into.push(']');
    return;
  }
  if (!isFields(value)) {
    into.push(JSON.stringify(value) ?? 'null');
    return;
  }
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  into.push('{');
  for (const [i, [key, field]] of fields.entries()) {
    into.push(i > 0 ? ',' : '', JSON.stringify(key), ':');
    canonical(field, into);
  }
  into.push('}');
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

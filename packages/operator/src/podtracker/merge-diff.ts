// The smallest JSON merge patch (RFC 7386) that makes one value into another. Used for slices and status.
import { isDeepStrictEqual } from 'node:util';

type Fields = Readonly<Record<string, unknown>>;

/** Undefined when nothing differs. Arrays are replaced as a whole; a field that is gone becomes null. */
export function mergeDiff(from: Fields, to: Fields): Record<string, unknown> | undefined {
  const patch = new Map<string, unknown>();
  for (const key of Object.keys(from)) {
    const after = Object.hasOwn(to, key) ? to[key] : undefined;
    if (from[key] !== undefined && from[key] !== null && after === undefined) patch.set(key, null);
  }
  for (const [key, value] of Object.entries(to)) {
    if (value === undefined) continue;
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (isFields(value) && isFields(before)) {
      const inner = mergeDiff(before, value);
      if (inner !== undefined) patch.set(key, inner);
    } else if (!isDeepStrictEqual(before, value)) {
      patch.set(key, value);
    }
  }
  return patch.size === 0 ? undefined : Object.fromEntries(patch);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Turns plain JSON into a deeply frozen copy that shares every unchanged part with an earlier version. Called at each
// commit: versions of one object that follow each other then cost little more than what changed between them, and an
// update that changes nothing gives back the earlier object itself.
import { ownField, setOwnField } from './own-field.ts';

/** Fields that are `undefined` are left out, as JSON would. */
export function frozenCopy<T>(value: T, earlier?: unknown): T {
  return copy(value, earlier) as T;
}

function copy(value: unknown, earlier: unknown): unknown {
  if (value === earlier || typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? copyArray(value, earlier) : copyObject(value as Record<string, unknown>, earlier);
}

function copyArray(value: readonly unknown[], earlier: unknown): readonly unknown[] {
  const before: readonly unknown[] | undefined = Array.isArray(earlier) ? earlier : undefined;
  const result = new Array<unknown>(value.length);
  let same = before?.length === value.length;
  for (let i = 0; i < value.length; i++) {
    const item = copy(value[i], before?.[i]);
    if (same && item !== before?.[i]) same = false;
    result[i] = item;
  }
  return same ? (before as readonly unknown[]) : Object.freeze(result);
}

function copyObject(value: Record<string, unknown>, earlier: unknown): Record<string, unknown> {
  const before =
    typeof earlier === 'object' && earlier !== null && !Array.isArray(earlier)
      ? (earlier as Record<string, unknown>)
      : undefined;
  const result: Record<string, unknown> = {};
  let same = before !== undefined;
  let count = 0;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined) continue;
    const held = ownField(before, key);
    const item = copy(given, held);
    if (item !== held) same = false;
    setOwnField(result, key, item);
    count++;
  }
  if (same && Object.keys(before as object).length === count) return before as Record<string, unknown>;
  return Object.freeze(result);
}

// Reading and writing untyped JSON in drafts: a missing or wrongly typed part reads as undefined.
import { ownField, setOwnField } from '../store/own-field.ts';

export type JsonObject = { [field: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at a path, or undefined. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : undefined;
}

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const step of path) {
    if (!isObject(here)) return undefined;
    here = ownField(here, step);
  }
  return here;
}

export function arrayAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** The object at one field, made where it is missing. */
export function ensureObject(parent: JsonObject, field: string): JsonObject {
  const found = parent[field];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  parent[field] = made;
  return made;
}

/** Sets what is missing (or null); never overwrites. */
export function setDefaults(target: JsonObject, defaults: JsonObject): void {
  for (const [field, value] of Object.entries(defaults)) {
    if (target[field] === undefined || target[field] === null) target[field] = value;
  }
}

/** A mutable copy; nulls in objects are dropped, as a typed server would. */
export function mutableCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mutableCopy);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const field of Object.keys(value)) {
    const part = value[field];
    if (part !== undefined && part !== null) setOwnField(result, field, mutableCopy(part));
  }
  return result;
}

export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const fields = Object.keys(a).filter((field) => a[field] !== undefined);
  const others = Object.keys(b).filter((field) => b[field] !== undefined);
  return fields.length === others.length && fields.every((field) => deepEqual(a[field], b[field]));
}

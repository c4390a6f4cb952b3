// Fields of parsed JSON, checked: what is absent or null becomes the view's "not set", what has the wrong type is a
// DecodeError that names the field. Called by each kind's fromJson.
import { DecodeError } from '../errors.ts';
import { NO_ITEMS } from './metadata-view.ts';
import { interner } from './string-interner.ts';
import { StringMap } from './string-map.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: JsonObject = Object.freeze(Object.create(null) as Record<string, unknown>);
/** RFC 3339 as Go writes and accepts it. Date.parse alone would also take "1", "May 2" and local times. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const ZERO_TIME = Date.parse('0001-01-01T00:00:00Z');

export function objectOf(json: unknown, what: string): JsonObject {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw unexpected(what, 'an object', json);
  return json as JsonObject;
}

/** An embedded object; nothing at all if it is absent. */
export function part(from: JsonObject, field: string): JsonObject {
  const value = from[field];
  return value === undefined || value === null ? NOTHING : objectOf(value, field);
}

export function optionalPart(from: JsonObject, field: string): JsonObject | undefined {
  const value = from[field];
  return value === undefined || value === null ? undefined : objectOf(value, field);
}

/** The empty string when absent, as protobuf cannot tell the two apart. */
export function text(from: JsonObject, field: string): string {
  const value = from[field];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw unexpected(field, 'a string', value);
  return value;
}

export function sharedText(from: JsonObject, field: string): string {
  return interner.ofString(text(from, field));
}

export function flag(from: JsonObject, field: string): boolean {
  const value = from[field];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw unexpected(field, 'true or false', value);
  return value;
}

export function integer(from: JsonObject, field: string): number | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw unexpected(field, 'an integer', value);
  return value;
}

/** Epoch milliseconds; undefined when absent, null or Go's zero time. */
export function time(from: JsonObject, field: string): number | undefined {
  const value = from[field];
  if (value === undefined || value === null) return undefined;
  const millis = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(millis)) throw unexpected(field, 'an RFC 3339 time', value);
  return millis === ZERO_TIME ? undefined : millis;
}

export function list<T>(from: JsonObject, field: string, read: (item: JsonObject) => T): readonly T[] {
  const found = items(from, field);
  return found.length === 0 ? NO_ITEMS : found.map((item) => read(objectOf(item, field)));
}

export function texts(from: JsonObject, field: string): readonly string[] {
  const found = items(from, field);
  if (found.length === 0) return NO_ITEMS;
  return found.map((item) => {
    if (typeof item !== 'string') throw unexpected(field, 'strings', item);
    return interner.ofString(item);
  });
}

export function stringMap(from: JsonObject, field: string): StringMap {
  const flat: string[] = [];
  for (const [key, value] of Object.entries(part(from, field))) {
    if (typeof value !== 'string') throw unexpected(`${field}.${key}`, 'a string', value);
    flat.push(interner.ofString(key), interner.ofString(value));
  }
  return StringMap.fromFlat(flat);
}

/** Quantities are strings, but a person may have written the number 4 where "4" was meant. */
export function quantityMap(from: JsonObject, field: string): StringMap {
  const flat: string[] = [];
  for (const [key, value] of Object.entries(part(from, field))) {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw unexpected(`${field}.${key}`, 'a quantity', value);
    }
    flat.push(interner.ofString(key), interner.ofString(String(value)));
  }
  return StringMap.fromFlat(flat);
}

function items(from: JsonObject, field: string): readonly unknown[] {
  const value = from[field];
  if (value === undefined || value === null) return NO_ITEMS;
  if (!Array.isArray(value)) throw unexpected(field, 'a list', value);
  return value;
}

function unexpected(field: string, wanted: string, value: unknown): DecodeError {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new DecodeError(`malformed object: ${field} should be ${wanted} but is ${found}`);
}

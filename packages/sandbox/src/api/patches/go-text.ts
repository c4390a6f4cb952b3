// A JSON value as Go prints a map that it was read into: what refusals of strategic merge patches show.
import { isObject } from '../json-object.ts';

export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((field) => `${field}:${goText(value[field])}`).join(' ')}]`;
}

// Whether a value is what a schema describes, where no API server looks: conversion makes what is stored from an
// annotation that anybody may have written. Pure. Fields that the schema does not know are left to the server, which
// prunes them.
import type { JsonSchema } from './schema.ts';

/** A sentence that names the first thing that is wrong, or undefined. */
export function firstFault(schema: JsonSchema, value: unknown, path: string): string | undefined {
  if (!isOfType(schema, value)) return `${path} is ${shown(value)}: write ${TYPES[schema.type]}`;
  const limit = overLimit(schema, value);
  if (limit !== undefined) return `${path} is too long: write at most ${limit}`;
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    return `${path} is ${shown(value)}: write one of ${schema.enum.join(', ')}`;
  }
  for (const [key, child, inner] of parts(schema, value)) {
    const fault = firstFault(child, inner, key.startsWith('[') ? `${path}${key}` : `${path}.${key}`);
    if (fault !== undefined) return fault;
  }
  const missing = (schema.required ?? []).find((name) => (value as Fields)[name] === undefined);
  if (missing !== undefined) return `${path}.${missing} is missing: write it`;
  const broken = schema['x-kubernetes-validations']?.find(({ holds }) => !holds(value));
  return broken === undefined ? undefined : `${path} is ${shown(value)}: ${broken.message}`;
}

type Fields = Readonly<Record<string, unknown>>;

const TYPES = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
} as const;

function isOfType({ type, minimum }: JsonSchema, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value) && (value as number) >= (minimum ?? Number.NEGATIVE_INFINITY);
    default:
      return typeof value === type;
  }
}

function overLimit({ maxLength, maxItems, maxProperties }: JsonSchema, value: unknown): string | undefined {
  if (maxLength !== undefined && (value as string).length > maxLength) return `${maxLength} characters`;
  if (maxItems !== undefined && (value as unknown[]).length > maxItems) return `${maxItems} items`;
  if (maxProperties !== undefined && Object.keys(value as Fields).length > maxProperties)
    return `${maxProperties} keys`;
  return undefined;
}

/** What is inside: by a name, or by an index in brackets. */
function* parts(schema: JsonSchema, value: unknown): Iterable<[key: string, schema: JsonSchema, value: unknown]> {
  const { items, properties, additionalProperties } = schema;
  if (items !== undefined) for (const [i, item] of (value as unknown[]).entries()) yield [`[${i}]`, items, item];
  if (properties === undefined && additionalProperties === undefined) return;
  for (const [key, inner] of Object.entries(value as Fields)) {
    const known = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (known !== undefined && inner !== undefined) yield [key, known, inner];
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

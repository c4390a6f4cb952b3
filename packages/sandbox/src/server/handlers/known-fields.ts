// Fields that a built-in kind does not have: dropped without a word, as a typed server does, or refused where the
// client asked for strict validation (kubectl does). The table of messages says which fields there are.
import { badRequest } from '../../api/api-status-error.ts';
import { isObject, type JsonObject } from '../../api/json-object.ts';
import type { ResourceType } from '../../api/resource-type.ts';
import { type MessageField, type MessageSchema, messageSchema } from '../protobuf/message-schema.ts';

export interface KnownFields {
  readonly object: unknown;
  /** The paths of what was dropped. */
  readonly unknown: readonly string[];
}

export function keepKnownFields(type: ResourceType, version: string, given: unknown, strict: boolean): KnownFields {
  const schema = type.custom ? undefined : messageSchema(type.kind);
  if (schema === undefined || !isObject(given)) return { object: given, unknown: [] };
  const unknown: string[] = [];
  const { kind, apiVersion, ...rest } = given;
  let kept: JsonObject;
  try {
    kept = { kind, apiVersion, ...keep(schema, rest, '', unknown) };
  } catch (error) {
    throw badRequest(
      `${type.kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${(error as Error).message}`,
    );
  }
  if (strict && unknown.length > 0) {
    const list = unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ');
    throw badRequest(
      `${type.kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: strict decoding error: ${list}`,
    );
  }
  return { object: unknown.length === 0 ? given : kept, unknown };
}

function keep(schema: MessageSchema, object: JsonObject, path: string, unknown: string[]): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const field = fieldOf(schema, name);
    const here = path === '' ? name : `${path}.${name}`;
    if (field === undefined) unknown.push(here);
    else kept[name] = keepValue(field, value, here, unknown);
  }
  return kept;
}

function keepValue(field: MessageField, value: unknown, path: string, unknown: string[]): unknown {
  const schema = messageSchema(field.type);
  checkType(field, schema !== undefined, value, path);
  if (schema === undefined) return value;
  const one = (item: unknown, at: string) => (isObject(item) ? keep(schema, item, at, unknown) : item);
  if (field.shape === 'list') return Array.isArray(value) ? value.map((item, i) => one(item, `${path}[${i}]`)) : value;
  if (field.shape === 'one') return one(value, path);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item, `${path}.${key}`)]));
}

const SCALARS: Readonly<Record<string, readonly [type: string, go: string]>> = {
  s: ['string', 'string'],
  i: ['number', 'int64'],
  b: ['boolean', 'bool'],
};

/** Thrown as a TypeError: the caller knows the kind that the words begin with. */
function checkType(field: MessageField, message: boolean, value: unknown, path: string): void {
  if (value === null || value === undefined) return;
  const [wanted, go] =
    field.shape === 'list'
      ? ['array', 'slice']
      : field.shape === 'map' || message
        ? ['object', field.type]
        : (SCALARS[field.type] ?? []);
  const found = Array.isArray(value) ? 'array' : typeof value;
  if (wanted === undefined || found === wanted) return;
  const word = found === 'boolean' ? 'bool' : found;
  throw new TypeError(`json: cannot unmarshal ${word} into Go struct field .${path} of type ${go}`);
}

function fieldOf(schema: MessageSchema, name: string): MessageField | undefined {
  for (const field of schema.fields) {
    if (!field.inline && field.name === name) return field;
    const inner = field.inline ? messageSchema(field.type) : undefined;
    const found = inner === undefined ? undefined : fieldOf(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

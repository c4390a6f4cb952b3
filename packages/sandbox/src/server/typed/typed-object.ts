// Reads a JSON object as a server in Go reads it into its types: what a field cannot hold is an error, and fields that
// the kind does not have are dropped and reported. The table of protobuf messages says which fields there are.
import { isObject, type JsonObject } from '../../api/json-object.ts';
import { type MessageField, type MessageSchema, messageSchema } from '../protobuf/message-schema.ts';
import { timeProblem } from './go-time.ts';
import { goTypeOf, goTypeOfValue } from './go-types.ts';
import type { GoKind, Place, Words } from './words.ts';

export interface TypedObject {
  readonly object: unknown;
  /** The paths of what was dropped. */
  readonly unknown: readonly string[];
}

/** The value of a field is not what the field holds. Its message is the real server's, from the first colon on. */
export class UnfitValue extends Error {
  override readonly name = 'UnfitValue';
}

/** Throws UnfitValue. An object of a kind that is not in the table is left as it is. */
export function readTyped(kind: string, given: JsonObject, words: Words): TypedObject {
  const schema = messageSchema(kind);
  if (schema === undefined) return { object: given, unknown: [] };
  const reader = new TypedReader(words);
  const { kind: _, apiVersion: __, ...rest } = given;
  const kept = reader.message(kind, schema, rest, [], '');
  const { unknown } = reader;
  if (unknown.length === 0) return { object: given, unknown };
  return { object: { kind: given['kind'], apiVersion: given['apiVersion'], ...kept }, unknown };
}

/** Of a custom object only the metadata is of a type that is known. */
export function readTypedMetadata(given: JsonObject, words: Words): TypedObject {
  const schema = messageSchema('ObjectMeta');
  const metadata = given['metadata'];
  if (schema === undefined || !isObject(metadata)) return { object: given, unknown: [] };
  const reader = new TypedReader(words);
  const kept = reader.message('ObjectMeta', schema, metadata, [], 'metadata');
  const { unknown } = reader;
  return { object: unknown.length === 0 ? given : { ...given, metadata: kept }, unknown };
}

/** Messages that say their kind inside another one. */
const WITH_KIND = new Set(['PersistentVolumeClaim', 'DeleteOptions']);

const LARGEST_INT32 = 2 ** 31 - 1;
const QUANTITY = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?$/;
const NOT_A_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

class TypedReader {
  readonly unknown: string[] = [];
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  /** `path` is Go's, without indexes; `shown` is with them, as fields that are not known are reported. */
  message(name: string, schema: MessageSchema, object: JsonObject, path: readonly string[], shown: string): JsonObject {
    const kept: JsonObject = {};
    for (const [key, value] of Object.entries(object)) {
      const here = shown === '' ? key : `${shown}.${key}`;
      if (WITH_KIND.has(name) && (key === 'kind' || key === 'apiVersion')) {
        kept[key] = value;
        continue;
      }
      const found = fieldOf(name, schema, key);
      if (found === undefined) this.unknown.push(here);
      else kept[key] = this.#field(found, value, { struct: name, path: [...path, ...found.through, key] }, here);
    }
    return kept;
  }

  #field({ owner, field }: Found, value: unknown, place: Place, shown: string): unknown {
    if (value === null || value === undefined) return value;
    const type = goTypeOf(owner, field);
    const one = (item: unknown, at: string) => this.#value(field, item, goTypeOfValue(owner, field), place, at);
    if (field.shape === 'list') {
      if (!Array.isArray(value)) throw this.#unfit(value, 'slice', type, place);
      return value.map((item, i) => one(item, `${shown}[${i}]`));
    }
    if (field.shape === 'map') {
      if (!isObject(value)) throw this.#unfit(value, 'map', type, place);
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item, `${shown}.${key}`)]));
    }
    return one(value, shown);
  }

  #value(field: MessageField, value: unknown, type: string, place: Place, shown: string): unknown {
    if (value === null || value === undefined) return value;
    switch (field.type) {
      case 's':
        if (typeof value !== 'string') throw this.#unfit(value, 'string', type, place);
        return value;
      case 'b':
        if (typeof value !== 'boolean') throw this.#unfit(value, 'bool', type, place);
        return value;
      case 'i':
        if (!isWhole(value, type)) throw this.#unfit(value, type === 'int64' ? 'int64' : 'int32', type, place);
        return value;
      case 'd':
        if (typeof value !== 'number') throw this.#unfit(value, 'float64', type, place);
        return value;
      case 'y':
        return this.#bytes(value, type, place);
      case 'I':
        if (typeof value !== 'string' && !isWhole(value, 'int32')) throw this.#unread(value, 'int32', place);
        return value;
      case 'T':
      case 'M':
        return this.#time(value, field.type === 'M', place);
      case 'Q':
        if (!isQuantity(value)) throw new UnfitValue(NOT_A_QUANTITY);
        return value;
      default:
        return this.#nested(field.type, value, type, place, shown);
    }
  }

  #bytes(value: unknown, type: string, place: Place): unknown {
    if (typeof value !== 'string') throw this.#unfit(value, 'slice', type, place);
    const wrong = value.search(/[^A-Za-z0-9+/=\r\n]/);
    if (wrong >= 0) throw new UnfitValue(`illegal base64 data at input byte ${wrong}`);
    return value;
  }

  #time(value: unknown, micros: boolean, place: Place): unknown {
    if (typeof value !== 'string') throw this.#unread(value, 'string', place);
    const problem = timeProblem(value, micros);
    if (problem !== undefined) throw new UnfitValue(problem);
    return value;
  }

  #nested(name: string, value: unknown, type: string, place: Place, shown: string): unknown {
    const schema = messageSchema(name);
    // Fields of managers, raw extensions: whatever they hold.
    if (schema === undefined) return value;
    if (!isObject(value)) throw this.#unfit(value, 'struct', type, place);
    return this.message(name, schema, value, place.path, shown);
  }

  #unfit(found: unknown, kind: GoKind, type: string, place: Place): UnfitValue {
    return new UnfitValue(this.#words.unfit(found, kind, type, place));
  }

  #unread(found: unknown, kind: GoKind, place: Place): UnfitValue {
    return new UnfitValue(this.#words.unread(found, kind, place));
  }
}

function isWhole(value: unknown, type: string): boolean {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false;
  return type === 'int64' || Math.abs(value) <= LARGEST_INT32 + (value < 0 ? 1 : 0);
}

function isQuantity(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && QUANTITY.test(value));
}

interface Found {
  /** The message that has the field. */
  readonly owner: string;
  readonly field: MessageField;
  /** The names of the structs in which it is embedded: Go prints them, JSON does not show them. */
  readonly through: readonly string[];
}

function fieldOf(owner: string, schema: MessageSchema, key: string): Found | undefined {
  for (const field of schema.fields) {
    if (!field.inline && field.name === key) return { owner, field, through: [] };
    const inner = field.inline ? messageSchema(field.type) : undefined;
    const found = inner === undefined ? undefined : fieldOf(field.type, inner, key);
    if (found !== undefined) return { ...found, through: [field.type, ...found.through] };
  }
  return undefined;
}

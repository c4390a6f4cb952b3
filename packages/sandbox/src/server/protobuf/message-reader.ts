// Protobuf messages to JSON objects, by the schema: what clients send. Writers in Go send every plain field, also the
// empty ones; those are dropped here, as JSON would leave them out.
import type { JsonObject } from '../../api/json-object.ts';
import { setOwnField } from '../../store/own-field.ts';
import { type MessageField, messageSchema } from './message-schema.ts';

/** Fields that are pointers in Go: they are only sent where they are set, so that 0 and false mean something. */
const POINTERS = new Set([
  'activeDeadlineSeconds',
  'automountServiceAccountToken',
  'backoffLimit',
  'blockOwnerDeletion',
  'completions',
  'controller',
  'enableServiceLinks',
  'gracePeriodSeconds',
  'immutable',
  'leaseDurationSeconds',
  'leaseTransitions',
  'optional',
  'orphanDependents',
  'parallelism',
  'partition',
  'replicas',
  'revisionHistoryLimit',
  'runAsUser',
  'suspend',
  'terminationGracePeriodSeconds',
  'tolerationSeconds',
  'ttlSecondsAfterFinished',
]);

export function readMessage(type: string, bytes: Uint8Array): JsonObject {
  const object: JsonObject = {};
  const schema = messageSchema(type);
  if (schema === undefined) return object;
  for (const { number, value } of wireFields(bytes)) {
    const field = schema.byNumber.get(number);
    if (field !== undefined) takeField(object, field, value);
  }
  return object;
}

type WireValue = Uint8Array | number;

function takeField(object: JsonObject, field: MessageField, value: WireValue): void {
  if (field.inline) {
    if (value instanceof Uint8Array) Object.assign(object, readMessage(field.type, value));
    return;
  }
  if (field.shape === 'list') {
    const list = (object[field.name] ??= []) as unknown[];
    list.push(readValue(field, value));
  } else if (field.shape === 'map') {
    const map = (object[field.name] ??= {}) as JsonObject;
    const [key, item] = readEntry(field, value as Uint8Array);
    setOwnField(map, key, item);
  } else {
    const read = readValue(field, value);
    if (read !== undefined && (POINTERS.has(field.name) || !isEmpty(field, read))) object[field.name] = read;
  }
}

/** Of a message only the metadata is dropped when empty: elsewhere an empty one may be meant. */
function isEmpty(field: MessageField, value: unknown): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    (field.name === 'metadata' && Object.keys(value as object).length === 0)
  );
}

function readEntry(field: MessageField, bytes: Uint8Array): [string, unknown] {
  let key = '';
  let item: unknown = field.type === 's' ? '' : undefined;
  for (const { number, value } of wireFields(bytes)) {
    if (number === 1) key = text(value);
    if (number === 2) item = readValue(field, value);
  }
  return [key, item];
}

function readValue(field: MessageField, value: WireValue): unknown {
  switch (field.type) {
    case 's':
      return text(value);
    case 'i':
    case 'd':
      return value;
    case 'b':
      return value !== 0;
    case 'y':
      return Buffer.from(value as Uint8Array).toString('base64');
    case 'Q':
      return text(fieldOf(value, 1) ?? new Uint8Array());
    case 'T':
      return time(value, false);
    case 'M':
      return time(value, true);
    case 'I':
      return fieldOf(value, 1) === 1 ? text(fieldOf(value, 3) ?? new Uint8Array()) : (fieldOf(value, 2) ?? 0);
    case 'F':
    case 'R':
      return json(fieldOf(value, 1));
    case 'D':
      return `${Number(fieldOf(value, 1) ?? 0) / 1e9}s`;
    default:
      return readMessage(field.type, value as Uint8Array);
  }
}

function time(value: WireValue, micros: boolean): string | undefined {
  const seconds = fieldOf(value, 1);
  if (typeof seconds !== 'number') return undefined;
  const nanos = Number(fieldOf(value, 2) ?? 0);
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micros ? `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${whole}Z`;
}

function json(value: WireValue | undefined): unknown {
  try {
    return JSON.parse(text(value ?? new Uint8Array()));
  } catch {
    return undefined;
  }
}

function fieldOf(value: WireValue, wanted: number): WireValue | undefined {
  if (!(value instanceof Uint8Array)) return undefined;
  for (const { number, value: found } of wireFields(value)) if (number === wanted) return found;
  return undefined;
}

function text(value: WireValue): string {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length).toString() : '';
}

/** Throws a RangeError where the bytes end too early or mean nothing. */
export function* wireFields(bytes: Uint8Array): Generator<{ readonly number: number; readonly value: WireValue }> {
  let at = 0;
  const varint = (): number => {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new RangeError('unexpected EOF');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, result));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1: {
        const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
        at += 8;
        yield { number, value: view.getFloat64(0, true) };
        break;
      }
      case 2: {
        const length = varint();
        if (length < 0 || at + length > bytes.length) throw new RangeError('unexpected EOF');
        yield { number, value: bytes.subarray(at, at + length) };
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw new RangeError(`proto: illegal wireType ${tag & 7}`);
    }
  }
}

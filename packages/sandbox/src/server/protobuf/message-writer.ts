// JSON objects to protobuf messages, by the schema. Fields that the schema does not know are left out.
import { isObject } from '../../api/json-object.ts';
import { type MessageField, type MessageSchema, messageSchema } from './message-schema.ts';

export class MessageWriter {
  #buffer = Buffer.allocUnsafe(8192);
  #length = 0;

  /** The bytes since the last call; they stay valid. */
  take(): Uint8Array {
    const bytes = Uint8Array.prototype.slice.call(this.#buffer, 0, this.#length);
    this.#length = 0;
    return bytes;
  }

  message(type: string, value: unknown): void {
    const schema = messageSchema(type);
    if (schema === undefined || !isObject(value)) return;
    this.#fields(schema, value);
  }

  /** A field that holds a message which the callback writes. */
  nested(number: number, write: () => void): void {
    this.#varint((number << 3) | 2);
    const start = this.#length;
    this.#length += 1;
    this.#reserve(0);
    write();
    const size = this.#length - start - 1;
    const extra = varintSize(size) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#buffer.copyWithin(start + 1 + extra, start + 1, this.#length);
    }
    this.#length = start;
    this.#varint(size);
    this.#length += size;
  }

  text(number: number, value: string): void {
    this.bytes(number, Buffer.from(value));
  }

  bytes(number: number, value: Uint8Array): void {
    this.#varint((number << 3) | 2);
    this.#varint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  integer(number: number, value: number): void {
    this.#varint(number << 3);
    this.#varint(value);
  }

  #fields(schema: MessageSchema, value: Readonly<Record<string, unknown>>): void {
    for (const field of schema.fields) {
      if (field.inline) {
        const inner = messageSchema(field.type);
        if (inner?.fields.some((one) => value[one.name] !== undefined)) {
          this.nested(field.number, () => this.#fields(inner, value));
        }
        continue;
      }
      const given = value[field.name];
      if (given === undefined || given === null) continue;
      if (field.shape === 'list') {
        if (Array.isArray(given)) for (const item of given) this.#value(field, field.number, item);
      } else if (field.shape === 'map') {
        if (isObject(given)) this.#map(field, given);
      } else this.#value(field, field.number, given);
    }
  }

  #map(field: MessageField, entries: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(entries)) {
      this.nested(field.number, () => {
        this.text(1, key);
        this.#value(field, 2, value);
      });
    }
  }

  #value(field: MessageField, number: number, value: unknown): void {
    switch (field.type) {
      case 's':
        this.text(number, String(value));
        break;
      case 'i':
        this.integer(number, Number(value));
        break;
      case 'b':
        this.integer(number, value === true ? 1 : 0);
        break;
      case 'y':
        this.bytes(number, Buffer.from(String(value), 'base64'));
        break;
      case 'd':
        this.#double(number, Number(value));
        break;
      case 'Q':
        this.nested(number, () => this.text(1, String(value)));
        break;
      case 'T':
      case 'M':
        this.nested(number, () => this.#time(String(value)));
        break;
      case 'I':
        this.nested(number, () => this.#integerOrText(value));
        break;
      case 'F':
      case 'R':
        this.nested(number, () => this.bytes(1, Buffer.from(JSON.stringify(value))));
        break;
      case 'D':
        this.nested(number, () => this.integer(1, Number.parseFloat(String(value)) * 1e9));
        break;
      default:
        this.nested(number, () => this.message(field.type, value));
    }
  }

  #time(text: string): void {
    const millis = Date.parse(text);
    if (Number.isNaN(millis)) return;
    const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
    this.integer(1, Math.floor(millis / 1000));
    this.integer(2, Number(fraction.padEnd(9, '0').slice(0, 9) || '0'));
  }

  #integerOrText(value: unknown): void {
    this.integer(1, typeof value === 'number' ? 0 : 1);
    this.integer(2, typeof value === 'number' ? value : 0);
    this.text(3, typeof value === 'number' ? '' : String(value));
  }

  #double(number: number, value: number): void {
    this.#varint((number << 3) | 1);
    this.#reserve(8);
    this.#buffer.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  #varint(value: number): void {
    this.#reserve(10);
    if (value < 0) {
      for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
        if (rest < 0x80n) {
          this.#buffer[this.#length++] = Number(rest);
          return;
        }
        this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80;
      }
    }
    while (value >= 0x80) {
      this.#buffer[this.#length++] = (value % 0x80) | 0x80;
      value = Math.floor(value / 0x80);
    }
    this.#buffer[this.#length++] = value;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more));
    larger.set(this.#buffer.subarray(0, Math.min(this.#length, this.#buffer.length)));
    this.#buffer = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  while (value >= 0x80) {
    value = Math.floor(value / 0x80);
    size++;
  }
  return size;
}

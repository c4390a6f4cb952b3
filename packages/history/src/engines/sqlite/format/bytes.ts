// Numbers and texts as bytes: what every stored body is made of. Integers are varints (seven bits a byte, low first),
// exact up to 2^53; signed ones are zigzagged, so that small differences stay small.
import { HistoryError } from '../../../errors.ts';

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  uint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new HistoryError('bad-record', `${value} cannot be stored`);
    this.#room(8);
    while (value > 0x7fffffff) {
      this.#bytes[this.#length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    while (value > 127) {
      this.#bytes[this.#length++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.#bytes[this.#length++] = value;
  }

  int(value: number): void {
    this.uint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.uint(size);
    this.#room(size);
    this.#length += this.#bytes.write(value, this.#length, 'utf8');
  }

  raw(value: Uint8Array): void {
    this.#room(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  hex(digits: string): void {
    this.#room(digits.length / 2);
    this.#length += this.#bytes.write(digits, this.#length, 'hex');
  }

  /** A copy of what was written. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #room(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const HEX_DIGITS = '0123456789abcdef';
const UUID_TEXT = Buffer.from('00000000-0000-0000-0000-000000000000');

export class ByteReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.at = 0;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.at++];
    if (value === undefined) throw new RangeError('the record ends too early');
    return value;
  }

  uint(): number {
    const bytes = this.#bytes;
    let at = this.at;
    let byte = bytes[at++]!;
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      if (scale > 2 ** 56) throw new RangeError('a number is too long');
      byte = bytes[at++]!;
      value += (byte & 127) * scale;
    }
    if (byte === undefined) throw new RangeError('the record ends too early');
    this.at = at;
    return value;
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const size = this.uint();
    return this.#bytes.toString('utf8', this.at, this.skip(size));
  }

  /** Sixteen bytes, as UUIDs are written. */
  uuid(): string {
    const bytes = this.#bytes;
    const from = this.at;
    this.skip(16);
    for (let i = 0, to = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) to++;
      const byte = bytes[from + i]!;
      UUID_TEXT[to++] = HEX_DIGITS.charCodeAt(byte >> 4);
      UUID_TEXT[to++] = HEX_DIGITS.charCodeAt(byte & 15);
    }
    return UUID_TEXT.toString('latin1');
  }

  raw(size: number): Buffer {
    return this.#bytes.subarray(this.at, this.skip(size));
  }

  /** Returns where it is then. */
  skip(size: number): number {
    this.at += size;
    if (this.at > this.#bytes.length) throw new RangeError('the record ends too early');
    return this.at;
  }
}

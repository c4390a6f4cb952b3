// A cursor over protobuf bytes. Called by the readers of each kind and by the envelopes; every malformed input ends in a
// DecodeError. Never reads outside the range it was given, never keeps a part of the bytes, never calls user code.
import { DecodeError } from '../errors.ts';
import { sharedTime } from './shared-times.ts';
import { interner } from './string-interner.ts';

const NO_BYTES = Buffer.alloc(0);
/** A longer annotation value or message hardly ever recurs; hashing it would be wasted. */
const LONGEST_INTERNED = 128;
/** Go's zero time, 0001-01-01T00:00:00Z: it means "not set" and is `null` in JSON. */
const ZERO_TIME_SECONDS = -62_135_596_800;

export class ProtoReader {
  bytes: Buffer = NO_BYTES;
  /** Invariant: 0 ≤ pos ≤ limit ≤ bytes.length, so no read can leave the message that is being read. */
  pos = 0;
  limit = 0;

  begin(bytes: Buffer, start: number, end: number): void {
    if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= bytes.length)) {
      throw new DecodeError(`protobuf range ${start}–${end} lies outside of its ${bytes.length} bytes`);
    }
    this.bytes = bytes;
    this.pos = start;
    this.limit = end;
  }

  /** Lets go of the network buffer. */
  finish(): void {
    this.bytes = NO_BYTES;
    this.pos = 0;
    this.limit = 0;
  }

  /** The next field's tag (number << 3 | wire type). Call only while `pos < limit`. */
  tag(): number {
    const pos = this.pos;
    if (pos < this.limit) {
      const first = this.bytes[pos]!;
      if (first < 128) {
        if (first < 8) throw malformed('field number 0', pos);
        this.pos = pos + 1;
        return first;
      }
    }
    const tag = this.#varint();
    if (tag < 8 || tag > 0xffff_ffff) throw malformed('field number out of range', pos);
    return tag;
  }

  /** Enters an embedded message; pass the result to `leave` once `pos` has reached `limit`. */
  enter(tag: number): number {
    const length = this.length(tag);
    const outer = this.limit;
    this.limit = this.pos + length;
    return outer;
  }

  leave(outer: number): void {
    this.limit = outer;
  }

  /** The length of a delimited field; afterwards `pos` stands on its first byte and `pos + length ≤ limit`. */
  length(tag: number): number {
    if ((tag & 7) !== 2) throw wrongWireType(tag, this.pos);
    const pos = this.pos;
    let length: number;
    if (pos < this.limit && this.bytes[pos]! < 128) {
      length = this.bytes[pos]!;
      this.pos = pos + 1;
    } else {
      length = this.#varint();
    }
    if (length < 0 || length > this.limit - this.pos) throw malformed('length past the end', pos);
    return length;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        this.#varint();
        return;
      case 2: {
        // Not `pos += length()`: that would take the position from before the length was read.
        const length = this.length(tag);
        this.pos += length;
        return;
      }
      case 1:
        this.#advance(8);
        return;
      case 5:
        this.#advance(4);
        return;
      default:
        throw wrongWireType(tag, this.pos);
    }
  }

  /** A string that is its object's own: names, uids, versions, addresses. */
  text(tag: number): string {
    const length = this.length(tag);
    const start = this.pos;
    this.pos = start + length;
    return length === 0 ? '' : this.bytes.toString('utf8', start, start + length);
  }

  /** A string that many objects share. */
  interned(tag: number): string {
    const length = this.length(tag);
    const start = this.pos;
    this.pos = start + length;
    return length > LONGEST_INTERNED
      ? this.bytes.toString('utf8', start, start + length)
      : interner.get(this.bytes, start, start + length);
  }

  /** A string of which nothing is known: shared once it has been met twice. */
  recurring(tag: number): string {
    const length = this.length(tag);
    const start = this.pos;
    this.pos = start + length;
    return length > LONGEST_INTERNED
      ? this.bytes.toString('utf8', start, start + length)
      : interner.recurring(this.bytes, start, start + length);
  }

  bool(tag: number): boolean {
    return this.int64(tag) !== 0;
  }

  int32(tag: number): number {
    return this.int64(tag) | 0;
  }

  /** As a double: exact up to 2^53, which no generation, grace period or Unix time passes. */
  int64(tag: number): number {
    if ((tag & 7) !== 0) throw wrongWireType(tag, this.pos);
    return this.#varint();
  }

  /** metav1.Time as epoch milliseconds; whole seconds, as Kubernetes itself reads it. */
  time(tag: number): number | undefined {
    return this.#timestamp(tag, false);
  }

  /** metav1.MicroTime as whole epoch milliseconds, the microseconds cut off. */
  microTime(tag: number): number | undefined {
    return this.#timestamp(tag, true);
  }

  #timestamp(tag: number, withNanos: boolean): number | undefined {
    const outer = this.enter(tag);
    if (this.pos === this.limit) {
      this.limit = outer;
      return undefined;
    }
    let seconds = 0;
    let nanos = 0;
    while (this.pos < this.limit) {
      const inner = this.tag();
      if (inner === 0x08) seconds = this.#varint();
      else if (inner === 0x10) nanos = this.#varint();
      else this.skip(inner);
    }
    this.limit = outer;
    if (seconds === ZERO_TIME_SECONDS && nanos === 0) return undefined;
    if (!withNanos) return sharedTime(seconds);
    return seconds * 1000 + Math.floor(nanos / 1_000_000);
  }

  #advance(count: number): void {
    if (count > this.limit - this.pos) throw malformed('truncated field', this.pos);
    this.pos += count;
  }

  /** A varint as the signed 64-bit number that Kubernetes' integer types mean by it. */
  #varint(): number {
    const bytes = this.bytes;
    const limit = this.limit;
    const start = this.pos;
    let pos = start;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      if (pos >= limit) throw malformed('truncated varint', start);
      const byte = bytes[pos++]!;
      if (i < 4) low |= (byte & 127) << (7 * i);
      else if (i === 4) {
        low |= (byte & 127) << 28;
        high = (byte & 127) >> 4;
      } else if (i < 9) high |= (byte & 127) << (7 * i - 32);
      else if (byte > 1) throw malformed('varint over 64 bits', start);
      else high |= byte << 31;
      if (byte < 128) {
        this.pos = pos;
        return high === 0 ? low >>> 0 : high * 4_294_967_296 + (low >>> 0);
      }
    }
    throw malformed('varint over 64 bits', start);
  }
}

function malformed(what: string, at: number): DecodeError {
  return new DecodeError(`malformed protobuf: ${what} at byte ${at}`);
}

function wrongWireType(tag: number, at: number): DecodeError {
  return malformed(`wire type ${tag & 7} for field ${tag >>> 3}`, at);
}

// Where a week file's records are to be found: for each handle (32 bits of an address, node, name or workload) the lives
// that have it, in the order of their beginnings. Blocks of such entries are packed tightly; one entry takes 6–8 bytes.
// Times are kept in units of 16.384 s, rounded outwards: they only rule lives out, the records decide.
import { ByteReader, ByteWriter } from '../format/bytes.ts';

export interface Posting {
  readonly handle: number;
  readonly life: number;
  /** Rounded down; may lie before the week. */
  readonly start: number;
  /** Rounded up. */
  readonly until: number;
}

export const UNIT_MS = 16_384;
const EARLIEST_UNIT = -0x80000000;
/** Fewer where every question passes. */
export const POSTINGS_PER_BLOCK = { ip: 32, node: 64, name: 64, workload: 64 };

/** Rounded down, and no earlier than 32 bits can tell. */
export function unitOf(time: number, origin: number): number {
  return Math.max(EARLIEST_UNIT, Math.floor((time - origin) / UNIT_MS));
}

/** All postings of one kind: gathered in any order, given back sorted by (handle, start). */
export class PostingList {
  #handles = new Uint32Array(1024);
  #lives = new Uint32Array(1024);
  #starts = new Int32Array(1024);
  #lengths = new Uint32Array(1024);
  #count = 0;
  /** Units are counted from here, so that they fit 32 bits. */
  readonly #origin: number;

  constructor(origin: number) {
    this.#origin = origin;
  }

  get size(): number {
    return this.#count;
  }

  add(handle: number, life: number, startMs: number, untilMs: number): void {
    if (this.#count === this.#handles.length) this.#grow();
    const start = unitOf(startMs, this.#origin);
    this.#handles[this.#count] = handle;
    this.#lives[this.#count] = life;
    this.#starts[this.#count] = start;
    this.#lengths[this.#count++] = Math.max(0, Math.ceil((untilMs - this.#origin) / UNIT_MS) - start);
  }

  *sorted(): Generator<Posting> {
    for (const at of this.#order()) {
      const start = this.#starts[at]!;
      yield { handle: this.#handles[at]!, life: this.#lives[at]!, start, until: start + this.#lengths[at]! };
    }
  }

  /** Two sorts of plain 64-bit numbers are many times faster than one that calls back. */
  #order(): Uint32Array {
    const keys = new BigUint64Array(this.#count);
    const low = 0xffffffffn;
    for (let i = 0; i < this.#count; i++) keys[i] = (BigInt(this.#starts[i]! + 0x80000000) << 32n) | BigInt(i);
    keys.sort();
    const byStart = Uint32Array.from(keys, (key) => Number(key & low));
    for (let rank = 0; rank < this.#count; rank++) {
      keys[rank] = (BigInt(this.#handles[byStart[rank]!]!) << 32n) | BigInt(rank);
    }
    keys.sort();
    return Uint32Array.from(keys, (key) => byStart[Number(key & low)]!);
  }

  #grow(): void {
    const size = this.#handles.length * 2;
    const grown = <T extends Uint32Array | Int32Array>(larger: T, old: T): T => {
      larger.set(old);
      return larger;
    };
    this.#handles = grown(new Uint32Array(size), this.#handles);
    this.#lives = grown(new Uint32Array(size), this.#lives);
    this.#starts = grown(new Int32Array(size), this.#starts);
    this.#lengths = grown(new Uint32Array(size), this.#lengths);
  }
}

/** Each block begins with its kind and with where the one before stands: whoever was led past that one notices. */
export class PostingWriter {
  readonly #bytes = new ByteWriter();
  readonly #kind: number;
  readonly #hasTimes: boolean;
  #handle = 0;
  #start = 0;
  count = 0;

  /** Where a handle has few lives, their times would cost more than they save. */
  constructor(kind: number, hasTimes: boolean) {
    this.#kind = kind;
    this.#hasTimes = hasTimes;
    this.#begin(-1, 0);
  }

  get last(): number {
    return this.#handle;
  }

  add({ handle, life, start, until }: Posting): void {
    const isSame = this.count > 0 && handle === this.#handle;
    this.#bytes.uint(handle - this.#handle);
    this.#bytes.uint(life);
    if (this.#hasTimes) {
      this.#bytes.int(isSame ? start - this.#start : start);
      this.#bytes.uint(until - start);
    }
    this.#handle = handle;
    this.#start = start;
    this.count++;
  }

  /** The block, which will stand at this place, and a fresh beginning. */
  take(last: number, part: number): Buffer {
    const block = this.#bytes.take();
    this.#bytes.clear();
    this.#begin(last, part);
    this.#handle = 0;
    this.#start = 0;
    this.count = 0;
    return block;
  }

  /** Nearly always the part is 0, which then costs no byte. */
  #begin(last: number, part: number): void {
    this.#bytes.uint(this.#kind * 2 + (part === 0 ? 0 : 1));
    this.#bytes.uint(last + 1);
    if (part !== 0) this.#bytes.uint(part);
  }
}

/** What a block says of the one before it. */
export interface PostingLink {
  readonly kind: number | undefined;
  /** Its last handle; -1 when there is none. */
  readonly last: number;
  readonly part: number;
  /** Where the entries begin. */
  readonly at: number;
}

/** Version 1 of week files has only the handle. */
export function readLink(block: Buffer, version: number): PostingLink {
  const reader = new ByteReader(block);
  if (version === 1) return { kind: undefined, last: reader.uint() - 1, part: 0, at: reader.at };
  const kindAndPart = reader.uint();
  const last = reader.uint() - 1;
  const part = kindAndPart % 2 === 0 ? 0 : reader.uint();
  return { kind: kindAndPart >> 1, last, part, at: reader.at };
}

export interface PostingQuery {
  readonly handle: number;
  /** [from, to) in units; undefined in blocks without times. */
  readonly span: readonly [from: number, to: number] | undefined;
}

/**
 * Calls `found` for the entries that are asked for, of those between `from` and `end`; returns true when the next block
 * may hold more of them. On the path of every question, hence the numbers are read by hand.
 */
export function scanPostings(
  block: Buffer,
  { handle, span }: PostingQuery,
  found: (life: number, start: number) => void,
  from: number,
  end = block.length,
): boolean {
  let at = from;
  const uint = (): number => {
    let byte = block[at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; ; scale *= 128) {
      byte = block[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      if (byte === undefined) throw new RangeError('a block of postings ends too early');
    }
  };
  let current = 0;
  let start = 0;
  for (let first = true; at < end; first = false) {
    const step = uint();
    current += step;
    if (current > handle) return false;
    const life = uint();
    let length = 0;
    if (span !== undefined) {
      const zigzag = uint();
      const time = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      start = step === 0 && !first ? start + time : time;
      length = uint();
    }
    if (current !== handle) continue;
    if (span === undefined) found(life, 0);
    else if (start > span[1]) return false;
    else if (start + length >= span[0]) found(life, start);
  }
  return true;
}

/** Every entry with times that may touch the span, of any handle. Read by hand, as above: a whole week passes here. */
export function scanSpan(
  block: Buffer,
  [first, last]: readonly [from: number, to: number],
  from: number,
  found: (life: number) => void,
): void {
  let at = from;
  const uint = (): number => {
    let byte = block[at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; ; scale *= 128) {
      byte = block[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      if (byte === undefined) throw new RangeError('a block of postings ends too early');
    }
  };
  let start = 0;
  for (let isFirst = true; at < block.length; isFirst = false) {
    const step = uint();
    const life = uint();
    const zigzag = uint();
    const time = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    start = step === 0 && !isFirst ? start + time : time;
    const length = uint();
    if (start <= last && start + length >= first) found(life);
  }
}

/** For verifying: every entry, from where they begin. Returns the last handle. */
export function eachPosting(
  block: Buffer,
  hasTimes: boolean,
  from: number,
  found: (handle: number, life: number) => void,
): number {
  const reader = new ByteReader(block);
  reader.at = from;
  let handle = 0;
  while (!reader.isAtEnd) {
    handle += reader.uint();
    found(handle, reader.uint());
    if (!hasTimes) continue;
    reader.int();
    reader.uint();
  }
  return handle;
}

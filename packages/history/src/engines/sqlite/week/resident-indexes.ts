// What is kept in memory of a week file that is asked often: addresses that reach back, its address postings, and which
// UIDs it may have. WeekFile has one and asks it first. It only ever rules out: what is damaged is found by reading.
import { AddressIndex, BYTES_PER_TENURE, firstNotBelow, type IndexRoom, WORTH_KEEPING } from './address-index.ts';
import type { LifeBlockReader } from './life-blocks.ts';
import { unitOf } from './postings.ts';
import { UidFilter, WORTH_FILTERING } from './uid-filter.ts';
import { handleAt, isLastPlace, type WeekCounts } from './week-writer.ts';

export interface ResidentParts {
  readonly room: IndexRoom;
  readonly counts: WeekCounts;
  /** The week's. */
  readonly start: number;
  readonly blocks: LifeBlockReader;
  spanningBytes(): Buffer;
  /** All posting blocks of addresses in their order, each from where its entries begin. */
  eachAddressPosting(see: (place: number, block: Buffer, at: number) => void): void;
}

/** Some two hundred microseconds: as long as the search that pays for them. */
const BLOCKS_AT_ONCE = 32;
/** 2^20 bits: the first look sets most addresses apart. */
const SIEVE_MASK = 0xfffff;

export class ResidentIndexes {
  readonly #parts: ResidentParts;
  readonly #start: number;
  readonly #blocks: LifeBlockReader;
  #spanning: Spanning | undefined;
  #addresses: AddressIndex | undefined;
  #asked = 0;
  #uids: UidFilter | undefined;
  /** Blocks whose UIDs are in it: all of them, or it says nothing yet. */
  #filtered = 0;
  #searched = 0;

  constructor(parts: ResidentParts) {
    this.#parts = parts;
    this.#start = parts.start;
    this.#blocks = parts.blocks;
  }

  /** Whether the file may hold a tenure of this address that began before the week, at `at` or earlier. */
  mayReachBack(handle: number, at: number): boolean {
    const { sieve, handles, starts } = (this.#spanning ??= readSpanning(this.#parts.spanningBytes()));
    if (!((sieve[(handle & SIEVE_MASK) >>> 5]! >>> (handle & 31)) & 1)) return false;
    const place = firstNotBelow(handles, handle);
    return handles[place] === handle && starts[place]! <= unitOf(at, this.#start);
  }

  /** Asked for with every question about an address; undefined: the postings are to be read. */
  addresses(): AddressIndex | undefined {
    return this.#addresses ?? this.#keepAddresses();
  }

  /** Asked for with every search for a UID: false, where the file has no life of it for certain. */
  mayHave(uid: string): boolean {
    if (this.#filtered < this.#blocks.count) {
      this.#fillFilter();
      return true;
    }
    return this.#uids?.mayHave(uid) !== false;
  }

  close(): void {
    const { room } = this.#parts;
    room.takeBack(this);
    if (this.#uids !== undefined) room.takeBack(this.#uids);
  }

  /** When they have been asked for often enough, and there is room. */
  #keepAddresses(): AddressIndex | undefined {
    if (++this.#asked < WORTH_KEEPING) return undefined;
    this.#asked = 0;
    const { room, counts } = this.#parts;
    if (!room.give(this, counts.tenures * BYTES_PER_TENURE)) return undefined;
    try {
      const blocks: { last: number; body: Buffer }[] = [];
      this.#parts.eachAddressPosting((place, block, at) => {
        if (!isLastPlace(place)) blocks.push({ last: handleAt(place), body: block.subarray(at) });
      });
      this.#addresses = new AddressIndex(blocks);
    } catch {
      // Something is damaged: a question that needs that row is refused, the others go on.
      room.takeBack(this);
      this.#asked = Number.NEGATIVE_INFINITY;
    }
    return this.#addresses;
  }

  /** A few blocks more, once there have been enough searches, and there is room. */
  #fillFilter(): void {
    if (++this.#searched < WORTH_FILTERING) return;
    const { room, counts } = this.#parts;
    if (this.#uids === undefined) {
      const uids = new UidFilter(counts.lives);
      if (!room.give(uids, uids.bytes)) {
        this.#searched = 0;
        return;
      }
      this.#uids = uids;
    }
    try {
      for (let left = BLOCKS_AT_ONCE; left > 0 && this.#filtered < this.#blocks.count; left--) {
        const reader = this.#blocks.reader(this.#filtered);
        while (!reader.isAtEnd) {
          const next = reader.uint() + reader.at;
          this.#uids.add(reader.uid());
          reader.at = next;
        }
        this.#filtered++;
      }
    } catch {
      // Something is damaged: who looks for what is there is refused, the others go on, and nothing is ruled out.
      room.takeBack(this.#uids);
      this.#uids = undefined;
      this.#searched = Number.NEGATIVE_INFINITY;
    }
  }
}

interface Spanning {
  /** One bit for the low bits of each handle. */
  readonly sieve: Uint32Array;
  /** Sorted. */
  readonly handles: Uint32Array;
  /** Of the first tenure of each, in units. */
  readonly starts: Int32Array;
}

function readSpanning(bytes: Buffer): Spanning {
  const count = bytes.length / 8;
  const handles = new Uint32Array(count);
  const starts = new Int32Array(count);
  const sieve = new Uint32Array((SIEVE_MASK + 1) / 32);
  for (let i = 0; i < count; i++) {
    const handle = bytes.readUInt32LE(i * 4);
    handles[i] = handle;
    sieve[(handle & SIEVE_MASK) >>> 5]! |= 1 << (handle & 31);
    starts[i] = bytes.readInt32LE((count + i) * 4);
  }
  return { sieve, handles, starts };
}

// Which UIDs a week file may have lives of: most pods that are looked for live in one week, and the files of all later ones
// are looked at, too. Two bits for each UID; says no for certain, and yes wrongly once in seventy times. Filled a few
// blocks at a time by whoever searches, so that nobody waits for a whole file. Called by resident-indexes.ts.
import { handleOf } from '../format/checksum.ts';

/** Searches in a file after which a filter is worth having. */
export const WORTH_FILTERING = 200;
const BITS_PER_LIFE = 16;
const LEAST_BITS = 1024;
const MOST_BITS = 2 ** 30;
/** An odd number, whose product with a handle has other low bits in its upper half. */
const SPREAD = 0x9e3779b1;

export class UidFilter {
  readonly #words: Uint32Array;
  /** A power of two: all bits of a place are set in it. */
  readonly #mask: number;

  constructor(lives: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.min(MOST_BITS, Math.max(LEAST_BITS, lives * BITS_PER_LIFE))));
    this.#words = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  /** Two to four for each life. */
  get bytes(): number {
    return this.#words.byteLength;
  }

  add(uid: string): void {
    const handle = handleOf(uid);
    this.#set(handle & this.#mask);
    this.#set(second(handle) & this.#mask);
  }

  mayHave(uid: string): boolean {
    const handle = handleOf(uid);
    return this.#has(handle & this.#mask) && this.#has(second(handle) & this.#mask);
  }

  #set(place: number): void {
    this.#words[place >>> 5]! |= 1 << (place & 31);
  }

  #has(place: number): boolean {
    return ((this.#words[place >>> 5]! >>> (place & 31)) & 1) === 1;
  }
}

function second(handle: number): number {
  const product = Math.imul(handle, SPREAD);
  return (product >>> 16) | (product << 16);
}

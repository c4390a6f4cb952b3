// The address postings of a week file, kept in memory where they are asked for again and again: looking one up there
// costs a third of what reading its row costs. Seven to ten bytes a tenure; what all files of a store may keep together
// is limited, and whoever gets nothing reads rows. resident-indexes.ts fills it.
import { type PostingQuery, scanPostings } from './postings.ts';

/** Questions about addresses after which a file's postings are worth keeping. */
export const WORTH_KEEPING = 200;
export const BYTES_PER_TENURE = 10;
/** Ten million tenures. */
const MOST_BYTES = 100_000_000;

export class AddressIndex {
  readonly #bytes: Buffer;
  /** Of each block: where it ends, and its last handle. */
  readonly #ends: Uint32Array;
  readonly #lasts: Uint32Array;

  /** Entries only, in the order of their places. */
  constructor(blocks: readonly { readonly last: number; readonly body: Buffer }[]) {
    this.#bytes = Buffer.concat(blocks.map(({ body }) => body));
    this.#lasts = Uint32Array.from(blocks, ({ last }) => last);
    let end = 0;
    this.#ends = Uint32Array.from(blocks, ({ body }) => (end += body.length));
  }

  scan(query: PostingQuery, found: (life: number, start: number) => void): void {
    for (let block = firstNotBelow(this.#lasts, query.handle); block < this.#lasts.length; block++) {
      const start = block === 0 ? 0 : this.#ends[block - 1]!;
      if (!scanPostings(this.#bytes, query, found, start, this.#ends[block])) return;
    }
  }
}

/** Shared by the files of a store. Nothing is taken away from a file that is open: it would only be read again. */
export class IndexRoom {
  #left: number;
  readonly #given = new Map<object, number>();

  constructor(bytes = MOST_BYTES) {
    this.#left = bytes;
  }

  /** False: there is not enough. */
  give(taker: object, bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    this.#given.set(taker, bytes);
    return true;
  }

  takeBack(taker: object): void {
    this.#left += this.#given.get(taker) ?? 0;
    this.#given.delete(taker);
  }
}

/** Of the first that is not smaller. */
export function firstNotBelow(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

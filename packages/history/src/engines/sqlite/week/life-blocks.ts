// Reads the blocks of a week file in which its lives are, in the order of their UIDs. WeekFile has one, and reads the lives
// through the readers that it gives. A block that is not the one that was meant is `damaged`.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { agrees, damaged, isSound, orDamaged, unsealed } from '../format/checksum.ts';
import type { WeekDictionary } from '../format/dictionary.ts';
import type { Life } from '../format/record-layout.ts';
import { RecordReader } from '../format/record-reader.ts';
import { arrays } from '../statements.ts';
import { LIVES_PER_BLOCK, uidPrefix } from './week-writer.ts';

export interface LifeBlocksOfWeek {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly dictionary: WeekDictionary;
  /** The week's. */
  readonly start: number;
  readonly lives: number;
}

/** About so many of a file, of a few hundred bytes each: nine of the fourteen that a search in a large one looks at. */
const KEPT_FIRSTS = 512;

export class LifeBlockReader {
  /** How many blocks there are. */
  readonly count: number;
  readonly #path: string;
  readonly #dictionary: WeekDictionary;
  readonly #start: number;
  readonly #life: StatementSync;
  readonly #several: StatementSync;
  readonly #first: StatementSync;
  readonly #firsts = new Map<number, Uint8Array>();

  constructor({ path, db, dictionary, start, lives }: LifeBlocksOfWeek) {
    this.count = Math.ceil(lives / LIVES_PER_BLOCK);
    this.#path = path;
    this.#dictionary = dictionary;
    this.#start = start;
    this.#life = arrays(db, 'SELECT body FROM life WHERE block = ?');
    this.#several = arrays(db, 'SELECT block, body FROM json_each(?) JOIN life ON block = value');
    this.#first = arrays(db, 'SELECT first FROM life WHERE block = ?');
  }

  /** For errors: the block as people find it. */
  place(block: number): () => string {
    return () => `${this.#path}, life ${block}`;
  }

  /** At the beginning of the first life of a block. */
  reader(block: number): RecordReader {
    return this.readerOf(block, (this.#life.get(block) as unknown as [Uint8Array] | undefined)?.[0]);
  }

  /** The same, of a block that `bodies` has read. */
  readerOf(block: number, body: Uint8Array | undefined): RecordReader {
    const where = this.place(block);
    if (body === undefined) throw damaged(where());
    const reader = new RecordReader(this.#dictionary, unsealed(body, where), this.#start);
    if (!agrees(reader.uint(), block)) throw damaged(where());
    return reader;
  }

  /** Several blocks at once; a block that is not there is missing. */
  bodies(blocks: readonly number[]): ReadonlyMap<number, Uint8Array> {
    const rows = orDamaged(this.place(blocks[0] ?? 0), () => this.#several.all(JSON.stringify(blocks)));
    return new Map(rows as unknown as [number, Uint8Array][]);
  }

  /** All lives of a block. */
  lives(block: number): Life[] {
    return orDamaged(this.place(block), () => {
      const reader = this.reader(block);
      const lives: Life[] = [];
      while (!reader.isAtEnd) {
        reader.uint();
        lives.push(reader.life());
      }
      return lives;
    });
  }

  /** The last block that begins before the UID, or 0. */
  before(uid: string): number {
    const wanted = uidPrefix(uid);
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const isShared = (high - low) * KEPT_FIRSTS >= this.count;
      if (Buffer.compare(this.#firstOf(middle, isShared), wanted) < 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The beginnings that led to a block stand outside of every checksum: `first` is the UID that it really begins with. */
  checkFirst(block: number, first: string, uid: string): void {
    const isBefore = block === 0 || Buffer.compare(uidPrefix(first), uidPrefix(uid)) < 0;
    if (!isSound(isBefore)) throw damaged(this.place(block)());
  }

  /** For verifying: whether the beginning that stands beside a block is that of its first UID. */
  beginsWith(block: number, uid: string): boolean {
    const row = this.#first.get(block) as unknown as [Uint8Array] | undefined;
    return row !== undefined && Buffer.compare(row[0], uidPrefix(uid)) === 0;
  }

  /** Those that a search looks at first are the same for all searches: they are kept. */
  #firstOf(block: number, isShared: boolean): Uint8Array {
    const kept = this.#firsts.get(block);
    if (kept !== undefined) return kept;
    const row = this.#first.get(block) as unknown as [Uint8Array] | undefined;
    if (row === undefined) throw damaged(this.place(block)());
    if (isShared) this.#firsts.set(block, row[0]);
    return row[0];
  }
}

export function blockOf(ordinal: number): number {
  return Math.floor(ordinal / LIVES_PER_BLOCK);
}

/** At the beginning of a life, given the reader of its block. */
export function readerAt(reader: RecordReader, ordinal: number): RecordReader {
  for (let skip = ordinal % LIVES_PER_BLOCK; skip > 0; skip--) reader.skip(reader.uint());
  reader.uint();
  return reader;
}

// Reads one sealed week. The file never changes, so SQLite is told not to lock it; whoever holds it open may go on
// reading after it has been unlinked.
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { HistoryError } from '../../errors.ts';
import type { Placement, Tenure } from '../../model/records.ts';
import { compareTexts } from '../order.ts';
import { AddressIndex, firstNotBelow, IndexRoom, WORTH_KEEPING } from './address-index.ts';
import { corruptRow, unsealed } from './checksum.ts';
import { asHistoryError, damagedStore, missingWeek } from './faults.ts';
import { lastHandle, scanPostings, UNIT_MS, unitOf } from './postings.ts';
import type { Life } from './record-layout.ts';
import { RecordReader } from './record-reader.ts';
import { storedVersion } from './schema.ts';
import { weekStart } from './week.ts';
import { HANDLES, type HandleKind, handleAt, hasTimes, LIVES_PER_BLOCK, placeOf, uidPrefix } from './week-writer.ts';
import { WordBlocks } from './words.ts';

interface Counts {
  readonly week: number;
  readonly lives: number;
  readonly tenures: number;
  readonly placements: number;
}

/** A life that may be meant, and no record of which begins before `notBefore`. */
export interface Candidate {
  readonly notBefore: number;
  readonly life: number;
}

export class WeekFile {
  readonly path: string;
  /** Of its format. */
  readonly version: number;
  readonly start: number;
  readonly counts: Counts;
  readonly #db: DatabaseSync;
  readonly #words: WordBlocks;
  readonly #life: StatementSync;
  readonly #several: StatementSync;
  readonly #first: StatementSync;
  readonly #posting: StatementSync;
  readonly #room: IndexRoom;
  #spanning: Spanning | undefined;
  #addresses: AddressIndex | undefined;
  #asked = 0;

  constructor(path: string, newest: number, room = new IndexRoom()) {
    this.path = path;
    this.#room = room;
    refuseCut(path);
    const url = pathToFileURL(path);
    url.search = 'immutable=1';
    this.#db = new DatabaseSync(url, { readOnly: true });
    try {
      this.#db.exec('PRAGMA mmap_size = 1099511627776; PRAGMA cache_size = -2048');
      this.version = storedVersion(this.#db, path, newest);
      this.#words = new WordBlocks(this.#db);
      this.#life = arrays(this.#db, 'SELECT body FROM life WHERE block = ?');
      this.#several = arrays(this.#db, 'SELECT block, body FROM json_each(?) JOIN life ON block = value');
      this.#first = arrays(this.#db, 'SELECT first FROM life WHERE block = ?');
      this.#posting = arrays(
        this.#db,
        'SELECT place, body FROM posting WHERE place >= ? AND place < ? ORDER BY place LIMIT 1',
      );
      this.counts = JSON.parse(this.#about('counts').toString('utf8')) as Counts;
      this.start = weekStart(this.counts.week);
    } catch (error) {
      this.#db.close();
      throw asHistoryError(error, path);
    }
  }

  /** Whether the file may hold a tenure of this address that began before the week, at `at` or earlier. */
  mayReachBack(handle: number, at: number): boolean {
    const { sieve, handles, starts } = (this.#spanning ??= readSpanning(this.#about('spanning')));
    if (!((sieve[(handle & SIEVE_MASK) >>> 5]! >>> (handle & 31)) & 1)) return false;
    const place = firstNotBelow(handles, handle);
    return handles[place] === handle && starts[place]! <= unitOf(at, this.start);
  }

  /** Lives with this handle that may touch [from, to), in the order of `notBefore`. */
  candidates(kind: HandleKind, handle: number, from: number, to: number): Candidate[] {
    const found: Candidate[] = [];
    const span = hasTimes(kind) ? ([unitOf(from, this.start), unitOf(to, this.start) + 1] as const) : undefined;
    const take = (life: number, start: number): void => {
      const notBefore = span === undefined ? Number.MIN_SAFE_INTEGER : start * UNIT_MS + this.start;
      found.push({ life, notBefore });
    };
    const addresses = kind === 'ip' ? (this.#addresses ?? this.#keepAddresses()) : undefined;
    if (addresses !== undefined) {
      this.#guard(
        () => `${this.path}, posting of ${handle}`,
        () => addresses.scan({ handle, span }, take),
      );
      return found;
    }
    const end = placeOf(kind, 2 ** 32, 0);
    let place = placeOf(kind, handle, 0);
    for (;;) {
      const row = this.#posting.get(place, end) as unknown as [number, Uint8Array] | undefined;
      if (row === undefined) return found;
      const where = (): string => `${this.path}, posting ${row[0]}`;
      const more = this.#guard(where, () => scanPostings(unsealed(row[1], where), { handle, span }, take));
      if (!more) return found;
      place = row[0] + 1;
    }
  }

  tenuresOf(ordinal: number): readonly Tenure[] {
    const block = blockOf(ordinal);
    return this.#guard(this.#place(block), () => readerAt(this.#block(block), ordinal).tenures());
  }

  /** Of several lives, which lie anywhere: read together, each costs two thirds of what it costs alone. */
  placementsOf(ordinals: readonly number[]): Placement[] {
    const blocks = ordinals.map(blockOf);
    const rows = this.#guard(this.#place(blocks[0] ?? 0), () => this.#several.all(JSON.stringify(blocks)));
    const bodies = new Map(rows as unknown as [number, Uint8Array][]);
    const found: Placement[] = [];
    for (const ordinal of ordinals) {
      const block = blockOf(ordinal);
      const read = () => readerAt(this.#reader(block, bodies.get(block)), ordinal).placement();
      const placement = this.#guard(this.#place(block), read);
      if (placement !== undefined) found.push(placement);
    }
    return found;
  }

  /** Lives in the order of their UIDs, from the first whose UID is not before `uid`. */
  *livesFrom(uid: string): Generator<Life> {
    const blocks = Math.ceil(this.counts.lives / LIVES_PER_BLOCK);
    for (let block = this.#blockBefore(uid, blocks); block < blocks; block++) {
      for (const life of this.#lives(block)) if (compareTexts(life.holder.uid, uid) >= 0) yield life;
    }
  }

  /** The lives of one UID, without reading those beside it. */
  livesOf(uid: string): Life[] {
    const blocks = Math.ceil(this.counts.lives / LIVES_PER_BLOCK);
    const found: Life[] = [];
    for (let block = this.#blockBefore(uid, blocks); block < blocks; block++) {
      const isPast = this.#guard(this.#place(block), () => {
        const reader = this.#block(block);
        while (!reader.isAtEnd) {
          const next = reader.uint() + reader.at;
          const start = reader.at;
          const order = compareTexts(reader.uid(), uid);
          if (order > 0) return true;
          reader.at = order === 0 ? start : next;
          if (order === 0) found.push(reader.life());
        }
        return false;
      });
      if (isPast) break;
    }
    return found;
  }

  /** Reads everything; calls `damaged` for what is not whole, and returns how many records are. */
  verify(damaged: (where: string, error: unknown) => void): number {
    let records = 0;
    const check = (where: string, body: () => void): void => {
      try {
        body();
      } catch (error) {
        damaged(where, error);
      }
    };
    check(this.path, () => {
      for (const row of this.#db.prepare('PRAGMA integrity_check').all()) {
        if (row['integrity_check'] !== 'ok') throw new Error(String(row['integrity_check']));
      }
    });
    for (let block = 0; block * LIVES_PER_BLOCK < this.counts.lives; block++) {
      check(`${this.path}, life ${block}`, () => {
        for (const { placement, tenures } of this.#lives(block)) {
          records += tenures.length + (placement === undefined ? 0 : 1);
        }
      });
    }
    for (const { place, body } of this.#db.prepare('SELECT place, body FROM posting').iterate()) {
      const where = `${this.path}, posting ${place}`;
      check(where, () => {
        const kind = (Object.keys(HANDLES) as HandleKind[])[Math.floor(Number(place) / placeOf('node', 0, 0))]!;
        const last = lastHandle(
          unsealed(body as Uint8Array, () => where),
          hasTimes(kind),
        );
        if (last !== handleAt(Number(place))) throw corruptRow(where);
      });
    }
    for (const { block } of this.#db.prepare('SELECT block FROM word').iterate()) {
      check(`${this.path}, words ${block}`, () => this.#words.check(Number(block)));
    }
    check(`${this.path}, spanning`, () => this.mayReachBack(0, 0));
    return records;
  }

  close(): void {
    this.#room.takeBack(this);
    if (this.#db.isOpen) this.#db.close();
  }

  /** When they have been asked for often enough, and there is room. */
  #keepAddresses(): AddressIndex | undefined {
    if (++this.#asked < WORTH_KEEPING) return undefined;
    this.#asked = 0;
    if (!this.#room.give(this, this.counts.tenures)) return undefined;
    try {
      const statement = arrays(this.#db, 'SELECT place, body FROM posting WHERE place < ? ORDER BY place');
      const rows = statement.iterate(placeOf('node', 0, 0)) as unknown as Iterable<[number, Uint8Array]>;
      const where = (): string => `${this.path}, posting`;
      this.#addresses = new AddressIndex(
        Array.from(rows, ([place, body]) => ({ last: handleAt(place), body: unsealed(body, where) })),
      );
    } catch {
      // Something is damaged: whoever needs that row is told, the others go on.
      this.#room.takeBack(this);
      this.#asked = Number.NEGATIVE_INFINITY;
    }
    return this.#addresses;
  }

  #lives(block: number): Life[] {
    return this.#guard(this.#place(block), () => {
      const reader = this.#block(block);
      const lives: Life[] = [];
      while (!reader.isAtEnd) {
        reader.uint();
        lives.push(reader.life());
      }
      return lives;
    });
  }

  #place(block: number): () => string {
    return () => `${this.path}, life ${block}`;
  }

  #block(block: number): RecordReader {
    return this.#reader(block, (this.#life.get(block) as unknown as [Uint8Array] | undefined)?.[0]);
  }

  #reader(block: number, body: Uint8Array | undefined): RecordReader {
    const where = this.#place(block);
    if (body === undefined) throw corruptRow(where());
    const reader = new RecordReader(this.#words, unsealed(body, where), this.start);
    if (reader.uint() !== block) throw corruptRow(where());
    return reader;
  }

  /** The last block that begins before the UID, or 0. */
  #blockBefore(uid: string, blocks: number): number {
    const wanted = uidPrefix(uid);
    let low = 0;
    let high = blocks - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = this.#first.get(middle) as unknown as [Uint8Array] | undefined;
      if (row === undefined) throw corruptRow(`${this.path}, life ${middle}`);
      if (Buffer.compare(row[0], wanted) < 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #about(key: string): Buffer {
    const row = this.#db.prepare('SELECT value FROM about WHERE key = ?').get(key);
    const where = (): string => `${this.path}, about ${key}`;
    if (row === undefined) throw corruptRow(where());
    return unsealed(row['value'] as Uint8Array, where);
  }

  /** What cannot be read for whatever reason is a damaged record. */
  #guard<T>(where: () => string, body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw error instanceof HistoryError ? error : corruptRow(where(), error);
    }
  }
}

function blockOf(ordinal: number): number {
  return Math.floor(ordinal / LIVES_PER_BLOCK);
}

/** At the beginning of a life, given the reader of its block. */
function readerAt(reader: RecordReader, ordinal: number): RecordReader {
  for (let skip = ordinal % LIVES_PER_BLOCK; skip > 0; skip--) reader.skip(reader.uint());
  reader.uint();
  return reader;
}

/** 2^20 bits: most addresses are told apart by the first look. */
const SIEVE_MASK = 0xfffff;

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

function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** A file that was cut would end the process when its missing part is touched: it is mapped into memory. */
function refuseCut(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw missingWeek(path);
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
    const pageSize = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
    if (pages === 0 || pages * pageSize !== size) throw damagedStore(path);
  } catch (error) {
    throw asHistoryError(error, path);
  } finally {
    db.close();
  }
}

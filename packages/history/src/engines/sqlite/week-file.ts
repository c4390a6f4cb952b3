// Reads one sealed week. The file never changes, so SQLite is told not to lock it; whoever holds it open may go on
// reading after it has been unlinked.
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { HistoryError } from '../../errors.ts';
import { compareTexts } from '../order.ts';
import { corruptRow, unsealed } from './checksum.ts';
import { asHistoryError, damagedStore } from './faults.ts';
import { EARLIEST_UNIT, readPostings, scanPostings, UNIT_MS } from './postings.ts';
import { type Life, RecordReader } from './record-codec.ts';
import { storedVersion } from './schema.ts';
import { weekStart } from './week.ts';
import { HANDLES, type HandleKind, LIVES_PER_BLOCK, uidPrefix, WEEK_VERSION } from './week-writer.ts';
import { WordTable } from './words.ts';

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
  readonly start: number;
  readonly counts: Counts;
  readonly #db: DatabaseSync;
  readonly #words: WordTable;
  readonly #life: StatementSync;
  readonly #first: StatementSync;
  readonly #posting: StatementSync;
  #spanning: Uint32Array | undefined;

  constructor(path: string) {
    this.path = path;
    refuseCut(path);
    const url = pathToFileURL(path);
    url.search = 'immutable=1';
    this.#db = new DatabaseSync(url, { readOnly: true });
    try {
      this.#db.exec('PRAGMA mmap_size = 1099511627776; PRAGMA cache_size = -2048');
      if (storedVersion(this.#db, path) > WEEK_VERSION) throw damagedStore(path);
      this.#words = new WordTable(this.#db, false);
      this.#life = arrays(this.#db, 'SELECT body FROM life WHERE block = ?');
      this.#first = arrays(this.#db, 'SELECT first FROM life WHERE block = ?');
      this.#posting = arrays(
        this.#db,
        'SELECT last, part, body FROM posting WHERE kind = ? AND (last, part) >= (?, ?) ORDER BY last, part LIMIT 1',
      );
      this.counts = JSON.parse(this.#about('counts').toString('utf8')) as Counts;
      this.start = weekStart(this.counts.week);
    } catch (error) {
      this.#db.close();
      throw asHistoryError(error, path);
    }
  }

  /** Whether a tenure of this address, of which some began before the week, may be in the file. */
  mayReachBack(handle: number): boolean {
    if (this.#spanning === undefined) {
      const bytes = this.#about('spanning');
      this.#spanning = new Uint32Array(bytes.length / 4);
      for (let i = 0; i < this.#spanning.length; i++) this.#spanning[i] = bytes.readUInt32LE(i * 4);
    }
    return includes(this.#spanning, handle);
  }

  /** Lives with this handle that may touch [from, to), in the order of `notBefore`. */
  candidates(kind: HandleKind, handle: number, from: number, to: number): Candidate[] {
    const found: Candidate[] = [];
    if (kind === 'name') from = to = this.start;
    const fromUnit = Math.floor((from - this.start) / UNIT_MS);
    // What began before the earliest unit is filed under it.
    const toUnit = Math.max(EARLIEST_UNIT, Math.ceil((to - this.start) / UNIT_MS));
    let last = handle;
    let part = 0;
    for (;;) {
      const row = this.#posting.get(HANDLES[kind], last, part) as unknown as [number, number, Uint8Array] | undefined;
      if (row === undefined) return found;
      const where = `${this.path}, posting ${kind} ${row[0]}/${row[1]}`;
      const more = this.#guard(where, () =>
        scanPostings(unsealed(row[2], where), handle, fromUnit, toUnit, (life, start) =>
          found.push({ life, notBefore: kind === 'name' ? Number.MIN_SAFE_INTEGER : start * UNIT_MS + this.start }),
        ),
      );
      if (!more) return found;
      last = row[0];
      part = row[1] + 1;
    }
  }

  life(ordinal: number): Life {
    const block = Math.floor(ordinal / LIVES_PER_BLOCK);
    const where = `${this.path}, life ${block}`;
    return this.#guard(where, () => {
      const reader = this.#block(block);
      for (let skip = ordinal % LIVES_PER_BLOCK; skip > 0; skip--) reader.skip(reader.uint());
      reader.uint();
      return reader.life();
    });
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
      const isPast = this.#guard(`${this.path}, life ${block}`, () => {
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
    const postings = this.#db.prepare('SELECT kind, last, part, body FROM posting').iterate();
    for (const { kind, last, part, body } of postings) {
      const where = `${this.path}, posting ${kind} ${last}/${part}`;
      check(where, () => {
        let handle = -1;
        for (const posting of readPostings(unsealed(body as Uint8Array, where))) handle = posting.handle;
        if (handle !== last) throw corruptRow(where);
      });
    }
    check(`${this.path}, spanning`, () => this.mayReachBack(0));
    return records;
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #lives(block: number): Life[] {
    return this.#guard(`${this.path}, life ${block}`, () => {
      const reader = this.#block(block);
      const lives: Life[] = [];
      while (!reader.isAtEnd) {
        reader.uint();
        lives.push(reader.life());
      }
      return lives;
    });
  }

  #block(block: number): RecordReader {
    const where = `${this.path}, life ${block}`;
    const row = this.#life.get(block) as unknown as [Uint8Array] | undefined;
    if (row === undefined) throw corruptRow(where);
    const reader = new RecordReader(this.#words, unsealed(row[0], where));
    if (reader.uint() !== block) throw corruptRow(where);
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
    const where = `${this.path}, about ${key}`;
    if (row === undefined) throw corruptRow(where);
    return unsealed(row['value'] as Uint8Array, where);
  }

  /** What cannot be read for whatever reason is a damaged record. */
  #guard<T>(where: string, body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw error instanceof HistoryError ? error : corruptRow(where, error);
    }
  }
}

function includes(sorted: Uint32Array, wanted: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}

function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** A file that was cut would end the process when its missing part is touched: it is mapped into memory. */
function refuseCut(path: string): void {
  const { size } = statSync(path);
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

// Reads one sealed week. The file never changes, so it is opened without locks; whoever holds it open may go on
// reading after it has been unlinked.
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { HistoryError } from '../../../errors.ts';
import type { Placement, Tenure } from '../../../model/records.ts';
import { compareTexts } from '../../order.ts';
import { asHistoryError, damagedStore, missingWeek } from '../faults.ts';
import { agrees, checksumOf, damaged, isSound, unsealed } from '../format/checksum.ts';
import { WeekDictionary } from '../format/dictionary.ts';
import type { Life } from '../format/record-layout.ts';
import { RecordReader } from '../format/record-reader.ts';
import type { WeekEntry } from '../head/layout.ts';
import { storedVersion } from '../head/schema.ts';
import { AddressIndex, BYTES_PER_TENURE, firstNotBelow, IndexRoom, WORTH_KEEPING } from './address-index.ts';
import { readLink, scanPostings, scanSpan, UNIT_MS, unitOf } from './postings.ts';
import { UidFilter, WORTH_FILTERING } from './uid-filter.ts';
import { verifyWeek } from './verify-week.ts';
import { weekStart } from './week.ts';
import {
  digestOf,
  HANDLES,
  type HandleKind,
  handleAt,
  hasTimes,
  isLastPlace,
  LIVES_PER_BLOCK,
  placeOf,
  uidPrefix,
  type WeekCounts,
} from './week-writer.ts';

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
  readonly counts: WeekCounts;
  readonly #digest: string;
  readonly #db: DatabaseSync;
  readonly #dictionary: WeekDictionary;
  readonly #life: StatementSync;
  readonly #several: StatementSync;
  readonly #first: StatementSync;
  readonly #firsts = new Map<number, Uint8Array>();
  readonly #posting: StatementSync;
  readonly #room: IndexRoom;
  #spanning: Spanning | undefined;
  #addresses: AddressIndex | undefined;
  #asked = 0;
  #uids: UidFilter | undefined;
  /** Blocks whose UIDs are in it: all of them, or it says nothing yet. */
  #filtered = 0;
  #searched = 0;

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
      this.#dictionary = new WeekDictionary(this.#db, this.version);
      this.#life = arrays(this.#db, 'SELECT body FROM life WHERE block = ?');
      this.#several = arrays(this.#db, 'SELECT block, body FROM json_each(?) JOIN life ON block = value');
      this.#first = arrays(this.#db, 'SELECT first FROM life WHERE block = ?');
      this.#posting = arrays(
        this.#db,
        'SELECT place, body FROM posting WHERE place >= ? AND place < ? ORDER BY place LIMIT 1',
      );
      const counts = this.#about('counts');
      this.counts = JSON.parse(counts.toString('utf8')) as WeekCounts;
      this.#digest = digestOf(counts);
      this.start = weekStart(this.counts.week);
    } catch (error) {
      this.#db.close();
      throw asHistoryError(error, path);
    }
  }

  /** Throws `damaged` unless this is the very file that the head lists. */
  bind({ week, tenures, placements, format, digest }: WeekEntry): void {
    const isListed =
      this.version === format &&
      this.counts.week === week &&
      this.counts.tenures === tenures &&
      this.counts.placements === placements &&
      (format === 1 || this.#digest === digest);
    if (!isSound(isListed)) throw damaged(`${this.path}, which is not the file that the store lists by this name`);
    // Version 1 cannot tell a row that was never there from one that is hidden: it is read through, once.
    if (this.version === 1) {
      const work = this.verify((_, error) => {
        throw error;
      });
      while (!work.next().done);
    }
  }

  /** Whether the file may hold a tenure of this address that began before the week, at `at` or earlier. */
  mayReachBack(handle: number, at: number): boolean {
    const { sieve, handles, starts } = (this.#spanning ??= readSpanning(this.spanningBytes()));
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
    const first = placeOf(kind, handle, 0);
    let before: number | undefined;
    for (let place = first; ; ) {
      const row = this.#posting.get(place, end) as unknown as [number, Uint8Array] | undefined;
      if (row === undefined) {
        // Since version 2 an empty row stands behind the last.
        if (this.version === 1 || isSound(false)) return found;
        throw damaged(`${this.path}, postings of ${kind} end too early`);
      }
      const where = (): string => `${this.path}, posting ${row[0]}`;
      const more = this.#guard(where, () => {
        const block = unsealed(row[1], where);
        const at = this.#follow(kind, block, (link) => (before === undefined ? link < first : link === before), where);
        return !isLastPlace(row[0]) && scanPostings(block, { handle, span }, take, at);
      });
      if (!more) return found;
      before = row[0];
      place = row[0] + 1;
    }
  }

  /** Lives with a placement (`node`) or tenures (`ip`) that may touch [from, to), in their order, each once. */
  livesWithin(kind: 'ip' | 'node', from: number, to: number): Uint32Array {
    const found: number[] = [];
    const span = [unitOf(from, this.start), unitOf(to, this.start) + 1] as const;
    this.#guard(
      () => `${this.path}, posting`,
      () =>
        this.#eachPosting(kind, (place, block, at) => {
          if (!isLastPlace(place)) scanSpan(block, span, at, (life) => found.push(life));
        }),
    );
    const sorted = Uint32Array.from(found).sort();
    return sorted.filter((life, i) => life !== sorted[i - 1]);
  }

  /** `read` is called at the beginning of each of these lives, which are in their order; a block is read once for all. */
  eachLife(ordinals: Uint32Array, read: (reader: RecordReader) => void): void {
    for (let i = 0; i < ordinals.length; ) {
      const block = blockOf(ordinals[i]!);
      this.#guard(this.#place(block), () => {
        const reader = this.#block(block);
        let ordinal = block * LIVES_PER_BLOCK;
        for (; i < ordinals.length && blockOf(ordinals[i]!) === block; i++) {
          for (; ordinal < ordinals[i]!; ordinal++) reader.skip(reader.uint());
          const next = reader.uint() + reader.at;
          read(reader);
          reader.at = next;
          ordinal++;
        }
      });
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
    const first = this.#blockBefore(uid, blocks);
    for (let block = first; block < blocks; block++) {
      const lives = this.#lives(block);
      if (block === first) this.#checkFirst(block, lives[0]?.holder.uid ?? '', uid);
      for (const life of lives) if (compareTexts(life.holder.uid, uid) >= 0) yield life;
    }
  }

  /** The lives of one UID, without reading those beside it. */
  livesOf(uid: string): Life[] {
    const blocks = Math.ceil(this.counts.lives / LIVES_PER_BLOCK);
    const found: Life[] = [];
    if (this.#filtered < blocks) this.#fillFilter(blocks);
    else if (this.#uids?.mayHave(uid) === false) return found;
    const first = this.#blockBefore(uid, blocks);
    for (let block = first; block < blocks; block++) {
      const isPast = this.#guard(this.#place(block), () => {
        const reader = this.#block(block);
        let isFirst = block === first;
        while (!reader.isAtEnd) {
          const next = reader.uint() + reader.at;
          const start = reader.at;
          const other = reader.uid();
          if (isFirst) this.#checkFirst(block, other, uid);
          isFirst = false;
          const order = compareTexts(other, uid);
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
  verify(damaged: (where: string, error: unknown) => void): Generator<boolean, number> {
    return verifyWeek(this, this.#db, damaged);
  }

  /** All lives of a block. */
  lives(block: number): Life[] {
    return this.#lives(block);
  }

  /** For verifying: whether the beginning that stands beside a block is that of its first UID. */
  beginsWith(block: number, uid: string): boolean {
    const row = this.#first.get(block) as unknown as [Uint8Array] | undefined;
    return row !== undefined && Buffer.compare(row[0], uidPrefix(uid)) === 0;
  }

  /** For verifying: whether a row is found by its place, and not only by reading on from the one before. */
  hasPosting(place: number): boolean {
    return (this.#posting.get(place, place + 1) as unknown as [number] | undefined)?.[0] === place;
  }

  checkDictionary(block: number): void {
    this.#dictionary.check(block);
  }

  spanningBytes(): Buffer {
    return this.#about('spanning', this.counts.sums?.spanning);
  }

  close(): void {
    this.#room.takeBack(this);
    if (this.#uids !== undefined) this.#room.takeBack(this.#uids);
    if (this.#db.isOpen) this.#db.close();
  }

  /** When they have been asked for often enough, and there is room. */
  #keepAddresses(): AddressIndex | undefined {
    if (++this.#asked < WORTH_KEEPING) return undefined;
    this.#asked = 0;
    if (!this.#room.give(this, this.counts.tenures * BYTES_PER_TENURE)) return undefined;
    try {
      const blocks: { last: number; body: Buffer }[] = [];
      this.#eachPosting('ip', (place, block, at) => {
        if (!isLastPlace(place)) blocks.push({ last: handleAt(place), body: block.subarray(at) });
      });
      this.#addresses = new AddressIndex(blocks);
    } catch {
      // Something is damaged: a question that needs that row is refused, the others go on.
      this.#room.takeBack(this);
      this.#asked = Number.NEGATIVE_INFINITY;
    }
    return this.#addresses;
  }

  /** A few blocks more, once there have been enough searches, and there is room. */
  #fillFilter(blocks: number): void {
    if (++this.#searched < WORTH_FILTERING) return;
    const { lives } = this.counts;
    if (this.#uids === undefined) {
      const uids = new UidFilter(lives);
      if (!this.#room.give(uids, uids.bytes)) {
        this.#searched = 0;
        return;
      }
      this.#uids = uids;
    }
    try {
      for (let left = BLOCKS_AT_ONCE; left > 0 && this.#filtered < blocks; left--) {
        const reader = this.#block(this.#filtered);
        while (!reader.isAtEnd) {
          const next = reader.uint() + reader.at;
          this.#uids.add(reader.uid());
          reader.at = next;
        }
        this.#filtered++;
      }
    } catch {
      // Something is damaged: who looks for what is there is refused, the others go on, and nothing is ruled out.
      this.#room.takeBack(this.#uids);
      this.#uids = undefined;
      this.#searched = Number.NEGATIVE_INFINITY;
    }
  }

  /** All blocks of a kind in their order, each from where its entries begin. Throws `damaged` when one is missing. */
  #eachPosting(kind: 'ip' | 'node', see: (place: number, block: Buffer, at: number) => void): void {
    const statement = arrays(this.#db, 'SELECT place, body FROM posting WHERE place >= ? AND place < ? ORDER BY place');
    const rows = statement.iterate(placeOf(kind, 0, 0), placeOf(kind, 2 ** 32, 0));
    const where = (): string => `${this.path}, posting`;
    let before = NONE_BEFORE;
    for (const [place, whole] of rows as unknown as Iterable<[number, Uint8Array]>) {
      const block = unsealed(whole, where);
      see(
        place,
        block,
        this.#follow(kind, block, (link) => link === before, where),
      );
      before = place;
    }
    if (this.version > 1 && !isSound(isLastPlace(before))) throw damaged(where());
  }

  /** Where the entries of a block begin; throws `damaged` unless `isNext` holds for where the block before it stands. */
  #follow(kind: HandleKind, block: Buffer, isNext: (before: number) => boolean, where: () => string): number {
    const link = readLink(block, this.version);
    const isOfKind = link.kind === undefined || link.kind === HANDLES[kind];
    const before = link.last < 0 ? NONE_BEFORE : placeOf(kind, link.last, link.part);
    if (this.version > 1 && !isSound(isOfKind && isNext(before))) throw damaged(where());
    return link.at;
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
    if (body === undefined) throw damaged(where());
    const reader = new RecordReader(this.#dictionary, unsealed(body, where), this.start);
    if (!agrees(reader.uint(), block)) throw damaged(where());
    return reader;
  }

  /** The last block that begins before the UID, or 0. */
  #blockBefore(uid: string, blocks: number): number {
    const wanted = uidPrefix(uid);
    let low = 0;
    let high = blocks - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const isShared = (high - low) * KEPT_FIRSTS >= blocks;
      if (Buffer.compare(this.#firstOf(middle, isShared), wanted) < 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Those that a search looks at first are the same for all searches: they are kept. */
  #firstOf(block: number, isShared: boolean): Uint8Array {
    const kept = this.#firsts.get(block);
    if (kept !== undefined) return kept;
    const row = this.#first.get(block) as unknown as [Uint8Array] | undefined;
    if (row === undefined) throw damaged(`${this.path}, life ${block}`);
    if (isShared) this.#firsts.set(block, row[0]);
    return row[0];
  }

  /** The beginnings that led here stand outside of every checksum. */
  #checkFirst(block: number, first: string, uid: string): void {
    const isBefore = block === 0 || Buffer.compare(uidPrefix(first), uidPrefix(uid)) < 0;
    if (!isSound(isBefore)) throw damaged(this.#place(block)());
  }

  #about(key: string, checksum?: number): Buffer {
    const row = this.#db.prepare('SELECT value FROM about WHERE key = ?').get(key);
    const where = (): string => `${this.path}, about ${key}`;
    if (row === undefined) throw damaged(where());
    const whole = row['value'] as Uint8Array;
    if (checksum !== undefined && !agrees(checksumOf(whole), checksum)) throw damaged(where());
    return unsealed(whole, where);
  }

  /** What cannot be read for whatever reason is a damaged record. */
  #guard<T>(where: () => string, body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw error instanceof HistoryError ? error : damaged(where(), error);
    }
  }
}

const NONE_BEFORE = -1;
/** Some two hundred microseconds: as long as the search that pays for them. */
const BLOCKS_AT_ONCE = 32;
/** About so many of a file, of a few hundred bytes each: nine of the fourteen that a search in a large one looks at. */
const KEPT_FIRSTS = 512;

function blockOf(ordinal: number): number {
  return Math.floor(ordinal / LIVES_PER_BLOCK);
}

/** At the beginning of a life, given the reader of its block. */
function readerAt(reader: RecordReader, ordinal: number): RecordReader {
  for (let skip = ordinal % LIVES_PER_BLOCK; skip > 0; skip--) reader.skip(reader.uint());
  reader.uint();
  return reader;
}

/** 2^20 bits: the first look sets most addresses apart. */
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

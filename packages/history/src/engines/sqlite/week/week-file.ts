// Reads one sealed week. The file never changes, so it is opened without locks; whoever holds it open may go on
// reading after it has been unlinked.
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Placement, Tenure } from '../../../model/records.ts';
import { compareTexts } from '../../order.ts';
import { asHistoryError, damagedStore, missingWeek } from '../faults.ts';
import { agrees, checksumOf, damaged, isSound, orDamaged, unsealed } from '../format/checksum.ts';
import { WeekDictionary } from '../format/dictionary.ts';
import type { Life } from '../format/record-layout.ts';
import type { RecordReader } from '../format/record-reader.ts';
import type { WeekEntry } from '../head/layout.ts';
import { storedVersion } from '../head/schema.ts';
import { arrays } from '../statements.ts';
import { IndexRoom } from './address-index.ts';
import { blockOf, LifeBlockReader, readerAt } from './life-blocks.ts';
import { readLink, scanPostings, scanSpan, UNIT_MS, unitOf } from './postings.ts';
import { ResidentIndexes } from './resident-indexes.ts';
import { verifyWeek } from './verify-week.ts';
import { weekStart } from './week.ts';
import {
  digestOf,
  HANDLES,
  type HandleKind,
  hasTimes,
  isLastPlace,
  LIVES_PER_BLOCK,
  placeOf,
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
  readonly #posting: StatementSync;
  readonly #blocks: LifeBlockReader;
  readonly #resident: ResidentIndexes;

  constructor(path: string, newest: number, room = new IndexRoom()) {
    this.path = path;
    refuseCut(path);
    const url = pathToFileURL(path);
    url.search = 'immutable=1';
    this.#db = new DatabaseSync(url, { readOnly: true });
    try {
      this.#db.exec('PRAGMA mmap_size = 1099511627776; PRAGMA cache_size = -2048');
      this.version = storedVersion(this.#db, path, newest);
      this.#dictionary = new WeekDictionary(this.#db, this.version);
      this.#posting = arrays(
        this.#db,
        'SELECT place, body FROM posting WHERE place >= ? AND place < ? ORDER BY place LIMIT 1',
      );
      const counts = this.#about('counts');
      this.counts = JSON.parse(counts.toString('utf8')) as WeekCounts;
      this.#digest = digestOf(counts);
      this.start = weekStart(this.counts.week);
      const { start } = this;
      const { lives } = this.counts;
      this.#blocks = new LifeBlockReader({ path, db: this.#db, dictionary: this.#dictionary, start, lives });
      this.#resident = new ResidentIndexes({
        ...{ room, counts: this.counts, start, blocks: this.#blocks },
        spanningBytes: () => this.spanningBytes(),
        eachAddressPosting: (see) => this.#eachPosting('ip', see),
      });
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
    return this.#resident.mayReachBack(handle, at);
  }

  /** Lives with this handle that may touch [from, to), in the order of `notBefore`. */
  candidates(kind: HandleKind, handle: number, from: number, to: number): Candidate[] {
    const found: Candidate[] = [];
    const span = hasTimes(kind) ? ([unitOf(from, this.start), unitOf(to, this.start) + 1] as const) : undefined;
    const take = (life: number, start: number): void => {
      const notBefore = span === undefined ? Number.MIN_SAFE_INTEGER : start * UNIT_MS + this.start;
      found.push({ life, notBefore });
    };
    const addresses = kind === 'ip' ? this.#resident.addresses() : undefined;
    if (addresses !== undefined) {
      orDamaged(
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
      const more = orDamaged(where, () => {
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
    orDamaged(
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
      orDamaged(this.#blocks.place(block), () => {
        const reader = this.#blocks.reader(block);
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
    return orDamaged(this.#blocks.place(block), () => readerAt(this.#blocks.reader(block), ordinal).tenures());
  }

  /** Of several lives, which lie anywhere: read together, each costs two thirds of what it costs alone. */
  placementsOf(ordinals: readonly number[]): Placement[] {
    const blocks = ordinals.map(blockOf);
    const bodies = this.#blocks.bodies(blocks);
    const found: Placement[] = [];
    for (const ordinal of ordinals) {
      const block = blockOf(ordinal);
      const read = () => readerAt(this.#blocks.readerOf(block, bodies.get(block)), ordinal).placement();
      const placement = orDamaged(this.#blocks.place(block), read);
      if (placement !== undefined) found.push(placement);
    }
    return found;
  }

  /** Lives in the order of their UIDs, from the first whose UID is not before `uid`. */
  *livesFrom(uid: string): Generator<Life> {
    const first = this.#blocks.before(uid);
    for (let block = first; block < this.#blocks.count; block++) {
      const lives = this.#blocks.lives(block);
      if (block === first) this.#blocks.checkFirst(block, lives[0]?.holder.uid ?? '', uid);
      for (const life of lives) if (compareTexts(life.holder.uid, uid) >= 0) yield life;
    }
  }

  /** The lives of one UID, without reading those beside it. */
  livesOf(uid: string): Life[] {
    const found: Life[] = [];
    if (!this.#resident.mayHave(uid)) return found;
    const blocks = this.#blocks;
    const first = blocks.before(uid);
    for (let block = first; block < blocks.count; block++) {
      const isPast = orDamaged(blocks.place(block), () => {
        const reader = blocks.reader(block);
        let isFirst = block === first;
        while (!reader.isAtEnd) {
          const next = reader.uint() + reader.at;
          const start = reader.at;
          const other = reader.uid();
          if (isFirst) blocks.checkFirst(block, other, uid);
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
    return this.#blocks.lives(block);
  }

  /** For verifying: whether the beginning that stands beside a block is that of its first UID. */
  beginsWith(block: number, uid: string): boolean {
    return this.#blocks.beginsWith(block, uid);
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
    this.#resident.close();
    if (this.#db.isOpen) this.#db.close();
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

  #about(key: string, checksum?: number): Buffer {
    const row = this.#db.prepare('SELECT value FROM about WHERE key = ?').get(key);
    const where = (): string => `${this.path}, about ${key}`;
    if (row === undefined) throw damaged(where());
    const whole = row['value'] as Uint8Array;
    if (checksum !== undefined && !agrees(checksumOf(whole), checksum)) throw damaged(where());
    return unsealed(whole, where);
  }
}

const NONE_BEFORE = -1;

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

// The index on disk: where the rows of an address (tenures) or of a UID (placements, live holders) are. Our own, because SQLite's cannot tell a key that was never
// there from one that a damaged page hides. Handles are spread over buckets; a bucket is one row with a checksum and
// lists all rows of its handles, each with that row's checksum and bounds. 64 buckets are a group, whose sum stands in
// the cluster's root: a bucket that is missing, or older than the rest, is noticed.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { HistoryError } from '../../../errors.ts';
import { agrees, checksumOf, damaged, isSound, unsealed, withMember, withoutMember } from '../format/checksum.ts';
import { OPEN } from '../format/open-end.ts';
import { arrays } from '../statements.ts';
import { GROUPS, INDEXED, type IndexedTable, type Roots } from './roots.ts';

export const BUCKET_TABLE = 'CREATE TABLE bucket (place INTEGER PRIMARY KEY, body BLOB NOT NULL);';
const BUCKETS_PER_GROUP = 64;
const BUCKETS = GROUPS * BUCKETS_PER_GROUP;
const PLACE_BYTES = 8;
const ENTRY_BYTES = 30;
const LATEST = 2 ** 48 - 1;

export interface RowEntry {
  readonly handle: number;
  readonly number: number;
  /** Of the row. */
  readonly checksum: number;
  /** Rounded outwards: they only rule rows out. */
  readonly start: number;
  readonly until: number;
  /** The row's `other`: tells tenures of one address apart without reading them. */
  readonly other: number;
}

/** What a writer may keep of buckets between transactions. */
const MOST_KEPT_BYTES = 32 << 20;
const CHECKSUM_BYTES = 4;

/** A bucket that a writer has looked into, with room behind what it lists. */
interface Draft {
  /** Memory of its own: a piece of Node's pool would keep all 64 KiB of the pool for as long as it is kept. */
  bytes: Buffer;
  length: number;
  /** Of the bucket as it is stored; undefined before it is for the first time. */
  stored: number | undefined;
  /** In this transaction, and not yet written. */
  isChanged: boolean;
}

export class PrimaryIndex {
  readonly #roots: Roots;
  readonly #read: StatementSync;
  readonly #group: StatementSync;
  readonly #write: StatementSync | undefined;
  readonly #update: StatementSync | undefined;
  readonly #clear: StatementSync | undefined;
  /** Invariant: as stored, but for those that are changed. Only used within write transactions. */
  readonly #drafts = new Map<number, Draft>();
  #changed: [place: number, draft: Draft][] = [];
  #keptBytes = 0;
  /** Which buckets there are, of each group that agreed with its root since somebody else wrote. */
  readonly #checked = new Map<number, Set<number>>();
  #isWriting = false;

  constructor(db: DatabaseSync, roots: Roots, writable: boolean) {
    this.#roots = roots;
    this.#read = arrays(db, 'SELECT body FROM bucket WHERE place = ?');
    this.#group = arrays(db, 'SELECT place, body FROM bucket WHERE place >= ? AND place < ? ORDER BY place');
    this.#write = writable ? db.prepare('INSERT OR REPLACE INTO bucket VALUES (?, ?)') : undefined;
    this.#clear = writable ? db.prepare('DELETE FROM bucket WHERE place >= ? AND place < ?') : undefined;
    this.#update = writable ? db.prepare('UPDATE bucket SET body = ? WHERE place = ?') : undefined;
  }

  /** When somebody else has written, and after a rollback. */
  forget(): void {
    this.#isWriting = false;
    this.#forgetDrafts();
    this.#checked.clear();
  }

  /** All rows that have this handle; more than one holder may share it. */
  find(cluster: number, table: IndexedTable, handle: number): RowEntry[] {
    const place = placeOf(cluster, table, bucketOf(handle));
    // Whoever looks within a write transaction mostly changes what is found.
    if (this.#isWriting) {
      const { bytes, length } = this.#draft(cluster, table, place);
      return entriesOf(bytes, length, handle);
    }
    const body = this.#bucket(cluster, table, place);
    return body === undefined ? [] : entriesOf(body, body.length, handle);
  }

  /** At the beginning of a write transaction. */
  begin(): void {
    this.#isWriting = true;
  }

  add(cluster: number, table: IndexedTable, { handle, number, checksum, start, until, other }: RowEntry): void {
    const place = placeOf(cluster, table, bucketOf(handle));
    const draft = this.#draft(cluster, table, place);
    if (draft.length + ENTRY_BYTES + CHECKSUM_BYTES > draft.bytes.length) this.#enlarge(draft);
    this.#change(place, draft);
    const { bytes, length } = draft;
    bytes.writeUInt32LE(handle, length);
    bytes.writeUIntLE(number, length + 4, 6);
    bytes.writeUInt32LE(checksum, length + 10);
    bytes.writeUIntLE(start < 0 ? 0 : Math.min(start, LATEST), length + 14, 6);
    bytes.writeUIntLE(until < 0 ? 0 : Math.min(until, LATEST), length + 20, 6);
    bytes.writeUInt32LE(other, length + 26);
    draft.length += ENTRY_BYTES;
  }

  /** Throws `damaged` when the row is not listed. */
  remove(cluster: number, table: IndexedTable, handle: number, number: number): void {
    const place = placeOf(cluster, table, bucketOf(handle));
    const draft = this.#draft(cluster, table, place);
    for (let at = PLACE_BYTES; at < draft.length; at += ENTRY_BYTES) {
      if (draft.bytes.readUInt32LE(at) !== handle || draft.bytes.readUIntLE(at + 4, 6) !== number) continue;
      draft.length -= ENTRY_BYTES;
      draft.bytes.copy(draft.bytes, at, draft.length, draft.length + ENTRY_BYTES);
      this.#change(place, draft);
      return;
    }
    throw damaged(`head, index of ${table}s, which does not list row ${number}`);
  }

  /** Of a row that cannot be read any more: looks for it everywhere. Buckets that are damaged stay as they are. */
  removeNumber(cluster: number, table: IndexedTable, number: number): void {
    for (let group = 0; group < GROUPS; group++) {
      try {
        for (const { entries } of this.group(cluster, table, group)) {
          const entry = entries.find((other) => other.number === number);
          if (entry === undefined) continue;
          this.remove(cluster, table, entry.handle, number);
          return;
        }
      } catch (error) {
        if (!(error instanceof HistoryError)) throw error;
      }
    }
  }

  /** At the end of a write transaction, before the roots. */
  flush(): void {
    for (const [place, draft] of this.#changed) {
      const { cluster, table, group, groupPlace } = partsOf(place);
      const { bytes, length, stored } = draft;
      const checksum = crc32(bytes.subarray(0, length));
      bytes.writeUInt32LE(checksum, length);
      const body = bytes.subarray(0, length + CHECKSUM_BYTES);
      if (stored === undefined) this.#write!.run(place, body);
      else this.#update!.run(body, place);
      const root = this.#roots.of(cluster);
      const before = root.group(table, group);
      const without = stored === undefined ? before : withoutMember(before, stored);
      root.setGroup(table, group, withMember(without, checksum));
      this.#checked.get(groupPlace)?.add(place);
      draft.stored = checksum;
      draft.isChanged = false;
    }
    this.#changed = [];
    if (this.#keptBytes > MOST_KEPT_BYTES) this.#forgetDrafts();
    this.#isWriting = false;
  }

  /**
   * Writes the buckets of a table once more, close together: one that shrinks stays in its page, and after many have, most
   * pages are nearly empty. To be called first in a write transaction.
   */
  repack(cluster: number, table: IndexedTable): void {
    const rows: [place: number, whole: Uint8Array][] = [];
    for (let group = 0; group < GROUPS; group++) rows.push(...this.#checkedGroup(cluster, table, group));
    const first = placeOf(cluster, table, 0);
    this.#clear!.run(first, first + BUCKETS);
    for (const [place, whole] of rows) this.#write!.run(place, whole);
  }

  /** Of each group, what tells whether anything in it has changed. Not within a write transaction. */
  groupSums(cluster: number, table: IndexedTable): Float64Array {
    const root = this.#roots.of(cluster);
    return Float64Array.from({ length: GROUPS }, (_, group) => root.group(table, group));
  }

  /** The buckets of a group, complete, each with its checksum and all that it lists. */
  *group(
    cluster: number,
    table: IndexedTable,
    group: number,
    isKnown: (place: number, checksum: number) => boolean = () => false,
  ): Generator<{ readonly place: number; readonly checksum: number; readonly entries: readonly RowEntry[] }> {
    for (const [place, whole] of this.#checkedGroup(cluster, table, group)) {
      const checksum = checksumOf(whole);
      if (isKnown(place, checksum)) continue;
      const body = this.#body(place, table, whole);
      yield { place, checksum, entries: entriesOf(body, body.length, undefined) };
    }
  }

  /** Every row that is listed. */
  *all(cluster: number, table: IndexedTable): Generator<RowEntry> {
    for (let group = 0; group < GROUPS; group++) {
      for (const { entries } of this.group(cluster, table, group)) yield* entries;
    }
  }

  /** Throws `damaged` unless every bucket of the cluster is there and of the root's age. */
  checkGroups(cluster: number): void {
    for (const table of INDEXED) for (let group = 0; group < GROUPS; group++) this.#checkedGroup(cluster, table, group);
  }

  #draft(cluster: number, table: IndexedTable, place: number): Draft {
    let draft = this.#drafts.get(place);
    if (draft !== undefined) return draft;
    const body = this.#bucket(cluster, table, place);
    if (body === undefined) {
      const bytes = Buffer.allocUnsafeSlow(PLACE_BYTES + 4 * ENTRY_BYTES);
      bytes.writeDoubleLE(place, 0);
      draft = { bytes, length: PLACE_BYTES, stored: undefined, isChanged: false };
    } else {
      const { length } = body;
      const bytes = Buffer.allocUnsafeSlow(length + 4 * ENTRY_BYTES);
      body.copy(bytes);
      // The checksum stands behind the body, in the same memory.
      const stored = Buffer.from(body.buffer, body.byteOffset, length + CHECKSUM_BYTES).readUInt32LE(length);
      draft = { bytes, length, stored, isChanged: false };
    }
    this.#keptBytes += draft.bytes.length;
    this.#drafts.set(place, draft);
    return draft;
  }

  #enlarge(draft: Draft): void {
    const larger = Buffer.allocUnsafeSlow(Math.ceil(draft.bytes.length * 1.5) + 4 * ENTRY_BYTES);
    draft.bytes.copy(larger, 0, 0, draft.length);
    this.#keptBytes += larger.length - draft.bytes.length;
    draft.bytes = larger;
  }

  #change(place: number, draft: Draft): void {
    if (draft.isChanged) return;
    draft.isChanged = true;
    this.#changed.push([place, draft]);
  }

  #forgetDrafts(): void {
    this.#drafts.clear();
    this.#changed = [];
    this.#keptBytes = 0;
  }

  #bucket(cluster: number, table: IndexedTable, place: number): Buffer | undefined {
    const { group, groupPlace } = partsOf(place);
    // That there is none is shown by the group, in which a search cannot be led past it; and so is its age.
    if (!this.#checked.has(groupPlace)) this.#checkedGroup(cluster, table, group);
    const isThere = this.#checked.get(groupPlace)?.has(place) === true;
    if (!isThere) return undefined;
    const row = this.#read.get(place) as unknown as [Uint8Array] | undefined;
    if (row !== undefined) return this.#body(place, table, row[0]);
    if (isSound(false)) return undefined;
    throw damaged(`head, index of ${table}s, bucket ${place}`);
  }

  #body(place: number, table: IndexedTable, whole: Uint8Array): Buffer {
    const where = (): string => `head, index of ${table}s, bucket ${place}`;
    const body = unsealed(whole, where);
    if ((body.length - PLACE_BYTES) % ENTRY_BYTES !== 0 || !agrees(body.readDoubleLE(0), place)) throw damaged(where());
    return body;
  }

  #checkedGroup(cluster: number, table: IndexedTable, group: number): [place: number, whole: Uint8Array][] {
    const from = placeOf(cluster, table, group * BUCKETS_PER_GROUP);
    const rows = this.#group.all(from, from + BUCKETS_PER_GROUP) as unknown as [number, Uint8Array][];
    let sum = 0;
    for (const [, whole] of rows) sum = withMember(sum, checksumOf(whole));
    if (!agrees(sum, this.#roots.of(cluster).group(table, group))) {
      throw damaged(`head, index of ${table}s, group ${group}`);
    }
    this.#checked.set(from, new Set(rows.map(([place]) => place)));
    return rows;
  }
}

function entriesOf(bytes: Buffer, length: number, wanted: number | undefined): RowEntry[] {
  const found: RowEntry[] = [];
  for (let at = PLACE_BYTES; at < length; at += ENTRY_BYTES) {
    const handle = bytes.readUInt32LE(at);
    if (wanted !== undefined && handle !== wanted) continue;
    const until = bytes.readUIntLE(at + 20, 6);
    found.push({
      handle,
      number: bytes.readUIntLE(at + 4, 6),
      checksum: bytes.readUInt32LE(at + 10),
      start: bytes.readUIntLE(at + 14, 6) || Number.MIN_SAFE_INTEGER,
      until: until === LATEST ? OPEN : until,
      other: bytes.readUInt32LE(at + 26),
    });
  }
  return found;
}

/** Neighbouring addresses lie in different buckets. */
export function bucketOf(handle: number): number {
  return Math.imul(handle, 0x9e3779b1) >>> 20;
}

function placeOf(cluster: number, table: IndexedTable, bucket: number): number {
  return (cluster * INDEXED.length + INDEXED.indexOf(table)) * BUCKETS + bucket;
}

function partsOf(place: number) {
  const bucket = place % BUCKETS;
  const which = (place - bucket) / BUCKETS;
  const group = Math.floor(bucket / BUCKETS_PER_GROUP);
  return {
    cluster: Math.floor(which / INDEXED.length),
    table: INDEXED[which % INDEXED.length]!,
    group,
    groupPlace: place - (bucket % BUCKETS_PER_GROUP),
  };
}

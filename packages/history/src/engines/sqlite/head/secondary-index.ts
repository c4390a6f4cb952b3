// The index in memory: where tenures or placements of a name, workload, node or UID are. Not on disk, because there every
// such index would cost a page for each event. Built when first asked for from checked rows, all of which the index on disk
// (primary-index.ts) lists; afterwards only buckets that have changed are read again.
import { damaged } from '../format/checksum.ts';
import type { HeadRow } from '../format/head-row.ts';
import type { Head } from './head.ts';
import type { RowEntry } from './primary-index.ts';
import { GROUPS, type IndexedTable } from './roots.ts';
import type { RowReader } from './row-reader.ts';

export type HeadTable = Exclude<IndexedTable, 'live'>;
export type IndexedColumn = 'uid' | 'name' | 'workload' | 'node';

export interface IndexEntry {
  readonly number: number;
  readonly checksum: number;
  readonly start: number;
  readonly until: number;
}

interface Kept extends IndexEntry {
  readonly handles: Readonly<Record<IndexedColumn, number | null>>;
  isGone: boolean;
}

/** So many rows are better read in one go. */
const MANY = 2000;

export class SecondaryIndex {
  readonly #head: Head;
  readonly #reader: RowReader;
  readonly #table: HeadTable;
  readonly #cluster: number;
  readonly #buckets = new Map<number, { readonly checksum: number; readonly numbers: readonly number[] }>();
  readonly #rows = new Map<number, Kept>();
  readonly #columns = new Map<IndexedColumn, Map<number, Kept[]>>();
  /** Rows that cannot be read: of them only the bounds are known, and the handle by which they are listed. */
  readonly #broken = new Map<number, RowEntry>();
  #groups: Float64Array = new Float64Array(GROUPS);
  #version = '';
  #gone = 0;

  constructor(head: Head, reader: RowReader, table: HeadTable, cluster: number) {
    this.#head = head;
    this.#reader = reader;
    this.#table = table;
    this.#cluster = cluster;
  }

  /** Within a transaction that only reads; in the order of their beginnings. Throws `damaged` if one may be missing. */
  entries(column: IndexedColumn, handle: number, from: number, to: number): IndexEntry[] {
    const all = this.#column(column).get(handle) ?? [];
    this.#refuseBroken(from, to);
    return all.filter((row) => !row.isGone && touches(row, from, to)).sort((a, b) => a.start - b.start);
  }

  /** All that touch the span. */
  within(from: number, to: number): IndexEntry[] {
    this.#refresh();
    this.#refuseBroken(from, to);
    const found: IndexEntry[] = [];
    for (const row of this.#rows.values()) if (touches(row, from, to)) found.push(row);
    return found;
  }

  #refuseBroken(from: number, to: number): void {
    for (const row of this.#broken.values()) {
      if (touches(row, from, to)) throw damaged(`head, ${this.#table} ${row.number}`);
    }
  }

  /** Within a transaction: whether the UIDs of placements may have this handle; undefined when there are none at all. */
  mayHaveUid(): ((handle: number) => boolean) | undefined {
    const uids = this.#column('uid');
    if (uids.size === 0 && this.#broken.size === 0) return undefined;
    const broken = new Set(Array.from(this.#broken.values(), ({ handle }) => handle));
    return (handle) => uids.has(handle) || broken.has(handle);
  }

  #column(column: IndexedColumn): ReadonlyMap<number, readonly Kept[]> {
    this.#refresh();
    let map = this.#columns.get(column);
    if (map === undefined) {
      this.#columns.set(column, (map = new Map()));
      for (const row of this.#rows.values()) addTo(map, row.handles[column], row);
    }
    return map;
  }

  /** After a rollback. */
  forget(): void {
    this.#version = '';
  }

  #forgetAll(): void {
    for (const known of [this.#buckets, this.#rows, this.#columns, this.#broken]) known.clear();
    this.#groups = new Float64Array(GROUPS);
    this.#version = '';
    this.#gone = 0;
  }

  #refresh(): void {
    const version = this.#head.contentVersion;
    if (version === this.#version) return;
    const sums = this.#head.index.groupSums(this.#cluster, this.#table);
    const added: RowEntry[] = [];
    try {
      for (let group = 0; group < GROUPS; group++) if (sums[group] !== this.#groups[group]) this.#look(group, added);
      this.#take(added);
    } catch (error) {
      // Buckets were looked at whose rows were not taken: the next question must not pass them by.
      this.#forgetAll();
      throw error;
    }
    this.#groups = sums;
    this.#version = version;
    if (this.#gone > 1000 && this.#gone > this.#rows.size) {
      this.#columns.clear();
      this.#gone = 0;
    }
  }

  #look(group: number, added: RowEntry[]): void {
    const isKnown = (place: number, checksum: number) => this.#buckets.get(place)?.checksum === checksum;
    for (const { place, checksum, entries } of this.#head.index.group(this.#cluster, this.#table, group, isKnown)) {
      const before = new Set(this.#buckets.get(place)?.numbers);
      for (const entry of entries) {
        // A number can come again with another writer: then it is another row.
        const known = before.delete(entry.number) ? this.#known(entry.number) : undefined;
        if (known === entry.checksum) continue;
        if (known !== undefined) this.#drop(entry.number);
        added.push(entry);
      }
      for (const number of before) this.#drop(number);
      this.#buckets.set(place, { checksum, numbers: entries.map(({ number }) => number) });
    }
  }

  #take(added: readonly RowEntry[]): void {
    const missing = new Map(added.map((entry) => [entry.number, entry]));
    if (added.length >= MANY) {
      for (const row of this.#reader.wholeRows(this.#table)) {
        if (missing.get(row.number)?.checksum !== row.checksum) continue;
        missing.delete(row.number);
        this.#add(row);
      }
    }
    for (const entry of missing.values()) {
      try {
        this.#add(this.#reader.row(this.#table, entry));
      } catch {
        this.#broken.set(entry.number, entry);
      }
    }
  }

  #add(row: HeadRow): void {
    const { number, checksum, start, until, uid, name, workload, other } = row;
    const node = this.#table === 'placement' ? other : null;
    const kept: Kept = { number, checksum, start, until, handles: { uid, name, workload, node }, isGone: false };
    this.#rows.set(number, kept);
    for (const [column, map] of this.#columns) addTo(map, kept.handles[column], kept);
  }

  #known(number: number): number | undefined {
    return (this.#rows.get(number) ?? this.#broken.get(number))?.checksum;
  }

  #drop(number: number): void {
    this.#broken.delete(number);
    const row = this.#rows.get(number);
    if (row === undefined) return;
    row.isGone = true;
    this.#gone++;
    this.#rows.delete(number);
  }
}

function touches({ start, until }: IndexEntry, from: number, to: number): boolean {
  return start < to && until > from;
}

function addTo(map: Map<number, Kept[]>, handle: number | null, row: Kept): void {
  if (handle === null) return;
  const rows = map.get(handle);
  if (rows === undefined) map.set(handle, [row]);
  else rows.push(row);
}

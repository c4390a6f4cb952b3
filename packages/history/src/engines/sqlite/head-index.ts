// Where the head's tenures and placements of a UID, name, workload or node are: kept in memory, because on disk every
// such index would cost a page for each event. Built when first asked for, and then only what is new is read: rows never
// change, and numbers only grow. An entry whose row is gone is found out by whoever looks for the row.
import type { StatementSync } from 'node:sqlite';
import type { Head } from './head.ts';

export type IndexedTable = 'tenure' | 'placement';
export type IndexedColumn = 'uid' | 'name' | 'workload' | 'node';

export interface IndexEntry {
  readonly number: number;
  readonly start: number;
  readonly until: number;
}

/** Entries of rows that are gone are kept until there are this many more entries than at first. */
const MOST_ADDED = 20_000;

export class HeadIndex {
  readonly #head: Head;
  readonly #statement: StatementSync;
  readonly #cluster: number;
  readonly #columns: readonly IndexedColumn[];
  #maps = new Map<IndexedColumn, Map<number, IndexEntry[]>>();
  #layout = 0;
  #last = 0;
  #entries = 0;
  #entriesAtFirst = 0;

  constructor(head: Head, table: IndexedTable, cluster: number) {
    this.#head = head;
    this.#cluster = cluster;
    this.#columns = table === 'tenure' ? ['uid', 'name', 'workload'] : ['uid', 'name', 'workload', 'node'];
    this.#statement = head.db.prepare(
      `SELECT number, start, until, ${this.#columns.join(', ')} FROM ${table}
       WHERE number > ? AND +cluster = ? ORDER BY number`,
    );
    this.#statement.setReturnArrays(true);
  }

  /** Within a transaction; rows that are gone may still be listed. In the order of their beginnings. */
  entries(column: IndexedColumn, handle: number, from: number, to: number): IndexEntry[] {
    this.#refresh();
    const all = this.#maps.get(column)?.get(handle) ?? [];
    return all.filter(({ start, until }) => start < to && until > from).sort((a, b) => a.start - b.start);
  }

  /** After a rollback: numbers that were read in it will be given again. */
  forget(): void {
    this.#maps = new Map();
    this.#last = 0;
    this.#entries = 0;
  }

  #refresh(): void {
    // Another writer may give numbers again that the last one gave to rows which are gone.
    const layout = this.#head.layoutGeneration;
    if (layout !== this.#layout) this.forget();
    this.#layout = layout;
    if (this.#entries > 2 * this.#entriesAtFirst + MOST_ADDED) this.forget();
    const isFirst = this.#last === 0;
    for (const row of this.#statement.iterate(this.#last, this.#cluster) as unknown as Iterable<(number | null)[]>) {
      const entry: IndexEntry = { number: row[0]!, start: row[1]!, until: row[2]! };
      for (const [i, column] of this.#columns.entries()) {
        const handle = row[i + 3];
        if (handle !== null && handle !== undefined) this.#add(column, handle, entry);
      }
      this.#last = entry.number;
      this.#entries++;
    }
    if (isFirst) this.#entriesAtFirst = this.#entries;
  }

  #add(column: IndexedColumn, handle: number, entry: IndexEntry): void {
    let map = this.#maps.get(column);
    if (map === undefined) this.#maps.set(column, (map = new Map()));
    const entries = map.get(handle);
    if (entries === undefined) map.set(handle, [entry]);
    else entries.push(entry);
  }
}

// Where the head's tenures or placements of a UID, name, workload or node are, one index for each of these: kept in memory, because on disk every
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
  #entriesOf = new Map<number, IndexEntry[]>();
  #layout = 0;
  #last = 0;
  #entries = 0;
  #entriesAtFirst = 0;

  constructor(head: Head, table: IndexedTable, cluster: number, column: IndexedColumn) {
    this.#head = head;
    this.#cluster = cluster;
    this.#statement = head.db.prepare(
      `SELECT number, start, until, ${column} FROM ${table}
       WHERE number > ? AND +cluster = ? ORDER BY number`,
    );
    this.#statement.setReturnArrays(true);
  }

  /** Within a transaction; rows that are gone may still be listed. In the order of their beginnings. */
  entries(handle: number, from: number, to: number): IndexEntry[] {
    this.#refresh();
    const all = this.#entriesOf.get(handle) ?? [];
    return all.filter(({ start, until }) => start < to && until > from).sort((a, b) => a.start - b.start);
  }

  /** Within a transaction: all that rows may have. */
  handles(): ReadonlyMap<number, unknown> {
    this.#refresh();
    return this.#entriesOf;
  }

  /** After a rollback: numbers that were read in it will be given again. */
  forget(): void {
    this.#entriesOf = new Map();
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
      const handle = row[3];
      if (handle !== null && handle !== undefined) this.#add(handle, entry);
      this.#last = entry.number;
      this.#entries++;
    }
    if (isFirst) this.#entriesAtFirst = this.#entries;
  }

  #add(handle: number, entry: IndexEntry): void {
    const entries = this.#entriesOf.get(handle);
    if (entries === undefined) this.#entriesOf.set(handle, [entry]);
    else entries.push(entry);
  }
}

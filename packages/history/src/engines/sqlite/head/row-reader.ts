// Reads rows of the head's tables, each checked against what lists it, and what is in them. HeadReader and those beside it
// read through it, within a transaction. A row that cannot be read, or is not the one that was meant, is `damaged`; it
// never says which rows answer a question.
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { HistoryError } from '../../../errors.ts';
import { compareTexts } from '../../order.ts';
import { isDamage } from '../faults.ts';
import { checksumOf, damaged } from '../format/checksum.ts';
import { type HeadRow, readRow } from '../format/head-row.ts';
import type { Life } from '../format/record-layout.ts';
import { RecordReader } from '../format/record-reader.ts';
import { arrays } from '../statements.ts';
import type { Head } from './head.ts';
import type { RowEntry } from './primary-index.ts';
import type { IndexedTable } from './roots.ts';
import type { IndexEntry } from './secondary-index.ts';

/** A row, and whose it is. */
export interface UidRow extends Pick<RowEntry, 'handle' | 'number' | 'checksum'> {
  readonly uid: string;
}

/** Where more than this many rows lie between any two that are wanted, each is read by itself. */
const SPARSE = 8;

export class RowReader {
  readonly #head: Head;
  readonly #statements = new Map<string, StatementSync>();
  readonly #rowStatements: Readonly<Record<IndexedTable, StatementSync>>;

  constructor(head: Head) {
    this.#head = head;
    const byNumber = (table: IndexedTable) => arrays(head.db, `SELECT body FROM ${table} WHERE number = ?`);
    this.#rowStatements = {
      tenure: byNumber('tenure'),
      placement: byNumber('placement'),
      live: byNumber('live'),
      possible: byNumber('possible'),
    };
  }

  /** The row that is meant, and no other. */
  row(table: IndexedTable, { number, checksum }: Pick<RowEntry, 'number' | 'checksum'>): HeadRow {
    const found = this.#rowStatements[table].get(number) as unknown as [Uint8Array] | undefined;
    return readRow(found?.[0], number, checksum, () => `head, ${table} ${number}`);
  }

  /** Of a row that was listed a while ago: undefined when it is not any more. */
  rowIfThere(cluster: number, table: IndexedTable, entry: Omit<UidRow, 'uid'>): HeadRow | undefined {
    const found = this.#rowStatements[table].get(entry.number) as unknown as [Uint8Array] | undefined;
    if (found !== undefined && checksumOf(found[0]) === entry.checksum) {
      return readRow(found[0], entry.number, entry.checksum, () => `head, ${table} ${entry.number}`);
    }
    const listed = this.#head.index.find(cluster, table, entry.handle);
    const isListed = listed.some(({ number, checksum }) => number === entry.number && checksum === entry.checksum);
    return isListed ? this.row(table, entry) : undefined;
  }

  /** The rows of these entries, the newest first. Those that lie together are read in one go. */
  *rows(table: IndexedTable, entries: readonly IndexEntry[]): Generator<HeadRow> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    if (first.number - last.number > entries.length * SPARSE) {
      for (const entry of entries) yield this.row(table, entry);
      return;
    }
    const sql = `SELECT body, number FROM ${table} WHERE number >= ? AND number <= ? ORDER BY number DESC`;
    let next = 0;
    for (const [body, number] of this.all(sql, last.number, first.number)) {
      const entry = entries[next];
      if (entry === undefined || entry.number < number) continue;
      // What should lie in between is not there.
      if (entry.number > number) break;
      next++;
      yield readRow(body, number, entry.checksum, () => `head, ${table} ${number}`);
    }
    for (; next < entries.length; next++) yield this.row(table, entries[next]!);
  }

  /** All rows of a table that can be read, in one go; whoever needs all of them knows which. */
  *wholeRows(table: IndexedTable): Generator<HeadRow> {
    try {
      for (const [body, number] of this.#iterate(`SELECT body, number FROM ${table}`)) {
        let row: HeadRow | undefined;
        try {
          row = readRow(body, number, undefined, () => '');
        } catch {
          continue;
        }
        yield row;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }

  /** All rows of a table in the order of their UIDs. */
  byUid(table: IndexedTable, cluster: number): UidRow[] {
    const found: UidRow[] = [];
    for (const entry of this.#head.index.all(cluster, table)) {
      const { handle, number, checksum } = entry;
      found.push({ uid: this.uidOf(this.row(table, entry), table), handle, number, checksum });
    }
    return found.sort((a, b) => compareTexts(a.uid, b.uid));
  }

  life(row: HeadRow): Life {
    return this.record(row, 'record', (reader) => reader.life());
  }

  record<T>(row: HeadRow, what: string, read: (reader: RecordReader) => T): T {
    try {
      return read(new RecordReader(this.#head.dictionary, row.record));
    } catch (error) {
      throw error instanceof HistoryError ? error : damaged(`head, ${what} ${row.number}`, error);
    }
  }

  uidOf(row: HeadRow, what: string): string {
    return this.record(row, what, (reader) => reader.uid());
  }

  /** All rows of a statement that gives a body and a number. */
  all(sql: string, ...values: SQLInputValue[]): [Uint8Array, number][] {
    return this.#statement(sql).all(...values) as unknown as [Uint8Array, number][];
  }

  /** A statement of its own for each reading: the same one cannot be at two places at once. */
  *#iterate(sql: string, ...values: SQLInputValue[]): Generator<[Uint8Array, number]> {
    const statement = this.#statements.get(sql) ?? arrays(this.#head.db, sql);
    this.#statements.delete(sql);
    try {
      yield* statement.iterate(...values) as unknown as Iterable<[Uint8Array, number]>;
    } finally {
      this.#statements.set(sql, statement);
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = arrays(this.#head.db, sql)));
    return statement;
  }
}

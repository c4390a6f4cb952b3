// Reads the head's tables back into records. Called inside a transaction. A body that cannot be read, or that is not of
// the row it was found by, is `corrupt-row`.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { HistoryError } from '../../errors.ts';
import { type LiveHolder, tenureKey } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type {
  Anomaly,
  Change,
  Checkpoint,
  Conflict,
  Coverage,
  Placement,
  PossibleTenure,
  Tenure,
} from '../../model/records.ts';
import type { Span, Subject } from '../engine.ts';
import { compareTexts } from '../order.ts';
import { corruptRow, handleOf, unsealed } from './checksum.ts';
import type { Head } from './head.ts';
import { tenureHandle } from './head-append.ts';
import { HeadIndex, type IndexedColumn, type IndexedTable } from './head-index.ts';
import { ipKey } from './ip-key.ts';
import type { Life } from './record-layout.ts';
import { RecordReader } from './record-reader.ts';

/** How rows are looked for. */
export type Lookup =
  | { readonly column: 'ip'; readonly ip: IpAddress }
  | { readonly column: IndexedColumn; readonly handle: number };

export function lookupOf(subject: Subject): Lookup & { readonly handle: number } {
  switch (subject.by) {
    case 'uid':
      return { column: 'uid', handle: handleOf(subject.uid) };
    case 'name':
      return { column: 'name', handle: handleOf(subject.namespace, subject.name) };
    case 'workload':
      return { column: 'workload', handle: handleOf(subject.namespace, subject.kind, subject.name) };
  }
}

const NO_ROWS = (): { tenures: Tenure[]; keys: readonly number[] } => ({ tenures: [], keys: [] });

interface Found<T> {
  readonly number: number;
  readonly record: T;
}

export class HeadReader {
  readonly #head: Head;
  readonly #statements = new Map<string, StatementSync>();
  readonly #indexes = new Map<string, HeadIndex>();
  readonly #at: StatementSync;

  constructor(head: Head) {
    this.#head = head;
    this.#at = arrays(
      head.db,
      'SELECT key, CASE WHEN start <= ? AND until > ? THEN body END FROM tenure WHERE cluster = ? AND ip = ?',
    );
  }

  /** Those of an address at an instant, and the keys of all that the head has of it. */
  tenuresAt(cluster: number, ip: IpAddress, at: number): { tenures: Tenure[]; keys: readonly number[] } {
    const rows = this.#at.all(at, at, cluster, ipKey(ip)) as unknown as [number, Uint8Array | null][];
    if (rows.length === 0) return NO_ROWS();
    const tenures: Tenure[] = [];
    for (const [, body] of rows) if (body !== null) tenures.push(this.#tenureOf(ip, body));
    return { tenures, keys: rows.map(([key]) => key) };
  }

  /** The head's row of the same tenure. */
  findTenure(cluster: number, ip: Uint8Array, tenure: Tenure): Found<Tenure> | undefined {
    const sql = 'SELECT body, number FROM tenure WHERE cluster = ? AND ip = ? AND key = ?';
    const wanted = tenureKey(tenure);
    for (const [body, number] of this.#all(sql, cluster, ip, tenureHandle(tenure))) {
      const record = this.#tenure(body);
      if (tenureKey(record) === wanted) return { number, record };
    }
    return undefined;
  }

  hasTenure(cluster: number, tenure: Tenure): boolean {
    return this.findTenure(cluster, ipKey(tenure.ip), tenure) !== undefined;
  }

  findPlacement(cluster: number, uid: string, handle = handleOf(uid)): Found<Placement> | undefined {
    const sql = 'SELECT body, number FROM placement WHERE cluster = ? AND uid = ?';
    for (const [body, number] of this.#all(sql, cluster, handle)) {
      const record = this.#placement(body);
      if (record.pod.uid === uid) return { number, record };
    }
    return undefined;
  }

  /** Within this transaction, whether the head has a version of a placement: for asking about many. */
  placementsKnown(cluster: number): (placement: Placement) => boolean {
    const mayHave = this.#index('placement', cluster, 'uid').handles();
    if (mayHave.size === 0) return () => false;
    return ({ pod }) => {
      const handle = handleOf(pod.uid);
      return mayHave.has(handle) && this.findPlacement(cluster, pod.uid, handle) !== undefined;
    };
  }

  /** The row's number. */
  findLive(cluster: number, uid: string): number | undefined {
    const rows = this.#all('SELECT body, number FROM live WHERE cluster = ? AND uid = ?', cluster, handleOf(uid));
    return rows.find(([body]) => this.#uidOf(body, 'live') === uid)?.[1];
  }

  /** In the order of their beginnings. */
  *tenures(cluster: number, by: Lookup, span: Span): Generator<Tenure> {
    if (by.column === 'ip') {
      const sql = 'SELECT body, start FROM tenure WHERE cluster = ? AND ip = ? AND start < ? AND until > ?';
      const rows = this.#all(sql, cluster, ipKey(by.ip), span.to, span.from);
      // Here rather than there: most addresses have one row or none, and a sorter costs more than they do.
      if (rows.length > 1) rows.sort((a, b) => a[1] - b[1]);
      for (const [body] of rows) yield this.#tenureOf(by.ip, body);
    } else for (const body of this.#indexed('tenure', cluster, by, span)) yield this.#tenure(body);
  }

  *placements(cluster: number, by: Lookup, span: Span): Generator<Placement> {
    if (by.column === 'ip') return;
    for (const body of this.#indexed('placement', cluster, by, span)) yield this.#placement(body);
  }

  *changes(cluster: number, by: Lookup & { readonly handle: number }, span: Span): Generator<Change> {
    const sql = `SELECT body FROM change WHERE cluster = ? AND ${by.column} = ? AND at >= ? AND at < ? ORDER BY at`;
    for (const [body] of this.#iterate(sql, cluster, by.handle, span.from, span.to)) yield this.#change(body);
  }

  *allChanges(cluster: number, span: Span): Generator<Change> {
    const sql = 'SELECT body FROM change WHERE cluster = ? AND at >= ? AND at < ? ORDER BY at';
    for (const [body] of this.#iterate(sql, cluster, span.from, span.to)) yield this.#change(body);
  }

  *conflicts(cluster: number, span: Span): Generator<Conflict> {
    const sql = 'SELECT body FROM conflict WHERE cluster = ? AND at >= ? AND at < ? ORDER BY at';
    for (const [body] of this.#iterate(sql, cluster, span.from, span.to)) {
      yield this.read(body, 'conflict', (reader) => reader.conflict());
    }
  }

  *anomalies(cluster: number, span: Span): Generator<Anomaly> {
    const sql = 'SELECT body FROM anomaly WHERE cluster = ? AND at >= ? AND at < ? ORDER BY at';
    for (const [body] of this.#iterate(sql, cluster, span.from, span.to)) {
      yield this.read(body, 'anomaly', (reader) => reader.anomaly());
    }
  }

  possible(cluster: number, span: Span): PossibleTenure[] {
    const sql = 'SELECT body, start FROM possible WHERE cluster = ? AND until > ? AND start < ?';
    const rows = this.#all(sql, cluster, span.from, span.to);
    return rows.map(([body]) => this.read(body, 'possible', (reader) => reader.possible()));
  }

  coverage(cluster: number): Coverage[] {
    const sql = 'SELECT body, start FROM coverage WHERE cluster = ? ORDER BY start, collector';
    return this.#all(sql, cluster).map(([body]) => this.read(body, 'coverage', (reader) => reader.coverage()));
  }

  /** In the order of their UIDs. */
  live(cluster: number): LiveHolder[] {
    const rows = this.#all('SELECT body, number FROM live WHERE cluster = ?', cluster);
    const found = rows.map(([body]) => this.read(body, 'live', (reader) => reader.liveHolder()));
    return found.sort((a, b) => compareTexts(a.holder.uid, b.holder.uid));
  }

  /** The rows of a table by UID, without reading more of each than that. `where` narrows them. */
  byUid(table: IndexedTable | 'live', where: string, ...values: SQLInputValue[]): { uid: string; number: number }[] {
    const found: { uid: string; number: number }[] = [];
    for (const [body, number] of this.#iterate(`SELECT body, number FROM ${table} WHERE ${where}`, ...values)) {
      found.push({ uid: this.#uidOf(body, table), number });
    }
    return found.sort((a, b) => compareTexts(a.uid, b.uid));
  }

  /** Undefined when the row is gone. */
  body(table: IndexedTable | 'live', number: number): Uint8Array | undefined {
    const sql = `SELECT body FROM ${table} WHERE number = ?`;
    return (this.#statement(sql).get(number) as unknown as [Uint8Array] | undefined)?.[0];
  }

  checkpoint(cluster: number): Checkpoint | undefined {
    const [row] = this.#all('SELECT checkpoint, number FROM cluster WHERE number = ?', cluster);
    const body = row?.[0] as Uint8Array | null | undefined;
    return body ? this.read(body, 'checkpoint', (reader) => reader.checkpoint()) : undefined;
  }

  life(body: Uint8Array): Life {
    return this.read(body, 'record', (reader) => reader.life());
  }

  read<T>(body: Uint8Array, what: string, read: (reader: RecordReader) => T): T {
    const where = (): string => `head, ${what}`;
    try {
      return read(new RecordReader(this.#head.words, unsealed(body, where)));
    } catch (error) {
      throw error instanceof HistoryError ? error : corruptRow(where(), error);
    }
  }

  /** After a rollback. */
  forget(): void {
    for (const index of this.#indexes.values()) index.forget();
  }

  *#indexed(
    table: IndexedTable,
    cluster: number,
    by: Exclude<Lookup, { readonly column: 'ip' }>,
    span: Span,
  ): Generator<Uint8Array> {
    for (const { number } of this.#index(table, cluster, by.column).entries(by.handle, span.from, span.to)) {
      const body = this.body(table, number);
      if (body !== undefined) yield body;
    }
  }

  #index(table: IndexedTable, cluster: number, column: IndexedColumn): HeadIndex {
    const key = `${table} ${cluster} ${column}`;
    let index = this.#indexes.get(key);
    if (index === undefined) this.#indexes.set(key, (index = new HeadIndex(this.#head, table, cluster, column)));
    return index;
  }

  #tenureOf(ip: IpAddress, body: Uint8Array): Tenure {
    const tenure = this.#tenure(body);
    if (tenure.ip !== ip) throw corruptRow(`head, tenure of ${ip}`);
    return tenure;
  }

  #tenure(body: Uint8Array): Tenure {
    const [tenure] = this.read(body, 'tenure', (reader) => reader.life()).tenures;
    if (tenure === undefined) throw corruptRow('head, tenure');
    return tenure;
  }

  #placement(body: Uint8Array): Placement {
    const { placement } = this.read(body, 'placement', (reader) => reader.life());
    if (placement === undefined) throw corruptRow('head, placement');
    return placement;
  }

  #change(body: Uint8Array): Change {
    return this.read(body, 'change', (reader) => reader.change());
  }

  #uidOf(body: Uint8Array, what: string): string {
    return this.read(body, what, (reader) => reader.uid());
  }

  #all(sql: string, ...values: SQLInputValue[]): [Uint8Array, number][] {
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

function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

// Reads the head's tables back into records. Called inside a transaction. A body that cannot be read, or that is not of
// the row it was found by, is `corrupt-row`.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { HistoryError } from '../../errors.ts';
import type { LiveHolder } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { Anomaly, Change, Checkpoint, Conflict, Coverage, Placement, Tenure } from '../../model/records.ts';
import type { Span, Subject } from '../engine.ts';
import { corruptRow, handleOf, unsealed } from './checksum.ts';
import type { Head } from './head.ts';
import { ipKey } from './ip-key.ts';
import { type Life, RecordReader } from './record-codec.ts';

/** How rows are looked for; `value` is the column's. */
export interface Lookup {
  readonly column: 'ip' | 'uid' | 'name' | 'workload' | 'node';
  readonly value: SQLInputValue;
}

export function lookupOf(subject: Subject): Lookup {
  switch (subject.by) {
    case 'uid':
      return { column: 'uid', value: subject.uid };
    case 'name':
      return { column: 'name', value: handleOf(subject.namespace, subject.name) };
    case 'workload':
      return { column: 'workload', value: handleOf(subject.namespace, subject.kind, subject.name) };
  }
}

export class HeadReader {
  readonly #head: Head;
  readonly #statements = new Map<string, StatementSync>();
  readonly #at: StatementSync;

  constructor(head: Head) {
    this.#head = head;
    this.#at = arrays(
      head.db,
      'SELECT body FROM tenure WHERE cluster = ? AND ip = ? AND start <= ? AND until > ? ORDER BY start',
    );
  }

  tenuresAt(cluster: number, ip: IpAddress, key: Uint8Array, at: number): Tenure[] {
    const found: Tenure[] = [];
    for (const row of this.#at.all(cluster, key, at, at)) {
      const tenure = this.#tenure((row as unknown as [Uint8Array])[0]);
      if (tenure.ip !== ip) throw corruptRow(`head, tenure of ${ip}`);
      found.push(tenure);
    }
    return found;
  }

  hasTenure(cluster: number, { ip, holder, start }: Tenure): boolean {
    const sql = 'SELECT 1 FROM tenure WHERE cluster = ? AND ip = ? AND uid = ? AND epoch = ? AND version = ?';
    return this.#get(sql, cluster, ipKey(ip), holder.uid, start.epoch, start.resourceVersion) !== undefined;
  }

  hasPlacement(cluster: number, { pod }: Placement): boolean {
    return this.#get('SELECT 1 FROM placement WHERE cluster = ? AND uid = ?', cluster, pod.uid) !== undefined;
  }

  /** In the order of their beginnings, from `since` on. */
  *tenures(cluster: number, by: Lookup, span: Span, since: number): Generator<Tenure> {
    for (const [body] of this.#touching('tenure', cluster, by, span, since)) yield this.#tenure(body);
  }

  *placements(cluster: number, by: Lookup, span: Span, since: number): Generator<Placement> {
    for (const [body] of this.#touching('placement', cluster, by, span, since)) yield this.#placement(body);
  }

  *changes(cluster: number, by: Lookup, span: Span): Generator<Change> {
    const sql = `SELECT body FROM change WHERE cluster = ? AND ${by.column} = ? AND at >= ? AND at < ? ORDER BY at`;
    const value = by.column === 'uid' ? handleOf(String(by.value)) : by.value;
    for (const [body] of this.#iterate(sql, cluster, value, span.from, span.to)) yield this.#change(body);
  }

  *conflicts(cluster: number, span: Span): Generator<Conflict> {
    const sql = 'SELECT body FROM conflict WHERE cluster = ? AND at >= ? AND at < ? ORDER BY at';
    for (const [body] of this.#iterate(sql, cluster, span.from, span.to)) {
      yield this.#read(body, 'conflict', (reader) => reader.conflict());
    }
  }

  *anomalies(cluster: number, span: Span): Generator<Anomaly> {
    const sql = 'SELECT body FROM anomaly WHERE cluster = ? AND at >= ? AND at < ? ORDER BY at';
    for (const [body] of this.#iterate(sql, cluster, span.from, span.to)) {
      yield this.#read(body, 'anomaly', (reader) => reader.anomaly());
    }
  }

  *allChanges(cluster: number, span: Span): Generator<Change> {
    const sql = 'SELECT body FROM change WHERE cluster = ? AND at >= ? AND at < ? ORDER BY at';
    for (const [body] of this.#iterate(sql, cluster, span.from, span.to)) yield this.#change(body);
  }

  coverage(cluster: number): Coverage[] {
    const sql = 'SELECT body FROM coverage WHERE cluster = ? ORDER BY start, collector';
    return Array.from(this.#iterate(sql, cluster), ([body]) => this.#read(body, 'coverage', (r) => r.coverage()));
  }

  /** In the order of their UIDs, after `uid`. */
  *live(cluster: number, uid: string): Generator<readonly [uid: string, live: LiveHolder]> {
    const sql = 'SELECT body, uid FROM live WHERE cluster = ? AND uid > ? ORDER BY uid';
    for (const [body, key] of this.#iterate(sql, cluster, uid)) {
      const holder = this.#read(body, `live ${key}`, (reader) => reader.liveHolder());
      if (holder.holder.uid !== key) throw corruptRow(`head, live ${key}`);
      yield [key, holder];
    }
  }

  *tenuresByUid(cluster: number, from: string): Generator<Tenure> {
    const sql = 'SELECT body FROM tenure INDEXED BY tenure_uid WHERE cluster = ? AND uid >= ? ORDER BY uid';
    for (const [body] of this.#iterate(sql, cluster, from)) yield this.#tenure(body);
  }

  *placementsByUid(cluster: number, from: string): Generator<Placement> {
    const sql = 'SELECT body FROM placement WHERE cluster = ? AND uid >= ? ORDER BY uid';
    for (const [body] of this.#iterate(sql, cluster, from)) yield this.#placement(body);
  }

  checkpoint(cluster: number): Checkpoint | undefined {
    const body = this.#get('SELECT checkpoint FROM cluster WHERE number = ?', cluster)?.[0] as Uint8Array | null;
    return body === null ? undefined : this.#read(body, 'checkpoint', (reader) => reader.checkpoint());
  }

  /** Every body of a table with the columns that were derived from it: for verifying. */
  *bodies(table: string): Generator<Record<string, unknown>> {
    yield* this.#head.db.prepare(`SELECT * FROM ${table}`).iterate();
  }

  life(body: Uint8Array): Life {
    return this.#read(body, 'record', (reader) => reader.life());
  }

  read<T>(body: Uint8Array, what: string, read: (reader: RecordReader) => T): T {
    return this.#read(body, what, read);
  }

  *#touching(table: string, cluster: number, by: Lookup, span: Span, since: number): Generator<[Uint8Array, string]> {
    const sql = `SELECT body FROM ${table}
      WHERE cluster = ? AND ${by.column} = ? AND start < ? AND until > ? AND start >= ? ORDER BY start`;
    yield* this.#iterate(sql, cluster, by.value, span.to, span.from, since);
  }

  #tenure(body: Uint8Array): Tenure {
    const [tenure] = this.#read(body, 'tenure', (reader) => reader.life()).tenures;
    if (tenure === undefined) throw corruptRow('head, tenure');
    return tenure;
  }

  #placement(body: Uint8Array): Placement {
    const { placement } = this.#read(body, 'placement', (reader) => reader.life());
    if (placement === undefined) throw corruptRow('head, placement');
    return placement;
  }

  #change(body: Uint8Array): Change {
    return this.#read(body, 'change', (reader) => reader.change());
  }

  #read<T>(body: Uint8Array, what: string, read: (reader: RecordReader) => T): T {
    const where = `head, ${what}`;
    try {
      return read(new RecordReader(this.#head.words, unsealed(body, where)));
    } catch (error) {
      throw error instanceof HistoryError ? error : corruptRow(where, error);
    }
  }

  #get(sql: string, ...values: SQLInputValue[]): unknown[] | undefined {
    return this.#statement(sql).get(...values) as unknown as unknown[] | undefined;
  }

  /** A statement of its own for each reading: the same one cannot be at two places at once. */
  *#iterate(sql: string, ...values: SQLInputValue[]): Generator<[Uint8Array, string]> {
    const statement = this.#statements.get(sql) ?? arrays(this.#head.db, sql);
    this.#statements.delete(sql);
    try {
      yield* statement.iterate(...values) as unknown as Iterable<[Uint8Array, string]>;
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

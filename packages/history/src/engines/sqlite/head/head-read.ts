// Reads the head's tables back into records. Called inside a transaction. A row that cannot be read, that is not the one
// that was meant, or that should be there and is not, is `damaged`.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { HistoryError } from '../../../errors.ts';
import { type LiveState, possibleKey, tenureKey } from '../../../model/fact.ts';
import type { IpAddress } from '../../../model/ip-address.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../../../model/occurrence.ts';
import type { Checkpoint, Coverage, Placement, PossibleTenure, Tenure } from '../../../model/records.ts';
import { typeOf } from '../../occurrences/registry.ts';
import { compareTexts } from '../../order.ts';
import type { ListOrder, Span, Subject } from '../../snapshot.ts';
import { isDamage } from '../faults.ts';
import { agrees, checksumOf, damaged, handleOf, withMember } from '../format/checksum.ts';
import { HeadRow, OPAQUE, type RowKey, readRow } from '../format/head-row.ts';
import { ipHandle } from '../format/ip-key.ts';
import { oldLiveState } from '../format/old-live-state.ts';
import type { Life } from '../format/record-layout.ts';
import { RecordReader } from '../format/record-reader.ts';
import type { Head } from './head.ts';
import { tenureHandle } from './head-append.ts';
import type { HourEntry } from './hour-index.ts';
import { KnownHours } from './known-hours.ts';
import type { RowEntry } from './primary-index.ts';
import type { IndexedTable } from './roots.ts';
import { type HeadTable, type IndexEntry, type IndexedColumn, SecondaryIndex } from './secondary-index.ts';
import { TALLY_MS, tallyPlace } from './tallies.ts';

/** A row, and whose it is. */
export interface UidRow extends Pick<RowEntry, 'handle' | 'number' | 'checksum'> {
  readonly uid: string;
}

/** How rows are looked for. */
export type Lookup =
  | { readonly column: 'ip'; readonly ip: IpAddress }
  | { readonly column: IndexedColumn; readonly handle: number };

/** By what is asked for of a subject. */
export function lookupOf(subject: Subject): SubjectLookup {
  switch (subject.by) {
    case 'uid':
      return { column: 'uid', handle: handleOf(subject.uid) };
    case 'name':
      return { column: 'name', handle: handleOf(subject.namespace, subject.name) };
    case 'workload':
      return { column: 'workload', handle: handleOf(subject.namespace, subject.kind, subject.name) };
  }
}

interface SubjectLookup {
  readonly column: 'uid' | 'name' | 'workload';
  readonly handle: number;
}

const NOTHING: { readonly tenures: Tenure[]; hasVersion(tenure: Tenure): boolean } = {
  tenures: [],
  hasVersion: () => false,
};

/** Where more than this many rows lie between any two that are wanted, each is read by itself. */
const SPARSE = 8;

interface Found<T> {
  readonly number: number;
  readonly record: T;
}

interface StoredCoverage {
  readonly record: Coverage;
  readonly checksum: number;
}

export class HeadReader {
  readonly #hours = new KnownHours();
  readonly #head: Head;
  readonly #statements = new Map<string, StatementSync>();
  readonly #indexes = new Map<string, SecondaryIndex>();
  readonly #rowStatements: Readonly<Record<IndexedTable, StatementSync>>;
  readonly #coverages = new Map<number, readonly StoredCoverage[]>();
  #coverageVersion = '';

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

  /** Those of an address at an instant, and whether the head has a version of a tenure of the address. */
  tenuresAt(cluster: number, ip: IpAddress, at: number): typeof NOTHING {
    const handle = ipHandle(ip);
    const entries = this.#head.index.find(cluster, 'tenure', handle);
    if (entries.length === 0) return { ...NOTHING, tenures: [] };
    const tenures: Tenure[] = [];
    for (const entry of entries) {
      if (entry.start > at || entry.until <= at) continue;
      const tenure = this.#tenure(this.row('tenure', entry));
      if (tenure.ip === ip && mayHold(tenure, at)) tenures.push(tenure);
    }
    return { tenures, hasVersion: (tenure) => this.findTenure(cluster, handle, tenure, entries) !== undefined };
  }

  /** The head's row of the same tenure. */
  findTenure(
    cluster: number,
    handle: number,
    tenure: Tenure,
    entries: readonly RowEntry[] = this.#head.index.find(cluster, 'tenure', handle),
  ): Found<Tenure> | undefined {
    if (entries.length === 0) return undefined;
    const key = tenureHandle(tenure);
    const wanted = tenureKey(tenure);
    for (const entry of entries) {
      if (entry.other !== key) continue;
      const record = this.#tenure(this.row('tenure', entry));
      if (tenureKey(record) === wanted) return { number: entry.number, record };
    }
    return undefined;
  }

  hasTenure(cluster: number, tenure: Tenure): boolean {
    return this.findTenure(cluster, ipHandle(tenure.ip), tenure) !== undefined;
  }

  findPlacement(cluster: number, uid: string, handle = handleOf(uid)): Found<Placement> | undefined {
    for (const entry of this.#head.index.find(cluster, 'placement', handle)) {
      const record = this.#placement(this.row('placement', entry));
      if (record.pod.uid === uid) return { number: entry.number, record };
    }
    return undefined;
  }

  /** The same of tenures. */
  tenuresKnown(cluster: number): (tenure: Tenure) => boolean {
    const mayHave = this.#index('tenure', cluster).mayHaveUid();
    if (mayHave === undefined) return () => false;
    return (tenure) => mayHave(handleOf(tenure.holder.uid)) && this.hasTenure(cluster, tenure);
  }

  /** Within this transaction, whether the head has a version of a placement: for asking about many. */
  placementsKnown(cluster: number): (placement: Placement) => boolean {
    const mayHave = this.#index('placement', cluster).mayHaveUid();
    if (mayHave === undefined) return () => false;
    return ({ pod }) => {
      const handle = handleOf(pod.uid);
      return mayHave(handle) && this.findPlacement(cluster, pod.uid, handle) !== undefined;
    };
  }

  findPossible(cluster: number, key: string): Found<PossibleTenure> | undefined {
    for (const entry of this.#head.index.find(cluster, 'possible', handleOf(key))) {
      const record = this.#possible(this.row('possible', entry));
      if (possibleKey(record) === key) return { number: entry.number, record };
    }
    return undefined;
  }

  /** The stored version of an occurrence. */
  occurrence<K extends OccurrenceKind>(kind: K, key: string, body: Uint8Array): OccurrenceRecords[K] {
    return this.#occurrence(kind, new HeadRow(body, () => `head, ${kind} ${key}`));
  }

  findLive(
    cluster: number,
    uid: string,
    handle = handleOf(uid),
  ): Pick<RowKey, 'cluster' | 'handle' | 'number'> | undefined {
    const entries = this.#head.index.find(cluster, 'live', handle);
    const entry = entries.find((found) => this.uidOf(this.row('live', found), 'live') === uid);
    return entry === undefined ? undefined : { cluster, handle, number: entry.number };
  }

  /** In the order of their beginnings. */
  *tenures(cluster: number, by: Lookup, span: Span): Generator<Tenure> {
    if (by.column !== 'ip') {
      for (const row of this.#indexed('tenure', cluster, by, span)) yield this.#tenure(row);
      return;
    }
    let entries = this.#head.index.find(cluster, 'tenure', ipHandle(by.ip));
    entries = entries.filter(({ start, until }) => start < span.to && until > span.from);
    if (entries.length > 1) entries.sort((a, b) => a.start - b.start);
    for (const entry of entries) {
      const tenure = this.#tenure(this.row('tenure', entry));
      if (tenure.ip === by.ip) yield tenure;
    }
  }

  *placements(cluster: number, by: Lookup, span: Span): Generator<Placement> {
    if (by.column === 'ip') return;
    for (const row of this.#indexed('placement', cluster, by, span)) yield this.#placement(row);
  }

  /** Rows of all stays that may touch the span, the newest first. */
  staysWithin(table: 'tenure' | 'placement', cluster: number, span: Span): IndexEntry[] {
    const entries = this.#index(table, cluster).within(span.from, span.to);
    return entries.sort((a, b) => b.number - a.number);
  }

  /** The rows of these entries, which are in the order of the reading above. Those that lie together are read in one go. */
  *rows(table: IndexedTable, entries: readonly IndexEntry[]): Generator<HeadRow> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    if (first.number - last.number > entries.length * SPARSE) {
      for (const entry of entries) yield this.row(table, entry);
      return;
    }
    const sql = `SELECT body, number FROM ${table} WHERE number >= ? AND number <= ? ORDER BY number DESC`;
    let next = 0;
    for (const [body, number] of this.#all(sql, last.number, first.number)) {
      const entry = entries[next];
      if (entry === undefined || entry.number < number) continue;
      // What should lie in between is not there.
      if (entry.number > number) break;
      next++;
      yield readRow(body, number, entry.checksum, () => `head, ${table} ${number}`);
    }
    for (; next < entries.length; next++) yield this.row(table, entries[next]!);
  }

  possible(cluster: number, span: Span): PossibleTenure[] {
    const entries = this.#index('possible', cluster).within(span.from, span.to);
    return entries.map((entry) => this.#possible(this.row('possible', entry)));
  }

  /** Undefined: there is none, or it is lost; only its hour can tell. */
  occurrenceByKey<K extends OccurrenceKind>(cluster: number, kind: K, key: string): OccurrenceRecords[K] | undefined {
    const sql = 'SELECT body, at FROM occurrence WHERE cluster = ? AND kind = ? AND key = ?';
    const [found] = this.#all(sql, cluster, typeOf(kind).number, key);
    if (found === undefined) return undefined;
    const record = this.occurrence(kind, key, found[0]);
    if (typeOf(kind).place(record).key !== key) throw damaged(`head, ${kind} ${key}`);
    return record;
  }

  /** In the order of their times, or in the opposite one. With a subject, some that are not about it may be among them. */
  *occurrences<K extends OccurrenceKind>(
    cluster: number,
    kind: K,
    span: Span,
    subject?: Subject,
    order: ListOrder = 'oldest',
  ): Generator<OccurrenceRecords[K]> {
    if (span.to <= span.from) return;
    const handle = subject === undefined ? undefined : lookupOf(subject).handle;
    const hours = this.#head.tallies.within(cluster, typeOf(kind).number, span.from, span.to);
    for (const [hour, sum] of order === 'oldest' ? hours : [...hours].reverse()) {
      const rows = this.#ofHour(kind, cluster, hour, sum, span, handle);
      for (const row of order === 'oldest' ? rows : rows.toReversed()) {
        if (row.start >= span.from && row.start < span.to) yield this.#occurrence(kind, row);
      }
    }
  }

  /** In the order of their beginnings. */
  coverage(cluster: number): Coverage[] {
    return this.#coverage(cluster).map(({ record }) => record);
  }

  findCoverage(cluster: number, from: number, collector: string): StoredCoverage | undefined {
    return this.#readCoverage(cluster).find(({ record }) => record.from === from && record.collector === collector);
  }

  /** In the order of their UIDs. */
  live(cluster: number): LiveState[] {
    const found: LiveState[] = [];
    for (const entry of this.#head.index.all(cluster, 'live')) found.push(this.liveState(this.row('live', entry)));
    return found.sort((a, b) => compareTexts(a.uid, b.uid));
  }

  liveState(row: HeadRow): LiveState {
    return this.record(row, 'live', (reader) => (row.other === OPAQUE ? reader.liveState() : oldLiveState(reader)));
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

  /** The hours that have records of a kind, and what each must sum up to. */
  tallied(kind: OccurrenceKind, cluster: number): Map<number, number> {
    return this.#head.tallies.within(cluster, typeOf(kind).number, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  }

  /** All rows of an hour, in the order of their times, and then of their keys. */
  hour(kind: OccurrenceKind, cluster: number, hour: number, expected: number): HeadRow[] {
    const sql =
      'SELECT body, at FROM occurrence WHERE cluster = ? AND kind = ? AND at >= ? AND at < ? ORDER BY at, key';
    const where = (): string => `head, ${kind} records of the hour from ${new Date(hour).toISOString()}`;
    const rows: HeadRow[] = [];
    let sum = 0;
    for (const [body] of this.#all(sql, cluster, typeOf(kind).number, hour, hour + TALLY_MS)) {
      const row = new HeadRow(body, where);
      if (!agrees(row.cluster, cluster)) throw damaged(where());
      sum = withMember(sum, row.checksum);
      rows.push(row);
    }
    if (!agrees(sum, expected)) throw damaged(where());
    return rows.sort((a, b) => a.start - b.start);
  }

  checkpoint(cluster: number): Checkpoint | undefined {
    const row = this.#head.db.prepare('SELECT checkpoint FROM cluster WHERE number = ?').get(cluster);
    const body = (row?.['checkpoint'] as Uint8Array | null | undefined) ?? undefined;
    const { checkpoint } = this.#head.roots.of(cluster);
    if (body === undefined && checkpoint === 0) return undefined;
    const found = readRow(body, 0, checkpoint, () => `head, checkpoint of cluster ${cluster}`);
    return this.record(found, 'checkpoint', (reader) => reader.checkpoint());
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

  /** After a rollback. */
  forget(): void {
    for (const index of this.#indexes.values()) index.forget();
    this.#coverageVersion = '';
  }

  *#indexed(
    table: HeadTable,
    cluster: number,
    by: Exclude<Lookup, { readonly column: 'ip' }>,
    span: Span,
  ): Generator<HeadRow> {
    for (const entry of this.#index(table, cluster).entries(by.column, by.handle, span.from, span.to)) {
      yield this.row(table, entry);
    }
  }

  /** An hour is shown to be complete before any of it is given: by its sum, or by an index that is bound to it. */
  #ofHour(
    kind: OccurrenceKind,
    cluster: number,
    hour: number,
    sum: number,
    span: Span,
    handle: number | undefined,
  ): readonly HeadRow[] {
    const indexed = handle === undefined ? undefined : this.#indexedRows(kind, cluster, hour, sum, span, handle);
    if (indexed !== undefined) return indexed;
    const known = this.#hours.get(kind, cluster, hour, sum, () => this.hour(kind, cluster, hour, sum));
    return handle === undefined ? known.rows : known.about(handle);
  }

  /** Undefined: the hour has no index, or the index leads to what is not there; then the hour itself says what is wrong. */
  #indexedRows(
    kind: OccurrenceKind,
    cluster: number,
    hour: number,
    sum: number,
    span: Span,
    handle: number,
  ): HeadRow[] | undefined {
    const { number } = typeOf(kind);
    const entries = this.#head.hours.find(tallyPlace(cluster, number, hour), hour, sum, handle);
    const rows: HeadRow[] = [];
    for (const entry of entries ?? []) {
      if (entry.at < span.from || entry.at >= span.to) continue;
      const row = this.#occurrenceAt(cluster, number, entry);
      if (row === undefined) return undefined;
      rows.push(row);
    }
    return entries === undefined ? undefined : rows;
  }

  /** Undefined: it is not there. */
  #occurrenceAt(cluster: number, kind: number, { at, rank, checksum }: HourEntry): HeadRow | undefined {
    // By the key that is found in the index of times alone: rows of the same time are passed by unread.
    const sql = `SELECT body, at FROM occurrence WHERE cluster = ? AND kind = ? AND key =
      (SELECT key FROM occurrence INDEXED BY occurrence_at WHERE cluster = ? AND kind = ? AND at = ?
        ORDER BY key LIMIT 1 OFFSET ?)`;
    const [found] = this.#all(sql, cluster, kind, cluster, kind, at, rank);
    if (found === undefined || checksumOf(found[0]) !== checksum) return undefined;
    try {
      return new HeadRow(found[0], () => '');
    } catch {
      return undefined;
    }
  }

  #occurrence<K extends OccurrenceKind>(kind: K, row: HeadRow): OccurrenceRecords[K] {
    return this.record(row, kind, (reader) => typeOf(kind).read(reader));
  }

  #index(table: HeadTable, cluster: number): SecondaryIndex {
    const key = `${table} ${cluster}`;
    let index = this.#indexes.get(key);
    if (index === undefined) this.#indexes.set(key, (index = new SecondaryIndex(this.#head, this, table, cluster)));
    return index;
  }

  /** Asked for with every question, hence kept until somebody writes. */
  #coverage(cluster: number): readonly StoredCoverage[] {
    const version = this.#head.contentVersion;
    if (version !== this.#coverageVersion) this.#coverages.clear();
    this.#coverageVersion = version;
    let found = this.#coverages.get(cluster);
    if (found === undefined) this.#coverages.set(cluster, (found = this.#readCoverage(cluster)));
    return found;
  }

  #readCoverage(cluster: number): StoredCoverage[] {
    const sql = 'SELECT body, start FROM coverage WHERE cluster = ? ORDER BY start, collector';
    const where = (): string => `head, coverage of cluster ${cluster}`;
    const found: StoredCoverage[] = [];
    let sum = 0;
    for (const [body] of this.#all(sql, cluster)) {
      const row = new HeadRow(body, where);
      sum = withMember(sum, row.checksum);
      const record = this.record(row, 'coverage', (reader) => reader.coverage());
      found.push({ record, checksum: row.checksum });
    }
    if (!agrees(sum, this.#head.roots.of(cluster).coverage)) throw damaged(where());
    return found;
  }

  #tenure(row: HeadRow): Tenure {
    const [tenure] = this.life(row).tenures;
    if (tenure === undefined) throw damaged(`head, tenure ${row.number}`);
    return tenure;
  }

  #possible(row: HeadRow): PossibleTenure {
    return this.record(row, 'possible', (reader) => reader.possible());
  }

  #placement(row: HeadRow): Placement {
    const { placement } = this.life(row);
    if (placement === undefined) throw damaged(`head, placement ${row.number}`);
    return placement;
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

function mayHold({ start, end }: Tenure, at: number): boolean {
  return start.notBefore <= at && (end === undefined || end.notAfter > at);
}

function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

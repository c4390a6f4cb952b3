// Reads everything that the head has in the ways in which answers read it, and compares each row with the columns that
// were derived from it. SQLite's own check finds a broken tree, but not a flipped byte inside a value.
import { possibleKey } from '../../../model/fact.ts';
import type { OccurrenceKind } from '../../../model/occurrence.ts';
import type { Holder, Tenure } from '../../../model/records.ts';
import { occurrenceKinds, typeOf } from '../../occurrences/registry.ts';
import { damaged, handleOf } from '../format/checksum.ts';
import type { HeadRow } from '../format/head-row.ts';
import { ipHandle } from '../format/ip-key.ts';
import { OPEN } from '../format/open-end.ts';
import type { Head } from './head.ts';
import { nameHandle, tenureHandle, workloadHandle } from './head-append.ts';
import type { HeadReader } from './head-read.ts';
import { GROUPS, INDEXED, type IndexedTable } from './roots.ts';
import { tallyPlace } from './tallies.ts';

const ROWS_PER_SLICE = 1000;
const TABLES = [
  'root',
  'bucket',
  'tally',
  'word',
  'cluster',
  'week',
  'coverage',
  'expired_kind',
  'occurrence',
  'hour_index',
  'hour_part',
  ...INDEXED,
];

/** Between slices: whether the work may rest there for as long as it likes, because it holds no view of the head. */
export type Rest = boolean;

export interface HeadVerification {
  readonly head: Head;
  readonly reader: HeadReader;
  report(where: string, error: unknown): void;
}

/** Returns how many records are whole. */
export function* verifyHead(verification: HeadVerification): Generator<Rest, number> {
  const { head, reader } = verification;
  for (const table of TABLES) {
    check(verification, `head, table ${table}`, () => checkTree(head, table));
    yield true;
  }
  check(verification, 'head', () => {
    const lost = head.lostCommits();
    if (lost > 0) throw damaged(`head, whose last ${lost} commits are lost: what they stored is not there`);
  });
  let records = 0;
  const clusters = check(verification, 'head', () => head.read(() => [...head.clusters().values()])) ?? [];
  records += check(verification, 'head, dictionary', () => head.read(() => checkDictionary(head))) ?? 0;
  yield true;
  for (const { number } of clusters) {
    records += check(verification, `head, coverage`, () => head.read(() => reader.coverage.of(number).length)) ?? 0;
    check(verification, `head, checkpoint`, () => head.read(() => reader.coverage.checkpoint(number)));
    for (const table of INDEXED) {
      records += yield* head.hold(() => verifyIndexed(verification, number, table));
      yield true;
    }
    for (const kind of occurrenceKinds()) {
      records += yield* head.hold(() => verifyOccurrences(verification, number, kind));
      yield true;
    }
    check(verification, 'head, occurrences', () => head.read(() => checkKinds(head, number)));
  }
  return records;
}

function check<T>({ report }: HeadVerification, where: string, body: () => T): T | undefined {
  try {
    return body();
  } catch (error) {
    report(where, error);
    return undefined;
  }
}

function checkTree({ db }: Head, table: string): void {
  for (const row of db.prepare(`PRAGMA integrity_check(${table})`).all()) {
    if (row['integrity_check'] !== 'ok') throw new Error(String(row['integrity_check']));
  }
}

function checkDictionary({ db, dictionary }: Head): number {
  const count = dictionary.check();
  for (const { number } of db.prepare('SELECT number FROM word').all()) dictionary.textOf(number as number);
  return count;
}

function* verifyIndexed(verification: HeadVerification, cluster: number, table: IndexedTable): Generator<Rest, number> {
  const { head, reader } = verification;
  let listed = 0;
  let whole = 0;
  for (let group = 0; group < GROUPS; group++) {
    const buckets = check(verification, `head, index of ${table}s`, () => [...head.index.group(cluster, table, group)]);
    for (const entry of (buckets ?? []).flatMap(({ entries }) => entries)) {
      const where = `head, ${table} ${entry.number}`;
      const row = check(verification, where, () => {
        // As questions find it: by its handle.
        const found = head.index.find(cluster, table, entry.handle).find(({ number }) => number === entry.number);
        if (found === undefined) throw damaged(where);
        const read = reader.rows.row(table, found);
        if (!isDerived(reader, read, table) || !isBeside(head, read, table)) throw damaged(where);
        return read;
      });
      if (row !== undefined) whole++;
      if (++listed % ROWS_PER_SLICE === 0) yield false;
    }
  }
  check(verification, `head, ${table}s`, () => {
    const { n } = head.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE cluster = ?`).get(cluster) as { n: number };
    if (n !== listed) throw damaged(`head, table ${table}, which has ${n} rows where ${listed} are listed`);
  });
  return whole;
}

/** What leads to a row is what the record says. */
function isDerived(reader: HeadReader, row: HeadRow, table: IndexedTable): boolean {
  if (table === 'live') return handleOf(reader.liveState(row).uid) === row.handle;
  if (table === 'possible') {
    const possible = reader.rows.record(row, table, (r) => r.possible());
    return handleOf(possibleKey(possible)) === row.handle && isInterval(row, possible);
  }
  const { placement, tenures } = reader.rows.life(row);
  if (table === 'placement') {
    if (placement === undefined) return false;
    const { pod } = placement;
    return (
      isInterval(row, placement) && isHolder(row, pod) && handleOf(pod.node) === row.other && row.handle === row.uid
    );
  }
  const [tenure] = tenures;
  if (tenure === undefined) return false;
  const isFound = ipHandle(tenure.ip) === row.handle && tenureHandle(tenure) === row.other;
  return isFound && isInterval(row, tenure) && isHolder(row, tenure.holder);
}

/** The columns beside the row. */
function isBeside({ db }: Head, row: HeadRow, table: IndexedTable): boolean {
  const beside = db.prepare(`SELECT * FROM ${table} WHERE number = ?`).get(row.number);
  return beside?.['cluster'] === row.cluster && (table === 'live' || beside['until'] === row.until);
}

function isInterval(row: HeadRow, { start, end }: Pick<Tenure, 'start' | 'end'>): boolean {
  return start.notBefore === row.start && (end?.notAfter ?? OPEN) === row.until;
}

function isHolder(row: HeadRow, holder: Holder): boolean {
  return handleOf(holder.uid) === row.uid && nameHandle(holder) === row.name && workloadHandle(holder) === row.workload;
}

function* verifyOccurrences(
  verification: HeadVerification,
  cluster: number,
  kind: OccurrenceKind,
): Generator<Rest, number> {
  const { head, reader } = verification;
  const { number, place, read } = typeOf<OccurrenceKind>(kind);
  const hours =
    check(verification, `head, tallies of ${kind}s`, () => reader.occurrences.tallied(kind, cluster)) ?? new Map();
  let whole = 0;
  for (const [hour, sum] of hours) {
    check(verification, `head, ${kind}s`, () => {
      const rows = reader.occurrences.hour(kind, cluster, hour, sum);
      const where = `head, index of ${kind} records of the hour from ${new Date(hour).toISOString()}`;
      check(verification, where, () =>
        head.hours.check(tallyPlace(cluster, number, hour), hour, sum, rows, `${where}, which answers do without`),
      );
      for (const row of rows) {
        const { time } = place(reader.rows.record(row, kind, read) as never);
        if (time !== row.start) throw damaged(`head, ${kind} of ${new Date(row.start).toISOString()}`);
        whole++;
      }
    });
    yield false;
  }
  check(verification, `head, ${kind}s`, () => {
    const sql = 'SELECT count(*) AS n FROM occurrence WHERE cluster = ? AND kind = ?';
    const { n } = head.db.prepare(sql).get(cluster, number) as { n: number };
    if (n !== whole)
      throw damaged(`head, records of kind ${kind}, of which there are ${n} rows where ${whole} are whole`);
  });
  return whole;
}

/** A row of a kind that nobody knows would be passed over by everything. */
function checkKinds({ db }: Head, cluster: number): void {
  const known = occurrenceKinds().map((kind) => typeOf(kind).number);
  for (const { kind } of db.prepare('SELECT DISTINCT kind FROM occurrence WHERE cluster = ?').all(cluster)) {
    if (!known.includes(kind as number)) throw damaged(`head, occurrences of kind ${String(kind)}, which is not known`);
  }
}

// Moves closed records of one week from the head into that week's file. Idempotent, and safe at every step: the new file
// is complete before the head lists it; the head's copies win while they are there; only rows that the file has taken in
// are removed. Works in slices; the caller does other things between them.
import { tenureKey } from '../../../model/fact.ts';
import type { Placement, Tenure } from '../../../model/records.ts';
import { compareTexts } from '../../order.ts';
import type { Failpoints } from '../failpoints.ts';
import { type HeadRow, readRow } from '../format/head-row.ts';
import { OPEN } from '../format/open-end.ts';
import type { Life } from '../format/record-layout.ts';
import type { ClusterEntry, Head, WeekEntry } from '../head/head.ts';
import type { HeadAppender } from '../head/head-append.ts';
import type { HeadReader } from '../head/head-read.ts';
import { bucketOf } from '../head/primary-index.ts';
import type { UidRow } from '../head/row-reader.ts';
import type { HeadTable } from '../head/secondary-index.ts';
import { WEEK_MS, weekStart } from './week.ts';
import type { WeekFile } from './week-file.ts';
import { buildWeekFile } from './week-writer.ts';
import type { Weeks } from './weeks.ts';

const ROWS_PER_SLICE = 5000;
const ROWS_PER_READ = 500;
/** So many rows less, and their index has nearly empty pages. */
const WORTH_REPACKING = 4096;

export interface SealParts {
  readonly head: Head;
  readonly reader: HeadReader;
  readonly appender: HeadAppender;
  readonly weeks: Weeks;
  readonly failpoints: Failpoints;
}

export function* sealWeek(parts: SealParts, clusterId: string, week: number): Generator<undefined, void> {
  const { head, weeks, failpoints } = parts;
  const { cluster, rows } = head.read(() => {
    const entry = head.cluster(clusterId);
    return { cluster: entry, rows: closedRows(parts, entry, week) };
  });
  const old = cluster.weeks.find((entry) => entry.week === week);
  const generation = (old?.generation ?? 0) + 1;
  const file = weeks.fileName(cluster.number, week, generation);
  weeks.prepareDirectory();
  failpoints.pass('seal:begun');
  const lives = livesOfWeek(parts, cluster, rows, old === undefined ? undefined : weeks.open(old));
  const whose = { cluster: clusterId, week, generation };
  const built = yield* buildWeekFile(weeks.path(file), weeks.version, whose, lives);
  failpoints.pass('seal:written');
  const last = { last_tenure: rows.lastTenure, last_placement: rows.lastPlacement };
  const entry: WeekEntry = { cluster: cluster.number, week, generation, file, ...last, ...built };
  head.write(() => head.changeLayout(() => list(head, entry)));
  failpoints.pass('seal:listed');
  if (old !== undefined) weeks.remove(old.file);
  yield* removeTaken(parts, cluster.number, rows.rows);
  failpoints.pass('seal:moved');
}

/** The rows that the new file was built from. */
function* removeTaken(
  { head, reader, appender, failpoints }: SealParts,
  cluster: number,
  rows: readonly ClosedRow[],
): Generator<undefined, void> {
  for (const table of ['tenure', 'placement'] as const) {
    // Those of a bucket together: it is written once, and not once for each of them.
    const taken = rows.filter((row) => row.table === table);
    taken.sort((a, b) => bucketOf(a.handle) - bucketOf(b.handle));
    for (let from = 0; from < taken.length; from += ROWS_PER_SLICE) {
      head.write(() => {
        for (const entry of taken.slice(from, from + ROWS_PER_SLICE)) {
          const row = reader.rows.rowIfThere(cluster, table, entry);
          if (row !== undefined) appender.remove(table, row);
        }
      });
      failpoints.pass('seal:moved-some');
      yield;
    }
    if (taken.length < WORTH_REPACKING) continue;
    head.write(() => head.index.repack(cluster, table));
    yield;
  }
  yield* giveBack(head);
}

function list(head: Head, entry: WeekEntry): void {
  const { cluster, week, generation, file, last_tenure, last_placement } = entry;
  const { tenures, placements, format, digest, reach } = entry;
  const sql = 'INSERT OR REPLACE INTO week VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
  const values = [generation, file, last_tenure, last_placement, tenures, placements, format, digest, reach];
  head.db.prepare(sql).run(cluster, week, ...values);
}

/**
 * Rows of the head that a file has taken in and that a crash left. A row goes only when the very same record is in the
 * file: an index that leads astray must not cost one.
 */
export function* removeSealed(parts: SealParts, entry: WeekEntry): Generator<undefined, void> {
  const { head, reader, weeks, appender, failpoints } = parts;
  const from = weekStart(entry.week);
  for (const [table, last] of [
    ['tenure', entry.last_tenure],
    ['placement', entry.last_placement],
  ] as const) {
    const closed = head.db.prepare(`SELECT number, body FROM ${table}
      WHERE cluster = ? AND until >= ? AND until < ? AND until < ${OPEN} AND number <= ? AND number > ?
      ORDER BY number LIMIT ${ROWS_PER_READ}`);
    const isSealed = (row: HeadRow): boolean => holds(weeks.open(entry), reader.rows.life(row));
    for (let after = 0; ; ) {
      const removed = head.write(() => {
        const rows = closed.all(entry.cluster, from, from + WEEK_MS, last, after);
        for (const { number, body } of rows) {
          after = number as number;
          const row = readRow(body as Uint8Array, after, undefined, () => `head, ${table} ${after}`);
          if (isSealed(row)) appender.remove(table, row);
        }
        return rows.length;
      });
      if (removed === 0) break;
      failpoints.pass('seal:moved-some');
      yield;
    }
  }
}

/** Whether the file has this version of the record. */
function holds(file: WeekFile, { holder, placement, tenures }: Life): boolean {
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const lives = file.livesOf(holder.uid);
  return (
    (placement === undefined || lives.some((life) => isSame(life.placement, placement))) &&
    tenures.every((tenure) => lives.some((life) => life.tenures.some((other) => isSame(other, tenure))))
  );
}

interface ClosedRow extends UidRow {
  readonly table: HeadTable;
}

interface ClosedRows {
  /** In the order of their UIDs. */
  readonly rows: readonly ClosedRow[];
  readonly lastTenure: number;
  readonly lastPlacement: number;
}

function closedRows({ head, reader }: SealParts, { number: cluster }: ClusterEntry, week: number): ClosedRows {
  const from = weekStart(week);
  const of = (table: HeadTable): ClosedRow[] => {
    const sql = `SELECT number, body FROM ${table} WHERE cluster = ? AND until >= ? AND until < ? AND until < ${OPEN}`;
    const found: ClosedRow[] = [];
    for (const { number, body } of head.db.prepare(sql).iterate(cluster, from, from + WEEK_MS)) {
      const row = readRow(body as Uint8Array, number as number, undefined, () => `head, ${table} ${number}`);
      if (row.cluster !== cluster || row.until < from || row.until >= from + WEEK_MS) continue;
      const { handle, checksum } = row;
      found.push({ table, uid: reader.rows.uidOf(row, table), handle, number: row.number, checksum });
    }
    return found;
  };
  const tenures = of('tenure');
  const placements = of('placement');
  const rows = [...tenures, ...placements].sort((a, b) => compareTexts(a.uid, b.uid));
  const last = (found: readonly { readonly number: number }[]) =>
    found.reduce((most, row) => Math.max(most, row.number), 0);
  return { rows, lastTenure: last(tenures), lastPlacement: last(placements) };
}

/** Pages that hold nothing any more go back to the file system, a few at a time, when there are so many. */
export function* giveBack(head: Head, least = 256): Generator<undefined, void> {
  for (;;) {
    const free = Number(head.db.prepare('PRAGMA freelist_count').get()?.['freelist_count']);
    if (free < least) return;
    head.db.exec('PRAGMA incremental_vacuum(256)');
    head.checkpoint(false);
    yield;
  }
}

function* livesOfWeek(
  parts: SealParts,
  cluster: ClusterEntry,
  { rows }: ClosedRows,
  old: WeekFile | undefined,
): Generator<Life> {
  const fromHead = headLives(parts, cluster.number, rows);
  const fromFile = old?.livesFrom('') ?? [][Symbol.iterator]();
  const isKept = (until: number): boolean => cluster.expiredTo === undefined || until >= cluster.expiredTo;
  for (const [uid, lives] of mergeByUid(fromHead, fromFile)) {
    const tenures = new Map<string, Tenure>();
    let placement: Placement | undefined;
    // The head's version comes last and wins.
    for (const life of lives) {
      for (const tenure of life.tenures) if (isKept(tenure.end!.notAfter)) tenures.set(tenureKey(tenure), tenure);
      if (life.placement !== undefined && isKept(life.placement.end!.notAfter)) placement = life.placement;
    }
    yield* groupByHolder(uid, placement, [...tenures.values()]);
  }
}

/** A row that is gone by now has a later version, which stays in the head and wins. */
function* headLives({ head, reader }: SealParts, cluster: number, rows: ClosedRows['rows']): Generator<Life> {
  for (let from = 0; from < rows.length; from += ROWS_PER_READ) {
    const some = rows.slice(from, from + ROWS_PER_READ);
    const found = head.read(() => some.map((row) => reader.rows.rowIfThere(cluster, row.table, row)));
    for (const row of found) if (row !== undefined) yield reader.rows.life(row);
  }
}

function* mergeByUid(
  head: Iterator<Life>,
  file: Iterator<Life>,
): Generator<readonly [uid: string, lives: readonly Life[]]> {
  let left = file.next();
  let right = head.next();
  while (!left.done || !right.done) {
    const uid =
      right.done || (!left.done && compareTexts(left.value.holder.uid, right.value.holder.uid) <= 0)
        ? (left.value as Life).holder.uid
        : right.value.holder.uid;
    const lives: Life[] = [];
    for (; !left.done && left.value.holder.uid === uid; left = file.next()) lives.push(left.value);
    for (; !right.done && right.value.holder.uid === uid; right = head.next()) lives.push(right.value);
    yield [uid, lives];
  }
}

/** What is known of a holder may have grown between its records; each group shares one copy. */
function groupByHolder(uid: string, placement: Placement | undefined, tenures: readonly Tenure[]): Life[] {
  const groups: { holder: Life['holder']; placement: Placement | undefined; tenures: Tenure[] }[] = [];
  const groupOf = (holder: Life['holder']) => {
    let group = groups.find((other) => isSameHolder(other.holder, holder));
    if (group === undefined) groups.push((group = { holder, placement: undefined, tenures: [] }));
    return group;
  };
  if (placement !== undefined) groupOf(placement.pod).placement = placement;
  for (const tenure of tenures) groupOf(tenure.holder).tenures.push(tenure);
  if (groups.some(({ holder }) => holder.uid !== uid)) throw new RangeError('a life of another UID');
  return groups;
}

function isSameHolder(a: Life['holder'], b: Life['holder']): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.node === b.node &&
    a.kind === b.kind &&
    a.hostNetwork === b.hostNetwork &&
    (a.workload === undefined) === (b.workload === undefined) &&
    a.workload?.kind === b.workload?.kind &&
    a.workload?.name === b.workload?.name &&
    a.workload?.inferred === b.workload?.inferred
  );
}

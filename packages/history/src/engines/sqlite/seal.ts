// Moves closed records of one week from the head into that week's file. Idempotent, and safe at every step: the new file
// is complete before the head lists it; the head's copies win while they are there; only rows that the file has taken in
// are removed. Works in slices; the caller does other things between them.
import { tenureKey } from '../../model/fact.ts';
import type { Placement, Tenure } from '../../model/records.ts';
import { compareTexts } from '../order.ts';
import type { Failpoints } from './failpoints.ts';
import type { ClusterEntry, Head, WeekEntry } from './head.ts';
import type { IndexedTable } from './head-index.ts';
import type { HeadReader } from './head-read.ts';
import type { Life } from './record-layout.ts';
import { OPEN } from './schema.ts';
import { WEEK_MS, weekStart } from './week.ts';
import type { WeekFile } from './week-file.ts';
import { buildWeekFile } from './week-writer.ts';
import type { Weeks } from './weeks.ts';

const ROWS_PER_SLICE = 5000;
const ROWS_PER_READ = 500;

export interface SealParts {
  readonly head: Head;
  readonly reader: HeadReader;
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
  const built = yield* buildWeekFile(weeks.path(file), weeks.version, week, lives);
  failpoints.pass('seal:written');
  const last = { last_tenure: rows.lastTenure, last_placement: rows.lastPlacement };
  const entry: WeekEntry = { cluster: cluster.number, week, generation, file, ...last, ...built };
  head.write(() => {
    const sql = 'INSERT OR REPLACE INTO week VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
    const { last_tenure, last_placement, tenures, placements } = entry;
    const counts = [last_tenure, last_placement, tenures, placements];
    head.db.prepare(sql).run(entry.cluster, week, generation, file, ...counts);
    head.changeLayout();
  });
  failpoints.pass('seal:listed');
  if (old !== undefined) weeks.remove(old.file);
  yield* removeSealed(parts, entry);
  failpoints.pass('seal:moved');
}

/** Rows of the head that the file has taken in. Also done before each sealing, for what a crash left. */
export function* removeSealed({ head, failpoints }: SealParts, entry: WeekEntry): Generator<undefined, void> {
  const from = weekStart(entry.week);
  for (const [table, last] of [
    ['tenure', entry.last_tenure],
    ['placement', entry.last_placement],
  ] as const) {
    const remove = head.db.prepare(`DELETE FROM ${table} WHERE number IN (
      SELECT number FROM ${table}
      WHERE cluster = ? AND until >= ? AND until < ? AND until < ${OPEN} AND number <= ? LIMIT ${ROWS_PER_SLICE})`);
    for (;;) {
      const removed = head.write(() => remove.run(entry.cluster, from, from + WEEK_MS, last).changes);
      if (removed === 0) break;
      failpoints.pass('seal:moved-some');
      yield;
    }
  }
  yield* giveBack(head);
}

interface ClosedRows {
  /** In the order of their UIDs. */
  readonly rows: readonly { readonly table: IndexedTable; readonly uid: string; readonly number: number }[];
  readonly lastTenure: number;
  readonly lastPlacement: number;
}

function closedRows({ reader }: SealParts, { number }: ClusterEntry, week: number): ClosedRows {
  const from = weekStart(week);
  const where = `cluster = ? AND until >= ? AND until < ? AND until < ${OPEN}`;
  const of = (table: IndexedTable) =>
    reader.byUid(table, where, number, from, from + WEEK_MS).map((row) => ({ table, ...row }));
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
  const fromHead = headLives(parts, rows);
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
function* headLives({ head, reader }: SealParts, rows: ClosedRows['rows']): Generator<Life> {
  for (let from = 0; from < rows.length; from += ROWS_PER_READ) {
    const some = rows.slice(from, from + ROWS_PER_READ);
    const bodies = head.read(() => some.map(({ table, number }) => reader.body(table, number)));
    for (const body of bodies) if (body !== undefined) yield reader.life(body);
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
  const groups = new Map<string, { holder: Life['holder']; placement: Placement | undefined; tenures: Tenure[] }>();
  const groupOf = (holder: Life['holder']) => {
    const key = JSON.stringify(holder);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { holder, placement: undefined, tenures: [] }));
    return group;
  };
  if (placement !== undefined) groupOf(placement.pod).placement = placement;
  for (const tenure of tenures) groupOf(tenure.holder).tenures.push(tenure);
  if ([...groups.values()].some(({ holder }) => holder.uid !== uid)) throw new RangeError('a life of another UID');
  return [...groups.values()];
}

// Keeps a store within its limit: what goes first, and how far. Kinds with a retention of their own go before all
// else (changes, because who may patch a pod decides how many there are); then time goes from its old end: whole weeks, days, and the hours of today last.
import type { DatabaseSync } from 'node:sqlite';
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { EpochMillis } from '../../model/time.ts';
import { kindsWithOwnRetention, occurrenceKinds, typeOf } from '../occurrences/registry.ts';
import type { RoomKept } from '../store-admin.ts';
import { OPEN } from './format/open-end.ts';
import type { ClusterEntry } from './head/head.ts';
import { type EmergencyWrite, giveBackWhatIsPossible, pruneKind, pruneRecords } from './prune.ts';
import { storeBytes, usedBytes } from './room.ts';
import { type SealParts, sealWeek } from './week/seal.ts';
import { WEEK_MS, weekOf, weekStart } from './week/week.ts';

/** From here on kinds with a retention of their own go, so that the rest of the limit is left for tenures; they go until that much is left. */
const CHANGES_FROM = 0.9;
const CHANGES_UNTIL = 0.85;
/** At the limit records go until that much is left: a little more than must be, or they would go all the time. */
const RECORDS_UNTIL = 0.95;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Of all that are left of a kind, each cut takes this part. */
const PARTS = 20;
const FEWEST_CUT = 500;

export type Removed = Pick<RoomKept, 'removedOfKinds' | 'removedRecords'>;

export function* keepWithin(
  parts: SealParts,
  limitBytes: number,
  now: EpochMillis,
  write: EmergencyWrite,
): Generator<undefined, Removed> {
  const { head, weeks } = parts;
  const removedOfKinds: Partial<Record<OccurrenceKind, number>> = {};
  let removedRecords = 0;
  if (head.read(() => storeBytes(head, weeks)) <= limitBytes * CHANGES_FROM) return { removedOfKinds, removedRecords };
  const used = () => head.read(() => usedBytes(head, weeks));
  // What holds nothing is given back first: nothing need go for it.
  head.checkpoint(true);
  yield* giveBackWhatIsPossible(parts, 1);
  if (used() > limitBytes * CHANGES_FROM) {
    while (used() > limitBytes * CHANGES_UNTIL) {
      const cut = head.read(() => kindCut(parts));
      if (cut === undefined) break;
      const removed = yield* pruneKind(parts, cut.id, cut.kind, cut.before, write);
      removedOfKinds[cut.kind] = (removedOfKinds[cut.kind] ?? 0) + removed;
      head.checkpoint(true);
    }
  }
  if (used() > limitBytes) {
    while (used() > limitBytes * RECORDS_UNTIL) {
      const cut = head.read(() => recordsCut(parts, now));
      if (cut === undefined) break;
      removedRecords += yield* pruneRecords(parts, cut.id, cut.before, write);
      // Of a week that is not over only a part goes: its file is written again without it.
      const week = weekOf(cut.before);
      const isSealed = head.read(() => head.cluster(cut.id).weeks.some((entry) => entry.week === week));
      if (isSealed && weekStart(week) < cut.before) yield* sealWeek(parts, cut.id, week);
      head.checkpoint(true);
    }
  }
  yield* giveBackWhatIsPossible(parts, 1);
  head.checkpoint(true);
  return { removedOfKinds, removedRecords };
}

interface Cut {
  readonly id: string;
  readonly before: EpochMillis;
}

/** The oldest of the kind and of the cluster that have the oldest one. */
function kindCut({ head }: SealParts): (Cut & { readonly kind: OccurrenceKind }) | undefined {
  const { db } = head;
  const number = (kind: OccurrenceKind) => typeOf(kind).number;
  const clusters = [...head.clusters().values()];
  const oldest = kindsWithOwnRetention()
    .map((kind) => ({ kind, ...oldestOf(clusters, (cluster) => leastOfKind(db, 'min(at)', cluster, number(kind))) }))
    .reduce((one, other) =>
      (other.time ?? Number.POSITIVE_INFINITY) < (one.time ?? Number.POSITIVE_INFINITY) ? other : one,
    );
  const { kind, cluster, time } = oldest;
  if (cluster === undefined || time === undefined) return undefined;
  const count = leastOfKind(db, 'count(*)', cluster, number(kind)) ?? 0;
  const next = db.prepare('SELECT at FROM occurrence WHERE cluster = ? AND kind = ? ORDER BY at LIMIT 1 OFFSET ?');
  const row = next.get(cluster.number, number(kind), Math.max(FEWEST_CUT, Math.floor(count / PARTS)));
  const last = (row?.['at'] as number | undefined) ?? leastOfKind(db, 'max(at)', cluster, number(kind)) ?? time;
  return { id: cluster.id, kind, before: (last + 1) as EpochMillis };
}

/** The next piece of time of the cluster that has the oldest closed record; undefined when none is left. */
function recordsCut({ head, reader }: SealParts, now: EpochMillis): Cut | undefined {
  const { db } = head;
  const oldest = oldestOf(head.clusters().values(), ({ number, weeks, expiredTo }) => {
    const times = ['tenure', 'placement', 'possible'].map((table) =>
      least(db, `SELECT min(until) FROM ${table}`, number, `AND until < ${OPEN}`),
    );
    times.push(...occurrenceKinds().map((kind) => leastOfKind(db, 'min(at)', { number }, typeOf(kind).number)));
    const [first] = weeks;
    if (first !== undefined) times.push(Math.max(weekStart(first.week), expiredTo ?? Number.NEGATIVE_INFINITY));
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  });
  // A range that reached beyond what was watched would hide what is still to come.
  const last = oldest && reader.coverage.of(oldest.cluster.number).reduce((to, stretch) => Math.max(to, stretch.to), 0);
  const before = oldest && nextCut(oldest.time, Math.min(now, last || now));
  return oldest === undefined || before === undefined ? undefined : { id: oldest.cluster.id, before };
}

/** After `oldest`, and never after now: the end of its week if that is over today, else of its day, else of its hour. */
export function nextCut(oldest: number, now: number): EpochMillis | undefined {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const ends = [weekStart(weekOf(oldest)) + WEEK_MS, (Math.floor(oldest / DAY_MS) + 1) * DAY_MS];
  const end = ends.find((time) => time <= today) ?? (Math.floor(oldest / HOUR_MS) + 1) * HOUR_MS;
  if (end <= now) return end as EpochMillis;
  return oldest < now ? (now as EpochMillis) : undefined;
}

function oldestOf(clusters: Iterable<ClusterEntry>, timeOf: (cluster: ClusterEntry) => number | undefined) {
  let oldest: { readonly cluster: ClusterEntry; readonly time: number } | undefined;
  for (const cluster of clusters) {
    const time = timeOf(cluster);
    if (time !== undefined && (oldest === undefined || time < oldest.time)) oldest = { cluster, time };
  }
  return oldest;
}

/** The one number that a statement about a cluster's rows gives. */
function least(db: DatabaseSync, select: string, cluster: number, more = ''): number | undefined {
  const row = db.prepare(`${select} WHERE cluster = ? ${more}`).get(cluster);
  return (Object.values(row ?? {})[0] as number | null | undefined) ?? undefined;
}

/** The same of its occurrences of one kind. */
function leastOfKind(
  db: DatabaseSync,
  what: string,
  { number }: Pick<ClusterEntry, 'number'>,
  kind: number,
): number | undefined {
  return least(db, `SELECT ${what} FROM occurrence`, number, `AND kind = ${kind}`);
}

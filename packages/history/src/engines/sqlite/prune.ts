// Forgets what has ended before a time. The expired range is written and weeks are unlisted in one transaction: from then
// on everything that is to go is hidden; removing it follows in slices, and goes on the next time if it is cut short.
// Works on a full disk: the ballast is released, and weeks that are to go are unlinked before anything is written.
import type { EpochMillis } from '../../model/time.ts';
import { isFull } from './faults.ts';
import type { ClusterEntry } from './head/head.ts';
import { TALLIED } from './head/roots.ts';
import { giveBack, type SealParts } from './week/seal.ts';
import { WEEK_MS, weekStart } from './week/week.ts';

const ROWS_PER_SLICE = 5000;

/** Where the head has remainders that retention removes. */
const REMAINDERS = ['tenure', 'placement', 'possible', ...TALLIED] as const;

/** Runs a transaction of the head; what `sacrifice` frees is freed only when there is no other way to make room. */
export type EmergencyWrite = <T>(body: () => T, sacrifice?: () => void) => T;

/** Returns how many records are gone. */
export function* pruneRecords(
  parts: SealParts,
  id: string,
  before: EpochMillis,
  write: EmergencyWrite,
): Generator<undefined, number> {
  const { head, weeks, failpoints } = parts;
  const { db } = head;
  const ended = ({ weeks: all }: ClusterEntry) => all.filter(({ week }) => weekStart(week) + WEEK_MS <= before);
  const store = () => {
    const entry = head.cluster(id);
    const gone = ended(entry);
    head.changeLayout(() => {
      growRange(parts, entry, 'expired', entry.expiredFrom, entry.expiredTo, before);
      const unlist = db.prepare('DELETE FROM week WHERE cluster = ? AND week = ?');
      for (const { week } of gone) unlist.run(entry.number, week);
    });
    failpoints.pass('retain:stored');
    return { number: entry.number, gone };
  };
  // Unlinked while they are still listed: who dies now leaves a store that refuses answers about them, and says why.
  const unlink = () => {
    for (const { file } of head.read(() => ended(head.cluster(id)))) weeks.remove(file);
  };
  const { number, gone } = write(store, unlink);
  failpoints.pass('retain:committed');
  let removed = 0;
  for (const { file, tenures, placements } of gone) {
    weeks.remove(file);
    removed += tenures + placements;
    failpoints.pass('retain:unlinked');
  }
  for (const remainder of REMAINDERS) removed += yield* removeRemainder(parts, number, remainder, before, write);
  yield* giveBackWhatIsPossible(parts);
  return removed;
}

/** Changes alone; all else that is known of that time stays. */
export function* pruneChanges(
  parts: SealParts,
  id: string,
  before: EpochMillis,
  write: EmergencyWrite,
): Generator<undefined, number> {
  const { head } = parts;
  const number = write(() => {
    const entry = head.cluster(id);
    head.changeLayout(() => {
      growRange(parts, entry, 'changes_expired', entry.changesExpiredFrom, entry.changesExpiredTo, before);
    });
    return entry.number;
  });
  const removed = yield* removeRemainder(parts, number, 'change', before, write);
  yield* giveBackWhatIsPossible(parts);
  return removed;
}

/** Pages that hold nothing take new records all the same: a disk that is too full for it loses nothing by that. */
export function* giveBackWhatIsPossible({ head }: SealParts, least?: number): Generator<undefined, void> {
  try {
    yield* giveBack(head, least);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

/** A range reaches from the first record to the latest time before which was forgotten. */
function growRange(
  { head, reader }: SealParts,
  { number }: ClusterEntry,
  columns: 'expired' | 'changes_expired',
  knownFrom: number | undefined,
  knownTo: number | undefined,
  before: EpochMillis,
): void {
  const from = knownFrom ?? reader.coverage(number)[0]?.from;
  if (from === undefined || from >= before || before <= (knownTo ?? 0)) return;
  const sql = `UPDATE cluster SET ${columns}_from = ?, ${columns}_to = ? WHERE number = ?`;
  head.db.prepare(sql).run(from, before, number);
}

function* removeRemainder(
  { appender }: SealParts,
  cluster: number,
  table: (typeof REMAINDERS)[number],
  before: EpochMillis,
  write: EmergencyWrite,
): Generator<undefined, number> {
  let removed = 0;
  for (;;) {
    const changes = write(() => appender.forget(table, cluster, before, ROWS_PER_SLICE));
    removed += changes;
    if (changes < ROWS_PER_SLICE) return removed;
    yield;
  }
}

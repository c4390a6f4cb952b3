// Forgets what has ended before a time. The expired range is written and weeks are unlisted in one transaction: from then
// on everything that is to go is hidden; removing it follows in slices, and goes on the next time if it is cut short.
// Works on a full disk: the ballast is released, and weeks that are to go are unlinked before anything is written.
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { EpochMillis } from '../../model/time.ts';
import { kindsWithOwnRetention, occurrenceKinds, typeOf } from '../occurrences/registry.ts';
import { noOwnRetention } from '../refusals.ts';
import { isFull } from './faults.ts';
import type { ClusterEntry } from './head/head.ts';
import { giveBack, type SealParts } from './week/seal.ts';
import { WEEK_MS, weekStart } from './week/week.ts';

const ROWS_PER_SLICE = 5000;

/** Where the head has closed records that retention removes. */
const CLOSED = ['tenure', 'placement', 'possible'] as const;

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
      const range = grownRange(parts, entry, entry.expiredFrom, entry.expiredTo, before);
      const grow = db.prepare('UPDATE cluster SET expired_from = ?, expired_to = ? WHERE number = ?');
      if (range !== undefined) grow.run(...range, entry.number);
      const unlist = db.prepare('DELETE FROM week WHERE cluster = ? AND week = ?');
      for (const { week } of gone) unlist.run(entry.number, week);
    });
    failpoints.pass('prune:stored');
    return { number: entry.number, gone };
  };
  // Unlinked while they are still listed: who dies now leaves a store that refuses answers about them, and says why.
  const unlink = () => {
    for (const { file } of head.read(() => ended(head.cluster(id)))) weeks.remove(file);
  };
  const { number, gone } = write(store, unlink);
  failpoints.pass('prune:committed');
  let removed = 0;
  for (const { file, tenures, placements } of gone) {
    weeks.remove(file);
    removed += tenures + placements;
    failpoints.pass('prune:unlinked');
  }
  const { appender } = parts;
  for (const table of CLOSED) {
    removed += yield* inSlices(write, () => appender.forgetEnded(table, number, before, ROWS_PER_SLICE));
  }
  for (const kind of occurrenceKinds()) removed += yield* removeKind(parts, kind, number, before, write);
  yield* giveBackWhatIsPossible(parts);
  return removed;
}

/** Occurrences of one kind alone; all else that is known of that time stays. */
export function* pruneKind(
  parts: SealParts,
  id: string,
  kind: OccurrenceKind,
  before: EpochMillis,
  write: EmergencyWrite,
): Generator<undefined, number> {
  if (!kindsWithOwnRetention().includes(kind)) throw noOwnRetention(kind);
  const { head } = parts;
  const number = write(() => {
    const entry = head.cluster(id);
    head.changeLayout(() => {
      const { number: ofKind } = typeOf(kind);
      const known = entry.expiredKinds.get(ofKind);
      const range = grownRange(parts, entry, known?.expired_from, known?.expired_to, before);
      const grow = head.db.prepare('INSERT OR REPLACE INTO expired_kind VALUES (?, ?, ?, ?)');
      if (range !== undefined) grow.run(entry.number, ofKind, ...range);
    });
    return entry.number;
  });
  const removed = yield* removeKind(parts, kind, number, before, write);
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

/** A range reaches from the first record to the latest time before which was forgotten. Undefined: it stays as it is. */
function grownRange(
  { reader }: SealParts,
  { number }: ClusterEntry,
  knownFrom: number | undefined,
  knownTo: number | undefined,
  before: EpochMillis,
): [from: number, to: number] | undefined {
  const from = knownFrom ?? reader.coverage.of(number)[0]?.from;
  return from === undefined || from >= before || before <= (knownTo ?? 0) ? undefined : [from, before];
}

function removeKind(
  { appender }: SealParts,
  kind: OccurrenceKind,
  cluster: number,
  before: EpochMillis,
  write: EmergencyWrite,
): Generator<undefined, number> {
  return inSlices(write, () => appender.forgetOccurrences(kind, cluster, before, ROWS_PER_SLICE));
}

function* inSlices(write: EmergencyWrite, removeSome: () => number): Generator<undefined, number> {
  let removed = 0;
  for (;;) {
    const some = write(removeSome);
    removed += some;
    if (some < ROWS_PER_SLICE) return removed;
    yield;
  }
}

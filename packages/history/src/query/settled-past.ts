// How far the past of a ledger is complete, so that answers about it may be kept. AnswerWindows has it look at every
// snapshot that it asks; what is kept is judged by it. It never reads who had an address.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import { type EpochMillis, REPORTING_LAG_MS } from '../model/time.ts';
import { NobodyThere } from './address-window.ts';
import type { AnsweredHolder, AnswerKind } from './answer.ts';
import { confirmedUntil } from './judge.ts';
import { SHOWN_WITHIN_MS } from './seen-ranges.ts';
import { type WatchedTime, watchedTime } from './watched-time.ts';

/** How far the ledger of a snapshot is settled. */
export interface Looked {
  readonly edition: number;
  readonly watched: WatchedTime;
}

export class SettledPast<T> {
  /** What is said of addresses that nobody had. */
  readonly nobody: NobodyThere<T>;
  /** Windows of another edition were read when the past was another: retention has taken something from it. */
  edition = 0;
  /** What is earlier may be kept. */
  until = Number.POSITIVE_INFINITY;
  #past = '';

  constructor(format: (answer: AnswerKind, holders: readonly AnsweredHolder[]) => T) {
    this.nobody = new NobodyThere(format);
  }

  /** How far the ledger is complete, and whether its past is still what it was. */
  async look(snapshot: Snapshot, now: EpochMillis | undefined): Promise<Looked> {
    const [coverage, expired] = await Promise.all([snapshot.coverage(), snapshot.expired()]);
    const watched = watchedTime(coverage, expired);
    const present = watched.stretches.at(-1);
    // What pods have perhaps not said yet is provisional, and asked for row by row.
    const known = confirmedUntil(watched);
    const confirmed = known === undefined ? (present?.confirmed ?? 0) : known - REPORTING_LAG_MS;
    // An instant that has not come yet is asked for row by row, too, whatever the store claims.
    const until = Math.min(confirmed, watched.last ?? 0, (now ?? Number.POSITIVE_INFINITY) + 1);
    const past = JSON.stringify([expired, coverage.map((c) => (c === present ? { ...c, to: 0, confirmed: 0 } : c))]);
    if (past !== this.#past || until < this.until) this.edition++;
    this.#past = past;
    this.until = until;
    this.nobody.set(watched, changesOf(coverage, expired), now);
    return { edition: this.edition, watched };
  }

  /** Whether what is said of an address that nobody had at that instant holds for that instant only. */
  isLate(at: number): boolean {
    return at > this.until - SHOWN_WITHIN_MS;
  }
}

/** Where what is said of an address that nobody held may change. */
function changesOf(coverage: readonly Coverage[], expired: readonly { from: number; to: number }[]): number[] {
  // Both ends belong to a stretch, and so does the last confirmed instant; an expired range ends before its end.
  return [
    ...coverage.flatMap(({ from, confirmed, to }) => [from, confirmed + 1, to + 1]),
    ...expired.flatMap(({ from, to }) => [from, to]),
  ];
}

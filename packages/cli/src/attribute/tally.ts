// What a run of `attribute` counts: rows, the answers of each address of them, and which pods most of them were given to.
import { type Attribution, CONTRADICTED } from '@podtrail/history/wire';
import { type AnswerText, nameOf } from './columns.ts';
import { NO_ZONE } from './row-time.ts';

/** Where the parts of a run count: a row first, then the answer of each of its ends. */
export interface Count {
  rows(count: number): void;
  answer(end: number, attribution: Attribution): void;
  /** The same for many with one usual answer. */
  answers(end: number, answer: UsualAnswer, count: number): void;
  /** Something is wrong with the row that was counted last. */
  malformed(problem: string): Promise<void>;
}

/** An answer with nothing more to count than itself. */
export type UsualAnswer = (typeof USUAL_ANSWERS)[number];
export const USUAL_ANSWERS = ['held', 'free', 'ambiguous', 'unknown'] as const;

/** Its place among the usual answers, or -1 for one that is to be counted by itself. */
export function usualPlace({ answer, provisional, basis, reason }: Attribution): number {
  if (provisional || basis === 'traffic' || reason === CONTRADICTED) return -1;
  return USUAL_ANSWERS.indexOf(answer as UsualAnswer);
}

export type Shares = Record<AnswerText, number> & {
  /** Rows that have no such address, as they may. */
  without: number;
};

const MOST_COUNTED = 200_000;

export class Tally {
  rows = 0;
  /** Rows of which nothing could be asked because something is wrong with them. */
  unreadable = 0;
  /** Rows of which not every member found a column. */
  cut = 0;
  /** Answers that may still change. */
  provisional = 0;
  /** Held because the row's own traffic says that somebody had the address. */
  byTraffic = 0;
  /** Traffic of an address that certainly nobody had. */
  contradicted = 0;
  /** The first row whose time has no zone where none was given, and what is wrong with it. */
  withoutZone: string | undefined;
  /** One for each address of a row. */
  readonly ends: Shares[] = [];
  readonly #counters = new Map<string, { rows: number }>();

  /** Ends of the row that was counted last about which nothing could be asked. */
  #malformedEnds = 0;

  constructor(ends: number) {
    for (let i = 0; i < ends; i++)
      this.ends.push({ held: 0, free: 0, ambiguous: 0, unknown: 0, malformed: 0, without: 0 });
  }

  addRows(count: number): void {
    this.rows += count;
    this.#malformedEnds = 0;
  }

  answers(end: number, answer: UsualAnswer, count: number): void {
    (this.ends[end] as Shares)[answer] += count;
  }

  answer(end: number, { answer, provisional, basis, reason }: Attribution): void {
    const shares = this.ends[end] as Shares;
    if (answer === '') shares.without++;
    else shares[answer]++;
    if (provisional) this.provisional++;
    if (basis === 'traffic') this.byTraffic++;
    if (reason === CONTRADICTED) this.contradicted++;
    if (answer === 'malformed' && ++this.#malformedEnds === this.ends.length) this.unreadable++;
  }

  /** True when nothing could be answered so far, and the zone is what is missing. */
  lacksZone(problem: string, text: string): boolean {
    if (!problem.endsWith(NO_ZONE)) return false;
    this.withoutZone ??= `row ${this.rows}: ${text}`;
    return this.ends.every(({ held, free, ambiguous, unknown }) => held + free + ambiguous + unknown === 0);
  }

  /** What counts the rows of a pod; undefined where it is none, or where there are too many of them. */
  counterOf({ answer, holders }: Attribution): { rows: number } | undefined {
    const [holder] = holders;
    if (answer !== 'held' || holder === undefined) return undefined;
    const name = holder.kind === 'Pod' ? nameOf(holder) : `${holder.kind.toLowerCase()} ${nameOf(holder)}`;
    let counter = this.#counters.get(name);
    if (counter === undefined && this.#counters.size < MOST_COUNTED) {
      counter = { rows: 0 };
      this.#counters.set(name, counter);
    }
    return counter;
  }

  /** Who most rows were given to. */
  top(most: number): readonly (readonly [name: string, rows: number])[] {
    const found = [...this.#counters].map(([name, { rows }]) => [name, rows] as const).filter(([, rows]) => rows > 0);
    return found.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, most);
  }
}

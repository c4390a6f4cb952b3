// The refusals of a log, counted by where and for whom, so that a person need not read a thousand equal rows.
import type { AuditedAction } from '@podtrail/history/audit';
import { counted } from '../output/counted.ts';
import { hintOf, outcomeText, userText } from './action-view.ts';

/** Kept apart; a log with more is not for reading them all. */
const MOST_KEPT = 1000;

interface Refusals {
  count: number;
  readonly what: string;
  readonly hint: string;
}

export class RefusalCounts {
  readonly #kinds = new Map<string, Refusals>();

  add(action: AuditedAction): void {
    const { kind } = action.outcome;
    if (kind === 'allowed' || kind === 'dry-run') return;
    const what = `${action.what} by ${userText(action)}: ${outcomeText(action)}`;
    const known = this.#kinds.get(what);
    if (known !== undefined) known.count++;
    else if (this.#kinds.size < MOST_KEPT) this.#kinds.set(what, { count: 1, what, hint: hintOf(action) });
  }

  /** A line for each of the most frequent. */
  lines(most: number): string[] {
    const all = [...this.#kinds.values()].sort((a, b) => b.count - a.count);
    const lines = all.slice(0, most).map(({ count, what, hint }) => `${count} × ${what}; hint: ${hint}`);
    if (all.length > most)
      lines.push(`and ${counted(all.length - most, 'more kind', 'more kinds')} of refusals and failures`);
    return lines;
  }
}

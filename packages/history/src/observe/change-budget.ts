// How much of annotation changes is recorded: so many bytes for each pod and each namespace and hour. Who may patch one
// pod could else fill the disk. What is beyond becomes one record for each pod and hour that counts it. Pure and without
// a clock: hours are those of the observations, and what was used is read from the records themselves.
import { type Fact, newerChange } from '../model/fact.ts';
import type { Change, ChangeValue, Suppressed } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';

/** In bytes an hour. */
export interface ChangeBudgets {
  readonly pod: number;
  readonly namespace: number;
}

export const DEFAULT_CHANGE_BUDGETS: ChangeBudgets = { pod: 1_048_576, namespace: 33_554_432 };

/** What the changes of one pod used within one hour. */
export interface ChangeUse {
  readonly hour: number;
  readonly namespace: string;
  readonly uid: string;
  readonly bytes: number;
  /** Once there is one, nothing more of this pod is recorded within the hour. */
  readonly suppressed: Change | undefined;
}

const HOUR_MS = 3_600_000;
/** What a record takes besides its texts: its row, the holder and five index entries. */
const RECORD_BYTES = 512;

/** From when on records count for what may still be observed. */
export function budgetStart(now: EpochMillis | undefined): EpochMillis {
  return epochMillis(hourOf(now ?? 0) * HOUR_MS);
}

/** What records of changes have used, for a resumption: pods in the order in which they come. */
export function changeUses(changes: Iterable<Change>): ChangeUse[] {
  const uses = new Map<string, ChangeUse>();
  for (const change of changes) {
    const { uid, namespace } = change.pod;
    const hour = hourOf(change.observedAt);
    const key = `${hour}|${uid}`;
    const { bytes, suppressed } = uses.get(key) ?? { bytes: 0, suppressed: undefined };
    const use = { hour, namespace, uid };
    if (change.suppressed === undefined) uses.set(key, { ...use, bytes: bytes + costOf(change), suppressed });
    else uses.set(key, { ...use, bytes, suppressed: newerChange(suppressed, change) });
  }
  return [...uses.values()];
}

export class ChangeBudget {
  readonly #budgets: ChangeBudgets;
  #hour = Number.NEGATIVE_INFINITY;
  #uses = new Map<string, ChangeUse>();
  #usedIn = new Map<string, number>();
  /** Of hours that are still to come: a collector's clock may have gone back before it was started again. */
  #later: readonly ChangeUse[];
  #suppressed = 0;

  constructor(budgets: ChangeBudgets, uses: readonly ChangeUse[] = []) {
    this.#budgets = budgets;
    this.#later = uses;
  }

  /** How many changes were not recorded since it was made. */
  get suppressed(): number {
    return this.#suppressed;
  }

  /** The facts of one observation, with changes beyond the budget replaced by the record that counts them. */
  apply(facts: Fact[]): Fact[] {
    if (!facts.some(({ kind }) => kind === 'change')) return facts;
    const kept: Fact[] = [];
    const counted = new Map<string, Change>();
    for (const fact of facts) {
      const summary = fact.kind === 'change' ? this.#take(fact.change) : undefined;
      if (summary === undefined) kept.push(fact);
      else counted.set(summary.pod.uid, summary);
    }
    for (const change of counted.values()) kept.push({ kind: 'change', change });
    return kept;
  }

  /** Undefined when it is to be recorded; else the record that now counts it, too. */
  #take(change: Change): Change | undefined {
    this.#turnTo(hourOf(change.observedAt));
    const { uid, namespace } = change.pod;
    const { bytes = 0, suppressed } = this.#uses.get(uid) ?? {};
    const cost = costOf(change);
    const used = this.#usedIn.get(namespace) ?? 0;
    const use = { hour: this.#hour, namespace, uid };
    if (suppressed === undefined && bytes + cost <= this.#budgets.pod && used + cost <= this.#budgets.namespace) {
      this.#uses.set(uid, { ...use, bytes: bytes + cost, suppressed });
      this.#usedIn.set(namespace, used + cost);
      return undefined;
    }
    const budget = bytes + cost > this.#budgets.pod ? 'pod' : 'namespace';
    const summary = suppressed === undefined ? begun(change, budget) : grown(suppressed, change);
    this.#uses.set(uid, { ...use, bytes, suppressed: summary });
    this.#suppressed++;
    return summary;
  }

  /** Observations never go back in time: what was used in earlier hours is done with. */
  #turnTo(hour: number): void {
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#uses = new Map();
    this.#usedIn = new Map();
    for (const use of this.#later) {
      if (use.hour !== hour) continue;
      this.#uses.set(use.uid, use);
      this.#usedIn.set(use.namespace, (this.#usedIn.get(use.namespace) ?? 0) + use.bytes);
    }
    this.#later = this.#later.filter((use) => use.hour > hour);
  }
}

function begun(change: Change, budget: Suppressed['budget']): Change {
  const suppressed = { budget, changes: 1, last: change.observedAt };
  return { ...change, key: '', before: undefined, after: undefined, suppressed };
}

function grown(summary: Change, { observedAt }: Change): Change {
  const { suppressed } = summary;
  if (suppressed === undefined) return summary;
  return { ...summary, suppressed: { ...suppressed, changes: suppressed.changes + 1, last: observedAt } };
}

function costOf({ key, before, after }: Change): number {
  return RECORD_BYTES + Buffer.byteLength(key) + lengthOf(before) + lengthOf(after);
}

function lengthOf(value: ChangeValue | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(value.text);
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS);
}

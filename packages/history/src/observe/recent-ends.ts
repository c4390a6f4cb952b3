// Tenures that ended lately. A rewind that is noticed late shows that what was delivered since the last certain moment was
// not all of it: then these ends lie earlier, perhaps, than was believed. Kept by the observer, in memory only.
import { type Fact, tenureKey } from '../model/fact.ts';
import type { Holder, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis, latest, REPORTING_LAG_MS } from '../model/time.ts';

/** A comparison every ten minutes finds what no break has shown. */
const REMEMBERED_MS = 900_000;
const MOST_REMEMBERED = 50_000;

export class RecentEnds {
  readonly #ended = new Map<string, Tenure>();

  remember(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind !== 'tenure' || fact.tenure.end === undefined) continue;
      const key = tenureKey(fact.tenure);
      this.#ended.delete(key);
      this.#ended.set(key, fact.tenure);
      this.#forget(fact.tenure.end.observedAt);
    }
  }

  /** Those of this kind whose end was recorded after `since`, as they read when that is no longer certain. */
  doubtedSince(since: EpochMillis, kind: Holder['kind']): Tenure[] {
    const earliestEnd = epochMillis(since - REPORTING_LAG_MS);
    const found: Tenure[] = [];
    for (const tenure of this.#ended.values()) {
      const { holder, start, end } = tenure;
      if (holder.kind !== kind || end === undefined || end.observedAt <= since || end.notBefore <= earliestEnd)
        continue;
      if (start.observedAt <= since) {
        const notBefore = latest(earliestEnd, start.notBefore) ?? earliestEnd;
        if (notBefore < end.notBefore) found.push({ ...tenure, end: { ...end, notBefore } });
      } else if (start.notBefore < earliestEnd) {
        // It was shown only then, and is older: a status of the past.
        found.push({ ...tenure, start: { ...start, notAfter: latest(start.notAfter, end.notAfter) ?? end.notAfter } });
      }
    }
    return found;
  }

  #forget(now: EpochMillis): void {
    for (const [key, { end }] of this.#ended) {
      const isRecent = (end?.observedAt ?? now) > now - REMEMBERED_MS;
      if (isRecent && this.#ended.size <= MOST_REMEMBERED) return;
      this.#ended.delete(key);
    }
  }
}

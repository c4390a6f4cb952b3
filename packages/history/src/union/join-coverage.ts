// What several ledgers of one cluster watched, as one: a time is watched if one of them watched it. Pure.
import { coveragePlace, sortedBy } from '../engines/order.ts';
import type { Expired } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import type { Part } from './part.ts';

export function joinCoverage(parts: readonly Pick<Part, 'coverage'>[]): readonly Coverage[] {
  // What was not reported before a gap may be known to another: a claim ends where it is sure.
  const joined = parts.flatMap(({ coverage }) =>
    coverage.map((one) => (one.ended && one.scope.kind !== 'pods' ? { ...one, to: one.confirmed } : one)),
  );
  return sortedBy(joined, coveragePlace);
}

/** Of the first ledger, without what another one still knows. */
export function joinExpired([own, ...others]: readonly Part[]): readonly Expired[] {
  let left: Expired[] = [...(own?.expired ?? [])];
  for (const { from, to, scope } of others.flatMap(({ coverage }) => coverage)) {
    if (scope.kind === 'pods') continue;
    left = left.flatMap((range) => {
      if (to <= range.from || from >= range.to) return [range];
      const before = { from: range.from, to: epochMillis(Math.max(range.from, from)) };
      const after = { from: epochMillis(Math.min(range.to, to)), to: range.to };
      return [before, after].filter((rest) => rest.from < rest.to);
    });
  }
  return left;
}

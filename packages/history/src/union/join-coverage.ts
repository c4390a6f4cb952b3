// What several ledgers of one cluster watched, as one: a time is watched if one of them watched it, and all of it if one of
// them watched all of it. Pure.
//
// Invariant: what one ledger knows to be free is not made unknown by what another one missed.
import { coveragePlace, sortedBy } from '../engines/order.ts';
import type { Expired } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import { clamp, epochMillis } from '../model/time.ts';
import { LIVENESS_MS } from '../query/liveness.ts';
import type { Part } from './part.ts';
import { cutOut, type Range } from './ranges.ts';

type WatchedPart = Pick<Part, 'coverage'>;

export function joinCoverage(parts: readonly WatchedPart[]): readonly Coverage[] {
  const last = Math.max(...parts.flatMap(({ coverage }) => coverage.filter(isStretch).map(({ to }) => to)));
  const settled = parts.map(({ coverage }) => coverage.map((one) => settledAt(one, last)));
  // Each one's own losses, and no other's: elsewhere services and nodes may have been watched all the time.
  const whole = settled.flatMap((coverage) => {
    const losses = coverage.filter((one) => !isStretch(one));
    return coverage.filter(({ scope }) => scope.kind === 'cluster').flatMap((one) => cutOut(one, losses));
  });
  const everything = settled.flat().filter(({ scope }) => scope.kind === 'cluster');
  const joined = settled.flat().flatMap((one): Coverage[] => {
    if (one.scope.kind === 'cluster') return [one];
    if (one.scope.kind === 'pods') return cutOut(one, whole).map((range) => within(one, range));
    // Both ends of a stretch belong to it. Those of a smaller one touch the others': between them nobody missed anything.
    const inner = everything.map(({ from, to }) => ({ from: epochMillis(from + 1), to: epochMillis(to - 1) }));
    return cutOut(one, inner).map((range) => within(one, range));
  });
  return presentLast(sortedBy(joined, coveragePlace));
}

/** Of the first ledger, without what another one still knows. */
export function joinExpired([own, ...others]: readonly Part[]): readonly Expired[] {
  const known = others.flatMap(({ coverage }) => coverage.filter(isStretch));
  // An expired range does not contain its end.
  return (own?.expired ?? []).flatMap(({ from, to }) =>
    cutOut({ from, to: epochMillis(to - 1) }, known).map((range) => ({ ...range, to: epochMillis(range.to + 1) })),
  );
}

/**
 * What was not reported before a gap may be known to another: a claim ends where it is sure. So does one of somebody who
 * has been silent since, as others who go on show.
 */
function settledAt(one: Coverage, last: number): Coverage {
  if (!isStretch(one)) return one;
  return one.ended || last - one.to > LIVENESS_MS ? { ...one, to: one.confirmed, ended: true } : one;
}

/**
 * The present is what the last stretch says. That is the one which goes on, however early it began: the part of it that
 * lies beside the others' last one comes after that.
 */
function presentLast(sorted: readonly Coverage[]): readonly Coverage[] {
  const living = sorted.filter((one) => isStretch(one) && !one.ended);
  const [present] = sortedBy(living, ({ to, collector }) => ({ time: epochMillis(-to), key: collector }));
  const newest = sorted.findLast(isStretch);
  if (present === undefined || newest === undefined) return sorted;
  // What has been delivered to one of them has been delivered.
  const confirmed = living.reduce((most, one) => (one.confirmed > most ? one.confirmed : most), present.confirmed);
  const known = confirmed < present.to ? confirmed : present.to;
  if (newest === present) return sorted.map((one) => (one === present ? { ...one, confirmed: known } : one));
  const { from } = newest;
  const before = { from: present.from, to: from };
  return [
    ...sorted.map((one) => (one === present ? within(present, before) : one)),
    { ...present, from, confirmed: known > from ? known : from },
  ];
}

function within(one: Coverage, { from, to }: Range): Coverage {
  return { ...one, from, to, confirmed: clamp(one.confirmed, from, to) };
}

function isStretch({ scope }: Coverage): boolean {
  return scope.kind !== 'pods';
}

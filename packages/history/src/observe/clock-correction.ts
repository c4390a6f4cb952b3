// After a recorder's clock was wrong: what was recorded by it, as it reads once that is known. A correction replaces a record
// by its key, only widens lower bounds, and lets nothing lie in the future; no record is removed. Pure. The observer uses
// it for what it remembers, `corrections` for what is stored.
import type { Boundary } from '../model/boundary.ts';
import type { Fact, Going, LiveHolder } from '../model/fact.ts';
import { occurrenceFact, recordOf } from '../model/occurrence.ts';
import type { Checkpoint, Coverage, Placement, Tenure } from '../model/records.ts';
import { clamp, type EpochMillis, earliest, epochMillis } from '../model/time.ts';
import { isDoubtful } from './boundaries.ts';

/** What the clock said after `since` is not known to be right; all of it was said by `at`, which is right. */
export interface WrongTime {
  readonly since: EpochMillis;
  readonly at: EpochMillis;
}

/** The fact as it reads now; undefined where nothing of it changes. */
export function correctedFact(fact: Fact, wrong: WrongTime): Fact | undefined {
  switch (fact.kind) {
    case 'coverage': {
      const coverage = correctedCoverage(fact.coverage, wrong);
      return coverage === fact.coverage ? undefined : { kind: 'coverage', coverage };
    }
    case 'tenure': {
      const tenure = correctedInterval(fact.tenure, wrong);
      return tenure === fact.tenure ? undefined : { kind: 'tenure', tenure };
    }
    case 'placement': {
      const placement = correctedInterval(fact.placement, wrong);
      return placement === fact.placement ? undefined : { kind: 'placement', placement };
    }
    case 'possible': {
      const possible = fact.possible && correctedInterval(fact.possible, wrong);
      return possible === fact.possible ? undefined : { kind: 'possible', key: fact.key, possible };
    }
    case 'live': {
      const live = fact.live && correctedLive(fact.live, wrong);
      return live === fact.live ? undefined : { kind: 'live', uid: fact.uid, live };
    }
    default: {
      const record = recordOf(fact);
      if (record.observedAt <= wrong.at) return undefined;
      return occurrenceFact(fact.kind, { ...record, observedAt: wrong.at } as never);
    }
  }
}

/** Nothing is claimed to have been watched from `since` on. What lies over other coverage is no claim: it stays. */
export function correctedCoverage(coverage: Coverage, { since }: WrongTime): Coverage {
  if (coverage.to <= since || coverage.scope.kind === 'pods') return coverage;
  const to = clamp(since, coverage.from, coverage.to);
  const confirmed = clamp(coverage.confirmed, coverage.from, to);
  return { ...coverage, to, confirmed, ended: true, withdrawn: since };
}

function correctedInterval<T extends Pick<Tenure | Placement, 'start' | 'end'>>(record: T, wrong: WrongTime): T {
  const start = correctedBoundary(record.start, wrong);
  const end = record.end && correctedBoundary(record.end, wrong);
  if (start === record.start && end === record.end) return record;
  return { ...record, start, end: end === undefined ? undefined : notBeforeStart(end, start) };
}

export function correctedLive(live: LiveHolder, wrong: WrongTime): LiveHolder {
  const tenures = live.tenures.map((tenure) => correctedInterval(tenure, wrong));
  const placement = live.placement && correctedInterval(live.placement, wrong);
  const more = live.more && correctedMore(live.more, wrong);
  const isSame =
    more === live.more && placement === live.placement && tenures.every((tenure, i) => tenure === live.tenures[i]);
  if (isSame && live.seenAt <= wrong.since) return live;
  const seenAt = earliest(live.seenAt, wrong.since) ?? wrong.since;
  const blankSince = live.blankSince && earliest(live.blankSince, wrong.since);
  return { ...live, seenAt, tenures, placement, blankSince, ...(more && { more }) };
}

/** Limits count from what was observed: it was by `at`, so they end later, and never before they should. */
function correctedMore(more: NonNullable<LiveHolder['more']>, wrong: WrongTime): NonNullable<LiveHolder['more']> {
  const possible = more.possible && correctedInterval(more.possible, wrong);
  const going = more.going && correctedGoing(more.going, more.graceUntil, wrong);
  const since = more.machine && noticed(more.machine.since, wrong);
  if (possible === more.possible && going === more.going && since === more.machine?.since) return more;
  return {
    ...more,
    ...(possible && { possible }),
    ...(going && { going }),
    ...(more.machine && since !== undefined && { machine: { ...more.machine, since } }),
  };
}

function correctedGoing(going: Going, graceUntil: EpochMillis | undefined, wrong: WrongTime): Going {
  const since = noticed(going.since, wrong);
  if (since === going.since) return going;
  // A pull takes as long from then on; a grace ends by the server's clock.
  const notBefore = epochMillis(Math.max(since + going.notBefore - going.since, graceUntil ?? since));
  return { ...going, since, notBefore };
}

/** When something was observed: by the wrong clock, by `at` at the latest. */
export function noticed(time: EpochMillis, { since, at }: WrongTime): EpochMillis {
  return time > since ? at : time;
}

export function correctedCheckpoint(checkpoint: Checkpoint, { since, at }: WrongTime): Checkpoint {
  const others = checkpoint.others?.map((other) => ({
    ...other,
    watermark: clamp(other.watermark, other.watermark, since),
  }));
  const corrected = { ...checkpoint, at: earliest(checkpoint.at, at) ?? at };
  return others === undefined ? corrected : { ...corrected, others };
}

/** Recorded by the wrong clock: it happened after what was right, and before this was noticed. */
function correctedBoundary(boundary: Boundary, { since, at }: WrongTime): Boundary {
  if (boundary.observedAt <= since) return boundary;
  // What is in doubt stays so: it has no latest time.
  const notAfter = isDoubtful(boundary) ? boundary.notAfter : (earliest(boundary.notAfter, at) ?? at);
  const notBefore = earliest(boundary.notBefore, since, notAfter) ?? notAfter;
  const observedAt = earliest(boundary.observedAt, at) ?? at;
  return { ...boundary, notBefore, notAfter, at: clamp(boundary.at, notBefore, notAfter), observedAt };
}

/** Invariant: start ≤ end, whatever the clocks said. */
function notBeforeStart(end: Boundary, start: Boundary): Boundary {
  const notBefore = end.notBefore < start.notBefore ? start.notBefore : end.notBefore;
  const at = end.at < start.at ? start.at : end.at;
  const notAfter = end.notAfter < start.notAfter ? start.notAfter : end.notAfter;
  return { ...end, notBefore, at, notAfter };
}

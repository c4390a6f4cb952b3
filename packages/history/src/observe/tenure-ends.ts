// Tenures as they begin, end, and come to be known. Pure; every time is chosen in boundaries.ts.
import type { Boundary } from '../model/boundary.ts';
import type { Fact, LiveHolder } from '../model/fact.ts';
import type { Tenure } from '../model/records.ts';
import { type EpochMillis, earliest, latest } from '../model/time.ts';
import { confirmedStart, endKnownBy, isDoubtful, undecidedStart } from './boundaries.ts';
import { hasBeenUsed } from './evidence.ts';
import type { ObservedPod } from './observation.ts';
import type { ObservationContext } from './observation-context.ts';

export function closed(tenure: Tenure, end: Boundary): Fact {
  return { kind: 'tenure', tenure: endedBy(tenure, end) };
}

export function endedBy(tenure: Tenure, end: Boundary): Tenure {
  const start = undecidedStart(tenure.start, end);
  return { ...tenure, start, end: notBeforeStart(end, start) };
}

/** It ended, and nothing says by when it was gone. */
export function isEndOpen({ end }: Pick<Tenure, 'end'>): boolean {
  return end !== undefined && isDoubtful(end);
}

/** The same with that known: a fact worth storing, if it was not known. */
export function endedKnownBy(tenure: Tenure, release: EpochMillis): Fact[] {
  if (tenure.end === undefined || !isEndOpen(tenure)) return [];
  const end = endKnownBy(tenure.end, release);
  const start = isDoubtful(tenure.start) ? undecidedStart(tenure.start, end) : tenure.start;
  return [{ kind: 'tenure', tenure: { ...tenure, start, end: notBeforeStart(end, start) } }];
}

export function isOpen({ end }: Tenure): boolean {
  return end === undefined;
}

/** The same tenure without its doubt, if it had one: that is a fact worth recording. */
export function confirmed(tenure: Tenure, facts: Fact[]): Tenure {
  const start = confirmedStart(tenure.start);
  if (start === tenure.start) return tenure;
  const known: Tenure = { ...tenure, start };
  facts.push({ kind: 'tenure', tenure: known });
  return known;
}

/** After a blank, or once the sandbox is lost, the end lies between the first word of that and what came next. */
export function endOfBlank(live: LiveHolder | undefined, end: Boundary, { continuity }: ObservationContext): Boundary {
  const doubtedSince = continuity.kind === 'doubted' ? continuity.since : undefined;
  const since = earliest(end.notBefore, live?.blankSince, live?.networkLostAt, doubtedSince) ?? end.notBefore;
  return { ...end, notBefore: since };
}

/** A pod of a restored backup shows that its containers were ready, but long before. */
export function isProven({ start }: Tenure, pod: ObservedPod, readyAt: EpochMillis | undefined): boolean {
  return !isDoubtful(start) || hasBeenUsed(pod, latest(readyAt, start.notBefore));
}

export function notBefore(start: Boundary, least: EpochMillis | undefined): Boundary {
  return {
    ...start,
    at: latest(start.at, least) ?? start.at,
    notBefore: latest(start.notBefore, least) ?? start.notBefore,
    notAfter: latest(start.notAfter, least) ?? start.notAfter,
  };
}

/** Invariant: start ≤ end, whatever the clocks said. */
export function notBeforeStart(end: Boundary, start: Boundary): Boundary {
  return {
    ...end,
    at: latest(end.at, start.at) ?? end.at,
    notBefore: latest(end.notBefore, start.notBefore) ?? end.notBefore,
    notAfter: latest(end.notAfter, start.notAfter) ?? end.notAfter,
  };
}

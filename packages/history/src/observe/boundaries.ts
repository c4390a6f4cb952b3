// Decides the bounds of every boundary from what was observed and what the object says of itself. The only place where
// a time is chosen; every choice is clamped, so that no clock can make an interval negative.
import type { Boundary, Source } from '../model/boundary.ts';
import { clamp, type EpochMillis, epochMillis, latest } from '../model/time.ts';
import { lastFinishedAt, networkReadyAt, RESOLUTION_MS } from './evidence.ts';
import type { ObservedPod } from './observation.ts';

/** From where and by whom an observation comes; shared by all boundaries that it yields. */
export interface Sighting {
  readonly source: Source;
  readonly epoch: number;
  readonly resourceVersion: string;
  readonly collector: string;
  readonly at: EpochMillis;
  /**
   * What this observation shows was not yet so at this instant. For an event: the latest time that any earlier event
   * mentions, because events arrive in the order in which they happened. For a listing: the last instant of the watch
   * before it. Undefined when nothing is known of the time before.
   */
  readonly floor: EpochMillis | undefined;
}

/** Without a word from the kubelet, a status may be this much older than its arrival at the API server. */
const REPORTING_LAG_MS = 5000;

export function boundary(
  sighting: Sighting,
  notBefore: EpochMillis,
  notAfter: EpochMillis,
  best: EpochMillis = notAfter,
  source: Source = sighting.source,
): Boundary {
  const upper = notAfter > sighting.at ? sighting.at : notAfter;
  const lower = notBefore > upper ? upper : notBefore;
  return {
    at: clamp(best, lower, upper),
    notBefore: lower,
    notAfter: upper,
    source,
    epoch: sighting.epoch,
    resourceVersion: sighting.resourceVersion,
    observedAt: sighting.at,
    collector: sighting.collector,
  };
}

/** An address appeared on a pod. */
export function tenureStart(pod: ObservedPod, sighting: Sighting): Boundary {
  const { at, floor } = sighting;
  const ready = networkReadyAt(pod);
  if (ready !== undefined && ready <= at) {
    return boundary(sighting, epochMillis(ready - RESOLUTION_MS), epochMillis(ready + RESOLUTION_MS), ready);
  }
  const begun = latest(asMillis(pod.metadata.creationTimestamp), asMillis(pod.status.startTime));
  const lagged = floor === undefined ? undefined : epochMillis(floor - REPORTING_LAG_MS);
  return boundary(sighting, latest(begun, lagged) ?? at, at);
}

/** A pod became terminal: its containers' end bounds the address's from below. */
export function terminalEnd(pod: ObservedPod, sighting: Sighting): Boundary {
  const { at, floor } = sighting;
  const finished = lastFinishedAt(pod);
  if (finished !== undefined && finished <= at) return boundary(sighting, finished, at, finished);
  return boundary(sighting, floor ?? asMillis(pod.metadata.creationTimestamp) ?? at, at);
}

/** The object is gone, and its delete was seen. */
export function deletedEnd(sighting: Sighting): Boundary {
  return boundary(sighting, sighting.floor ?? sighting.at, sighting.at);
}

/** Invariant: an inferred end has bounds [last seen, first missing], not a point. */
export function inferredEnd(sighting: Sighting, lastSeen: EpochMillis): Boundary {
  return boundary(sighting, lastSeen, sighting.at, sighting.at, 'inferred');
}

/** Another address took this one's place on the same pod: the old one went before the new one came. */
export function replacedEnd(
  sighting: Sighting,
  pod: ObservedPod,
  goneSince: EpochMillis | undefined,
  lastSeen: EpochMillis,
): Boundary {
  const ready = networkReadyAt(pod);
  const upper = ready === undefined || ready > sighting.at ? sighting.at : epochMillis(ready + RESOLUTION_MS);
  return boundary(sighting, goneSince ?? sighting.floor ?? lastSeen, upper);
}

export function asMillis(time: number | undefined): EpochMillis | undefined {
  return time === undefined ? undefined : epochMillis(time);
}

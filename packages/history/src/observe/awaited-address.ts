// A pod on a node that shows no address may have one: since when. Until it shows it, or if it never does, any address of
// its node may be the pod's, and is not free. Pure.
import type { Boundary } from '../model/boundary.ts';
import type { LiveHolder } from '../model/fact.ts';
import type { PossibleTenure } from '../model/records.ts';
import { type EpochMillis, epochMillis, latest, REPORTING_LAG_MS } from '../model/time.ts';
import { asMillis, boundary, type Sighting } from './boundaries.ts';
import { RESOLUTION_MS } from './evidence.ts';
import { CONDITION_LATE_MS } from './measured-limits.ts';
import type { ObservedPod } from './observation.ts';

/** Undefined: it has none, or shows it. */
export function awaitedSince(live: LiveHolder, writesNetworkAtOnce: boolean): EpochMillis | undefined {
  const { holder, placement, terminal, tenures, networkReadyAt, networkLostAt } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || terminal || placement === undefined) return undefined;
  if (placement.end !== undefined || tenures.some(({ end }) => end === undefined)) return undefined;
  const isUp = networkReadyAt !== undefined && networkLostAt === undefined;
  if (writesNetworkAtOnce)
    return isUp ? latest(placement.start.notBefore, epochMillis(networkReadyAt - CONDITION_LATE_MS)) : undefined;
  // Older ones write that there is a network only with the next status: it may be there as soon as the pod is bound.
  return latest(placement.start.notBefore, networkLostAt);
}

/** It has waited for so long that a reader must know. */
export function waiting(live: LiveHolder, since: EpochMillis, sighting: Sighting): PossibleTenure {
  const start = { ...boundary(sighting, since, sighting.at, since), notAfter: certainFrom(live) ?? sighting.at };
  return { pod: live.holder, within: sighting.networks?.() ?? [], start, end: undefined };
}

/**
 * It goes without having shown the address of its last sandbox: how long it may have had one. Undefined where it had none:
 * `wasUntouched`, the network condition is as it was before there was a sandbox, and its kubelet has ended it.
 */
export function neverShown(
  live: LiveHolder,
  pod: ObservedPod | undefined,
  end: Boundary,
  sighting: Sighting,
  wasUntouched = false,
): PossibleTenure | undefined {
  const { holder, tenures, networkReadyAt, networkLostAt, more } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || holder.node === '' || sighting.knowsNodes !== true)
    return undefined;
  if (tenures.some((tenure) => tenure.end === undefined)) return undefined;
  const isUp = networkReadyAt !== undefined && networkLostAt === undefined;
  const writesAtOnce = sighting.kubelet?.writesNetworkAtOnce === true;
  // A mirror pod's last word comes late, and after the end of its sandbox there is no other.
  if (!isUp && ((writesAtOnce && wasUntouched) || more?.mirror !== undefined)) return undefined;
  if (more?.possible !== undefined) return { ...more.possible, end };
  const since = writesAtOnce ? sinceCondition(live, sighting) : sinceBinding(live, pod, sighting);
  const start = boundary(sighting, since, sighting.at, since);
  // Where nothing says that there was a network, no instant of it is certain.
  const notAfter = latest(certainFrom(live) ?? end.notAfter, since) ?? since;
  return { pod: holder, within: sighting.networks?.() ?? [], start: { ...start, notAfter }, end };
}

/** A kubelet that writes the condition at once has written it, or the sandbox came up only just then. */
function sinceCondition({ placement, networkReadyAt, networkLostAt }: LiveHolder, sighting: Sighting): EpochMillis {
  const isUp = networkReadyAt !== undefined && networkLostAt === undefined;
  const known = isUp ? networkReadyAt : (sighting.floor ?? sighting.at);
  const soon = epochMillis(known - CONDITION_LATE_MS);
  return latest(placement?.start.notBefore, isUp ? undefined : networkLostAt, soon) ?? soon;
}

/** Older ones write it with their next status: it may have been there since the pod was bound. */
function sinceBinding(
  { placement, networkLostAt }: LiveHolder,
  pod: ObservedPod | undefined,
  { at, floor }: Sighting,
): EpochMillis {
  const started = asMillis(pod?.status.startTime, at);
  return latest(placement?.start.notBefore, networkLostAt, started) ?? epochMillis((floor ?? at) - REPORTING_LAG_MS);
}

/** From then on it certainly had a network: whoever held an address then is not this pod. */
function certainFrom({ networkReadyAt, networkLostAt }: LiveHolder): EpochMillis | undefined {
  if (networkReadyAt === undefined || networkLostAt !== undefined) return undefined;
  return epochMillis(networkReadyAt + RESOLUTION_MS);
}

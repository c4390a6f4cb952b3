// A pod on a node that shows no address may have one: since when. Until it shows it, or if it never does, any address of
// its node may be the pod's, and is not free. Pure.
import type { Boundary } from '../model/boundary.ts';
import type { LiveHolder } from '../model/fact.ts';
import type { PossibleTenure, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis, latest, REPORTING_LAG_MS } from '../model/time.ts';
import { asMillis, boundary, endKnownBy, isDoubtful } from './boundaries.ts';
import { RESOLUTION_MS } from './evidence.ts';
import {
  BEGUN_MS,
  CONDITION_LATE_MS,
  FAILED_START_MS,
  RELEASE_BY_SLOWNESS,
  RELEASE_MS,
  START_SHOWS_MS,
} from './measured-limits.ts';
import type { KubeletEvidence } from './node-book.ts';
import type { ObservedPod } from './observation.ts';
import type { ObservationContext } from './observation-context.ts';
import { isEndOpen } from './tenure-ends.ts';

/** Undefined: it has none, or shows it. */
export function awaitedSince(
  live: LiveHolder,
  kubelet: KubeletEvidence | undefined,
  at: EpochMillis,
): EpochMillis | undefined {
  const { holder, placement, terminal, tenures, networkReadyAt, networkLostAt } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || terminal || placement === undefined) return undefined;
  if (placement.end !== undefined || tenures.some(({ end }) => end === undefined)) return undefined;
  const isUp = networkReadyAt !== undefined && networkLostAt === undefined;
  if (kubelet?.writesNetworkAtOnce === true)
    return isUp
      ? latest(placement.start.notBefore, epochMillis(networkReadyAt - kubelet.pace.conditionLate(at)))
      : undefined;
  // Older ones write that there is a network only with the next status: it may be there as soon as the pod is bound.
  return latest(placement.start.notBefore, networkLostAt);
}

/** It has waited for so long that a reader must know. */
export function waiting(live: LiveHolder, since: EpochMillis, context: ObservationContext): PossibleTenure {
  const start = { ...boundary(context, since, context.at, since), notAfter: certainFrom(live) ?? context.at };
  return { pod: live.holder, within: context.node?.networks() ?? [], start, end: undefined };
}

/**
 * It goes without having shown the address of its last sandbox: how long it may have had one. Undefined where it had none:
 * `wasUntouched`, the network condition is as it was before there was a sandbox, and its kubelet has ended it.
 */
export function neverShown(
  live: LiveHolder,
  pod: ObservedPod | undefined,
  end: Boundary,
  context: ObservationContext,
  wasUntouched = false,
): PossibleTenure | undefined {
  const { holder, more } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || holder.node === '' || context.node === undefined) return undefined;
  if (hasShown(live)) return undefined;
  const away = awaySince(live, pod, context);
  const certain = certainFrom(live) ?? latestStart(end, context, away !== undefined);
  const waited = more?.possible;
  if (waited !== undefined) {
    const { start } = waited;
    return { ...waited, start: { ...start, notAfter: latest(certain, start.notAfter) ?? certain }, end };
  }
  const isMirror = more?.mirror !== undefined;
  if (isMirror ? hasEndedMirror(live) : away === undefined && wasNeverBegun(live, pod, context)) return undefined;
  const writesAtOnce = context.node.kubelet?.writesNetworkAtOnce === true;
  // A kubelet that was there and writes the condition at once would have written that there was a network.
  if (!isUp(live) && writesAtOnce && wasUntouched && away === undefined) return undefined;
  const since = writesAtOnce ? sinceCondition(live, context, away) : sinceBinding(live, pod, context);
  const start = boundary(context, since, context.at, since);
  const notAfter = latest(certain, since) ?? since;
  // A mirror pod is deleted when its sandbox is gone, or is soon made again.
  const known = isMirror ? endKnownBy(end, epochMillis(context.at + RELEASE_MS)) : end;
  return { pod: holder, within: context.node.networks(), start: { ...start, notAfter }, end: known };
}

/**
 * It has shown the address of its last sandbox: it shows it now, or did when somebody else than its kubelet ended it. An
 * address in doubt may be that of the sandbox before.
 */
function hasShown(live: LiveHolder): boolean {
  const isShown = ({ start, end }: Tenure) => end === undefined && !isDoubtful(start);
  return live.tenures.some((tenure) => isShown(tenure) || (isUp(live) && isEndOpen(tenure)));
}

/** The last write of a mirror pod comes late, and after the end of its sandbox there is no other. */
function hasEndedMirror(live: LiveHolder): boolean {
  return live.networkReadyAt !== undefined && live.networkLostAt !== undefined;
}

/** The condition says that it has a network. */
function isUp({ networkReadyAt, networkLostAt }: LiveHolder): boolean {
  return networkReadyAt !== undefined && networkLostAt === undefined;
}

/**
 * Its node booted: a pod of it that showed no address may have had one, and its reservation stands until its kubelet makes
 * another sandbox, or clears up.
 */
export function lostUnshown(live: LiveHolder, context: ObservationContext): PossibleTenure | undefined {
  const { holder, placement, tenures, terminal, more } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || terminal || placement === undefined) return undefined;
  if (more?.possible !== undefined || tenures.length > 0 || !isBegun(live)) return undefined;
  const since = placement.start.notBefore;
  const start = boundary(context, since, context.at, since);
  return { pod: holder, within: context.node?.networks() ?? [], start, end: undefined };
}

/**
 * Its network came up long after its kubelet had begun with it: perhaps it had another one before, which went when the
 * container runtime was restarted, or failed.
 */
export function failedBefore(
  before: LiveHolder | undefined,
  live: LiveHolder,
  pod: ObservedPod,
  context: ObservationContext,
): PossibleTenure | undefined {
  const { holder, networkReadyAt: up } = live;
  if (before === undefined || before.networkReadyAt !== undefined) return undefined;
  const { node, at } = context;
  const begun = asMillis(pod.status.startTime, at);
  if (node?.kubelet?.writesNetworkAtOnce !== true || holder.hostNetwork || up === undefined || begun === undefined)
    return undefined;
  if (up - begun <= FAILED_START_MS) return undefined;
  // By the version before: the sandbox that is there now is another record, of this version.
  const start = { ...boundary(context, begun, up, begun), resourceVersion: before.resourceVersion };
  const end = boundary(context, begun, epochMillis(up + RESOLUTION_MS));
  return { pod: holder, within: context.node?.networks() ?? [], start, end };
}

/** Its kubelet has been away since it had the pod: the last that was seen of it before. */
function awaySince(
  { placement }: LiveHolder,
  pod: ObservedPod | undefined,
  { node, at }: ObservationContext,
): EpochMillis | undefined {
  const asked = asMillis(pod?.status.startTime) ?? placement?.start.observedAt;
  return node?.kubelet === undefined ? epochMillis(0) : node.kubelet.awaySince(at, asked);
}

/** Its kubelet has said something of it: since 1.29 that has the network condition. */
function isBegun({ networkReadyAt, networkLostAt }: LiveHolder): boolean {
  return networkReadyAt !== undefined || networkLostAt !== undefined;
}

/** A kubelet that is there says at once that it has begun with a pod, before it makes a sandbox. */
function wasNeverBegun(live: LiveHolder, pod: ObservedPod | undefined, { node, at }: ObservationContext): boolean {
  const kubelet = node?.kubelet;
  if (kubelet?.writesCondition !== true || live.placement === undefined || isBegun(live)) return false;
  if (pod?.status.startTime !== undefined) return false;
  return at - live.placement.start.observedAt > BEGUN_MS + RELEASE_BY_SLOWNESS * kubelet.pace.usual(at);
}

/**
 * A kubelet that writes the condition at once has written it, or the sandbox came up only just then, or just before the
 * kubelet was away.
 */
function sinceCondition(
  { placement, networkReadyAt, networkLostAt }: LiveHolder,
  context: ObservationContext,
  away: EpochMillis | undefined,
): EpochMillis {
  const isUp = networkReadyAt !== undefined && networkLostAt === undefined;
  const known = isUp ? networkReadyAt : epochMillis(Math.min(context.watermark ?? context.at, away ?? context.at));
  const soon = epochMillis(known - (context.node?.kubelet?.pace.conditionLate(context.at) ?? CONDITION_LATE_MS));
  return latest(placement?.start.notBefore, isUp ? undefined : networkLostAt, soon) ?? soon;
}

/** Older ones write it with their next status: it may have been there since the pod was bound. */
function sinceBinding(
  { placement, networkLostAt }: LiveHolder,
  pod: ObservedPod | undefined,
  { at, watermark }: ObservationContext,
): EpochMillis {
  const started = asMillis(pod?.status.startTime, at);
  return (
    latest(placement?.start.notBefore, networkLostAt, started) ?? epochMillis((watermark ?? at) - REPORTING_LAG_MS)
  );
}

/**
 * Where nothing says that there was a network: none was made after the pod's kubelet had let go of it. So no instant of
 * it is certain, and whoever held an address later excludes the pod from then on.
 */
function latestStart(end: Boundary, { node, at }: ObservationContext, wasAway: boolean): EpochMillis {
  const takes = RELEASE_MS + RELEASE_BY_SLOWNESS * (node?.kubelet?.pace.slowness(at) ?? 0);
  const late = at + takes + (wasAway ? START_SHOWS_MS : 0);
  return epochMillis(Math.max(late, end.notBefore));
}

/** From then on it certainly had a network: whoever held an address then is not this pod. */
function certainFrom({ networkReadyAt, networkLostAt }: LiveHolder): EpochMillis | undefined {
  if (networkReadyAt === undefined || networkLostAt !== undefined) return undefined;
  return epochMillis(networkReadyAt + RESOLUTION_MS);
}

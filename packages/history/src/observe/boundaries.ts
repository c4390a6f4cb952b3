// Decides the bounds of every boundary from what was observed and what the object says of itself. The only place where
// a time is chosen; every choice is clamped, so that no clock can make an interval negative.
import type { Boundary, Source } from '../model/boundary.ts';
import type { LiveHolder } from '../model/fact.ts';
import {
  clamp,
  type EpochMillis,
  earliest,
  epochMillis,
  latest,
  NOT_KNOWN_YET,
  REPORTING_LAG_MS,
} from '../model/time.ts';
import {
  credible,
  isServing,
  isTerminal,
  lastEndedAt,
  lastFinishedAt,
  lastRunEndedAt,
  networkLostAt,
  networkReadyAt,
  previousRunEndedAt,
  RESOLUTION_MS,
  stoppedServingAt,
} from './evidence.ts';
import {
  END_LATE_MS,
  LOSS_EARLY_MS,
  MIRROR_LATE_MS,
  NOTICED_AT_ONCE_MS,
  RELEASED_AFTER_MS,
  RELEASED_BEFORE_MS,
} from './measured-limits.ts';
import { mirrorOf } from './mirror.ts';
import type { ObservedPod } from './observation.ts';
import type { ObservationContext } from './observation-context.ts';

/** A kubelet may notice this much late that a sandbox has come up, or gone. */
const NOTICE_MS = 2000;

export function boundary(
  context: ObservationContext,
  notBefore: EpochMillis,
  notAfter: EpochMillis,
  best: EpochMillis = notAfter,
  source: Source = context.source,
): Boundary {
  const upper = notAfter > context.at ? context.at : notAfter;
  const lower = notBefore > upper ? upper : notBefore;
  return {
    at: clamp(best, lower, upper),
    notBefore: lower,
    notAfter: upper,
    source,
    epoch: context.epoch,
    resourceVersion: context.resourceVersion,
    observedAt: context.at,
    collector: context.collector,
  };
}

/**
 * An address appeared on a pod. `unseen`: its whole life passed between two observations. Then it was reported too late
 * or an event was lost, and that nothing had been reported of it by some time proves nothing.
 */
export function tenureStart(
  pod: ObservedPod,
  context: ObservationContext,
  before?: LiveHolder,
  unseen = false,
): Boundary {
  const { at } = context;
  const written = credible(pod, networkReadyAt(pod), at);
  if (written !== undefined) {
    // The condition was seen when it was news: what came later is only the address.
    const isKnown = timely(written, context) !== undefined || wasSeenLive(before, written, context);
    const upper = isKnown ? secondAfter(earliest(written, runningFrom(pod, context)) ?? written) : at;
    return boundary(context, networkNotBefore(pod, context, written), upper, written);
  }
  const begun = latest(credible(pod, asMillis(pod.metadata.creationTimestamp), at), asMillis(pod.status.startTime, at));
  // What has already ended began before its containers ended or its sandbox was lost.
  const finished = isTerminal(pod) ? credible(pod, lastFinishedAt(pod), at) : undefined;
  const upper = finished ?? credible(pod, networkLostAt(pod), at) ?? runningFrom(pod, context) ?? at;
  const since = unseen ? (begun ?? reportedSince(context)) : latest(begun, reportedSince(context));
  return boundary(context, since ?? at, secondAfter(upper), upper);
}

/** The condition was seen before, and no address of this sandbox; nothing was undone or blank meanwhile. */
function wasSeenLive(before: LiveHolder | undefined, ready: EpochMillis, context: ObservationContext): boolean {
  if (before?.networkReadyAt !== ready || before.networkLostAt !== undefined) return false;
  if (before.blankSince !== undefined || before.tenures.length > 0) return false;
  return context.source === 'watch' && context.continuity.kind !== 'doubted';
}

/**
 * Before this there was no network, if the condition says that there is one since `ready`. Kubelets of 1.36 write it right
 * after the sandbox, unless they are slow or are started again in between; older ones only with their next status, after
 * pulls and starts of containers. None makes a sandbox before it has begun with the pod.
 */
function networkNotBefore(pod: ObservedPod, { node, at }: ObservationContext, ready: EpochMillis): EpochMillis {
  const kubelet = node?.kubelet;
  const unsaid = secondBefore(ready);
  const begun = credible(pod, asMillis(pod.status.startTime), at);
  if (begun !== undefined) return earliest(unsaid, begun) ?? unsaid;
  return kubelet?.writesNetworkAtOnce === true ? epochMillis(ready - kubelet.pace.conditionLate(at)) : unsaid;
}

/** Containers run in a network: since when, if that can be believed. */
function runningFrom(pod: ObservedPod, context: ObservationContext): EpochMillis | undefined {
  return timely(credible(pod, asMillis(pod.status.runningSince), context.at), context);
}

/** It may have held since its network came up, and certainly does now. */
export function overlookedStart(pod: ObservedPod, context: ObservationContext): Boundary {
  return boundary(context, tenureStart(pod, context).notBefore, context.at);
}

/**
 * A new sandbox is up, and the pod still shows the address of the one before: kubelets say the former before they have
 * read the address of the latter. It may be the same one or not; asked about it, the answer is `ambiguous`.
 */
export function doubtfulStart(pod: ObservedPod, context: ObservationContext): Boundary {
  return { ...tenureStart(pod, context), notAfter: NOT_KNOWN_YET };
}

/** It may stand on: nothing says when it was gone. */
export function openEnd(end: Boundary): Boundary {
  return { ...end, notAfter: NOT_KNOWN_YET };
}

/** By then it was gone. Narrows only. */
export function endKnownBy(end: Boundary, release: EpochMillis): Boundary {
  const notAfter = latest(earliest(end.notAfter, release), end.notBefore) ?? end.notAfter;
  return { ...end, at: clamp(end.at, end.notBefore, notAfter), notAfter };
}

/** No instant of it will ever be certain. */
export function neverCertain(start: Boundary): Boundary {
  return { ...start, notAfter: NOT_KNOWN_YET };
}

/** The doubt is over: it began before it was first shown. */
export function confirmedStart(start: Boundary): Boundary {
  return isDoubtful(start) ? { ...start, notAfter: latest(start.at, start.observedAt) ?? start.at } : start;
}

/** The doubt was never resolved: no instant of it is certain. */
export function undecidedStart(start: Boundary, end: Boundary): Boundary {
  return isDoubtful(start) ? { ...start, notAfter: latest(start.at, end.notAfter) ?? start.at } : start;
}

export function isDoubtful({ notAfter }: Boundary): boolean {
  return notAfter >= NOT_KNOWN_YET;
}

/**
 * A pod became terminal: its containers' end bounds the address's from below, the loss of its network from above. After
 * a gap (`source` is list) only from above: before its last sandbox it may have had others, and others its address.
 */
export function terminalEnd(pod: ObservedPod, context: ObservationContext, before?: LiveHolder): Boundary {
  const { at } = context;
  const finished = credible(pod, lastFinishedAt(pod), at);
  const exact = endedWithCondition(pod, context, before);
  if (exact !== undefined) {
    const soon = epochMillis(exact - RELEASED_BEFORE_MS);
    // Long after its containers: the sandbox would not go, or the container runtime could not be asked. Nobody knows which.
    const asked = askedAt(pod);
    const first = finished && asked && latest(asked, finished);
    const since = first && exact - first > NOTICED_AT_ONCE_MS ? first : latest(finished, soon);
    return boundary(context, since ?? exact, epochMillis(exact + RELEASED_AFTER_MS), secondAfter(exact));
  }
  const lost = timely(credible(pod, networkLostAt(pod), at), context);
  // Kubelets that do not keep the condition leave it at what it was in the beginning.
  const lastUse = finished ?? before?.networkReadyAt;
  const upper = lost !== undefined && lastUse !== undefined && lost >= lastUse ? secondAfter(lost) : at;
  const isHidden = context.source === 'list' && before !== undefined;
  if (finished !== undefined && !isHidden) return boundary(context, finished, upper, finished);
  const unseen = endedUnseen(pod, context);
  if (unseen !== undefined) return boundary(context, unseen, upper);
  const since = latest(reportedSince(context), asMillis(pod.metadata.creationTimestamp, at)) ?? at;
  return boundary(
    context,
    upper < at && lost !== undefined ? (earliest(since, secondBefore(lost)) ?? since) : since,
    upper,
    finished ?? upper,
  );
}

/**
 * When the network went, to the second: a kubelet that withholds the end until the sandbox is down writes both at once.
 * Only of one that was there all the time; and only of a sandbox that was not lost before.
 */
function endedWithCondition(
  pod: ObservedPod,
  context: ObservationContext,
  before: LiveHolder | undefined,
): EpochMillis | undefined {
  const { node, at, source, continuity } = context;
  const kubelet = node?.kubelet;
  if (kubelet?.withholdsEnd !== true || source !== 'watch' || continuity.kind === 'doubted') return undefined;
  if (kubelet.awaySince(at, askedAt(pod)) !== undefined) return undefined;
  if (before === undefined || before.blankSince !== undefined) return undefined;
  const lost = timely(credible(pod, networkLostAt(pod), at), context);
  // The same condition as before is of an earlier sandbox, or of the time before the first.
  return lost === undefined || (before.networkLostAt !== undefined && lost <= before.networkLostAt + NOTICE_MS)
    ? undefined
    : lost;
}

/** The object is gone, and its delete was seen. `pod` is its final state. */
export function deletedEnd(context: ObservationContext, pod?: ObservedPod, hadGrace = true): Boundary {
  const since = context.watermark ?? context.at;
  const asked = pod?.metadata.deletionTimestamp;
  if (pod === undefined || asked === undefined) return boundary(context, since, context.at);
  // Without grace, nothing was ended before: a kubelet that withholds the end until its sandbox is down had yet to begin.
  if (!hadGrace && context.node?.kubelet?.withholdsEnd === true)
    return boundary(context, latest(since, asMillis(asked, context.at)) ?? since, context.at);
  if (context.node?.kubelet?.withholdsEnd === true) {
    const late = epochMillis(since - END_LATE_MS);
    const { deletionGracePeriodSeconds = 0 } = pod.metadata;
    return boundary(context, latest(late, asMillis(asked - deletionGracePeriodSeconds * 1000)) ?? late, context.at);
  }
  // Kubelets before 1.27 end a deleted pod's containers and sandbox without making it terminal.
  const finished = credible(pod, lastFinishedAt(pod), context.at);
  // Not every end of a container is reported, as of one that was never started.
  const unsaid = finished === undefined && !isServing(pod) ? reportedSince(context) : undefined;
  const unready = credible(pod, stoppedServingAt(pod), context.at);
  return boundary(context, earliest(since, finished, unsaid, unready) ?? since, context.at);
}

/** Somebody else than its kubelet says that it is over: a kubelet that was away may have ended it before, as it was asked. */
export function anothersEnd(pod: ObservedPod, context: ObservationContext): Boundary {
  const end = deletedEnd(context);
  if (mirrorOf(pod) !== undefined) return mirrorEnd(end, pod, context);
  return { ...end, notBefore: earliest(end.notBefore, endedUnseen(pod, context)) ?? end.notBefore };
}

/**
 * A mirror pod is deleted late, and later still by a kubelet that was away before it had deleted it; or by somebody else,
 * who asked for it when its sandbox may have been gone.
 */
export function mirrorEnd(
  end: Boundary,
  pod: ObservedPod | undefined,
  { at, watermark, node }: ObservationContext,
): Boundary {
  const seen = watermark ?? at;
  const away = node?.kubelet?.awaySince(at, epochMillis(seen - MIRROR_LATE_MS));
  const asked = pod === undefined ? undefined : askedAt(pod);
  const since = epochMillis((earliest(seen, away, asked) ?? seen) - MIRROR_LATE_MS);
  return { ...end, notBefore: earliest(end.notBefore, since) ?? since };
}

/**
 * Invariant: an inferred end has bounds [last seen, first missing], not a point. What a kubelet had not yet reported
 * when it was last seen counts as unseen.
 */
export function inferredEnd(context: ObservationContext, { holder, seenAt }: LiveHolder): Boundary {
  const lastSeen = context.watermark ?? seenAt;
  const since = holder.kind === 'Pod' ? epochMillis(lastSeen - REPORTING_LAG_MS) : lastSeen;
  const end = boundary(context, since, context.at, context.at, 'inferred');
  // A pod that the API server has forgotten runs on until its kubelet notices.
  const runsOn = context.continuity.kind === 'restored' && holder.kind === 'Pod';
  return runsOn ? { ...end, notAfter: epochMillis(end.notAfter + REPORTING_LAG_MS) } : end;
}

/** After a rewind the pod shows other addresses than were known: which of the two is true, its kubelet has yet to say. */
export function undoneEnd(context: ObservationContext): Boundary {
  const end = boundary(context, undoneSince(context), context.at);
  return { ...end, notAfter: epochMillis(end.notAfter + REPORTING_LAG_MS) };
}

/** Since when a rewind may hide what happened. */
export function undoneSince(context: ObservationContext): EpochMillis {
  return reportedSince(context) ?? context.at;
}

/**
 * Another network took the place of this one on the same pod: the old one went before the new one came. `isOver`: the
 * new one has gone, too, and what ended last ended in that.
 */
export function replacedEnd(
  context: ObservationContext,
  pod: ObservedPod,
  goneSince: EpochMillis | undefined,
  lastSeen: EpochMillis,
  isOver = false,
): Boundary {
  const { at, watermark } = context;
  const ready = timelyReadyAt(pod, context);
  const ended = credible(pod, isOver ? previousRunEndedAt(pod) : lastRunEndedAt(pod), at);
  const endedBefore = ended !== undefined && (ready === undefined || ended <= ready) ? ended : undefined;
  // Within a gap there may have been other sandboxes: then only its near side bounds.
  const seesAll = context.source !== 'list';
  const lastKnown = seesAll ? earliest(watermark, lastSeen, ready) : (watermark ?? lastSeen);
  const unseen = epochMillis((lastKnown ?? at) - REPORTING_LAG_MS);
  const since = earliest(goneSince, seesAll ? endedBefore : earliest(endedBefore, unseen)) ?? unseen;
  return boundary(
    context,
    since,
    ready === undefined ? at : secondAfter(ready),
    ready === undefined ? since : secondBefore(ready),
  );
}

/** Since when the address may have been gone from a pod that goes on, when it is first seen without. */
export function blankFrom(context: ObservationContext): EpochMillis {
  return reportedSince(context) ?? context.at;
}

/** The kubelet says that the sandbox of a pod that goes on is gone. */
export function lostEnd(pod: ObservedPod, context: ObservationContext, before: LiveHolder | undefined): Boundary {
  const { at } = context;
  const lost = timely(credible(pod, networkLostAt(pod, true), at), context);
  const since = lostFrom(pod, context, before) ?? blankFrom(context);
  return boundary(context, since, lost === undefined ? at : secondAfter(lost), since);
}

/**
 * Since when the network has been lost, if it is. The kubelet may have noticed late (a reboot): its containers' end
 * shows it. After a gap that is only the last loss of perhaps several.
 */
export function lostFrom(
  pod: ObservedPod,
  context: ObservationContext,
  before: LiveHolder | undefined,
): EpochMillis | undefined {
  const lost = credible(pod, networkLostAt(pod, wasUp(before)), context.at);
  if (lost === undefined) return undefined;
  // A kubelet that was there all the time notices soon, whenever its containers ended.
  const { node, at } = context;
  const kubelet = node?.kubelet;
  const wasThere = kubelet !== undefined && kubelet.awaySince(at, askedAt(pod)) === undefined;
  if (wasThere && context.source === 'watch') {
    // One that was to end may have been ended by its kubelet, and that is written only when the runtime can be asked.
    const asked = askedAt(pod);
    const ended = asked === undefined ? undefined : latest(asked, credible(pod, lastFinishedAt(pod), at));
    return earliest(epochMillis(lost - LOSS_EARLY_MS), ended);
  }
  const unseen = endedUnseen(pod, context);
  if (unseen !== undefined) return earliest(unseen, lost);
  // What ended and was started again ran in the same sandbox.
  const ended = credible(pod, lastEndedAt(pod), context.at);
  // Containers that ended before this sandbox came up were another's; a short life may end before it is noticed.
  const since = before?.networkReadyAt;
  const isItsOwn = ended !== undefined && (since === undefined || ended >= since - NOTICE_MS);
  const first = isItsOwn ? earliest(lost, ended) : epochMillis(lost - NOTICE_MS);
  return context.source === 'list' ? earliest(first, reportedSince(context)) : first;
}

/**
 * Its deletion had been asked for, and its kubelet was cut off before it could say that it was done: it was done at some
 * time since. Undefined where the kubelet was there.
 */
function endedUnseen(pod: ObservedPod, { node, at }: ObservationContext): EpochMillis | undefined {
  const asked = askedAt(pod);
  const away = asked === undefined ? undefined : node?.kubelet?.awaySince(at, asked);
  if (asked === undefined || away === undefined || asked > at) return undefined;
  return latest(asked, epochMillis(away - END_LATE_MS));
}

/** When its deletion was asked for. */
function askedAt({ metadata }: ObservedPod): EpochMillis | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp === undefined
    ? undefined
    : epochMillis(deletionTimestamp - deletionGracePeriodSeconds * 1000);
}

/** Its network has been up, as the kubelet wrote. */
export function wasUp(before: LiveHolder | undefined): boolean {
  return before?.networkReadyAt !== undefined;
}

export function asMillis(time: number | undefined, notAfter?: EpochMillis): EpochMillis | undefined {
  return time === undefined || (notAfter !== undefined && time > notAfter) ? undefined : epochMillis(time);
}

function timelyReadyAt(pod: ObservedPod, context: ObservationContext): EpochMillis | undefined {
  return timely(credible(pod, networkReadyAt(pod), context.at), context);
}

/** A kubelet's word that comes much later than others' words of the same time (a partition) may come from a wrong clock. */
function timely(time: EpochMillis | undefined, { watermark }: ObservationContext): EpochMillis | undefined {
  return time === undefined || (watermark !== undefined && time < watermark - REPORTING_LAG_MS) ? undefined : time;
}

function reportedSince({ watermark }: ObservationContext): EpochMillis | undefined {
  return watermark === undefined ? undefined : epochMillis(watermark - REPORTING_LAG_MS);
}

function secondBefore(time: EpochMillis): EpochMillis {
  return epochMillis(time - RESOLUTION_MS);
}

function secondAfter(time: EpochMillis): EpochMillis {
  return epochMillis(time + RESOLUTION_MS);
}

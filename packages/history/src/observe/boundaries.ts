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
import type { KubeletEvidence } from './node-book.ts';
import type { ObservedPod } from './observation.ts';

/** From where and by whom an observation comes; shared by all boundaries that it yields. */
export interface Sighting {
  readonly source: Source;
  readonly epoch: number;
  readonly resourceVersion: string;
  readonly collector: string;
  readonly at: EpochMillis;
  /**
   * What this observation shows was not yet written at this instant. For an event: the latest time that is known to lie
   * before it, because events arrive in the order in which they were written. For a listing: the same of the watch
   * before it. Undefined when nothing is known of the time before.
   */
  readonly floor: EpochMillis | undefined;
  /**
   * An earlier recorder must have known it, and had taken it for gone: what is stored of it has ended. It was not gone,
   * but what begins anew begins only now.
   */
  readonly isOverlooked?: boolean;
  /** It was seen to end, and an etcd that was restored from a backup shows it again, as it was. */
  readonly isRisen?: boolean;
  /** The far side of a rewind: what is shown may be older than what is known, and what is gone may still run. */
  readonly isRewound?: boolean;
  /** A rewind shortly before may have hidden that it ended, at any time since then. */
  readonly doubtedSince?: EpochMillis | undefined;
  /** And its kubelet has not spoken since: what is shown of its network says nothing. */
  readonly isSilent?: boolean;
  /** What is known of the kubelet of a pod; undefined where its node is not known. */
  readonly kubelet?: KubeletEvidence | undefined;
  /** Whether nodes are watched: where they are not, a limit takes the place of the node's word. */
  readonly knowsNodes?: boolean;
  /** The networks of the pod's node. */
  readonly networks?: () => readonly string[];
}

/** A kubelet may notice this much late that a sandbox has come up, or gone. */
const NOTICE_MS = 2000;

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

/**
 * An address appeared on a pod. `unseen`: its whole life passed between two sightings. Then somebody told of it too late
 * or an event was lost, and that nothing had been told of it by some time proves nothing.
 */
export function tenureStart(pod: ObservedPod, sighting: Sighting, before?: LiveHolder, unseen = false): Boundary {
  const { at } = sighting;
  const written = credible(pod, networkReadyAt(pod), at);
  if (written !== undefined) {
    // The condition was seen when it was news: what came later is only the address.
    const isKnown = timely(written, sighting) !== undefined || wasSeenLive(before, written, sighting);
    const upper = isKnown ? secondAfter(earliest(written, runningFrom(pod, sighting)) ?? written) : at;
    return boundary(sighting, networkNotBefore(pod, sighting, written), upper, written);
  }
  const begun = latest(credible(pod, asMillis(pod.metadata.creationTimestamp), at), asMillis(pod.status.startTime, at));
  // What has already ended began before its containers ended or its sandbox was lost.
  const finished = isTerminal(pod) ? credible(pod, lastFinishedAt(pod), at) : undefined;
  const upper = finished ?? credible(pod, networkLostAt(pod), at) ?? runningFrom(pod, sighting) ?? at;
  const since = unseen ? (begun ?? reportedSince(sighting)) : latest(begun, reportedSince(sighting));
  return boundary(sighting, since ?? at, secondAfter(upper), upper);
}

/** The condition was seen before, and no address of this sandbox; nothing was undone or blank meanwhile. */
function wasSeenLive(before: LiveHolder | undefined, ready: EpochMillis, sighting: Sighting): boolean {
  if (before?.networkReadyAt !== ready || before.networkLostAt !== undefined) return false;
  if (before.blankSince !== undefined || before.tenures.length > 0) return false;
  return sighting.source === 'watch' && sighting.doubtedSince === undefined;
}

/**
 * Before this there was no network, if the condition says that there is one since `ready`. Kubelets of 1.36 write it right
 * after the sandbox, unless they are slow or are started again in between; older ones only with their next status, after
 * pulls and starts of containers. None makes a sandbox before it has begun with the pod.
 */
function networkNotBefore(pod: ObservedPod, { kubelet, at }: Sighting, ready: EpochMillis): EpochMillis {
  const unsaid = secondBefore(ready);
  const begun = credible(pod, asMillis(pod.status.startTime), at);
  if (begun !== undefined) return earliest(unsaid, begun) ?? unsaid;
  return kubelet?.writesNetworkAtOnce === true ? epochMillis(ready - kubelet.pace.conditionLate(at)) : unsaid;
}

/** Containers run in a network: since when, if that can be believed. */
function runningFrom(pod: ObservedPod, sighting: Sighting): EpochMillis | undefined {
  return timely(credible(pod, asMillis(pod.status.runningSince), sighting.at), sighting);
}

/** It may have held since its network came up, and certainly does now. */
export function overlookedStart(pod: ObservedPod, sighting: Sighting): Boundary {
  return boundary(sighting, tenureStart(pod, sighting).notBefore, sighting.at);
}

/**
 * A new sandbox is up, and the pod still shows the address of the one before: kubelets say the former before they have
 * read the address of the latter. It may be the same one or not; asked about it, the answer is `ambiguous`.
 */
export function doubtfulStart(pod: ObservedPod, sighting: Sighting): Boundary {
  return { ...tenureStart(pod, sighting), notAfter: NOT_KNOWN_YET };
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
export function terminalEnd(pod: ObservedPod, sighting: Sighting, before?: LiveHolder): Boundary {
  const { at } = sighting;
  const finished = credible(pod, lastFinishedAt(pod), at);
  const exact = endedWithCondition(pod, sighting, before);
  if (exact !== undefined) {
    const soon = epochMillis(exact - RELEASED_BEFORE_MS);
    // Long after its containers: the sandbox would not go, or the container runtime could not be asked. Nobody knows which.
    const asked = askedAt(pod);
    const first = finished && asked && latest(asked, finished);
    const since = first && exact - first > NOTICED_AT_ONCE_MS ? first : latest(finished, soon);
    return boundary(sighting, since ?? exact, epochMillis(exact + RELEASED_AFTER_MS), secondAfter(exact));
  }
  const lost = timely(credible(pod, networkLostAt(pod), at), sighting);
  // Kubelets that do not keep the condition leave it at what it was in the beginning.
  const lastUse = finished ?? before?.networkReadyAt;
  const upper = lost !== undefined && lastUse !== undefined && lost >= lastUse ? secondAfter(lost) : at;
  const isHidden = sighting.source === 'list' && before !== undefined;
  if (finished !== undefined && !isHidden) return boundary(sighting, finished, upper, finished);
  const unseen = endedUnseen(pod, sighting);
  if (unseen !== undefined) return boundary(sighting, unseen, upper);
  const since = latest(reportedSince(sighting), asMillis(pod.metadata.creationTimestamp, at)) ?? at;
  return boundary(
    sighting,
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
  sighting: Sighting,
  before: LiveHolder | undefined,
): EpochMillis | undefined {
  const { kubelet, at, source, doubtedSince } = sighting;
  if (kubelet?.withholdsEnd !== true || source !== 'watch' || doubtedSince !== undefined) return undefined;
  if (kubelet.awaySince(at, askedAt(pod)) !== undefined) return undefined;
  if (before === undefined || before.blankSince !== undefined) return undefined;
  const lost = timely(credible(pod, networkLostAt(pod), at), sighting);
  // The same condition as before is of an earlier sandbox, or of the time before the first.
  return lost === undefined || (before.networkLostAt !== undefined && lost <= before.networkLostAt + NOTICE_MS)
    ? undefined
    : lost;
}

/** The object is gone, and its delete was seen. `pod` is its final state. */
export function deletedEnd(sighting: Sighting, pod?: ObservedPod, hadGrace = true): Boundary {
  const since = sighting.floor ?? sighting.at;
  const asked = pod?.metadata.deletionTimestamp;
  if (pod === undefined || asked === undefined) return boundary(sighting, since, sighting.at);
  // Without grace, nothing was ended before: a kubelet that withholds the end until its sandbox is down had yet to begin.
  if (!hadGrace && sighting.kubelet?.withholdsEnd === true)
    return boundary(sighting, latest(since, asMillis(asked, sighting.at)) ?? since, sighting.at);
  if (sighting.kubelet?.withholdsEnd === true) {
    const late = epochMillis(since - END_LATE_MS);
    const { deletionGracePeriodSeconds = 0 } = pod.metadata;
    return boundary(sighting, latest(late, asMillis(asked - deletionGracePeriodSeconds * 1000)) ?? late, sighting.at);
  }
  // Kubelets before 1.27 end a deleted pod's containers and sandbox without making it terminal.
  const finished = credible(pod, lastFinishedAt(pod), sighting.at);
  // Not every end of a container is told, as of one that was never started.
  const unsaid = finished === undefined && !isServing(pod) ? reportedSince(sighting) : undefined;
  const unready = credible(pod, stoppedServingAt(pod), sighting.at);
  return boundary(sighting, earliest(since, finished, unsaid, unready) ?? since, sighting.at);
}

/** Somebody else than its kubelet says that it is over: a kubelet that was away may have ended it before, as it was asked. */
export function anothersEnd(pod: ObservedPod, sighting: Sighting): Boundary {
  const end = deletedEnd(sighting);
  if (mirrorOf(pod) !== undefined) return mirrorEnd(end, pod, sighting);
  return { ...end, notBefore: earliest(end.notBefore, endedUnseen(pod, sighting)) ?? end.notBefore };
}

/**
 * A mirror pod is deleted late, and later still by a kubelet that was away before it had deleted it; or by somebody else,
 * who asked for it when its sandbox may have been gone.
 */
export function mirrorEnd(end: Boundary, pod: ObservedPod | undefined, { at, floor, kubelet }: Sighting): Boundary {
  const seen = floor ?? at;
  const away = kubelet?.awaySince(at, epochMillis(seen - MIRROR_LATE_MS));
  const asked = pod === undefined ? undefined : askedAt(pod);
  const since = epochMillis((earliest(seen, away, asked) ?? seen) - MIRROR_LATE_MS);
  return { ...end, notBefore: earliest(end.notBefore, since) ?? since };
}

/**
 * Invariant: an inferred end has bounds [last seen, first missing], not a point. What a kubelet had not yet reported
 * when it was last seen counts as unseen.
 */
export function inferredEnd(sighting: Sighting, { holder, seenAt }: LiveHolder): Boundary {
  const lastSeen = sighting.floor ?? seenAt;
  const since = holder.kind === 'Pod' ? epochMillis(lastSeen - REPORTING_LAG_MS) : lastSeen;
  const end = boundary(sighting, since, sighting.at, sighting.at, 'inferred');
  // A pod that the API server has forgotten runs on until its kubelet notices.
  const runsOn = sighting.isRewound === true && holder.kind === 'Pod';
  return runsOn ? { ...end, notAfter: epochMillis(end.notAfter + REPORTING_LAG_MS) } : end;
}

/** After a rewind the pod shows other addresses than were known: which of the two is true, its kubelet has yet to say. */
export function undoneEnd(sighting: Sighting): Boundary {
  const end = boundary(sighting, undoneSince(sighting), sighting.at);
  return { ...end, notAfter: epochMillis(end.notAfter + REPORTING_LAG_MS) };
}

/** Since when a rewind may hide what happened. */
export function undoneSince(sighting: Sighting): EpochMillis {
  return reportedSince(sighting) ?? sighting.at;
}

/**
 * Another network took the place of this one on the same pod: the old one went before the new one came. `isOver`: the
 * new one has gone, too, and what ended last ended in that.
 */
export function replacedEnd(
  sighting: Sighting,
  pod: ObservedPod,
  goneSince: EpochMillis | undefined,
  lastSeen: EpochMillis,
  isOver = false,
): Boundary {
  const { at, floor } = sighting;
  const ready = timelyReadyAt(pod, sighting);
  const ended = credible(pod, isOver ? previousRunEndedAt(pod) : lastRunEndedAt(pod), at);
  const endedBefore = ended !== undefined && (ready === undefined || ended <= ready) ? ended : undefined;
  // Within a gap there may have been other sandboxes: then only its near side bounds.
  const seesAll = sighting.source !== 'list';
  const lastKnown = seesAll ? earliest(floor, lastSeen, ready) : (floor ?? lastSeen);
  const unseen = epochMillis((lastKnown ?? at) - REPORTING_LAG_MS);
  const since = earliest(goneSince, seesAll ? endedBefore : earliest(endedBefore, unseen)) ?? unseen;
  return boundary(
    sighting,
    since,
    ready === undefined ? at : secondAfter(ready),
    ready === undefined ? since : secondBefore(ready),
  );
}

/** Since when the address may have been gone from a pod that goes on, when it is first seen without. */
export function blankFrom(sighting: Sighting): EpochMillis {
  return reportedSince(sighting) ?? sighting.at;
}

/** The kubelet says that the sandbox of a pod that goes on is gone. */
export function lostEnd(pod: ObservedPod, sighting: Sighting, before: LiveHolder | undefined): Boundary {
  const { at } = sighting;
  const lost = timely(credible(pod, networkLostAt(pod, true), at), sighting);
  const since = lostFrom(pod, sighting, before) ?? blankFrom(sighting);
  return boundary(sighting, since, lost === undefined ? at : secondAfter(lost), since);
}

/**
 * Since when the network has been lost, if it is. The kubelet may have noticed late (a reboot): its containers' end
 * tells. After a gap that is only the last loss of perhaps several.
 */
export function lostFrom(
  pod: ObservedPod,
  sighting: Sighting,
  before: LiveHolder | undefined,
): EpochMillis | undefined {
  const lost = credible(pod, networkLostAt(pod, wasUp(before)), sighting.at);
  if (lost === undefined) return undefined;
  // A kubelet that was there all the time notices soon, whenever its containers ended.
  const { kubelet, at } = sighting;
  const wasThere = kubelet !== undefined && kubelet.awaySince(at, askedAt(pod)) === undefined;
  if (wasThere && sighting.source === 'watch') {
    // One that was to end may have been ended by its kubelet, and that is written only when the runtime can be asked.
    const asked = askedAt(pod);
    const ended = asked === undefined ? undefined : latest(asked, credible(pod, lastFinishedAt(pod), at));
    return earliest(epochMillis(lost - LOSS_EARLY_MS), ended);
  }
  const unseen = endedUnseen(pod, sighting);
  if (unseen !== undefined) return earliest(unseen, lost);
  // What ended and was started again ran in the same sandbox.
  const ended = credible(pod, lastEndedAt(pod), sighting.at);
  // Containers that ended before this sandbox came up were another's; a short life may end before it is noticed.
  const since = before?.networkReadyAt;
  const isItsOwn = ended !== undefined && (since === undefined || ended >= since - NOTICE_MS);
  const first = isItsOwn ? earliest(lost, ended) : epochMillis(lost - NOTICE_MS);
  return sighting.source === 'list' ? earliest(first, reportedSince(sighting)) : first;
}

/**
 * Its deletion had been asked for, and its kubelet was cut off before it could say that it was done: it was done at some
 * time since. Undefined where the kubelet was there.
 */
function endedUnseen(pod: ObservedPod, { kubelet, at }: Sighting): EpochMillis | undefined {
  const asked = askedAt(pod);
  const away = asked === undefined ? undefined : kubelet?.awaySince(at, asked);
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

function timelyReadyAt(pod: ObservedPod, sighting: Sighting): EpochMillis | undefined {
  return timely(credible(pod, networkReadyAt(pod), sighting.at), sighting);
}

/** A kubelet's word that comes much later than others' words of the same time (a partition) may come from a wrong clock. */
function timely(time: EpochMillis | undefined, { floor }: Sighting): EpochMillis | undefined {
  return time === undefined || (floor !== undefined && time < floor - REPORTING_LAG_MS) ? undefined : time;
}

function reportedSince({ floor }: Sighting): EpochMillis | undefined {
  return floor === undefined ? undefined : epochMillis(floor - REPORTING_LAG_MS);
}

function secondBefore(time: EpochMillis): EpochMillis {
  return epochMillis(time - RESOLUTION_MS);
}

function secondAfter(time: EpochMillis): EpochMillis {
  return epochMillis(time + RESOLUTION_MS);
}

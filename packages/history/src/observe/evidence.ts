// What an object itself says about when things happened. Times in objects have whole seconds and come from other clocks
// (kubelet, API server): they bound, they do not decide, and what cannot be true is no evidence.
import type { LiveHolder } from '../model/fact.ts';
import { type EpochMillis, epochMillis, latest } from '../model/time.ts';
import { objectName } from './object-name.ts';
import type { Observed, ObservedPod } from './observation.ts';

/** Times in objects are cut to whole seconds: the truth lies up to this much later. */
export const RESOLUTION_MS = 1000;
/** A time further from what is possible than this is a wrong clock, not evidence. */
export const TOLERATED_SKEW_MS = 2000;

/** When the sandbox and its network came up, to the second; undefined before, or on kubelets that do not write it. */
export function networkReadyAt(pod: ObservedPod): EpochMillis | undefined {
  return networkTransition(pod, 'True');
}

/**
 * When the sandbox was lost, or asked for, to the second, if it is not there now. `wasUp`: the condition has been True.
 * Then False is a loss, also beside containers that are still called ready (481 of 481 on real nodes); a kubelet that
 * does not keep the condition never makes it True, and containers that serve have a network whatever it says.
 */
export function networkLostAt(pod: ObservedPod, wasUp = false): EpochMillis | undefined {
  return isServing(pod) && !wasUp ? undefined : networkTransition(pod, 'False');
}

/** Ready is ContainersReady and the pod's readiness gates; only its kubelet makes it true. */
export function isServing(pod: ObservedPod): boolean {
  return pod.status.conditions.some(
    ({ type, status }) => (type === 'ContainersReady' || type === 'Ready') && status === 'True',
  );
}

/** When its containers stopped being ready, if that was after its deletion had been asked for. */
export function stoppedServingAt({ metadata, status }: ObservedPod): EpochMillis | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const since = status.conditions.find((c) => c.type === 'ContainersReady' && c.status === 'False')?.lastTransitionTime;
  const asked = deletionTimestamp - deletionGracePeriodSeconds * 1000;
  return since === undefined || since < asked - TOLERATED_SKEW_MS ? undefined : epochMillis(since);
}

function networkTransition(pod: ObservedPod, status: 'True' | 'False'): EpochMillis | undefined {
  for (const condition of pod.status.conditions) {
    if (condition.type !== 'PodReadyToStartContainers' || condition.status !== status) continue;
    return condition.lastTransitionTime === undefined ? undefined : epochMillis(condition.lastTransitionTime);
  }
  return undefined;
}

/** Containers were ready, or ended, in the sandbox that came up then: its kubelet has looked at it, and at its address. */
export function hasBeenUsed(pod: ObservedPod, ready: EpochMillis | undefined): boolean {
  if (ready === undefined) return true;
  const { conditions, terminations } = pod.status;
  return (
    conditions.some(
      (c) => c.type === 'ContainersReady' && c.status === 'True' && (c.lastTransitionTime ?? 0) >= ready,
    ) || terminations.some(({ finishedAt }) => finishedAt !== undefined && finishedAt > ready)
  );
}

/**
 * When the last container ended: the address was needed until then. Init containers end when a pod begins: alone they say
 * nothing, as in a pod whose node was lost and that others made Failed.
 */
export function lastFinishedAt(pod: ObservedPod): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  let isOver = false;
  for (const { kind = 'regular', current, finishedAt } of pod.status.terminations) {
    if (!current || finishedAt === undefined) continue;
    if (kind === 'regular') isOver = true;
    found = latest(found, epochMillis(finishedAt));
  }
  return isOver ? found : undefined;
}

/** When any container last ended, also one that has been started again since: its sandbox was there until then. */
export function lastRunEndedAt(pod: ObservedPod): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const { finishedAt } of pod.status.terminations) {
    if (finishedAt !== undefined) found = latest(found, epochMillis(finishedAt));
  }
  return found;
}

/** When any of the containers that have ended, and were not started again, last did. */
export function lastEndedAt(pod: ObservedPod): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const { current, finishedAt } of pod.status.terminations) {
    if (current && finishedAt !== undefined) found = latest(found, epochMillis(finishedAt));
  }
  return found;
}

/** Ready, DisruptionTarget and readiness gates are set by controllers, too, PodScheduled by the scheduler. */
const KUBELETS_OWN = new Set(['PodReadyToStartContainers', 'Initialized', 'ContainersReady']);

/** Its kubelet has reported something that happened after this. */
export function isReportedSince(pod: ObservedPod, time: EpochMillis): boolean {
  const { conditions, terminations } = pod.status;
  return (
    conditions.some((c) => KUBELETS_OWN.has(c.type) && (c.lastTransitionTime ?? 0) > time) ||
    terminations.some(({ finishedAt }) => (finishedAt ?? 0) > time)
  );
}

/** Its containers ended before this network came up: they ran in another one. */
export function ranBefore(pod: ObservedPod, ready: EpochMillis | undefined): boolean {
  const ended = lastRunEndedAt(pod);
  return ready !== undefined && ended !== undefined && ended < ready;
}

/** When any container last ended that has been started again since. */
export function previousRunEndedAt(pod: ObservedPod): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const { current, finishedAt } of pod.status.terminations) {
    if (!current && finishedAt !== undefined) found = latest(found, epochMillis(finishedAt));
  }
  return found;
}

/** The time, if it can be true: neither before the pod's creation nor after its sighting. */
export function credible(
  pod: ObservedPod,
  time: EpochMillis | undefined,
  seenAt: EpochMillis,
): EpochMillis | undefined {
  if (time === undefined || time > seenAt + TOLERATED_SKEW_MS) return undefined;
  const created = pod.metadata.creationTimestamp;
  return created !== undefined && time < created - TOLERATED_SKEW_MS ? undefined : time;
}

/** Sentences about times that cannot be true and are news since the last sighting. */
export function clockFaults(before: LiveHolder | undefined, seen: Observed, at: EpochMillis): string[] {
  const { creationTimestamp: created } = seen.object.metadata;
  const faults: string[] = [];
  const whose = objectName(seen);
  const judge = (what: string, time: EpochMillis | undefined): void => {
    if (time === undefined) return;
    if (time > at + TOLERATED_SKEW_MS) faults.push(`${whose}: ${what} ${time - at} ms after it was seen`);
    else if (created !== undefined && time < created - TOLERATED_SKEW_MS)
      faults.push(`${whose}: ${what} ${created - time} ms before it was created`);
  };
  if (before === undefined) judge('created', created === undefined ? undefined : epochMillis(created));
  if (seen.kind !== 'Pod') return faults;
  const ready = networkReadyAt(seen.object);
  if (ready !== before?.networkReadyAt) judge('its network came up', ready);
  if (isTerminal(seen.object) && before?.terminal !== true)
    judge('its last container ended', lastFinishedAt(seen.object));
  return faults;
}

/**
 * The latest time that the object mentions: this version of it was written no earlier. Times past `now` are left out,
 * a deletion's too: its timestamp is when the grace period ends.
 */
export function writtenNotBefore(seen: Observed, now: EpochMillis): EpochMillis | undefined {
  const limit = now + TOLERATED_SKEW_MS;
  let found: EpochMillis | undefined;
  const consider = (time: number | undefined): void => {
    if (time !== undefined && time <= limit) found = latest(found, epochMillis(time));
  };
  const { metadata } = seen.object;
  consider(metadata.creationTimestamp);
  if (metadata.deletionTimestamp !== undefined) {
    consider(metadata.deletionTimestamp - (metadata.deletionGracePeriodSeconds ?? 0) * 1000);
  }
  if (seen.kind === 'Pod') {
    const { status } = seen.object;
    consider(status.startTime);
    for (const condition of status.conditions) consider(condition.lastTransitionTime);
    for (const termination of status.terminations) consider(termination.finishedAt);
    consider(status.runningSince);
  }
  return found;
}

/**
 * Terminal, and its kubelet says so: since 1.27 that is withheld until the sandbox is down. Others write Failed, too
 * (PodGC for a node that is gone), and end nothing: they leave the conditions and the containers as they were.
 */
export function isEndedByKubelet(pod: ObservedPod): boolean {
  if (!isTerminal(pod)) return false;
  const { conditions, runningSince, terminations } = pod.status;
  if (runningSince !== undefined) return false;
  if (conditions.some(({ type, reason }) => type === 'DisruptionTarget' && reason === 'DeletionByPodGC')) return false;
  if (networkTransition(pod, 'True') !== undefined) return false;
  return !isServing(pod) || terminations.some(({ current, kind = 'regular' }) => current && kind === 'regular');
}

/** The latest time at which its kubelet wrote to this pod, by the kubelet's clock. */
export function kubeletTimeOf({ status }: ObservedPod): number | undefined {
  let found = status.runningSince;
  const consider = (time: number | undefined): void => {
    if (time !== undefined && (found === undefined || time > found)) found = time;
  };
  for (const { type, lastTransitionTime } of status.conditions) {
    if (KUBELETS_OWN.has(type)) consider(lastTransitionTime);
  }
  for (const { finishedAt } of status.terminations) consider(finishedAt);
  return found;
}

export function isTerminal(pod: ObservedPod): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

/** It is to be deleted, or terminal. */
export function hasBegunToEnd(pod: ObservedPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined || isTerminal(pod);
}

/** A time that is one, and not of the future. */
export function isPossible(time: number | undefined, at: EpochMillis): time is number {
  return time !== undefined && Number.isFinite(time) && time > 0 && time <= at + TOLERATED_SKEW_MS;
}

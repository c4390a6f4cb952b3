// What a pod object itself says about when things happened. Times in objects have whole seconds and come from other
// clocks (kubelet, API server): they bound, they do not decide.
import { type EpochMillis, epochMillis, latest } from '../model/time.ts';
import type { ObservedPod } from './observation.ts';

/** Times in objects are cut to whole seconds: the truth lies up to this much later. */
export const RESOLUTION_MS = 1000;
/** A time further in the future than this is a wrong clock, not evidence. */
export const TOLERATED_SKEW_MS = 2000;

/** When the sandbox and its network came up, to the second; undefined before, or on kubelets that do not tell. */
export function networkReadyAt(pod: ObservedPod): EpochMillis | undefined {
  for (const condition of pod.status.conditions) {
    if (condition.type !== 'PodReadyToStartContainers' || condition.status !== 'True') continue;
    return condition.lastTransitionTime === undefined ? undefined : epochMillis(condition.lastTransitionTime);
  }
  return undefined;
}

/** When the sandbox was lost, to the second, if it is lost now. */
export function networkLostAt(pod: ObservedPod): EpochMillis | undefined {
  for (const condition of pod.status.conditions) {
    if (condition.type !== 'PodReadyToStartContainers' || condition.status !== 'False') continue;
    return condition.lastTransitionTime === undefined ? undefined : epochMillis(condition.lastTransitionTime);
  }
  return undefined;
}

/** When the last container ended: the address was needed until then. */
export function lastFinishedAt(pod: ObservedPod): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const { current, finishedAt } of pod.status.terminations) {
    if (current && finishedAt !== undefined) found = latest(found, epochMillis(finishedAt));
  }
  return found;
}

/**
 * The latest time that the object mentions: this version of it was written no earlier. Times past `now` are left out,
 * a deletion's too: its timestamp is when the grace period ends.
 */
export function writtenNotBefore(pod: ObservedPod, now: EpochMillis): EpochMillis | undefined {
  const { metadata, status } = pod;
  const limit = now + TOLERATED_SKEW_MS;
  let found: EpochMillis | undefined;
  const consider = (time: number | undefined): void => {
    if (time !== undefined && time <= limit) found = latest(found, epochMillis(time));
  };
  consider(metadata.creationTimestamp);
  if (metadata.deletionTimestamp !== undefined) {
    consider(metadata.deletionTimestamp - (metadata.deletionGracePeriodSeconds ?? 0) * 1000);
  }
  consider(status.startTime);
  for (const condition of status.conditions) consider(condition.lastTransitionTime);
  for (const termination of status.terminations) consider(termination.finishedAt);
  return found;
}

export function isTerminal(pod: ObservedPod): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

// Pods whose object is gone, or that somebody else than their kubelet ended: how long their network may stand on. Pure.
import type { Going } from '../model/fact.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { networkReadyAt } from './evidence.ts';
import { MIRROR_RETURN_MS, PULL_MS } from './measured-limits.ts';
import { mirrorOf } from './mirror.ts';
import type { ObservedPod } from './observation.ts';
import type { ObservationContext } from './observation-context.ts';

export function goingOf(
  why: Going['why'],
  pod: ObservedPod | undefined,
  { at, resourceVersion, node }: ObservationContext,
  graceUntil: EpochMillis | undefined,
  hasShown: boolean,
): Going {
  // Neither a kill that is under way can be shortened, nor an image pull. A pod that has shown its address pulls none: its
  // kubelet has come back from its first look.
  const isPulling = pod !== undefined && !hasShown && node?.kubelet?.hasImages(pod.status.images) !== true;
  const pull = isPulling ? at + Math.max(PULL_MS, at - pullSince(pod, at)) : at;
  const again = pod !== undefined && mirrorOf(pod) !== undefined ? at + MIRROR_RETURN_MS : at;
  return { why, since: at, resourceVersion, notBefore: epochMillis(Math.max(at, pull, again, graceUntil ?? at)) };
}

function pullSince(pod: ObservedPod, at: EpochMillis): number {
  return networkReadyAt(pod) ?? pod.status.startTime ?? at;
}

/** When the grace ends that a deletion was given; undefined without one. */
export function graceOf({ metadata }: ObservedPod): EpochMillis | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp === undefined || deletionGracePeriodSeconds <= 0
    ? undefined
    : epochMillis(deletionTimestamp);
}

/** Gone by then, if its kubelet was there at `lived`. */
export function releaseOf({ notBefore }: Going, lived: EpochMillis, takes: number): EpochMillis {
  return epochMillis(Math.max(lived, notBefore) + takes);
}

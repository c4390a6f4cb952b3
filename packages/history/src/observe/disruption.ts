// The DisruptionTarget of a pod: somebody is about to end it, and why. The first one is remembered until the end begins,
// across restarts: a later one replaces its reason in the object. The traces of causes read it; it decides no tenure.
import type { Provenance } from '../model/boundary.ts';
import { cut } from '../model/evidence.ts';
import { firstSeenIn } from '../model/first-seen.ts';
import type { Reason } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { credible, hasBegunToEnd, isPossible } from './evidence.ts';
import type { ObservedPod } from './observation.ts';

type Sighting = Pick<Provenance, 'epoch' | 'resourceVersion' | 'source' | 'observedAt'>;

/** `before`: the one that was remembered. One that is reset before an end does not count. */
export function firstDisruptionOf(
  before: Reason | undefined,
  pod: ObservedPod,
  sighting: Sighting,
  isEnding = hasBegunToEnd(pod),
): Reason | undefined {
  const shown = disruptionOf(pod, sighting.observedAt);
  if (shown === undefined && !isEnding) return undefined;
  return before ?? (shown && { ...shown, seenAt: sighting.observedAt, seenIn: firstSeenIn(undefined, sighting) });
}

/** Once the end has begun, its life is stored with it. */
export function awaitedDisruption(
  before: Reason | undefined,
  pod: ObservedPod,
  sighting: Sighting,
): Reason | undefined {
  return hasBegunToEnd(pod) ? undefined : firstDisruptionOf(before, pod, sighting);
}

/** One that holds now. */
function disruptionOf(pod: ObservedPod, at: EpochMillis): Reason | undefined {
  const found = pod.status.conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (found === undefined) return undefined;
  const { reason = '', message, lastTransitionTime: since } = found;
  const when = isPossible(since, at) ? credible(pod, epochMillis(since), at) : undefined;
  return { reason, message: cut(message), at: when ?? at };
}

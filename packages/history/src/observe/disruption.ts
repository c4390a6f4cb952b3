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

/**
 * `before`: the one that was remembered. One that is reset before an end does not count: the disruption controller does that
 * after two minutes without a deletion, and the next condition has a time of its own, by which a reset shows that nobody saw.
 */
export function firstDisruptionOf(
  before: Reason | undefined,
  pod: ObservedPod,
  sighting: Sighting,
  isEnding = hasBegunToEnd(pod),
): Reason | undefined {
  const found = conditionOf(pod);
  if (found === undefined) return isEnding ? before : undefined;
  if (found.status !== 'True') return undefined;
  const { observedAt: at } = sighting;
  const since = found.lastTransitionTime;
  const isLater = before !== undefined && isPossible(since, at) && since >= before.at + RESET_AFTER_MS;
  if (before !== undefined && !isLater) return before;
  return { ...disruptionOf(pod, found, at), seenAt: at, seenIn: firstSeenIn(undefined, sighting) };
}

/** Two minutes by the clock of the controller, less what clocks differ. */
const RESET_AFTER_MS = 115_000;

/** Once the end has begun, its life is stored with it. */
export function awaitedDisruption(
  before: Reason | undefined,
  pod: ObservedPod,
  sighting: Sighting,
): Reason | undefined {
  return hasBegunToEnd(pod) ? undefined : firstDisruptionOf(before, pod, sighting);
}

type Condition = ObservedPod['status']['conditions'][number];

function conditionOf({ status }: ObservedPod): Condition | undefined {
  return status.conditions.find(({ type }) => type === 'DisruptionTarget');
}

function disruptionOf(pod: ObservedPod, found: Condition, at: EpochMillis): Reason {
  const { reason = '', message, lastTransitionTime: since } = found;
  const when = isPossible(since, at) ? credible(pod, epochMillis(since), at) : undefined;
  return { reason, message: cut(message), at: when ?? at };
}

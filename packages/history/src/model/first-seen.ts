// In which version of a pod something was first seen, and the order of two of them. Called where lives are merged and where
// causes are judged.
import type { Provenance } from './boundary.ts';
import type { FirstSeen } from './pod-life.ts';
import { compareVersions } from './version-order.ts';

/** Of a record that does not say it of its own: the version that the record is of. */
export function firstSeenIn(
  seenIn: FirstSeen | undefined,
  { epoch, resourceVersion, source }: Pick<Provenance, 'epoch' | 'resourceVersion' | 'source'>,
): FirstSeen {
  return seenIn ?? { epoch, resourceVersion, ...(source === 'watch' ? {} : { listed: true as const }) };
}

/** Negative: `a` was seen in an earlier version than `b`. */
export function compareFirstSeen(a: FirstSeen, b: FirstSeen): number {
  return a.epoch - b.epoch || compareVersions(a.resourceVersion, b.resourceVersion);
}

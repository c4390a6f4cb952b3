// Earlier builds put a finalizer on PodTrackers that had slices or ConfigMaps. Nobody but us would take it off, and a
// deletion waits until somebody does. Called by each pass; nothing puts it on any more (docs/adr/20261115-no-finalizer.md).
import type { PodTracker } from '../crds/podtracker.ts';

const OLD_FINALIZER = 'podtrail.dev/cleanup';

export function hasOldFinalizer({ metadata }: PodTracker): boolean {
  return metadata.finalizers?.includes(OLD_FINALIZER) === true;
}

/** The whole list, as a merge patch needs it: what others put there stays. */
export function withoutOldFinalizer({ metadata }: PodTracker): string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== OLD_FINALIZER);
}

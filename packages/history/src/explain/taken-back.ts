// A controller removed a pod and made it again: whether it was changed before that, and what of it was taken back or changed once
// more until the next pod came. Called by the checks of StatefulSets and DaemonSets, whose next pod has its place.
import type { Evidence } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { isSameRevision } from './siblings.ts';
import { CLOCK_SLACK_MS, isWrittenBefore, isWrittenLater, latestEnd, MINUTE_MS, ofKind } from './traces.ts';

/** They remove one pod after the other, each when those before it are ready again. */
const CHANGED_BEFORE_MS = 10 * MINUTE_MS;

/** Its controller was changed before the pod began to end, and again before its next came; empty where it was not. */
export function changedAndBack(known: Case, next: PodLife): Evidence[] {
  const changes = changesUntil(known, next);
  const before = changes.findLast((one) => isWrittenBefore(known, one));
  const back = changes.find((one) => isWrittenLater(known, one));
  return before === undefined || back === undefined ? [] : [before, back];
}

function changesUntil(known: Case, next: PodLife): Evidence[] {
  return ofKind(known.owner, 'revision').filter(
    // A change has the time when it was observed, which may be late; the next has whole seconds.
    ({ at }) => at >= known.endedAt - CHANGED_BEFORE_MS && at < next.created + CLOCK_SLACK_MS,
  );
}

export interface Update {
  /** `either`: it was changed before the end and after it; the next is of what it was changed to last. */
  readonly was: 'before' | 'either' | 'after';
  readonly changes: readonly Evidence[];
}

/** When its controller was changed to the revision of the next pod: before it removed this one, or after. */
export function updateTo(known: Case, next: PodLife): Update {
  const changes = changesUntil(known, next);
  const isLater = (one: Evidence) =>
    isWrittenLater(known, one) || (!isWrittenBefore(known, one) && one.at > latestEnd(known) + CLOCK_SLACK_MS);
  const after = changes.filter(isLater);
  if (after.length === 0) return { was: 'before', changes: [] };
  const before = changes.filter((one) => !isLater(one));
  return { was: before.length > 0 || isUpdating(known, next) ? 'either' : 'after', changes: [...before, ...after] };
}

/** An update had been going on for longer: another pod was of another revision already. */
function isUpdating({ life, siblings, endedAt }: Case, next: PodLife): boolean {
  return siblings.some(
    (one) =>
      one !== next &&
      one.owner?.uid === life.owner?.uid &&
      !isSameRevision(one, life) &&
      one.created >= life.created &&
      one.created <= endedAt,
  );
}

/** Another pod of its controller was made of another revision before its next came. */
export function hasOtherRevision({ life, siblings, endedAt }: Case, next: PodLife): boolean {
  return siblings.some(
    (one) =>
      one.owner?.uid === life.owner?.uid &&
      !isSameRevision(one, life) &&
      one.created >= Math.max(life.created, endedAt - CHANGED_BEFORE_MS) &&
      one.created <= next.created,
  );
}

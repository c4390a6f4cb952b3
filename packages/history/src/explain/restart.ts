// Whether a newer revision is a restart. `kubectl rollout restart` writes its time into the template, where it stays: a revision
// that comes after a restart has it, too. Called by the checks of Deployments, StatefulSets and DaemonSets.
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { isSameRevision, revisionNumber } from './siblings.ts';
import { isWrittenLater, MINUTE_MS, ofKind } from './traces.ts';

/** `either`: a restart, or a revision that came right after one, of which no pod was seen. */
export type Restart = 'yes' | 'no' | 'either';

/** For the sentence of an inferred verdict. */
export const OR_AFTER_RESTART = ' that came after one';

export function restart(known: Case, next: PodLife): Restart {
  if (!isLaterTime(known.life, next)) return 'no';
  const between = known.siblings.filter((one) => isBetween(known, one, next));
  if (between.some(({ restartedAt }) => restartedAt === next.restartedAt)) return 'no';
  return hasUnseen(known, next, between) ? 'either' : 'yes';
}

/** A later time than this pod's own. */
function isLaterTime({ restartedAt: own }: PodLife, { restartedAt }: PodLife): boolean {
  if (restartedAt === undefined || restartedAt === own) return false;
  return own === undefined || Date.parse(restartedAt) > Date.parse(own);
}

/** A pod of a revision that came after this one's and before the next: by the numbers of ReplicaSets, else by its creation. */
function isBetween(known: Case, one: PodLife, next: PodLife): boolean {
  if (isSameRevision(one, known.life) || isSameRevision(one, next)) return false;
  const [own, its, last] = [known.life, one, next].map(({ owner }) => revisionNumber(known, owner?.uid));
  if (own !== undefined && its !== undefined && last !== undefined) return own < its && its < last;
  return one.created >= known.life.created && one.created <= next.created;
}

/** There was a revision between the two of which nobody saw a pod. */
function hasUnseen(known: Case, next: PodLife, between: readonly PodLife[]): boolean {
  const [own, last] = [known.life, next].map(({ owner }) => revisionNumber(known, owner?.uid));
  if (own === undefined || last === undefined)
    return known.life.owner?.uid === next.owner?.uid && isChangedTwice(known);
  const seen = new Set(between.map(({ owner }) => owner?.uid));
  return ofKind([...known.owner, ...known.workload], 'created', 'revision', 'owned').some(({ about, reason }) => {
    if (about.kind !== 'ReplicaSet' || seen.has(about.uid) || about.uid === next.owner?.uid) return false;
    return Number(reason) > own && Number(reason) < last && about.uid !== known.life.owner?.uid;
  });
}

/** Of StatefulSets and DaemonSets only that they were changed is known. */
function isChangedTwice(known: Case): boolean {
  const from = Math.max(known.life.created, known.endedAt - CHANGED_WITHIN_MS);
  const changes = ofKind(known.owner, 'revision').filter((one) => one.at > from && !isWrittenLater(known, one));
  return new Set(changes.map(({ id }) => id)).size > 1;
}

const CHANGED_WITHIN_MS = 10 * MINUTE_MS;

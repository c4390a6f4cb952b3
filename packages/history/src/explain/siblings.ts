// What the other pods of a workload say about the end of one: who came after it, and whether a newer revision grows.
import type { Evidence } from '../model/evidence.ts';
import { compareFirstSeen, firstSeenIn } from '../model/first-seen.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { foreignController } from './going.ts';
import {
  endOf,
  events,
  isWrittenBefore,
  isWrittenLater,
  latestEnd,
  MINUTE_MS,
  namesPod,
  ofKind,
  SECOND_MS,
} from './traces.ts';

/** A rollout waits for new pods to become ready before it ends old ones, ten minutes by default. */
const GROWS_WITHIN_MS = 60 * MINUTE_MS;

/** A controller that replaces a pod does so as soon as it is gone. */
const REPLACED_WITHIN_MS = MINUTE_MS;

/**
 * The newest pod of another revision, if that revision is growing at the expense of this pod's: its pods are made before
 * the old ones end, or, where there is no room for more, right after.
 */
export function newerRevision(known: Case): PodLife | undefined {
  const { life, endedAt } = known;
  const others = known.siblings.filter(
    (one) => !isSameRevision(one, life) && one.created >= life.created && isNewer(known, one),
  );
  const near = others.filter(
    ({ created }) => created <= latestEnd(known) + 2 * SECOND_MS && created >= endedAt - GROWS_WITHIN_MS,
  );
  // A rollout that another one follows at once ended it for the revision that was there then.
  const before = near.findLast((one) => !isMadeLater(known, one)) ?? near[0];
  if (before !== undefined) return before;
  const after = others.find(({ created }) => created > endedAt && created <= replacedBy(known));
  if (after === undefined) return undefined;
  return isAnnounced(known, after) || areAllGone(known, after.created) ? after : undefined;
}

/** The pod that its owner made in its place, of the same revision. */
export function sameRevisionReplacement(known: Case): PodLife | undefined {
  return known.siblings.find(
    (one) =>
      isSameRevision(one, known.life) && one.created >= known.endedAt - SECOND_MS && one.created <= replacedBy(known),
  );
}

/** The next pod of the same name: what a StatefulSet makes. */
export function sameName(known: Case): PodLife | undefined {
  const { name, namespace } = known.life.pod;
  return nextOf(known, ({ pod }) => pod.name === name && pod.namespace === namespace);
}

/** The next pod of the same DaemonSet on the same node; with a surge it comes before this one ends. */
export function sameNode(known: Case): PodLife | undefined {
  const { node } = known.life.pod;
  // Those that no node took are each for a node of their own.
  return nextOf(known, ({ pod }) => node !== '' && pod.node === node);
}

/** Of several that were created within a second, the one whose last version is the first. */
function nextOf(known: Case, isInItsPlace: (other: PodLife) => boolean): PodLife | undefined {
  const [first, ...more] = known.siblings.filter((one) => isInItsPlace(one) && isNext(known, one));
  const inVersion = (one: PodLife) => firstSeenIn(undefined, one);
  return more
    .filter(({ created }) => created === first?.created)
    .reduce((next, one) => (next && compareFirstSeen(inVersion(one), inVersion(next)) < 0 ? one : next), first);
}

/**
 * Created later. Of those of one name that were created in the same second, one that was seen in later versions: a name is
 * free when the one before is gone. Of others, and where versions do not say it, one that did not end before.
 */
export function isNext({ life, endedAt }: Pick<Case, 'life' | 'endedAt'>, other: PodLife): boolean {
  if (other.pod.uid === life.pod.uid || other.created < life.created) return false;
  if (other.created > life.created) return true;
  const isSameName = other.pod.name === life.pod.name;
  const order = isSameName ? compareFirstSeen(firstSeenIn(undefined, other), firstSeenIn(undefined, life)) : 0;
  if (order !== 0) return order > 0;
  const end = endOf(other);
  if (end !== endedAt) return end === undefined || end > endedAt;
  const [own, its] = [life.deletion?.seenIn, other.deletion?.seenIn];
  return own !== undefined && its !== undefined && compareFirstSeen(its, own) > 0;
}

export function isReplacedInTime(known: Case, next: PodLife): boolean {
  return next.created <= replacedBy(known);
}

/** Nobody took its place in that time, as far as the ledger reaches: one may still come. */
export function mayStillBeReplaced(known: Case): boolean {
  return known.knownUntil !== undefined && known.knownUntil <= replacedBy(known);
}

export function isSameRevision(a: PodLife, b: PodLife): boolean {
  if (a.revision !== undefined && b.revision !== undefined) return a.revision === b.revision;
  return a.owner?.uid === b.owner?.uid;
}

function replacedBy(known: Case): number {
  return Math.max(known.life.gone ?? known.endedAt, latestEnd(known)) + REPLACED_WITHIN_MS;
}

/**
 * A ReplicaSet's revision counts up, also when a rollout goes back to an old template. Where the numbers are not known, a
 * revision that had pods before this one's did is newer only if the owner said that it removed the pod: an old pod that
 * was evicted in the middle of a rollout is made again, too.
 */
function isNewer(known: Case, other: PodLife): boolean {
  const own = revisionNumber(known, known.life.owner?.uid);
  const others = revisionNumber(known, other.owner?.uid);
  if (own !== undefined && others !== undefined) return others > own;
  const isNamed = events(known.owner, 'SuccessfulDelete').some((one) => namesPod(one, known));
  return isNamed || firstOf(known, other) >= firstOf(known, known.life);
}

function firstOf({ siblings, life }: Case, revision: PodLife): number {
  const same = [life, ...siblings].filter((one) => isSameRevision(one, revision));
  return Math.min(...same.map(({ created }) => created));
}

/**
 * The number of the revision of a ReplicaSet when the pod began to end, else the first that it got afterwards: a rollout that
 * is undone right after gives the old ReplicaSet a new one. Undefined where nobody says.
 */
export function revisionNumber(known: Case, replicaSet: string | undefined): number | undefined {
  // Those of other controllers have only their generation there.
  if (foreignController(known) !== undefined) return undefined;
  // Once a day it is said whose a ReplicaSet is, with its number.
  return numberThen(
    known,
    ofKind([...known.owner, ...known.workload], 'revision', 'owned').filter(
      ({ about }) => about.kind === 'ReplicaSet' && about.uid === replicaSet,
    ),
  );
}

/** The number of the newest revision of its Deployment, if that is newer than its own: whether that has pods or not. */
export function announcedRevision(known: Case): number | undefined {
  const { workload } = known.life.pod;
  const own = revisionNumber(known, known.life.owner?.uid);
  if (own === undefined) return undefined;
  return numberThen(
    known,
    ofKind(known.workload, 'revision').filter(
      ({ about, reason }) => about.kind === workload?.kind && about.name === workload.name && Number(reason) > own,
    ),
  );
}

function numberThen(known: Case, found: readonly Evidence[]): number | undefined {
  const numbers = found.filter(({ at, reason }) => /^\d+$/.test(reason) && at <= replacedBy(known));
  const then = numbers.filter(
    (one) => isWrittenBefore(known, one) || (one.at <= latestEnd(known) && !isWrittenLater(known, one)),
  );
  if (then.length > 0) return Math.max(...then.map(({ reason }) => Number(reason)));
  return numbers.length === 0 ? undefined : Math.min(...numbers.map(({ reason }) => Number(reason)));
}

/** Its ReplicaSet was made after the pod had begun to end. */
function isMadeLater(known: Case, { owner }: PodLife): boolean {
  const about = [...known.owner, ...known.workload].filter(
    (one) => one.what !== 'event' && one.about.uid === owner?.uid,
  );
  return about.length > 0 && about.every((one) => isWrittenLater(known, one));
}

/** Its ReplicaSet was there before the pod ended. */
function isAnnounced(known: Case, { owner }: PodLife): boolean {
  return known.workload.some(
    ({ what, about, at }) =>
      (what === 'created' || what === 'revision') && about.uid === owner?.uid && at <= latestEnd(known) + 2 * SECOND_MS,
  );
}

/** Nothing of its revision lives on: all of them were ended first. */
function areAllGone({ life, siblings }: Case, at: number): boolean {
  return siblings.every((one) => {
    if (!isSameRevision(one, life)) return true;
    const end = endOf(one);
    return end !== undefined && end <= at;
  });
}

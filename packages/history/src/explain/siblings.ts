// What the other pods of a workload say about the end of one: who came after it, and whether a newer revision grows.
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { endOf, events, latestEnd, MINUTE_MS, namesPod, SECOND_MS } from './traces.ts';

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
  const before = others.findLast(
    ({ created }) => created <= latestEnd(known) + 2 * SECOND_MS && created >= endedAt - GROWS_WITHIN_MS,
  );
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
  return known.siblings.find((one) => one.pod.name === name && one.pod.namespace === namespace && isNext(known, one));
}

/** The next pod of the same DaemonSet on the same node; with a surge it comes before this one ends. */
export function sameNode(known: Case): PodLife | undefined {
  return known.siblings.find((one) => one.pod.node === known.life.pod.node && isNext(known, one));
}

/** Created later; of those created in the same second, one that did not end before. */
function isNext({ life, endedAt }: Case, other: PodLife): boolean {
  if (other.pod.uid === life.pod.uid || other.created < life.created) return false;
  const end = endOf(other);
  return other.created > life.created || end === undefined || end > endedAt;
}

export function isReplacedInTime(known: Case, next: PodLife): boolean {
  return next.created <= replacedBy(known);
}

/** `kubectl rollout restart` writes the time into the template: a later one than this pod's own. */
export function isRestart({ life }: Case, next: PodLife): boolean {
  if (next.restartedAt === undefined || next.restartedAt === life.restartedAt) return false;
  return life.restartedAt === undefined || Date.parse(next.restartedAt) > Date.parse(life.restartedAt);
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

/** The number of the revision of a ReplicaSet, as it was then; undefined where nobody says. */
export function revisionNumber(known: Case, replicaSet: string | undefined): number | undefined {
  const said = [...known.owner, ...known.workload].filter(
    ({ what, about, at, reason }) =>
      // Once a day it is said whose a ReplicaSet is, with its number.
      (what === 'revision' || what === 'owned') &&
      about.kind === 'ReplicaSet' &&
      about.uid === replicaSet &&
      at <= replacedBy(known) &&
      /^\d+$/.test(reason),
  );
  return said.length === 0 ? undefined : Math.max(...said.map(({ reason }) => Number(reason)));
}

/** The number of the newest revision of its Deployment, if that is newer than its own: whether that has pods or not. */
export function announcedRevision(known: Case): number | undefined {
  const { workload } = known.life.pod;
  const own = revisionNumber(known, known.life.owner?.uid);
  const said = known.workload.filter(
    ({ what, about, at, reason }) =>
      what === 'revision' &&
      about.kind === workload?.kind &&
      about.name === workload.name &&
      at <= replacedBy(known) &&
      /^\d+$/.test(reason),
  );
  const newest = said.length === 0 ? undefined : Math.max(...said.map(({ reason }) => Number(reason)));
  return own !== undefined && newest !== undefined && newest > own ? newest : undefined;
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

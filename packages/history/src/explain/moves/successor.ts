// Which pod took the place of one that ended. Pure. The rules, by what is the same of the two:
// - StatefulSets and static pods: the name. DaemonSets: the node. Indexed Jobs: the index. Only one pod can be that: certain.
// - Every other controller makes a replacement after the predecessor began to end. Ends and replacements are matched one
//   to one in the order of time; in a rollout, the pods of the newer revision in the order of their creation. Certain
//   only where one candidate and one predecessor are possible, and the candidate came within a minute.
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { isNext, isReplacedInTime, isSameRevision, newerRevision } from '../siblings.ts';
import { endOf, events, MINUTE_MS } from '../traces.ts';
import { inOrderOfEnd, mayReplace, takerOf } from './replacements.ts';

export interface Successor {
  readonly life: PodLife;
  readonly certainty: Verdict['certainty'];
}

/** Most wait for nothing. One that comes later may be there because the workload was scaled up meanwhile. */
const CERTAIN_WITHIN_MS = MINUTE_MS;

/** Nobody takes the place of these. */
const WITHOUT: ReadonlySet<Cause> = new Set<Cause>([
  ...(['ScaledDown', 'OwnerDeleted', 'NamespaceDeleted', 'JobCompleted', 'JobDeadline', 'Suspended'] as const),
]);

const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

const ROLLOUTS: ReadonlySet<Cause> = new Set<Cause>(['Rollout', 'Restarted']);

/** Somebody takes its place, now or later. */
export function mayBeReplaced({ life }: Pick<Case, 'life'>, { cause }: Pick<Verdict, 'cause'>): boolean {
  return !WITHOUT.has(cause) && (life.owner !== undefined || life.isMirror);
}

export function successorOf(known: Case, verdict: Verdict): Successor | undefined {
  const { life } = known;
  const { cause } = verdict;
  const isSame = identityOf(life);
  const isReplaced = mayBeReplaced(known, verdict);
  if (isSame !== undefined) {
    const one = next(known, isSame);
    // Scaled down and up again within a minute: it was away, and is back. One that comes later was not waited for.
    const isBack = cause === 'ScaledDown' && one !== undefined && isReplacedInTime(known, one);
    return isReplaced || isBack ? certainly(one) : undefined;
  }
  if (!isReplaced) return undefined;
  const index = indexOf(life);
  if (index !== undefined) return ofIndex(known, index);
  return ROLLOUTS.has(cause) ? ofNewerRevision(known) : replacement(known);
}

function indexOf({ owner, labels }: PodLife): string | undefined {
  return owner?.kind === 'Job' ? labels?.[COMPLETION_INDEX] : undefined;
}

/** A Job has one pod of an index at a time. One whose labels were not kept, or not all of them, may be of any index. */
function ofIndex(known: Case, index: string): Successor | undefined {
  const ofOwner = known.siblings.filter((one) => one.owner?.uid === known.life.owner?.uid);
  const life = ofOwner.find((one) => indexOf(one) === index && isNext(known, one));
  if (life !== undefined) return certainly(life);
  const found = replacement({ ...known, siblings: ofOwner.filter((one) => indexOf(one) === undefined) });
  return found && { ...found, certainty: 'inferred' };
}

function certainly(life: PodLife | undefined): Successor | undefined {
  return life && { life, certainty: 'certain' };
}

/** What its next has in common with it; undefined where another pod may be its next. */
function identityOf({ owner, isMirror }: PodLife): IsSame | undefined {
  if (owner?.kind === 'StatefulSet' || isMirror) return isSameName;
  return owner?.kind === 'DaemonSet' ? isSameNode : undefined;
}

type IsSame = (other: PodLife, life: PodLife) => boolean;

const isSameName: IsSame = (other, { pod }) => other.pod.name === pod.name && other.pod.namespace === pod.namespace;

/** Those that no node took are each for a node of their own. */
const isSameNode: IsSame = (other, { pod }) => pod.node !== '' && other.pod.node === pod.node;

function next(known: Case, isSame: IsSame): PodLife | undefined {
  return known.siblings.find((other) => isSame(other, known.life) && isNext(known, other));
}

/** A rollout may make new pods before it ends old ones: the first that ends goes with the first that was made. */
function ofNewerRevision(known: Case): Successor | undefined {
  const newer = newerRevision(known);
  if (newer === undefined) return undefined;
  const made = known.siblings.filter((one) => isSameRevision(one, newer) && one.created >= known.life.created);
  const begun = Math.min(known.endedAt, made[0]?.created ?? known.endedAt);
  // Who ended before the rollout was replaced by its own owner.
  const old = known.siblings.filter((one) => isSameRevision(one, known.life) && (endOf(one) ?? 0) >= begun);
  const ended = inOrderOfEnd([known.life, ...old]);
  const life = made[ended.findIndex((one) => one.life === known.life)];
  return life && { life, certainty: made.length === 1 && ended.length === 1 ? 'certain' : 'inferred' };
}

function replacement(known: Case): Successor | undefined {
  const ofOwner = known.siblings.filter(({ owner }) => owner?.uid === known.life.owner?.uid);
  const removed = removedNames(known);
  const ended = inOrderOfEnd([known.life, ...ofOwner.filter(({ pod }) => !removed.has(pod.name))]);
  const own = ended.find(({ life }) => life === known.life);
  const life = takerOf(known.life, ended, ofOwner);
  if (own === undefined || life === undefined) return undefined;
  const isOnly = ofOwner.filter((other) => mayReplace(other, own)).length === 1;
  const isClaimedOnce = ended.filter((one) => mayReplace(life, one)).length === 1;
  return { life, certainty: isOnly && isClaimedOnce && isSoon(life, known.life) ? 'certain' : 'inferred' };
}

function isSoon(other: PodLife, life: PodLife): boolean {
  const end = endOf(life) ?? 0;
  return other.created <= Math.max(end, life.gone ?? end) + CERTAIN_WITHIN_MS;
}

/** The pods of which its owner wanted one less: nothing replaces them. */
function removedNames({ owner }: Case): ReadonlySet<string> {
  return new Set(events(owner, 'SuccessfulDelete').flatMap(({ message }) => message.split(/[\s:]+/)));
}

// Which pod took the place of one that ended. Pure. The rules, by what is the same of the two:
// - StatefulSets and static pods: the name. DaemonSets: the node. Only one pod can be that: certain.
// - Every other controller makes a replacement after the predecessor began to end. Ends and replacements are matched one
//   to one in the order of time; in a rollout, the pods of the newer revision in the order of their creation. Certain
//   only where one candidate and one predecessor are possible.
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { isSameRevision, newerRevision } from '../siblings.ts';
import { endOf, events, MINUTE_MS, SECOND_MS } from '../traces.ts';

export interface Successor {
  readonly life: PodLife;
  readonly certainty: Verdict['certainty'];
}

/** A controller may have to wait for quota or for its own turn. */
const REPLACED_WITHIN_MS = 15 * MINUTE_MS;

/** Nobody takes the place of these. */
const WITHOUT: ReadonlySet<Cause> = new Set<Cause>([
  ...(['ScaledDown', 'OwnerDeleted', 'NamespaceDeleted', 'JobCompleted', 'JobDeadline', 'Suspended'] as const),
]);

const ROLLOUTS: ReadonlySet<Cause> = new Set<Cause>(['Rollout', 'Restarted']);

/** Somebody takes its place, now or later. */
export function mayBeReplaced({ life }: Pick<Case, 'life'>, { cause }: Pick<Verdict, 'cause'>): boolean {
  return !WITHOUT.has(cause) && (life.owner !== undefined || life.isMirror);
}

export function successorOf(known: Case, verdict: Verdict): Successor | undefined {
  const { life } = known;
  const { cause } = verdict;
  if (!mayBeReplaced(known, verdict)) return undefined;
  if (life.owner?.kind === 'StatefulSet' || life.isMirror) return certainly(next(known, isSameName));
  if (life.owner?.kind === 'DaemonSet') return certainly(next(known, ({ pod }) => pod.node === life.pod.node));
  return ROLLOUTS.has(cause) ? ofNewerRevision(known) : replacement(known);
}

function certainly(life: PodLife | undefined): Successor | undefined {
  return life && { life, certainty: 'certain' };
}

type IsSame = (other: PodLife, life: PodLife) => boolean;

const isSameName: IsSame = (other, { pod }) => other.pod.name === pod.name && other.pod.namespace === pod.namespace;

function next({ life, siblings }: Case, isSame: IsSame): PodLife | undefined {
  return siblings.find(
    (other) => isSame(other, life) && other.pod.uid !== life.pod.uid && other.created >= life.created,
  );
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
  const life = made[ended.indexOf(known.life)];
  return life && { life, certainty: made.length === 1 && ended.length === 1 ? 'certain' : 'inferred' };
}

function replacement(known: Case): Successor | undefined {
  const ofOwner = known.siblings.filter(({ owner }) => owner?.uid === known.life.owner?.uid);
  const ended = inOrderOfEnd([known.life, ...ofOwner.filter((one) => !isRemoved(known, one))]);
  const free = [...ofOwner];
  const claims = ended.map((life) => {
    const candidates = free.filter((other) => mayReplace(other, life));
    const [taken] = candidates;
    if (taken !== undefined) free.splice(free.indexOf(taken), 1);
    return { life, taken };
  });
  const taken = claims.find(({ life }) => life === known.life)?.taken;
  if (taken === undefined) return undefined;
  const isOnly = ofOwner.filter((other) => mayReplace(other, known.life)).length === 1;
  const isClaimedOnce = ended.filter((life) => mayReplace(taken, life)).length === 1;
  return { life: taken, certainty: isOnly && isClaimedOnce ? 'certain' : 'inferred' };
}

function mayReplace(other: PodLife, life: PodLife): boolean {
  const end = endOf(life);
  if (end === undefined || other.pod.uid === life.pod.uid) return false;
  // Times have a resolution of one second: one that was made within the second of the end may have come before it.
  return other.created >= end - SECOND_MS && other.created <= Math.max(end, life.gone ?? end) + REPLACED_WITHIN_MS;
}

/** Its owner wanted one pod less: nothing replaces it. */
function isRemoved({ owner }: Case, { pod }: PodLife): boolean {
  return events(owner, 'SuccessfulDelete').some(({ message }) => message.split(/[\s:]+/).includes(pod.name));
}

function inOrderOfEnd(lives: readonly PodLife[]): PodLife[] {
  return lives
    .filter((life) => endOf(life) !== undefined)
    .sort((a, b) => (endOf(a) ?? 0) - (endOf(b) ?? 0) || (a.pod.uid < b.pod.uid ? -1 : 1));
}

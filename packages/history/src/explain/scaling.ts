// A workload was scaled down, and by whom: a HorizontalPodAutoscaler says so itself, a person only in the audit log.
import type { Evidence } from '../model/evidence.ts';
import { actorOf, controllerOf, firstDeletion } from './audited.ts';
import type { Case } from './case.ts';
import type { Verdict } from './cause.ts';
import { foreignController } from './going.ts';
import {
  CLOCK_SLACK_MS,
  endOf,
  events,
  isBetween,
  isWrittenBefore,
  isWrittenLater,
  latestEnd,
  MINUTE_MS,
  ofKind,
  SECOND_MS,
} from './traces.ts';
import { certain, inferred } from './verdict.ts';

export function scaledDown(known: Case, certainty: Verdict['certainty'], evidence: readonly Evidence[]): Verdict {
  const { owner, pod } = known.life;
  const kind = pod.workload?.kind ?? owner?.kind ?? 'workload';
  const name = pod.workload?.name ?? owner?.name ?? '';
  const verdict = certainty === 'certain' ? certain : inferred;
  const sentence = `was removed when ${kind} ${name} was scaled down`;
  const by = scaler(known);
  if (by === undefined) return verdict('ScaledDown', `${sentence}.`, evidence);
  return verdict('ScaledDown', `${sentence} by ${by.actor}.`, [...evidence, by.evidence], by.actor);
}

/**
 * Its ReplicaSet removed it. Mostly because that was scaled down; but it also takes over pods without an owner that fit its
 * selector, and removes what is one too many then ("Non-Template Pod acquisitions" in the documents of Kubernetes).
 */
export function removedByReplicaSet(known: Case, evidence: readonly Evidence[]): Verdict {
  const { kind, name } = known.life.owner ?? { kind: 'its owner', name: '' };
  const foreign = foreignController(known);
  if (foreign !== undefined) {
    // It takes pods from one of its ReplicaSets to have more in another one, and writes no number by which that shows.
    const sentence = `was removed by ${kind} ${name} of ${foreign.kind} ${foreign.name}, which was scaled down or rolled out.`;
    return inferred('ScaledDown', sentence, evidence);
  }
  if (isShrunk(known)) return scaledDown(known, 'certain', evidence);
  // Whoever scaled it within the minute may have done so for other pods.
  if (scaler(known) !== undefined) return scaledDown(known, 'inferred', evidence);
  return inferred('ScaledDown', `was removed by ${kind} ${name}, which had more pods than it wanted.`, evidence);
}

/** It was changed right before, and by no rollout. */
function isShrunk(known: Case): boolean {
  const { why, evidence } = lastShrink(known);
  return isShrinking(known) && (why !== 'rolled' || evidence.length === 0);
}

/**
 * Its ReplicaSet was changed, and has removed pods since: its controller does so at once, one pod right after the other. Once it
 * is done, a pod that is removed is one too many for another reason.
 */
export function isShrinking(known: Case): boolean {
  const { endedAt, life, siblings } = known;
  const { evidence } = lastShrink(known);
  const changes = evidence.length === 0 ? changesBefore(known) : evidence;
  const changed = changes.findLast(({ message }) => !CREATED.test(message))?.at;
  if (changed === undefined) return false;
  const ends = siblings
    .flatMap((one) => (one.owner?.uid === life.owner?.uid ? (endOf(one) ?? []) : []))
    .filter((at) => at > changed && at < endedAt);
  let last: number = changed;
  for (const at of [...ends.sort((a, b) => a - b), endedAt]) {
    if (at - last > SHRINKS_WITHIN_MS) return false;
    last = at;
  }
  return true;
}

/** Whoever scaled it down is known: the event of an autoscaler, or the audit log. */
export function hasScaler(known: Case): boolean {
  return scaler(known) !== undefined;
}

const CREATED = /^generation 1(?:,|$)/;

const SHRINKS_WITHIN_MS = 10 * SECOND_MS;

/**
 * Why its ReplicaSet had fewer pods to keep. A Deployment writes into its ReplicaSets how many replicas are wanted in
 * all: whoever scales it changes that number, and a rollout does not.
 */
export function lastShrink(known: Case): {
  readonly why: 'scaled' | 'rolled' | 'either';
  readonly evidence: Evidence[];
} {
  const before = changesBefore(known);
  // Where nobody knows the order: what came within the second in which it was to be deleted may have been before.
  const since = known.endVersion === undefined ? known.endedAt : Number.POSITIVE_INFINITY;
  const then = before.filter(({ at }) => at >= since);
  const last = before.filter(({ at }) => at < since).slice(-1);
  const evidence = [...last, ...then].filter(({ message }) => WANTED.test(message));
  const scaled = evidence.filter(({ message }) => isFewer(message));
  if (scaled.length === 0) return { why: 'rolled', evidence };
  return { why: scaled.length === evidence.length ? 'scaled' : 'either', evidence: scaled };
}

/**
 * Its ReplicaSet was scaled down, and shrank for a rollout right after: its controller removes what is too many by then, and may
 * have seen the last number only.
 */
export function scaledRightBefore(known: Case): Evidence[] {
  return changesBefore(known).filter(({ at, message }) => at >= known.endedAt - CLOCK_SLACK_MS && isFewer(message));
}

/** Of its ReplicaSet, before the pod began to end. */
function changesBefore(known: Case): Evidence[] {
  return ofKind(known.owner, 'revision').filter(
    (one) =>
      isWrittenBefore(known, one) || (one.at < latestEnd(known) + SHRUNK_WITHIN_MS && !isWrittenLater(known, one)),
  );
}

/** Of the second of the end, and as long as the watch of ReplicaSets may be behind. */
const SHRUNK_WITHIN_MS = 1.5 * SECOND_MS;
const WANTED = /, (\d+) replicas desired, (\d+) before$/;

function isFewer(message: string): boolean {
  const [, now, before] = WANTED.exec(message) ?? [];
  return Number(now) < Number(before);
}

interface Scaler {
  readonly actor: string;
  readonly evidence: Evidence;
}

/** Who scaled last, the event of an autoscaler or the audit log: nobody where that was an increase. */
function scaler(known: Case): Scaler | undefined {
  const { endedAt, owner, workload } = known;
  const isThen = (one: Evidence) =>
    isBetween(one, endedAt - MINUTE_MS, endedAt + 10 * SECOND_MS) && isOfLastChange(known, one);
  const rescaled = events([...workload, ...owner], 'SuccessfulRescale').findLast(isThen);
  const asked = lastScaling(known);
  const isAsked = asked !== undefined && isThen(asked.act);
  const isAutoscaler = isAsked && controllerOf(asked.act) === AUTOSCALER;
  if (rescaled !== undefined && (!isAsked || isAutoscaler || rescaled.at >= asked.act.at)) {
    const actor = `HorizontalPodAutoscaler ${rescaled.about.name}`;
    return isDownwards(rescaled) ? { actor, evidence: rescaled } : undefined;
  }
  if (!isAsked || asked.isIncrease) return undefined;
  return { actor: isAutoscaler ? AUTOSCALER : actorOf(asked.act), evidence: asked.act };
}

const AUTOSCALER = 'horizontal-pod-autoscaler';

/** Nobody changed the number since, and where numbers are known, it is the one for which the pod was removed. */
function isOfLastChange(known: Case, act: Evidence): boolean {
  const before = changesBefore(known);
  const isNumbered = before.some(({ message }) => WANTED.test(message));
  // A rollout changes its ReplicaSet, too, and leaves the number as it is.
  const changes = isNumbered ? before.filter(({ message }) => isOther(message)) : before;
  const own = changes.findLastIndex(({ at }) => at <= act.at + CLOCK_SLACK_MS);
  const last = changes.at(-1);
  if (last === undefined) return true;
  const [wanted, asked] = [desiredOf(last), sizeOf(act)];
  if (wanted !== undefined && asked !== undefined && wanted !== asked) return false;
  // Clocks differ: of the first change that is known nobody knows that it came later than the act.
  return Math.max(own, 0) === changes.length - 1;
}

function isOther(message: string): boolean {
  const [, now, before] = WANTED.exec(message) ?? [];
  return now !== before;
}

function desiredOf({ message }: Evidence): number | undefined {
  const [, now] = WANTED.exec(message) ?? [];
  return now === undefined ? undefined : Number(now);
}

/** How many an autoscaler or a request wanted. */
function sizeOf(act: Evidence): number | undefined {
  const size = /^New size: (\d+);/.exec(act.message)?.[1];
  return size === undefined ? replicasOf(act) : Number(size);
}

/**
 * The last audited request that changed the number of its replicas, whoever asked for it. A patch or an update is none: it
 * may be for anything else.
 */
function lastScaling(known: Case): { readonly act: Evidence; readonly isIncrease: boolean } | undefined {
  let last: Evidence | undefined;
  let before: number | undefined;
  let isIncrease = false;
  for (const act of scalings(known)) {
    const to = replicasOf(act);
    // The same number once more changes nothing.
    if (to !== undefined && to === before) continue;
    isIncrease = (to !== undefined && before !== undefined && to > before) || hasGrown(known, act);
    last = act;
    before = to;
  }
  return last === undefined ? undefined : { act: last, isIncrease };
}

function scalings(known: Case): Evidence[] {
  const { life, owner, workload, endedAt } = known;
  // Both are times of API servers, in milliseconds: what was asked for later did not end the pod.
  const until = firstDeletion(known)?.at ?? endedAt + 2 * SECOND_MS;
  const isIts = ({ about: { kind, name } }: Evidence) =>
    [life.owner, life.pod.workload].some((one) => one?.kind === kind && one.name === name);
  const found = ofKind([...workload, ...owner], 'audited').filter(
    (one) => one.reason === 'scale' && isIts(one) && one.at <= until,
  );
  return found.sort((a, b) => a.at - b.at);
}

/** "to 2 replicas", where the log has the body of the request. */
function replicasOf({ message }: Evidence): number | undefined {
  const to = /^to (\d+) replicas/.exec(message)?.[1];
  return to === undefined ? undefined : Number(to);
}

/** More pods of its owner came between the request and the end, or its Deployment reported that more were to come. */
function hasGrown({ life, workload, siblings, endedAt }: Case, act: Evidence): boolean {
  const isSince = (at: number, slack = 0) => at > act.at - slack && at < endedAt;
  const grown = `Scaled up replica set ${life.owner?.name} `;
  const to = ` to ${replicasOf(act)}`;
  return (
    siblings.some(({ owner, created }) => owner?.uid === life.owner?.uid && isSince(created)) ||
    // Events have whole seconds.
    events(workload, 'ScalingReplicaSet').some(
      ({ message, at }) => message.startsWith(grown) && isSince(at, message.endsWith(to) ? SECOND_MS : 0),
    )
  );
}

/** "New size: 2; reason: All metrics below target", or "Current number of replicas above Spec.MaxReplicas". */
function isDownwards({ message }: Evidence): boolean {
  return /below target|above Spec\.MaxReplicas/i.test(message);
}

// Its StatefulSet deleted it: for another revision, because it had failed, or because it has fewer replicas. The event is
// the same; revision, phase and ordinal tell them apart.
import type { Evidence } from '../../model/evidence.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isRefused, OR_DELETED, type OwnerDeletion, ownerDeletion } from '../owner-deletion.ts';
import { OR_AFTER_RESTART, restart } from '../restart.ts';
import { hasScaler, scaledDown } from '../scaling.ts';
import { isReplacedInTime, isSameRevision, mayStillBeReplaced, sameName } from '../siblings.ts';
import { changedAndBack, hasOtherRevision, updateTo } from '../taken-back.ts';
import { isTerminalFirst } from '../terminal.ts';
import {
  CLOCK_SLACK_MS,
  endOf,
  events,
  isAroundEnd,
  isBetween,
  MINUTE_MS,
  namesOne,
  namesPod,
  SECOND_MS,
} from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

export function statefulSet(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner?.kind !== 'StatefulSet') return undefined;
  const name = `StatefulSet ${life.owner.name}`;
  const deletion = ownerDeletion(known);
  const next = sameName(known);
  if (isTerminalFirst(known)) {
    const recreating = events(known.owner, 'RecreatingFailedPod', 'RecreatingTerminatedPod').filter(
      (event) => isAroundEnd(known, event) && namesPod(event, known),
    );
    const evidence = deletion.by === 'owner' ? [...deletion.evidence, ...recreating] : recreating;
    if (evidence.length === 0 && next === undefined) return undefined;
    const verdict = evidence.length > 0 ? certain : inferred;
    return verdict('StatefulSetRecreated', `had ended and was created again by ${name}.`, evidence);
  }
  if (deletion.by === 'others') return undefined;
  const evidence = deletion.by === 'owner' ? deletion.evidence : [];
  const replacement = next !== undefined && isReplacedInTime(known, next) ? next : undefined;
  if (replacement !== undefined && !isSameRevision(replacement, life)) {
    return updated(known, replacement, deletion);
  }
  if (deletion.by === 'owner') {
    if (replacement === undefined) {
      // Only another revision is a reason to make it again: one of the same was scaled down, and up later.
      const isNextLate = next !== undefined && !isSameRevision(next, life);
      return withoutNext(known, { name, isNextLate }, evidence);
    }
    if (hasScaler(known)) return scaledDown(known, 'certain', evidence);
    return madeAgain(known, name, replacement, evidence);
  }
  return deletion.isLost && replacement === undefined && isHighest(known) && !isRefused(known)
    ? scaledDown(known, 'inferred', evidence)
    : undefined;
}

/** Its next is of another revision. */
function updated(known: Case, next: PodLife, deletion: OwnerDeletion): Verdict {
  const name = `StatefulSet ${known.life.owner?.name}`;
  const to = next.revision === undefined ? '' : ` to revision ${next.revision}`;
  if (deletion.by !== 'owner') return updatedTo(known, next, { sentence: `${name}${to}`, or: OR_DELETED }, []);
  const update = updateTo(known, next);
  const cited = [...deletion.evidence, ...update.changes];
  if (update.was === 'after') {
    const of = next.revision === undefined ? 'another revision' : `revision ${next.revision}`;
    return inferred('ScaledDown', `was removed by ${name}, and made again of ${of}, which came later.`, cited);
  }
  const or = update.was === 'either' ? ', or was removed before that to have fewer pods for a while' : undefined;
  return updatedTo(known, next, { sentence: `${name}${to}`, or }, cited);
}

function updatedTo(
  known: Case,
  next: PodLife,
  { sentence, or }: { readonly sentence: string; readonly or: string | undefined },
  evidence: readonly Evidence[],
): Verdict {
  const kind = restart(known, next);
  const [cause, what] =
    kind === 'no' ? (['StatefulSetUpdate', 'an update'] as const) : (['Restarted', 'a restart'] as const);
  const after = kind === 'either' ? `, or in an update${OR_AFTER_RESTART}` : '';
  const verdict = or === undefined && after === '' ? certain : inferred;
  return verdict(cause, `ended in ${what} of ${sentence}${after}${or ?? ''}.`, evidence);
}

/**
 * It removed the pod, and made it again of the same revision. How many pods it wants is not among what is read of it: that it
 * was changed before the pod began to end, and again before the next came, is all that is known.
 */
function madeAgain(known: Case, name: string, next: PodLife, evidence: readonly Evidence[]): Verdict {
  const changes = changedAndBack(known, next);
  if (changes.length === 0) return inferred('StatefulSetRecreated', `was created again by ${name}.`, evidence);
  const cited = [...evidence, ...changes];
  if (hasOtherRevision(known, next)) {
    return inferred('StatefulSetUpdate', `ended in an update of ${name} that was taken back.`, cited);
  }
  const sentence = `was removed by ${name}, to have fewer pods for a while, or for an update that was taken back.`;
  return inferred('ScaledDown', sentence, cited);
}

/** Its next has its name, and comes when it is gone: unless it is refused, by a quota or a rule of its namespace. */
function withoutNext(
  known: Case,
  { name, isNextLate }: { readonly name: string; readonly isNextLate: boolean },
  evidence: readonly Evidence[],
): Verdict {
  const { endedAt, life } = known;
  const until = (life.gone ?? endedAt) + 2 * MINUTE_MS;
  const refused = events(known.owner, 'FailedCreate').find(
    (event) => isBetween(event, endedAt, until) && namesPod(event, known),
  );
  if (refused !== undefined) {
    const sentence = `was removed by ${name}, which could not make it again.`;
    return inferred('StatefulSetUpdate', sentence, [...evidence, refused]);
  }
  const scaled = scaledDown(known, 'certain', evidence);
  // Pods are made again in their order, each when those before it are ready: that may be long after an update began.
  if (isNextLate && scaled.actor === undefined) {
    const sentence = `was removed by ${name}, to have fewer pods or to make it again: its next came more than a minute later.`;
    return inferred('ScaledDown', sentence, evidence);
  }
  if (life.gone !== undefined && scaled.actor !== undefined) return scaled;
  if (life.gone !== undefined && !mayStillBeReplaced(known)) {
    if (areLowerReady(known, life.gone)) return scaled;
    const sentence = `was removed by ${name}, to have fewer pods or to make it again: pods of lower numbers come before it.`;
    return inferred('ScaledDown', sentence, evidence);
  }
  const shows = life.gone === undefined ? 'once it is gone' : 'within a minute after it is gone';
  const sentence = `was removed by ${name}, to have fewer pods or to make it again: that shows ${shows}.`;
  return inferred('ScaledDown', sentence, evidence);
}

/**
 * All pods of lower numbers were ready when its name became free, and went on: then nothing kept its StatefulSet from making it
 * again. Numbers may begin later than with 0.
 */
function areLowerReady(known: Case, free: number): boolean {
  const { life, siblings } = known;
  const own = ordinalOf(life.pod.name);
  const lower = siblings.filter(
    ({ owner, pod }) => owner?.uid === life.owner?.uid && ordinalOf(pod.name) < own && pod.name !== life.pod.name,
  );
  const ready = lower.filter((one) => one.ready !== undefined && one.ready <= free && wentOn(known, one, free));
  const ordinals = new Set(ready.map(({ pod }) => ordinalOf(pod.name)));
  const first = Math.min(own === 0 ? 0 : own - 1, ...lower.map(({ pod }) => ordinalOf(pod.name)));
  return Array.from({ length: own - first }, (_, i) => first + i).every((ordinal) => ordinals.has(ordinal));
}

/** For a minute, or until its StatefulSet removed it, too: that makes what is missing before it removes one more for an update. */
function wentOn({ owner }: Case, one: PodLife, free: number): boolean {
  const end = endOf(one);
  if (end === undefined || end > free + MINUTE_MS) return true;
  const isNamed = events(owner, 'SuccessfulDelete').some(
    (event) => isBetween(event, free - CLOCK_SLACK_MS, free + MINUTE_MS) && namesOne(event, one.pod.name),
  );
  // Deletions have whole seconds.
  return end > free - SECOND_MS && isNamed;
}

/** StatefulSets scale down from the highest ordinal. */
function isHighest({ life, siblings, endedAt }: Case): boolean {
  return siblings.every((one) => {
    const end = endOf(one);
    return ordinalOf(one.pod.name) < ordinalOf(life.pod.name) || (end !== undefined && end <= endedAt);
  });
}

function ordinalOf(name: string): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
}

// Its StatefulSet deleted it: for another revision, because it had failed, or because it has fewer replicas. The event is
// the same; revision, phase and ordinal tell them apart.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { OR_DELETED, ownerDeletion } from '../owner-deletion.ts';
import { scaledDown } from '../scaling.ts';
import { isReplacedInTime, isRestart, isSameRevision, sameName } from '../siblings.ts';
import { isTerminalFirst } from '../terminal.ts';
import { endOf, events, isAroundEnd } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

export function statefulSet(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner?.kind !== 'StatefulSet') return undefined;
  const name = `StatefulSet ${life.owner.name}`;
  const deletion = ownerDeletion(known);
  const next = sameName(known);
  if (isTerminalFirst(known)) {
    const recreating = events(known.owner, 'RecreatingFailedPod', 'RecreatingTerminatedPod').filter(
      (event) => isAroundEnd(known, event) && event.message.includes(life.pod.name),
    );
    const evidence = deletion.by === 'owner' ? [...deletion.evidence, ...recreating] : recreating;
    if (evidence.length === 0 && next === undefined) return undefined;
    const verdict = evidence.length > 0 ? certain : inferred;
    return verdict('StatefulSetRecreated', `had ended and was created again by ${name}.`, evidence);
  }
  if (deletion.by === 'others') return undefined;
  const evidence = deletion.by === 'owner' ? deletion.evidence : [];
  const verdict = deletion.by === 'owner' ? certain : inferred;
  const replacement = next !== undefined && isReplacedInTime(known, next) ? next : undefined;
  if (replacement !== undefined && !isSameRevision(replacement, life)) {
    const to = replacement.revision === undefined ? '' : ` to revision ${replacement.revision}`;
    const end = deletion.by === 'owner' ? `${to}.` : `${to}${OR_DELETED}.`;
    if (isRestart(known, replacement)) return verdict('Restarted', `ended in a restart of ${name}${end}`, evidence);
    return verdict('StatefulSetUpdate', `ended in an update of ${name}${end}`, evidence);
  }
  if (deletion.by === 'owner') {
    if (replacement === undefined) return scaledDown(known, 'certain', evidence);
    return inferred('StatefulSetRecreated', `was created again by ${name}.`, evidence);
  }
  return deletion.isLost && replacement === undefined && isHighest(known)
    ? scaledDown(known, 'inferred', evidence)
    : undefined;
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

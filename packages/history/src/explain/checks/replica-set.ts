// Its ReplicaSet had one pod too many. That is a rollout only if a newer ReplicaSet of the same Deployment grows; else
// somebody scaled it down.
import type { Evidence } from '../../model/evidence.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { OR_DELETED, ownerDeletion } from '../owner-deletion.ts';
import { lastShrink, scaledDown } from '../scaling.ts';
import { announcedRevision, isRestart, newerRevision, revisionNumber, sameRevisionReplacement } from '../siblings.ts';
import { isTerminalFirst } from '../terminal.ts';
import { isSeenToEnd, ofKind, SECOND_MS } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** Its controller removes pods at once. */
const SHRUNK_JUST_BEFORE_MS = 10 * SECOND_MS;

export function replicaSet(known: Case): Verdict | undefined {
  const { owner } = known.life;
  if ((owner?.kind !== 'ReplicaSet' && owner?.kind !== 'ReplicationController') || isTerminalFirst(known)) {
    return undefined;
  }
  const deletion = ownerDeletion(known);
  if (deletion.by === 'others') return undefined;
  const newer = newerRevision(known);
  if (deletion.by === 'owner') return byOwner(known, newer, deletion.evidence);
  // A pod that its own ReplicaSet replaces was not its to delete.
  if (sameRevisionReplacement(known) !== undefined) return undefined;
  if (newer !== undefined) return rollout(known, newer, 'inferred', []);
  const shrink = lastShrink(known);
  const isScaled = shrink.evidence.some(({ at }) => at > known.endedAt - SHRUNK_JUST_BEFORE_MS);
  if (shrink.why === 'scaled' && isScaled) return scaledDown(known, 'inferred', shrink.evidence);
  // Where nobody saw it go, a replacement may not have been seen, either.
  return deletion.isLost && isSeenToEnd(known.life) ? scaledDown(known, 'inferred', []) : undefined;
}

function byOwner(known: Case, newer: PodLife | undefined, evidence: readonly Evidence[]): Verdict {
  const shrink = lastShrink(known);
  const number = announcedRevision(known);
  if (newer === undefined) {
    // A rollout whose new pods cannot even be made has none.
    const isRollout = shrink.why === 'rolled' && shrink.evidence.length > 0 && number !== undefined;
    if (!isRollout) return scaledDown(known, 'certain', evidence);
    const sentence = `ended in a rollout of ${nameOf(known)} to revision ${number}, which has no pods yet.`;
    return inferred('Rollout', sentence, [...evidence, ...shrink.evidence]);
  }
  if (shrink.why === 'rolled') return rollout(known, newer, 'certain', evidence);
  const cited = [...evidence, ...shrink.evidence];
  if (shrink.why === 'scaled') return scaledDown(known, 'certain', cited);
  const sentence = `was removed when ${nameOf(known)} was scaled down, or by the rollout that went on then.`;
  return inferred('ScaledDown', sentence, cited);
}

function rollout(known: Case, newer: PodLife, certainty: Verdict['certainty'], evidence: readonly Evidence[]): Verdict {
  const revision = revisionNumber(known, newer.owner?.uid) ?? newer.revision;
  const to = revision === undefined ? '' : ` to revision ${revision}`;
  const cited = [...evidence, ...revisions(known, newer)];
  const [cause, what] = isRestart(known, newer)
    ? (['Restarted', 'restart'] as const)
    : (['Rollout', 'rollout'] as const);
  const sentence = `ended in a ${what} of ${nameOf(known)}${to}`;
  if (certainty === 'certain') return certain(cause, `${sentence}.`, cited);
  return inferred(cause, `${sentence}${OR_DELETED}.`, cited);
}

function nameOf({ life }: Case): string {
  const { workload } = life.pod;
  return workload === undefined ? 'its workload' : `${workload.kind} ${workload.name}`;
}

function revisions({ workload }: Case, { owner }: PodLife): Evidence[] {
  return ofKind(workload, 'revision').filter(({ about }) => about.uid !== '' && about.uid === owner?.uid);
}

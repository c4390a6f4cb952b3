// Its ReplicaSet had one pod too many. That is a rollout only if a newer ReplicaSet of the same Deployment grows; else
// somebody scaled it down.
import type { Evidence } from '../../model/evidence.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { foreignController } from '../going.ts';
import { isRefused, OR_DELETED, ownerDeletion } from '../owner-deletion.ts';
import { OR_AFTER_RESTART, restart } from '../restart.ts';
import { isShrinking, lastShrink, removedByReplicaSet, scaledDown, scaledRightBefore } from '../scaling.ts';
import { announcedRevision, newerRevision, revisionNumber, sameRevisionReplacement } from '../siblings.ts';
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
  if (newer !== undefined) return rollout(known, newer, { or: OR_DELETED }, []);
  const shrink = lastShrink(known);
  const isScaled = shrink.evidence.some(({ at }) => at > known.endedAt - SHRUNK_JUST_BEFORE_MS);
  if (shrink.why === 'scaled' && isScaled) return scaledDown(known, 'inferred', shrink.evidence);
  // Where nobody saw it go, a replacement may not have been seen, either.
  return deletion.isLost && isSeenToEnd(known.life) && !isRefused(known)
    ? scaledDown(known, 'inferred', [])
    : undefined;
}

function byOwner(known: Case, newer: PodLife | undefined, evidence: readonly Evidence[]): Verdict {
  const shrink = lastShrink(known);
  const number = announcedRevision(known);
  if (newer === undefined) {
    // A rollout whose new pods cannot even be made has none; one that is undone goes back to pods that are still there.
    const isRollout = shrink.why === 'rolled' && shrink.evidence.length > 0 && number !== undefined;
    if (!isRollout) return removedByReplicaSet(known, evidence);
    const sentence = `ended in a rollout of ${nameOf(known)} to revision ${number}, of which no new pod was seen.`;
    return inferred('Rollout', sentence, [...evidence, ...shrink.evidence]);
  }
  if (shrink.why === 'rolled') {
    const scaled = scaledRightBefore(known);
    const cited = [...evidence, ...scaled];
    if (scaled.length > 0) return rollout(known, newer, { or: ', or when it was scaled down right before' }, cited);
    // Of a ReplicaSet that nobody saw shrink for it, nobody knows why it did.
    const isSeen = shrink.evidence.length > 0 && isShrinking(known);
    return rollout(known, newer, { or: isSeen ? undefined : ', or when it was scaled down' }, cited);
  }
  if (shrink.why === 'scaled' && !isShrinking(known)) return removedByReplicaSet(known, evidence);
  const cited = [...evidence, ...shrink.evidence];
  if (shrink.why === 'scaled') return scaledDown(known, 'certain', cited);
  const sentence = `was removed when ${nameOf(known)} was scaled down, or by the rollout that went on then.`;
  return inferred('ScaledDown', sentence, cited);
}

/** `or`: what else may have ended it. */
function rollout(
  known: Case,
  newer: PodLife,
  { or }: { readonly or: string | undefined },
  evidence: readonly Evidence[],
): Verdict {
  const revision = revisionNumber(known, newer.owner?.uid) ?? newer.revision;
  const to = revision === undefined ? '' : ` to revision ${revision}`;
  const cited = [...evidence, ...revisions(known, newer)];
  const kind = restart(known, newer);
  const [cause, what] = kind === 'no' ? (['Rollout', 'rollout'] as const) : (['Restarted', 'restart'] as const);
  const after = kind === 'either' ? `, or in a rollout${OR_AFTER_RESTART}` : '';
  const sentence = `ended in a ${what} of ${nameOf(known)}${to}${after}${or ?? ''}.`;
  return or === undefined && after === '' ? certain(cause, sentence, cited) : inferred(cause, sentence, cited);
}

function nameOf(known: Case): string {
  const workload = foreignController(known) ?? known.life.pod.workload;
  return workload === undefined ? 'its workload' : `${workload.kind} ${workload.name}`;
}

function revisions({ workload }: Case, { owner }: PodLife): Evidence[] {
  return ofKind(workload, 'revision').filter(({ about }) => about.uid !== '' && about.uid === owner?.uid);
}

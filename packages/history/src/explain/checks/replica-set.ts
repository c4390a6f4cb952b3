// Its ReplicaSet had one pod too many. That is a rollout only if a newer ReplicaSet of the same Deployment grows; else
// somebody scaled it down.
import type { Evidence } from '../../model/evidence.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { ownerDeletion } from '../owner-deletion.ts';
import { scaledDown } from '../scaling.ts';
import { isRestart, newerRevision, revisionNumber, sameRevisionReplacement } from '../siblings.ts';
import { isSeenToEnd, isTerminalFirst, ofKind } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

export function replicaSet(known: Case): Verdict | undefined {
  const { owner } = known.life;
  if ((owner?.kind !== 'ReplicaSet' && owner?.kind !== 'ReplicationController') || isTerminalFirst(known)) {
    return undefined;
  }
  const deletion = ownerDeletion(known);
  if (deletion.by === 'others') return undefined;
  const newer = newerRevision(known);
  if (deletion.by === 'owner') {
    return newer === undefined
      ? scaledDown(known, 'certain', deletion.evidence)
      : rollout(known, newer, certain, deletion.evidence);
  }
  // A pod that its own ReplicaSet replaces was not its to delete.
  if (sameRevisionReplacement(known) !== undefined) return undefined;
  if (newer !== undefined) return rollout(known, newer, inferred, []);
  // Where nobody saw it go, a replacement may not have been seen, either.
  return deletion.isLost && isSeenToEnd(known.life) ? scaledDown(known, 'inferred', []) : undefined;
}

function rollout(
  known: Case,
  newer: PodLife,
  verdict: typeof certain | typeof inferred,
  evidence: readonly Evidence[],
): Verdict {
  const { workload } = known.life.pod;
  const name = workload === undefined ? 'its workload' : `${workload.kind} ${workload.name}`;
  const revision = revisionNumber(known, newer.owner?.uid) ?? newer.revision;
  const to = revision === undefined ? '' : ` to revision ${revision}`;
  const cited = [...evidence, ...revisions(known, newer)];
  if (isRestart(known, newer)) return verdict('Restarted', `ended in a restart of ${name}${to}.`, cited);
  return verdict('Rollout', `ended in a rollout of ${name}${to}.`, cited);
}

function revisions({ workload }: Case, { owner }: PodLife): Evidence[] {
  return ofKind(workload, 'revision').filter(({ about }) => about.uid !== '' && about.uid === owner?.uid);
}

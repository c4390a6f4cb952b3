// Its DaemonSet deleted it: for another revision, or because its node is none of its nodes any more.
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { OR_DELETED, ownerDeletion } from '../owner-deletion.ts';
import { isReplacedInTime, isRestart, isSameRevision, newerRevision, sameNode } from '../siblings.ts';
import { isTerminalFirst } from '../terminal.ts';
import { certain, inferred } from '../verdict.ts';

export function daemonSet(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner?.kind !== 'DaemonSet' || isTerminalFirst(known)) return undefined;
  const deletion = ownerDeletion(known);
  if (deletion.by === 'others') return undefined;
  const verdict = deletion.by === 'owner' ? certain : inferred;
  const evidence = deletion.by === 'owner' ? deletion.evidence : [];
  const name = `DaemonSet ${life.owner.name}`;
  const next = sameNode(known);
  const replacement = next !== undefined && isReplacedInTime(known, next) ? next : undefined;
  // One that its DaemonSet deleted and that is gone has its next on the same node. Pods of other nodes say nothing then.
  const isLeft = deletion.by === 'owner' && life.gone !== undefined;
  const newer = replacement ?? (isLeft ? undefined : newerRevision(known));
  if (newer !== undefined && !isSameRevision(newer, life)) {
    const end = deletion.by === 'owner' ? `${to(newer)}.` : `${to(newer)}${OR_DELETED}.`;
    if (isRestart(known, newer)) return verdict('Restarted', `ended in a restart of ${name}${end}`, evidence);
    return verdict('DaemonSetUpdate', `ended in an update of ${name}${end}`, evidence);
  }
  if (deletion.by !== 'owner' || replacement !== undefined) return undefined;
  return inferred('ScaledDown', `was removed because ${name} does not run on ${life.pod.node} any more.`, evidence);
}

function to({ revision }: PodLife): string {
  return revision === undefined ? '' : ` to revision ${revision}`;
}

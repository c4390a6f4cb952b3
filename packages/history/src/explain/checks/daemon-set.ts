// Its DaemonSet deleted it: for another revision, or because its node is none of its nodes any more.
import type { Evidence } from '../../model/evidence.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { OR_DELETED, type OwnerDeletion, ownerDeletion } from '../owner-deletion.ts';
import { OR_AFTER_RESTART, restart } from '../restart.ts';
import { isReplacedInTime, isSameRevision, newerRevision, sameNode } from '../siblings.ts';
import { changedAndBack, hasOtherRevision, updateTo } from '../taken-back.ts';
import { isTerminalFirst } from '../terminal.ts';
import { lastBeforeEnd, ofKind } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

export function daemonSet(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner?.kind !== 'DaemonSet' || isTerminalFirst(known)) return undefined;
  const deletion = ownerDeletion(known);
  if (deletion.by === 'others') return undefined;
  const evidence = deletion.by === 'owner' ? deletion.evidence : [];
  const name = `DaemonSet ${life.owner.name}`;
  const next = sameNode(known);
  const replacement = next !== undefined && isReplacedInTime(known, next) ? next : undefined;
  // One that its DaemonSet deleted and that is gone has its next on the same node. Pods of other nodes say nothing then.
  const isLeft = deletion.by === 'owner' && life.gone !== undefined && life.pod.node !== '';
  const newer = replacement ?? (isLeft ? undefined : newerRevision(known));
  if (newer !== undefined && !isSameRevision(newer, life)) return updated(known, { newer, replacement }, deletion);
  if (deletion.by !== 'owner') return undefined;
  if (replacement !== undefined) return madeAgain(known, name, replacement, evidence);
  if (life.pod.node === '') return inferred('ScaledDown', `was removed by ${name} before a node took it.`, evidence);
  const refused = notMadeAgain(known, name, evidence);
  if (refused !== undefined) return refused;
  return inferred('ScaledDown', `was removed because ${name} does not run on ${life.pod.node} any more.`, evidence);
}

interface Newer {
  readonly newer: PodLife;
  /** The next on its node, if it came in time. */
  readonly replacement: PodLife | undefined;
}

/** Another pod of it is of another revision: until this one is gone nobody knows whether its own next is, too. */
function updated(known: Case, { newer, replacement }: Newer, deletion: OwnerDeletion): Verdict {
  const name = `DaemonSet ${known.life.owner?.name}`;
  const { node } = known.life.pod;
  const update = replacement === undefined ? undefined : updateTo(known, replacement);
  const evidence = deletion.by === 'owner' ? [...deletion.evidence, ...(update?.changes ?? [])] : [];
  if (deletion.by === 'owner' && update?.was === 'after') return leftForAWhile(known, name, evidence);
  const before = `, or was removed before that because it did not run on ${node} for a while`;
  const or = deletion.by !== 'owner' ? OR_DELETED : update?.was === 'either' ? before : '';
  const kind = restart(known, newer);
  const [cause, what] =
    kind === 'no' ? (['DaemonSetUpdate', 'an update'] as const) : (['Restarted', 'a restart'] as const);
  const after = kind === 'either' ? `, or in an update${OR_AFTER_RESTART}` : '';
  const verdict = replacement !== undefined && or === '' && after === '' ? certain : inferred;
  return verdict(cause, `ended in ${what} of ${name}${to(newer)}${after}${or}.`, evidence);
}

/**
 * A NoSchedule taint leaves running pods alone. An update deletes them all the same, and makes the next only on nodes that have no
 * such taint (`podsShouldBeOnNode` of the DaemonSet controller).
 */
function notMadeAgain(known: Case, name: string, evidence: readonly Evidence[]): Verdict | undefined {
  const taint = refusingTaint(known);
  const newer = newerRevision(known);
  if (taint === undefined || newer === undefined || isSameRevision(newer, known.life)) return undefined;
  const { node } = known.life.pod;
  const sentence = `ended in an update of ${name}${to(newer)}, and is not made again on ${node} (taint ${taint.reason}), or ${node} is none of its nodes any more.`;
  return inferred('DaemonSetUpdate', sentence, [...evidence, taint]);
}

/** Put on its node while the pod was there, and not taken back. DaemonSets tolerate those of Kubernetes itself. */
function refusingTaint(known: Case): Evidence | undefined {
  const taints = ofKind(known.node, 'tainted', 'untainted').filter(
    ({ at, reason }) => at > known.life.created && reason.endsWith(':NoSchedule') && !reason.startsWith(OF_KUBERNETES),
  );
  return taints.find(
    ({ what, reason }) =>
      what === 'tainted' &&
      lastBeforeEnd(
        known,
        taints.filter((one) => one.reason === reason),
      )?.what === what,
  );
}

const OF_KUBERNETES = 'node.kubernetes.io/';

/** Of the same revision, on the same node. */
function madeAgain(known: Case, name: string, next: PodLife, evidence: readonly Evidence[]): Verdict {
  // All that can be changed of it is its template.
  const changes = changedAndBack(known, next);
  if (changes.length > 0 || hasOtherRevision(known, next)) {
    return inferred('DaemonSetUpdate', `ended in an update of ${name} that was taken back.`, [...evidence, ...changes]);
  }
  return leftForAWhile(known, name, evidence);
}

function leftForAWhile(known: Case, name: string, evidence: readonly Evidence[]): Verdict {
  const { node } = known.life.pod;
  return inferred('ScaledDown', `was removed because ${name} did not run on ${node} for a while.`, evidence);
}

function to({ revision }: PodLife): string {
  return revision === undefined ? '' : ` to revision ${revision}`;
}

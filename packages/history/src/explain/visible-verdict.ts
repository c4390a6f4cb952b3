// A verdict for who may see some namespaces only. How a pod ended is the pod's own history; who did it, and what was said
// about objects that the asker may not see, is not.
import type { Evidence } from '../model/evidence.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import type { Cause, Verdict } from './cause.ts';

/** `evidence`: that of the case, from which the ids are. */
export function visibleVerdict(verdict: Verdict, evidence: readonly Evidence[], visibility: Visibility): Verdict {
  if (visibility.kind === 'all') return verdict;
  const seen = new Set(evidence.filter((one) => isEvidenceVisible(one, visibility)).map(({ id }) => id));
  const { cause, certainty } = verdict;
  return { cause, certainty, sentence: SENTENCES[cause], evidence: verdict.evidence.filter((id) => seen.has(id)) };
}

/** It and whatever it names are in namespaces that may be seen. The audit log names users: it is for who may see all. */
export function isEvidenceVisible(evidence: Evidence, visibility: Visibility): boolean {
  if (visibility.kind === 'all') return true;
  const { about, related, at, what, reason } = evidence;
  // The message of a preemption names the preemptor: where that is not `related`, nobody knows whose it is.
  if (what === 'audited' || (reason === 'Preempted' && related === undefined)) return false;
  // Nodes, namespaces and streams are in no namespace.
  const isVisible = ({ namespace }: { readonly namespace: string }) =>
    namespace !== '' && isHolderVisible(visibility, { namespace }, { notBefore: at });
  return isVisible(about) && (related === undefined || isVisible(related));
}

/** Without a name of anything. */
const SENTENCES: Readonly<Record<Cause, string>> = {
  Evicted: 'was evicted.',
  Taint: 'was deleted because of a taint of its node.',
  DeviceTaint: 'was deleted because a device that it used was tainted.',
  Preempted: 'was preempted to make room for a higher priority.',
  NodePressure: 'was evicted: its node was short of a resource.',
  StorageLimit: 'was evicted: it exceeded its limit of local storage.',
  KubeletPreemption: 'was ended by its kubelet to make room for a critical pod.',
  NodeShutdown: 'ended because its node was shut down.',
  Rejected: 'was rejected by its kubelet.',
  Deadline: 'ended because it ran longer than its active deadline.',
  NodeGone: 'ended because its Node was not there.',
  NodeUnreachable: 'was deleted because its node was unreachable.',
  Reboot: 'ended because its node was rebooted.',
  OutOfService: 'ended because its node was declared out of service.',
  Rollout: 'ended in a rollout.',
  Restarted: 'ended in a restart of its workload.',
  ScaledDown: 'was removed when its workload was scaled down.',
  StatefulSetUpdate: 'ended in an update of its StatefulSet.',
  StatefulSetRecreated: 'was created again by its StatefulSet.',
  DaemonSetUpdate: 'ended in an update of its DaemonSet.',
  JobCompleted: 'ended with its Job.',
  JobDeadline: 'was ended by its Job, which ran longer than its active deadline.',
  Suspended: 'was ended by its Job, which was suspended.',
  OOMKilled: 'failed: a container ran out of memory.',
  Crashed: 'failed: a container crashed.',
  Completed: 'completed: all of its containers ended well.',
  OwnerDeleted: 'was deleted with its owner.',
  NamespaceDeleted: 'was deleted with its namespace.',
  DeletedOnRequest: 'was deleted.',
  SandboxReplaced: 'goes on in a new sandbox.',
  Unknown: 'ended, and why is not known.',
};

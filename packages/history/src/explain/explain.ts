// Why a pod ended: the first check that applies. Their order is the order of evidence: what the pod itself was given as a
// reason, what its status says, what its owner did, what went before it, how its containers ended.
import type { Case, Check } from './case.ts';
import type { Verdict } from './cause.ts';
import { apiEviction } from './checks/api-eviction.ts';
import { containerEndings } from './checks/container-endings.ts';
import { daemonSet } from './checks/daemon-set.ts';
import { deadline } from './checks/deadline.ts';
import { deletedByController } from './checks/deleted-by-controller.ts';
import { deletedByRequest, deletedOnRequest } from './checks/deleted-on-request.ts';
import { job, jobCompleted } from './checks/job.ts';
import { kubeletTermination } from './checks/kubelet-termination.ts';
import { nodeGone, nodeLoss } from './checks/node-loss.ts';
import { namespaceDeleted, ownerDeleted } from './checks/owner-gone.ts';
import { preemption } from './checks/preemption.ts';
import { reboot } from './checks/reboot.ts';
import { rejected } from './checks/rejected.ts';
import { replicaSet } from './checks/replica-set.ts';
import { sandboxReplaced } from './checks/sandbox-replaced.ts';
import { statefulSet } from './checks/stateful-set.ts';
import { deviceTaint, taint } from './checks/taint.ts';
import { unknown } from './checks/unknown.ts';
import { asFarAsWatched, unseenJob } from './checks/unseen-job.ts';
import { asFarAsSeen } from './first-disruption.ts';

const CHECKS: readonly Check[] = [
  sandboxReplaced,
  jobCompleted,
  // The first DisruptionTarget.
  ...[apiEviction, taint, deviceTaint, preemption, nodeGone].map(
    (check: Check): Check =>
      (known) =>
        asFarAsSeen(known, check(known)),
  ),
  // The status.
  ...[kubeletTermination, rejected, deadline],
  unseenJob,
  // Who asked first, if an audit log says so.
  ...[deletedByController, deletedByRequest],
  // The owner.
  ...[replicaSet, statefulSet, daemonSet, job],
  // What went before it.
  ...[namespaceDeleted, ownerDeleted, nodeLoss, reboot],
  ...[containerEndings, deletedOnRequest],
];

export function explain(known: Case): Verdict {
  for (const check of CHECKS) {
    const verdict = check(known);
    if (verdict !== undefined) return asFarAsWatched(known, verdict);
  }
  return unknown(known);
}

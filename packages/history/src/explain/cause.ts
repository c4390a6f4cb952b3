// Why a pod ended: a closed list, and what a verdict says beside the name. docs/adr/20261116-causes.md has the design,
// docs/causes.md what each rests on.

export const CAUSES = [
  /** Through the Eviction API: a drain, an autoscaler, or somebody unknown. */
  'Evicted',
  'Taint',
  'DeviceTaint',
  'Preempted',
  'NodePressure',
  'StorageLimit',
  'KubeletPreemption',
  'NodeShutdown',
  'Rejected',
  'Deadline',
  'NodeGone',
  'NodeUnreachable',
  'Reboot',
  'OutOfService',
  'Rollout',
  'Restarted',
  'ScaledDown',
  'StatefulSetUpdate',
  'StatefulSetRecreated',
  'DaemonSetUpdate',
  'JobCompleted',
  'JobDeadline',
  'Suspended',
  'OOMKilled',
  'Crashed',
  'Completed',
  'OwnerDeleted',
  'NamespaceDeleted',
  'DeletedOnRequest',
  'SandboxReplaced',
  'Unknown',
] as const;

export type Cause = (typeof CAUSES)[number];

export interface Verdict {
  readonly cause: Cause;
  /**
   * `certain`: what was recorded fits no other cause. The API or the audit log says it, or what its controller and the
   * other pods of its workload did. `inferred`: it is only the likeliest.
   */
  readonly certainty: 'certain' | 'inferred';
  /** One sentence for people, without the pod's name before it and with a full stop: "was evicted by a drain of node-1." */
  readonly sentence: string;
  /** The ids of the evidence that it rests on, oldest first; the pod's own record is not among them. */
  readonly evidence: readonly string[];
  /** Who did it, where that is known: an autoscaler, a preemptor, a user of the audit log. */
  readonly actor?: string | undefined;
}

// The Events that a cause may rest on, by the kind of the object that they are about. A closed list: an Event of any other
// reason is not kept. What each of them proves is decided by the checks (history's explain/checks), not here.

/**
 * `each`: every time that it happened counts, because each is about another pod or another end. `seldom`: it is
 * repeated while nothing changes, and is kept when its count has doubled.
 */
type Keeping = 'each' | 'seldom';

const OF_PODS: Readonly<Record<string, Keeping>> = {
  // Evicted: by the kubelet, or by Karpenter; Disrupted: Karpenter.
  Evicted: 'each',
  Disrupted: 'each',
  EvictedByVPA: 'each',
  // The cluster autoscaler, also on nodes.
  ScaleDown: 'each',
  Descheduled: 'each',
  Preempted: 'each',
  TaintManagerEviction: 'each',
  DeviceTaintManagerEviction: 'each',
  NodeControllerEviction: 'each',
  NodeNotReady: 'each',
  // The kubelet: a critical pod needs the room.
  Preempting: 'each',
  ExceededGracePeriod: 'each',
  Killing: 'each',
  SandboxChanged: 'each',
  FailedScheduling: 'seldom',
};

const OF_NODES: Readonly<Record<string, Keeping>> = {
  Shutdown: 'each',
  Rebooted: 'each',
  Starting: 'each',
  SystemOOM: 'each',
  OOMKilling: 'each',
  NodeReady: 'each',
  NodeNotReady: 'each',
  NodeSchedulable: 'each',
  NodeNotSchedulable: 'each',
  NodeHasDiskPressure: 'each',
  NodeHasInsufficientMemory: 'each',
  NodeHasInsufficientPID: 'each',
  EvictionThresholdMet: 'seldom',
  RemovingNode: 'each',
  DeletingNode: 'each',
  TerminatingEvictedPod: 'each',
  ScaleDown: 'each',
  Disrupted: 'each',
  DisruptionTerminating: 'each',
  SpotInterrupted: 'each',
  TerminatingOnInterruption: 'each',
};

const OF_JOBS: Readonly<Record<string, Keeping>> = {
  SuccessfulDelete: 'each',
  Suspended: 'each',
  Resumed: 'each',
  Completed: 'each',
  BackoffLimitExceeded: 'each',
  DeadlineExceeded: 'each',
  PodFailurePolicy: 'each',
  FailedIndexes: 'each',
};

const REASONS: Readonly<Record<string, Readonly<Record<string, Keeping>>>> = {
  Pod: OF_PODS,
  Node: OF_NODES,
  ReplicaSet: { SuccessfulDelete: 'each' },
  ReplicationController: { SuccessfulDelete: 'each' },
  Deployment: { ScalingReplicaSet: 'each', DeploymentRollback: 'each' },
  StatefulSet: { SuccessfulDelete: 'each', RecreatingFailedPod: 'each', RecreatingTerminatedPod: 'each' },
  DaemonSet: { SuccessfulDelete: 'each', FailedDaemonPod: 'each', SucceededDaemonPod: 'each' },
  Job: OF_JOBS,
  CronJob: { SuccessfulDelete: 'each' },
  HorizontalPodAutoscaler: { SuccessfulRescale: 'each' },
};

/** Looked up in Maps: who may write Events chooses these words, and `constructor` is one. */
const BY_KIND: ReadonlyMap<string, ReadonlyMap<string, Keeping>> = new Map(
  Object.entries(REASONS).map(([kind, reasons]) => [kind, new Map(Object.entries(reasons))]),
);

/** Undefined: no cause rests on it. */
export function keepingOf(kind: string, reason: string): Keeping | undefined {
  return BY_KIND.get(kind)?.get(reason);
}

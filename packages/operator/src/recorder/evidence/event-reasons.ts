// The Events that a cause may rest on, by the kind of the object that they are about. A closed list: an Event of any other
// reason is not kept, but for those of the descheduler, which has reasons of its own. What each of them proves is decided by the checks (history's explain/checks), not here.

/**
 * `telling`: a verdict rests on it, or on its absence: each is kept, and where one is not, causes of its namespace lack
 * something. `beside`: it is shown beside a verdict, and none rests on it: some are kept. `seldom`: the same, and it is
 * repeated while nothing changes: it is kept when its count has doubled.
 */
type Keeping = 'telling' | 'beside' | 'seldom';

const OF_PODS: Readonly<Record<string, Keeping>> = {
  // Evicted: by the kubelet, or by Karpenter; Disrupted: Karpenter.
  Evicted: 'telling',
  Disrupted: 'telling',
  EvictedByVPA: 'telling',
  // The cluster autoscaler, also on nodes.
  ScaleDown: 'telling',
  Preempted: 'telling',
  TaintManagerEviction: 'telling',
  // The kubelet: a critical pod needs the room; the pod's own deadline.
  Preempting: 'telling',
  DeadlineExceeded: 'telling',
  DeviceTaintManagerEviction: 'beside',
  NodeControllerEviction: 'beside',
  NodeNotReady: 'beside',
  ExceededGracePeriod: 'beside',
  Killing: 'beside',
  // A pod that goes on: no end rests on it, and where networks are broken there are hundreds.
  SandboxChanged: 'beside',
  FailedScheduling: 'seldom',
};

const OF_NODES: Readonly<Record<string, Keeping>> = {
  Shutdown: 'telling',
  Rebooted: 'telling',
  Starting: 'beside',
  SystemOOM: 'beside',
  OOMKilling: 'beside',
  NodeReady: 'beside',
  NodeNotReady: 'beside',
  NodeSchedulable: 'beside',
  NodeNotSchedulable: 'beside',
  NodeHasDiskPressure: 'beside',
  NodeHasInsufficientMemory: 'beside',
  NodeHasInsufficientPID: 'beside',
  EvictionThresholdMet: 'seldom',
  RemovingNode: 'beside',
  DeletingNode: 'beside',
  TerminatingEvictedPod: 'beside',
  ScaleDown: 'beside',
  Disrupted: 'beside',
  DisruptionTerminating: 'beside',
  SpotInterrupted: 'beside',
  TerminatingOnInterruption: 'beside',
};

/**
 * Repeated for as long as pods are refused. The first time says that they were wanted, and the count that a client which has sent
 * so many Events about an object drops others.
 */
const REFUSED = { FailedCreate: 'seldom' } as const;

const OF_JOBS: Readonly<Record<string, Keeping>> = {
  SuccessfulDelete: 'telling',
  Suspended: 'telling',
  Resumed: 'beside',
  Completed: 'telling',
  BackoffLimitExceeded: 'telling',
  DeadlineExceeded: 'telling',
  PodFailurePolicy: 'telling',
  FailedIndexes: 'telling',
  MaxFailedIndexesExceeded: 'telling',
  ...REFUSED,
};

const OF_STATEFUL_SETS: Readonly<Record<string, Keeping>> = {
  SuccessfulDelete: 'telling',
  RecreatingFailedPod: 'telling',
  RecreatingTerminatedPod: 'telling',
  ...REFUSED,
};

const REASONS: Readonly<Record<string, Readonly<Record<string, Keeping>>>> = {
  Pod: OF_PODS,
  Node: OF_NODES,
  ReplicaSet: { SuccessfulDelete: 'telling', ...REFUSED },
  ReplicationController: { SuccessfulDelete: 'telling', ...REFUSED },
  Deployment: { ScalingReplicaSet: 'telling', DeploymentRollback: 'beside' },
  StatefulSet: OF_STATEFUL_SETS,
  DaemonSet: { SuccessfulDelete: 'telling', FailedDaemonPod: 'beside', SucceededDaemonPod: 'beside', ...REFUSED },
  Job: OF_JOBS,
  CronJob: { SuccessfulDelete: 'telling' },
  HorizontalPodAutoscaler: { SuccessfulRescale: 'telling' },
};

/** Looked up in Maps: who may write Events chooses these words, and `constructor` is one. */
const BY_KIND: ReadonlyMap<string, ReadonlyMap<string, Keeping>> = new Map(
  Object.entries(REASONS).map(([kind, reasons]) => [kind, new Map(Object.entries(reasons))]),
);

/** It gives the name of its strategy for a reason, or what its owner configures: its Events are known by who sends them. */
const DESCHEDULER = /descheduler/;

/** Undefined: no cause rests on it. `by`: who sends it. */
export function keepingOf(kind: string, reason: string, by = ''): Keeping | undefined {
  if (kind === 'Pod' && DESCHEDULER.test(by)) return 'telling';
  return BY_KIND.get(kind)?.get(reason);
}

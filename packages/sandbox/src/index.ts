// The public surface of the sandbox: an API server with Kubernetes semantics, in process and over HTTPS, a simulated
// cluster behind it, and the switchboard of faults in front.
export { ApiServer, type ApiServerOptions } from './api/api-server.ts';
export { ApiStatusError, type StatusBody } from './api/api-status-error.ts';
export type {
  ClusterApi,
  DeleteOptions,
  KubeObject,
  ListQuery,
  ObjectMeta,
  OwnerReference,
  ResourceName,
  WatchEventType,
  WatchListener,
} from './api/cluster-api.ts';
export { SeededRandom } from './clock/random.ts';
export type { Timer } from './clock/timer-queue.ts';
export {
  type FollowOptions,
  type RunOptions,
  VirtualClock,
} from './clock/virtual-clock.ts';
export { machineWall, type Wall } from './clock/wall.ts';
export {
  ChurnDriver,
  type ChurnKind,
  type ChurnOptions,
  type ChurnRates,
  HISTORY_CHURN,
  LIVE_CHURN,
  VIOLENT_CHURN,
} from './cluster/churn-driver.ts';
export type { Drain } from './cluster/drain.ts';
export type { EventLevel } from './cluster/event-log.ts';
export type { PodRange } from './cluster/fleet.ts';
export type { KubeletTimings } from './cluster/kubelet/timings.ts';
export type { PodObject } from './cluster/pod-object.ts';
export type { Population } from './cluster/population.ts';
export {
  DUAL_STACK_RANGES,
  type ScalableKind,
  SimulatedCluster,
  type SimulatedClusterOptions,
} from './cluster/simulated-cluster.ts';
export type { TrueTenure, TruthJournal } from './cluster/truth-journal.ts';
export type { Fault } from './faults/fault.ts';
export { type FaultControl, serveFaultControl } from './faults/fault-control.ts';
export { FaultSwitchboard } from './faults/fault-switchboard.ts';
export type { AccessControl, AccessOptions, AccessRule } from './server/access-control.ts';
export { fromCoreEvent } from './server/event-view.ts';
export type {
  FaultSeam,
  Frame,
  FrameFilter,
  FrameHook,
  FrameSink,
  FrameType,
  RequestHook,
  RequestVerdict,
  SeamRequest,
} from './server/fault-seam.ts';
export { type SandboxServer, type SandboxServerOptions, startSandboxServer } from './server/sandbox-server.ts';
export type { Timers } from './server/timers.ts';

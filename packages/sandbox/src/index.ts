// The public surface of the sandbox: an API server with Kubernetes semantics, in process and over HTTPS.
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
export type { AccessControl, AccessOptions, AccessRule } from './server/access-control.ts';
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

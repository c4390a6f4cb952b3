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

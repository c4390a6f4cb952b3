// The harness as tests and benchmarks use it.
export type { Apiserver } from './apiserver.ts';
export type { AuditEvent } from './audit-log.ts';
export { ensureBinaries } from './build.ts';
export { createCertificateAuthority } from './certificate-authority.ts';
export {
  type ApiserverOptions,
  type ControllerOptions,
  type ControlPlane,
  type ControlPlaneOptions,
  type KwokOptions,
  startControlPlane,
} from './control-plane.ts';
export { ControlPlaneError } from './control-plane-error.ts';
export type { KubeconfigOptions, TokenUser } from './credentials.ts';
export type { Etcd } from './etcd.ts';
export {
  type HttpAnswer,
  type HttpIdentity,
  type HttpLines,
  type HttpRequest,
  httpLines,
  httpRequest,
} from './http-request.ts';
export { type MetricSample, sumMetric } from './metrics.ts';
export type { Part } from './part.ts';
export { FRONT_PROXY_NAME, LOOPBACK_NAMES, type Pki } from './pki.ts';
export { kubernetesVersion } from './programs.ts';
export { type BothWays, TcpProxy } from './tcp-proxy.ts';
export { until } from './until.ts';
export { type ClusterOptions, type Need, type TestCluster, useCluster } from './use-cluster.ts';

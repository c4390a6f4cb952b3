// machinery's public surface. A guided tour in the order in which data travels: configuration, transport, client,
// codec, reflector, informer; then what controllers are made of. (The empty line after each heading keeps the
// formatter from sorting across it.)

// Configuration: which cluster, and who we are there.

export { Backoff, type BackoffLimits, exponentialDelay } from './backoff.ts';
export { homeDirectory } from './config/home-directory.ts';
export type { ClusterConfig, Identity, IdentitySource, Impersonation, TlsMaterial } from './config/identity.ts';
export { type LoadClusterConfigOptions, loadClusterConfig } from './config/load-cluster-config.ts';

// Transport: HTTP to one API server.

export { DatedTransport, type ServerDate } from './transport/dated-transport.ts';
export { HttpTransport, type HttpTransportOptions, type RequestObserver } from './transport/http-transport.ts';
export type { Transport } from './transport/transport.ts';

// Client: verbs on any resource, and discovery.

export { Client } from './client/client.ts';
export { type ApiResource, Discovery, type ServerVersion } from './client/discovery.ts';
export type {
  CallOptions,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  ResourceClient,
  WriteOptions,
} from './client/resource-client.ts';
export { retryOnConflict } from './client/retry-on-conflict.ts';
export type { Table, TableColumn, TableRow } from './client/table.ts';
export {
  CONFIG_MAPS,
  EVENTS,
  type GroupVersionResource,
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
} from './objects/group-version-resource.ts';
export type { Cacheable, KubeList, KubeObject, ObjectMeta, OwnerReference } from './objects/kube-object.ts';
export { keyOf, splitKey } from './objects/object-key.ts';
export { compareResourceVersions, isComparable } from './objects/resource-version.ts';

// Codec: bytes to the compact views that caches hold.

export {
  eventCodec,
  jsonCodec,
  metadataCodec,
  nodeCodec,
  type ObjectCodec,
  podCodec,
  serviceCodec,
} from './codec/codec.ts';
export type { EventSeriesView, EventSourceView, EventView, ObjectReferenceView } from './codec/event-view.ts';
export { customKind, EVENT, type Kind, metadataOf, NODE, POD, SERVICE } from './codec/kind.ts';
export type { MetadataOnlyView, MetadataView, OwnerReferenceView } from './codec/metadata-view.ts';
export type {
  NodeAddressView,
  NodeConditionView,
  NodeInfoView,
  NodeSpecView,
  NodeStatusView,
  NodeView,
  TaintView,
} from './codec/node-view.ts';
export type {
  ContainerKind,
  ContainerTermination,
  PodConditionView,
  PodSpecView,
  PodStatusView,
  PodView,
} from './codec/pod-view.ts';
export type {
  LoadBalancerIngressView,
  LoadBalancerView,
  ServiceSpecView,
  ServiceStatusView,
  ServiceView,
} from './codec/service-view.ts';
export { StringMap } from './codec/string-map.ts';

// Reflector and informer: a collection followed, cached and delivered to handlers.

export type { InformerCounters } from './informer/cache.ts';
export { type Delta, type DeltaSource, isObjectDelta, type ObjectDelta } from './informer/delta.ts';
export type { DeltaHandler, HandlerFailure } from './informer/handler-queue.ts';
export type { HandlerRegistration } from './informer/handler-registration.ts';
export { Informer, type InformerOptions } from './informer/informer.ts';
export type { Lister } from './informer/lister.ts';
export type { IndexFunction } from './informer/object-store.ts';
export { UncachedInformer, type UncachedInformerOptions } from './informer/uncached-informer.ts';
export type { ReflectorState } from './reflector/reflector-state.ts';
export type { Relist, RelistReason } from './reflector/relist.ts';

// Controllers: keys in a queue, passes over them, a manager around all of it.

export {
  Controller,
  type ControllerMetrics,
  type ControllerOptions,
  type KeysOf,
  type PassKind,
  type PassReport,
  type ReconcileContext,
  type Reconciler,
  type TerminalFailure,
} from './controller/controller.ts';
export { electionHealthCheck } from './controller/election-health.ts';
export {
  type CheckResult,
  formatHealth,
  type HealthCheck,
  HealthChecks,
  type HealthReport,
} from './controller/health.ts';
export type { ManagedSource } from './controller/managed-source.ts';
export { Manager } from './controller/manager.ts';
export type { ManagerOptions, Task } from './controller/manager-parts.ts';
export type { CutOff, ManagerOutcome, ManagerPhase } from './controller/manager-run.ts';
export { DONE, type Outcome, requeueAfter, retry, terminal } from './controller/outcome.ts';
export { type OwnerKind, ownedBy } from './controller/owner-keys.ts';
export { anyOf, generationChanged, type Predicate } from './controller/predicate.ts';
export type { QueueMetrics, QueueMetricsProvider } from './queue/queue-metrics.ts';
export {
  bucketLimiter,
  type ControllerLimits,
  controllerRateLimiter,
  exponentialLimiter,
  fastSlowLimiter,
  maxOf,
  type RateLimiter,
  slowAfter,
  withJitter,
  withMaxWait,
} from './queue/rate-limiter.ts';
export { FifoOrder, LOW_PRIORITY, PriorityOrder, type ReadyOrder } from './queue/ready-order.ts';
export { TokenBucket, type TokenBucketOptions } from './queue/token-bucket.ts';
export { type Work, WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';

// Election: one leader among replicas, and writes that only it may send.

export type { ElectionTiming } from './election/election-timing.ts';
export { fencedClient } from './election/fenced-client.ts';
export {
  type ElectionCallbacks,
  type ElectionMetrics,
  type ElectionOutcome,
  LeaderElector,
  type LeaderElectorOptions,
} from './election/leader-elector.ts';
export { type Lease, type LeaseSpec, renewTimeOf } from './election/lease.ts';
export { electionIdentity, LeaseLock, type LeaseLockOptions } from './election/lease-lock.ts';

// Events: what we did, for people who look at an object.

export { type EventCounts, EventRecorder, type EventRecorderOptions } from './events/event-recorder.ts';
export {
  type EventInput,
  type EventSeries,
  type KubeEvent,
  type ObjectReference,
  referenceTo,
} from './events/kube-event.ts';
export type { SpamLimit } from './events/spam-filter.ts';

// What all of them share: time, chance and errors.

export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
export {
  ApiError,
  ConfigError,
  ConnectionError,
  type ConnectionFault,
  CredentialError,
  DecodeError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  MachineryError,
} from './errors.ts';
export { jitter, type Random, seededRandom, systemRandom } from './random.ts';

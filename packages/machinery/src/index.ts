// machinery's public surface. A guided tour, in the order in which data travels: configuration, transport, client,
// codec, reflector, informer; then what controllers are made of.

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
export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
export {
  eventCodec,
  jsonCodec,
  metadataCodec,
  nodeCodec,
  type ObjectCodec,
  podCodec,
  serviceCodec,
} from './codec/codec.ts';
export type { PodView } from './codec/pod-view.ts';
export type { ClusterConfig, Identity, IdentitySource, Impersonation, TlsMaterial } from './config/identity.ts';
export { type LoadClusterConfigOptions, loadClusterConfig } from './config/load-cluster-config.ts';
export {
  ApiError,
  ConfigError,
  ConnectionError,
  type ConnectionFault,
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
export { type Delta, type DeltaSource, isObjectDelta, type ObjectDelta, type Relist } from './informer/delta.ts';
export type { DeltaHandler, HandlerFailure } from './informer/handler-queue.ts';
export { type HandlerRegistration, Informer, type InformerOptions } from './informer/informer.ts';
export type { Lister } from './informer/lister.ts';
export { type IndexFunction, keyOf, splitKey } from './informer/object-store.ts';
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
export { compareResourceVersions, isComparable, type ResourceVersion } from './objects/resource-version.ts';
export { jitter, type Random, seededRandom, systemRandom } from './random.ts';
export type { ReflectorState } from './reflector/reflector-state.ts';
export { HttpTransport, type HttpTransportOptions, type RequestObserver } from './transport/http-transport.ts';
export type { Transport } from './transport/transport.ts';

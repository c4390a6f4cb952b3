// The API server without HTTP, as the simulated cluster and the in-process tests call it: the same verbs, the same
// admission, the same errors and the same versions as over the wire, but synchronous, because the store is memory and
// the clock may be virtual. Objects that are handed out are frozen: what changes the cluster goes through a verb.
import type { KubeObject, WatchEventType } from '../store/kube-object.ts';

export type { KubeObject, ObjectMeta, OwnerReference, WatchEventType } from '../store/kube-object.ts';

/** Names a kind of object as a path does: `pods`, `deployments.apps`. The registry knows its version and kind. */
export type ResourceName = string;

export interface ListQuery {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type WatchListener = (type: WatchEventType, object: KubeObject, previous: KubeObject | undefined) => void;

/** Every refusal throws an `ApiStatusError` with the code, reason and text of the real server. */
export interface ClusterApi {
  create(resource: ResourceName, object: unknown): KubeObject;
  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: ResourceName, query?: ListQuery): readonly KubeObject[];
  /** With a resourceVersion in the object it is a precondition; without, the last writer wins. */
  update(resource: ResourceName, object: KubeObject, subresource?: 'status' | 'scale'): KubeObject;
  mergePatch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    patch: unknown,
    subresource?: 'status' | 'scale',
  ): KubeObject;
  /** Pods end gracefully: they stay, marked, until their kubelet deletes them again with a grace period of 0. */
  delete(resource: ResourceName, namespace: string | undefined, name: string, options?: DeleteOptions): void;
  bind(namespace: string, pod: string, node: string): void;
  /** The Eviction API: refused with 429 where a PodDisruptionBudget says so. */
  evict(namespace: string, pod: string, options?: DeleteOptions): void;
  /** Called in the order of versions, after each commit, before the verb returns. Returns what ends it. */
  watch(resource: ResourceName, listener: WatchListener): () => void;
}

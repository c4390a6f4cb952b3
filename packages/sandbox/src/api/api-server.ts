// The API server in process: what the simulated cluster and tests call, and what the HTTP side stands on.
import { ObjectStore } from '../store/object-store.ts';
import { badRequest, noSuchResource, notFound } from './api-status-error.ts';
import { bindPod } from './binding.ts';
import type { ClusterApi, DeleteOptions, KubeObject, ListQuery, ResourceName, WatchListener } from './cluster-api.ts';
import { CustomResources } from './custom-resources.ts';
import { EventExpiry } from './event-expiry.ts';
import { evictPod } from './eviction.ts';
import { ObjectLifecycle } from './object-lifecycle.ts';
import { applyMergePatch } from './patches/merge-patch.ts';
import { ResourceRegistry } from './resource-registry.ts';
import { type ResourceType, typeKey } from './resource-type.ts';
import { scaleOf, withScale } from './scale.ts';
import { seededRandom } from './seeded-random.ts';
import { type FieldSelector, parseFieldSelector } from './selectors/field-selector.ts';
import { type LabelSelector, parseLabelSelector } from './selectors/label-selector.ts';
import { ServerState } from './server-state.ts';
import { Verbs } from './verbs.ts';

export interface ApiServerOptions {
  /** Milliseconds since 1970, virtual or real. */
  readonly clock: { now(): number };
  /** Decides all UIDs and generated names. */
  readonly seed?: number;
  /** Instead of a seed: numbers from 0 to below 1. */
  readonly random?: () => number;
  /** Changes remembered for each resource, for watches and continue tokens. */
  readonly historyLimit?: number;
  /** Milliseconds after which a change is forgotten as well; etcd is compacted every five minutes. */
  readonly historyAge?: number;
  /** The newest version at the start. */
  readonly startVersion?: number;
}

const DEFAULT_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const DEFAULT_HISTORY = 20_000;

export class ApiServer implements ClusterApi {
  readonly state: ServerState;
  readonly verbs: Verbs;

  constructor(options: ApiServerOptions) {
    const { clock, historyLimit = DEFAULT_HISTORY, historyAge, startVersion = 100 } = options;
    const store = new ObjectStore({ clock, startVersion, historyLimit, historyAge });
    const random = options.random ?? seededRandom(options.seed ?? 1);
    this.state = new ServerState({ clock, random, store, registry: new ResourceRegistry() });
    this.verbs = new Verbs(this.state, (verbs) => new ObjectLifecycle(this.state, verbs));
    for (const type of this.state.registry.all()) store.table(typeKey(type));
    new CustomResources(this.state, this.verbs).follow();
    new EventExpiry(this.state).follow();
    for (const name of DEFAULT_NAMESPACES) this.create('namespaces', { metadata: { name } });
  }

  /** The newest version of anything. */
  get resourceVersion(): string {
    return String(this.state.store.version);
  }

  /** Forgets changes, so that watches and continue tokens from before get 410. Without a version: all of them. */
  compact(version: number = this.state.store.version): void {
    this.state.store.compact(version);
  }

  /** As if etcd had been restored from a backup made at `version`; versions after it are handed out again. */
  rewind(version: number): void {
    this.state.store.rewind(version, () => this.state.reindex());
  }

  create(resource: ResourceName, object: unknown): KubeObject {
    return this.verbs.create(this.#type(resource), undefined, object);
  }

  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.state.find(this.#type(resource), namespace, name);
  }

  list(resource: ResourceName, query: ListQuery = {}): readonly KubeObject[] {
    const type = this.#type(resource);
    const objects = this.state.store.table(typeKey(type)).list(query.namespace ? `${query.namespace}/` : '');
    return filterObjects(objects, parseSelectors(type, query));
  }

  update(resource: ResourceName, object: KubeObject, subresource?: 'status' | 'scale'): KubeObject {
    const type = this.#type(resource);
    const { namespace, name } = object.metadata;
    if (name === undefined) throw badRequest('name must be provided');
    return this.#write(type, namespace, name, () => object, subresource);
  }

  mergePatch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    patch: unknown,
    subresource?: 'status' | 'scale',
  ): KubeObject {
    return this.#write(
      this.#type(resource),
      namespace,
      name,
      (current) => applyMergePatch(current, patch),
      subresource,
    );
  }

  delete(resource: ResourceName, namespace: string | undefined, name: string, options: DeleteOptions = {}): void {
    this.verbs.delete(this.#type(resource), namespace, name, options);
  }

  bind(namespace: string, pod: string, node: string): void {
    bindPod(this.state, this.#pod(namespace, pod), node);
  }

  evict(namespace: string, pod: string, options: DeleteOptions = {}): void {
    evictPod(this.state, this.verbs, this.#pod(namespace, pod), options, false);
  }

  watch(resource: ResourceName, listener: WatchListener): () => void {
    return this.state.store.listen(typeKey(this.#type(resource)), (event) => {
      listener(event.type, event.object, event.previous);
    });
  }

  #write(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    produce: (current: KubeObject) => unknown,
    subresource: 'status' | 'scale' | undefined,
  ): KubeObject {
    if (subresource !== 'scale') return this.verbs.update(type, namespace, name, produce, { subresource });
    const written = this.verbs.update(type, namespace, name, (current) =>
      withScale(type, current, produce(scaleOf(type, current))),
    );
    return scaleOf(type, written);
  }

  #pod(namespace: string, name: string): KubeObject {
    const type = this.#type('pods');
    const pod = this.state.find(type, namespace, name);
    if (pod === undefined) throw notFound(type, name);
    return pod;
  }

  #type(resource: ResourceName): ResourceType {
    const type = this.state.registry.byName(resource);
    if (type === undefined) throw noSuchResource();
    return type;
  }
}

export interface Selectors {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

export function parseSelectors(type: ResourceType, query: ListQuery): Selectors {
  return {
    labels: query.labelSelector ? parseLabelSelector(query.labelSelector) : undefined,
    fields: query.fieldSelector ? parseFieldSelector(query.fieldSelector, type) : undefined,
  };
}

export function selects({ labels, fields }: Selectors, object: KubeObject): boolean {
  return (labels?.matches(object.metadata.labels) ?? true) && (fields?.matches(object) ?? true);
}

export function filterObjects(objects: readonly KubeObject[], selectors: Selectors): readonly KubeObject[] {
  if (selectors.labels === undefined && selectors.fields === undefined) return objects;
  return objects.filter((object) => selects(selectors, object));
}

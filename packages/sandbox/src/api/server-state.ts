// What all verbs share: the store, the registry, time and randomness, and the indexes that are kept beside the store
// (who owns whom, how much a namespace holds). The only place that writes to the store.
import type { ObjectStore } from '../store/object-store.ts';
import type { KubeObject } from './cluster-api.ts';
import type { JsonObject } from './json-object.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { type ResourceType, typeKey } from './resource-type.ts';
import type { RuleContext } from './rules/resource-rules.ts';

export interface ServerParts {
  readonly clock: { now(): number };
  readonly random: () => number;
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
}

export interface ObjectPlace {
  readonly type: ResourceType;
  readonly key: string;
}

export class ServerState {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly random: () => number;
  readonly #clock: { now(): number };
  readonly #places = new Map<string, ObjectPlace>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #contents = new Map<string, number>();
  #serviceAddresses = 0;

  constructor(parts: ServerParts) {
    this.store = parts.store;
    this.registry = parts.registry;
    this.random = parts.random;
    this.#clock = parts.clock;
  }

  now(): number {
    return this.#clock.now();
  }

  timestamp(offsetSeconds = 0): string {
    return timestamp(this.#clock.now() + offsetSeconds * 1000);
  }

  context(): RuleContext {
    return {
      now: this.timestamp(),
      random: this.random,
      nextServiceAddress: () => {
        const number = ++this.#serviceAddresses + 9;
        return `10.96.${(number >> 8) & 0xff}.${number & 0xff}`;
      },
      nodeLabels: (name) => this.find({ plural: 'nodes', group: '' }, undefined, name)?.metadata.labels,
    };
  }

  find(
    type: { readonly plural: string; readonly group: string },
    namespace: string | undefined,
    name: string,
  ): KubeObject | undefined {
    return this.store.table(typeKey(type)).get(objectKey(namespace, name));
  }

  put(type: ResourceType, draft: JsonObject): KubeObject {
    const given = draft as unknown as KubeObject;
    const { namespace, name } = given.metadata;
    const key = objectKey(namespace, name as string);
    const before = this.store.table(typeKey(type)).get(key);
    const uid = given.metadata.uid as string;
    if (before === undefined) {
      this.#places.set(uid, { type, key });
      if (namespace !== undefined) this.#contents.set(namespace, this.contentOf(namespace) + 1);
    }
    if (before?.metadata.ownerReferences !== given.metadata.ownerReferences) {
      for (const owner of before?.metadata.ownerReferences ?? []) this.#dependents.get(owner.uid)?.delete(uid);
      for (const owner of given.metadata.ownerReferences ?? []) this.#dependentsOf(owner.uid).add(uid);
    }
    return this.store.put(typeKey(type), key, given);
  }

  remove(type: ResourceType, object: KubeObject): KubeObject {
    const { namespace, name, uid } = object.metadata;
    this.#places.delete(uid as string);
    for (const owner of object.metadata.ownerReferences ?? []) {
      const siblings = this.#dependents.get(owner.uid);
      siblings?.delete(uid as string);
      if (siblings?.size === 0) this.#dependents.delete(owner.uid);
    }
    if (namespace !== undefined) this.#contents.set(namespace, this.contentOf(namespace) - 1);
    return this.store.remove(typeKey(type), objectKey(namespace, name as string)) ?? object;
  }

  /** After the store was rewound: the indexes are made again from what it holds. */
  reindex(): void {
    this.#places.clear();
    this.#dependents.clear();
    this.#contents.clear();
    for (const type of this.registry.all()) {
      for (const { metadata } of this.store.table(typeKey(type)).list('')) {
        const { uid, namespace, name } = metadata;
        this.#places.set(uid as string, { type, key: objectKey(namespace, name as string) });
        if (namespace !== undefined) this.#contents.set(namespace, this.contentOf(namespace) + 1);
        for (const owner of metadata.ownerReferences ?? []) this.#dependentsOf(owner.uid).add(uid as string);
      }
    }
  }

  placeOf(uid: string): ObjectPlace | undefined {
    return this.#places.get(uid);
  }

  objectOf(uid: string): { readonly type: ResourceType; readonly object: KubeObject } | undefined {
    const place = this.#places.get(uid);
    const object = place && this.store.table(typeKey(place.type)).get(place.key);
    return place === undefined || object === undefined ? undefined : { type: place.type, object };
  }

  dependentsOf(uid: string): string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /** How many objects a namespace holds. */
  contentOf(namespace: string): number {
    return this.#contents.get(namespace) ?? 0;
  }

  #dependentsOf(uid: string): Set<string> {
    let dependents = this.#dependents.get(uid);
    if (dependents === undefined) {
      dependents = new Set();
      this.#dependents.set(uid, dependents);
    }
    return dependents;
  }
}

function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function timestamp(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`;
}

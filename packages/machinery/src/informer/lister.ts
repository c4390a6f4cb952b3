// Reads from the cache. Never calls the API, never changes anything; objects are shared, so treat them as read-only.
import type { Cacheable } from '../objects/kube-object.ts';
import type { ObjectStore } from './object-store.ts';

export class Lister<T extends Cacheable> {
  readonly #store: ObjectStore<T>;

  constructor(store: ObjectStore<T>) {
    this.#store = store;
  }

  get size(): number {
    return this.#store.size;
  }

  /** By key: `namespace/name`, or `name` for cluster-scoped objects. */
  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  getIn(namespace: string, name: string): T | undefined {
    return this.#store.get(namespace === '' ? name : `${namespace}/${name}`);
  }

  list(filter: { readonly namespace?: string; readonly where?: (object: T) => boolean } = {}): T[] {
    const found: T[] = [];
    for (const object of this.#store.values()) {
      if (filter.namespace !== undefined && object.metadata.namespace !== filter.namespace) continue;
      if (filter.where !== undefined && !filter.where(object)) continue;
      found.push(object);
    }
    return found;
  }

  keys(): string[] {
    return [...this.#store.keys()];
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#store.values();
  }

  byIndex(index: string, value: string): T[] {
    return this.#store.byIndex(index, value);
  }

  keysByIndex(index: string, value: string): ReadonlySet<string> {
    return this.#store.keysByIndex(index, value);
  }

  indexValues(index: string): string[] {
    return this.#store.indexValues(index);
  }
}

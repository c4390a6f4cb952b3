// The cache itself: objects by key, and secondary indexes kept in step. No network, no time, no handlers.
import { MachineryError } from '../errors.ts';
import type { Cacheable } from '../objects/kube-object.ts';

/**
 * The values under which one object is found; an empty list leaves it out of that index, and so does an error: one
 * object that an index cannot place must not stop the cache.
 */
export type IndexFunction<T> = (object: T) => readonly string[];

interface Index<T> {
  readonly values: IndexFunction<T>;
  /** Invariant: no set in here is empty, so that churn does not leak memory. */
  readonly sets: Map<string, Set<string>>;
}

export class ObjectStore<T extends Cacheable> {
  #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onIndexFailure: () => void;

  /** `onIndexFailure`: an index function threw. */
  constructor(onIndexFailure: () => void = () => {}) {
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  set(key: string, object: T): void {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) reindex(index, key, previous, object);
  }

  delete(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) reindex(index, key, previous, undefined);
    return previous;
  }

  /** Takes over `objects` as a whole; the map must not be used by the caller afterwards. */
  replace(objects: Map<string, T>): void {
    this.#objects = objects;
    for (const index of this.#indexes.values()) this.#rebuild(index);
  }

  /** May be called at any time; existing objects are indexed at once. */
  addIndex(name: string, values: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new MachineryError('index-exists', `there is already an index "${name}"`);
    const guarded: IndexFunction<T> = (object) => {
      try {
        return values(object);
      } catch {
        this.#onIndexFailure();
        return [];
      }
    };
    const index: Index<T> = { values: guarded, sets: new Map() };
    this.#rebuild(index);
    this.#indexes.set(name, index);
  }

  get indexNames(): string[] {
    return [...this.#indexes.keys()];
  }

  keysByIndex(name: string, value: string): ReadonlySet<string> {
    return this.#index(name).sets.get(value) ?? EMPTY;
  }

  byIndex(name: string, value: string): T[] {
    const found: T[] = [];
    for (const key of this.keysByIndex(name, value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Every value that at least one object has. */
  indexValues(name: string): string[] {
    return [...this.#index(name).sets.keys()];
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      throw new MachineryError('unknown-index', `there is no index "${name}"`, {
        hint: `declared are: ${this.indexNames.join(', ') || 'none'}.`,
      });
    }
    return index;
  }

  #rebuild(index: Index<T>): void {
    index.sets.clear();
    for (const [key, object] of this.#objects) reindex(index, key, undefined, object);
  }
}

const EMPTY: ReadonlySet<string> = new Set();

function reindex<T>(index: Index<T>, key: string, previous: T | undefined, next: T | undefined): void {
  const before = previous === undefined ? [] : index.values(previous);
  const after = next === undefined ? [] : index.values(next);
  for (const value of before) {
    if (after.includes(value)) continue;
    const set = index.sets.get(value);
    if (set === undefined) continue;
    set.delete(key);
    if (set.size === 0) index.sets.delete(value);
  }
  for (const value of after) {
    const set = index.sets.get(value);
    if (set === undefined) index.sets.set(value, new Set([key]));
    else set.add(key);
  }
}

// All objects of one resource with a bounded history of their changes. The history answers watches and lets a list
// be read as it was at an earlier version. Written by the ObjectStore only.
import type { KubeObject, WatchEventType } from './kube-object.ts';
import { SortedKeys } from './sorted-keys.ts';

/** One committed change. `previous` is what the key held before; on DELETED, `object` carries the version of the deletion. */
export interface StoreEvent {
  readonly version: number;
  readonly type: WatchEventType;
  readonly key: string;
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** When it was committed, by the server's clock, in milliseconds. */
  readonly at: number;
}

export class ResourceTable {
  readonly name: string;
  readonly #objects = new Map<string, KubeObject>();
  readonly #keys = new SortedKeys();
  /** Ordered by version; the first `#forgotten` entries are compacted and removed now and then in bulk. */
  #history: StoreEvent[] = [];
  #forgotten = 0;
  /** The newest version whose successors are no longer all known. */
  #compactedAt: number;
  #latest: number;

  constructor(name: string, startVersion: number) {
    this.name = name;
    this.#compactedAt = startVersion;
    this.#latest = startVersion;
  }

  get size(): number {
    return this.#objects.size;
  }

  get historySize(): number {
    return this.#history.length - this.#forgotten;
  }

  /** Changes after this version are all known; asking from an earlier one is answered with 410. */
  get compactedAt(): number {
    return this.#compactedAt;
  }

  /** The version of the newest change here. */
  get latest(): number {
    return this.#latest;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  /** In the order of keys. */
  list(prefix: string): KubeObject[] {
    const keys = this.#keys.withPrefix(prefix);
    const objects = new Array<KubeObject>(keys.length);
    for (let i = 0; i < keys.length; i++) objects[i] = this.#objects.get(keys[i] as string) as KubeObject;
    return objects;
  }

  /** The same as it was right after `version`, or undefined where that is compacted. */
  listAt(prefix: string, version: number): readonly KubeObject[] | undefined {
    if (version >= this.#latest) return this.list(prefix);
    if (version < this.#compactedAt) return undefined;
    const before = new Map<string, KubeObject | undefined>();
    for (const event of this.eventsAfter(version)) {
      if (event.key.startsWith(prefix) && !before.has(event.key)) before.set(event.key, event.previous);
    }
    if (before.size === 0) return this.list(prefix);
    const keys = new Set([...this.#keys.withPrefix(prefix), ...before.keys()]);
    const objects: KubeObject[] = [];
    for (const key of [...keys].sort(byCodeUnits)) {
      const object = before.has(key) ? before.get(key) : this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** A live view would change under the caller: this is a copy. The version must not be older than `compactedAt`. */
  eventsAfter(version: number): StoreEvent[] {
    let low = this.#forgotten;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle] as StoreEvent).version <= version) low = middle + 1;
      else high = middle;
    }
    return this.#history.slice(low);
  }

  apply(event: StoreEvent): void {
    if (event.type === 'DELETED') {
      this.#objects.delete(event.key);
      this.#keys.delete(event.key);
    } else {
      if (event.type === 'ADDED') this.#keys.add(event.key);
      this.#objects.set(event.key, event.object);
    }
    this.#latest = event.version;
    this.#history.push(event);
  }

  /** Forgets the changes up to and including `version`. */
  compact(version: number): void {
    if (version <= this.#compactedAt) return;
    this.#compactedAt = version;
    while (this.#forgotten < this.#history.length && this.#oldest().version <= version) this.#forgotten++;
    this.#release();
  }

  /** Forgets the oldest changes beyond a count, and those committed before an instant. */
  trim(limit: number, committedBefore: number): void {
    while (this.historySize > 0 && (this.historySize > limit || this.#oldest().at < committedBefore)) {
      this.#compactedAt = Math.max(this.#compactedAt, this.#oldest().version);
      this.#forgotten++;
    }
    this.#release();
  }

  /**
   * Goes back to what was right after `version` and forgets all history. Gives back what changed by that; the versions
   * in it are those of then.
   */
  restore(version: number, at: number): StoreEvent[] {
    const then = this.listAt('', version) ?? [];
    const wanted = new Map(then.map((object) => [keyOf(object), object]));
    const events: StoreEvent[] = [];
    for (const [key, previous] of this.#objects) {
      if (!wanted.has(key)) events.push({ version, type: 'DELETED', key, object: previous, previous, at });
    }
    for (const [key, object] of wanted) {
      let previous = this.#objects.get(key);
      if (previous === object) continue;
      if (previous !== undefined && previous.metadata.uid !== object.metadata.uid) {
        // Another object of that name: this one goes before that one comes back.
        events.push({ version, type: 'DELETED', key, object: previous, previous, at });
        previous = undefined;
      }
      events.push({ version, type: previous === undefined ? 'ADDED' : 'MODIFIED', key, object, previous, at });
    }
    for (const event of events) this.apply(event);
    this.#history = [];
    this.#forgotten = 0;
    this.#compactedAt = version;
    this.#latest = Math.min(this.#latest, version);
    return events;
  }

  #oldest(): StoreEvent {
    return this.#history[this.#forgotten] as StoreEvent;
  }

  #release(): void {
    if (this.#forgotten < 512 || this.#forgotten * 2 < this.#history.length) {
      if (this.#forgotten < this.#history.length) return;
    }
    this.#history = this.#history.slice(this.#forgotten);
    this.#forgotten = 0;
  }
}

function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? `${metadata.name}` : `${metadata.namespace}/${metadata.name}`;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

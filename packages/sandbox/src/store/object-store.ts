// The memory behind the API server: one counter of versions for everything, one table for each resource, and the
// order in which changes are emitted. Holds no rule of Kubernetes beyond versions: what may be written is decided above.

import { frozenCopy } from './frozen-copy.ts';
import type { KubeObject } from './kube-object.ts';
import { ResourceTable, type StoreEvent } from './resource-table.ts';

export interface ObjectStoreOptions {
  readonly clock: { now(): number };
  /** The first version handed out is the one after it. */
  readonly startVersion: number;
  /** Changes remembered for each resource. */
  readonly historyLimit: number;
  /** Milliseconds after which a change is forgotten; undefined: only the count counts. */
  readonly historyAge: number | undefined;
}

export type StoreListener = (event: StoreEvent) => void;

export class ObjectStore {
  readonly #options: ObjectStoreOptions;
  readonly #tables = new Map<string, ResourceTable>();
  readonly #listeners = new Map<string, Set<StoreListener>>();
  /** Emitted or run in turn, so that a listener that writes does not emit the second change before the first. */
  readonly #pending: (() => void)[] = [];
  #draining = false;
  #version: number;

  constructor(options: ObjectStoreOptions) {
    this.#options = options;
    this.#version = options.startVersion;
  }

  /** The newest version of anything. */
  get version(): number {
    return this.#version;
  }

  table(resource: string): ResourceTable {
    let table = this.#tables.get(resource);
    if (table === undefined) {
      table = new ResourceTable(resource, this.#version);
      this.#tables.set(resource, table);
    }
    return table;
  }

  tables(): Iterable<ResourceTable> {
    return this.#tables.values();
  }

  /** Writes an object under the next version; an object equal to what is there is not written again. */
  put(resource: string, key: string, draft: KubeObject): KubeObject {
    const table = this.table(resource);
    const previous = table.get(key);
    // Copied under the version of before, so that what changes nothing shows; the new version then costs two shells.
    const version = previous?.metadata.resourceVersion ?? String(this.#version + 1);
    const copy = frozenCopy(withVersion(draft, version), previous);
    if (copy === previous) return copy;
    this.#version++;
    const object = previous === undefined ? copy : underVersion(copy, String(this.#version));
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#commit(table, { version: this.#version, type, key, object, previous, at: this.#options.clock.now() });
    return object;
  }

  /** Gives back the object as the deletion is emitted: with the version of the deletion. */
  remove(resource: string, key: string): KubeObject | undefined {
    const table = this.table(resource);
    const previous = table.get(key);
    if (previous === undefined) return undefined;
    const object = underVersion(previous, String(++this.#version));
    this.#commit(table, {
      version: this.#version,
      type: 'DELETED',
      key,
      object,
      previous,
      at: this.#options.clock.now(),
    });
    return object;
  }

  listen(resource: string, listener: StoreListener): () => void {
    let listeners = this.#listeners.get(resource);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(resource, listeners);
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Runs a task after what is being emitted now; at once where nothing is. */
  afterwards(task: () => void): void {
    this.#pending.push(task);
    this.#drain();
  }

  /** Several writes that belong to one verb: emitted only once all are made. */
  together<T>(writes: () => T): T {
    if (this.#draining) return writes();
    this.#draining = true;
    let result: T;
    try {
      result = writes();
    } finally {
      this.#draining = false;
      this.#drain();
    }
    return result;
  }

  /** Forgets all changes up to `version`: watches and continue tokens from before are answered with 410. */
  compact(version: number): void {
    for (const table of this.#tables.values()) table.compact(version);
  }

  /**
   * As if etcd had been restored from a backup: all is as it was right after `version`, versions are counted on from
   * there and come a second time, history is gone. Listeners get the difference, as if it had just happened.
   */
  rewind(version: number, restored: () => void): void {
    const tables = [...this.#tables.values()];
    const late = tables.find((table) => version < table.compactedAt);
    if (version > this.#version || late !== undefined) {
      const oldest = Math.max(...tables.map((table) => table.compactedAt));
      throw new RangeError(`version ${version} cannot be restored: only ${oldest} to ${this.#version} are remembered`);
    }
    this.together(() => {
      this.#version = version;
      for (const table of tables) {
        for (const event of table.restore(version, this.#options.clock.now())) this.#announce(table, event);
      }
      restored();
    });
  }

  #commit(table: ResourceTable, event: StoreEvent): void {
    table.apply(event);
    const { historyLimit, historyAge, clock } = this.#options;
    table.trim(historyLimit, historyAge === undefined ? Number.NEGATIVE_INFINITY : clock.now() - historyAge);
    this.#announce(table, event);
    this.#drain();
  }

  #announce(table: ResourceTable, event: StoreEvent): void {
    const listeners = this.#listeners.get(table.name);
    if (listeners === undefined || listeners.size === 0) return;
    this.#pending.push(() => {
      for (const listener of [...listeners]) if (listeners.has(listener)) listener(event);
    });
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) next();
    } finally {
      this.#draining = false;
    }
  }
}

function withVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

/** The same frozen parts under another version. */
function underVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return Object.freeze({ ...object, metadata: Object.freeze({ ...object.metadata, resourceVersion }) });
}

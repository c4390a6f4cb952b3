// Objects of one resource as they are right now, findable by UID and by group (owner, node): what an informer's cache
// is to a real controller. Kept by the API server's own notices; never written to by anyone else.
import type { ClusterApi, KubeObject, ResourceName, WatchEventType } from '../api/cluster-api.ts';

export type Grouping<T> = (object: T) => string | undefined;
export type IndexListener<T> = (type: WatchEventType, object: T, previous: T | undefined) => void;

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

export class ObjectIndex<T extends KubeObject> {
  readonly #byUid = new Map<string, T>();
  readonly #groups: readonly { readonly of: Grouping<T>; readonly members: Map<string, Map<string, T>> }[];
  readonly #listeners: IndexListener<T>[] = [];
  readonly #end: () => void;

  constructor(api: ClusterApi, resource: ResourceName, groupings: readonly Grouping<T>[] = []) {
    this.#groups = groupings.map((of) => ({ of, members: new Map() }));
    for (const object of api.list(resource)) this.#apply('ADDED', object as T, undefined);
    this.#end = api.watch(resource, (type, object, previous) => {
      this.#apply(type, object as T, previous as T | undefined);
      for (const listener of this.#listeners) listener(type, object as T, previous as T | undefined);
    });
  }

  /** Called after the index has changed. A listener sets timers and writes nothing. */
  follow(listener: IndexListener<T>): void {
    this.#listeners.push(listener);
  }

  get(uid: string): T | undefined {
    return this.#byUid.get(uid);
  }

  all(): IterableIterator<T> {
    return this.#byUid.values();
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** The members of one group, in the order in which they joined it. */
  group(grouping: number, key: string): ReadonlyMap<string, T> {
    return this.#groups[grouping]?.members.get(key) ?? NOTHING;
  }

  close(): void {
    this.#end();
  }

  #apply(type: WatchEventType, object: T, previous: T | undefined): void {
    const uid = object.metadata.uid as string;
    if (type === 'DELETED') this.#byUid.delete(uid);
    else this.#byUid.set(uid, object);
    for (const { of, members } of this.#groups) {
      const key = type === 'DELETED' ? undefined : of(object);
      const before = previous === undefined ? undefined : of(previous);
      if (before !== undefined && before !== key) {
        const group = members.get(before);
        group?.delete(uid);
        if (group?.size === 0) members.delete(before);
      }
      if (key === undefined) continue;
      const group = members.get(key);
      if (group === undefined) members.set(key, new Map([[uid, object]]));
      else group.set(uid, object);
    }
  }
}

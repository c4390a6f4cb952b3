// The pods that are there now, in the order of their keys: follows an informer, and is sorted only when somebody asks after
// a pod came or went. Updates of pods, which are most of what an informer delivers, cost nothing.
import { type Informer, isObjectDelta, type PodView } from '@podtrail/machinery';
import { keyOf } from './present-pods.ts';
import type { PresentPod } from './resource.ts';

interface Entry {
  readonly key: string;
  readonly pod: PresentPod;
}

export class PresentIndex {
  readonly #byKey = new Map<string, Entry>();
  /** Sorted; without what came since, and with what went since. */
  #sorted: readonly Entry[] = [];
  readonly #came = new Set<Entry>();
  #hasLost = false;
  #pods: readonly PresentPod[] = [];

  add({ namespace, name, uid }: PresentPod): void {
    const pod = { namespace, name, uid };
    const key = keyOf(pod);
    if (this.#byKey.has(key)) return;
    const entry = { key, pod };
    this.#byKey.set(key, entry);
    this.#came.add(entry);
  }

  remove(pod: PresentPod): void {
    const key = keyOf(pod);
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    this.#byKey.delete(key);
    if (!this.#came.delete(entry)) this.#hasLost = true;
  }

  /** The same list until a pod comes or goes. */
  list(): readonly PresentPod[] {
    if (this.#came.size === 0 && !this.#hasLost) return this.#pods;
    const kept = this.#hasLost ? this.#sorted.filter((entry) => this.#byKey.get(entry.key) === entry) : this.#sorted;
    // What was sorted is one run already, so this is little more than a merge.
    this.#sorted = [...kept, ...this.#came].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#pods = this.#sorted.map(({ pod }) => pod);
    this.#came.clear();
    this.#hasLost = false;
    return this.#pods;
  }
}

/** Undefined until the informer has delivered the first listing. */
export function followPresent(pods: Informer<PodView>): {
  readonly present: () => readonly PresentPod[] | undefined;
  end(): void;
} {
  const index = new PresentIndex();
  const registration = pods.addHandler({
    name: 'present pods',
    onDelta: (delta) => {
      if (!isObjectDelta(delta)) return;
      const { metadata } = delta.object;
      if (delta.kind === 'deleted') return index.remove(metadata);
      if (delta.kind === 'updated') {
        if (delta.previous.metadata.uid === metadata.uid) return;
        index.remove(delta.previous.metadata);
      }
      index.add(metadata);
    },
  });
  return { present: () => (registration.synced ? index.list() : undefined), end: () => registration.remove() };
}

// The trackers that are known, and which of them a pod concerns. The PodTracker controller keeps it; a tracker says when it
// selects other namespaces than before. It never looks at a pod.
import type { Tracked } from './tracked.ts';

export class TrackerIndex {
  readonly #byName = new Map<string, Tracked>();
  /** Trackers by the namespaces that they name; those that name none are asked about every pod. */
  readonly #byNamespace = new Map<string, Set<Tracked>>();
  readonly #anyNamespace = new Set<Tracked>();
  readonly #listedUnder = new WeakMap<Tracked, ReadonlySet<string> | undefined>();

  get(name: string): Tracked | undefined {
    return this.#byName.get(name);
  }

  names(): string[] {
    return [...this.#byName.keys()];
  }

  all(): Iterable<Tracked> {
    return this.#byName.values();
  }

  *interestedIn(namespace: string): Iterable<Tracked> {
    yield* this.#byNamespace.get(namespace) ?? [];
    yield* this.#anyNamespace;
  }

  add(tracked: Tracked): void {
    this.#byName.set(tracked.name, tracked);
    this.list(tracked);
  }

  remove(name: string): void {
    const known = this.#byName.get(name);
    if (known === undefined) return;
    this.#unlist(known);
    this.#byName.delete(name);
  }

  /** Under the namespaces that it selects by now. */
  list(tracked: Tracked): void {
    this.#unlist(tracked);
    const { namespaces } = tracked.selection;
    this.#listedUnder.set(tracked, namespaces);
    if (namespaces === undefined) this.#anyNamespace.add(tracked);
    for (const namespace of namespaces ?? []) {
      const listed = this.#byNamespace.get(namespace);
      if (listed === undefined) this.#byNamespace.set(namespace, new Set([tracked]));
      else listed.add(tracked);
    }
  }

  #unlist(tracked: Tracked): void {
    this.#anyNamespace.delete(tracked);
    for (const namespace of this.#listedUnder.get(tracked) ?? []) {
      const listed = this.#byNamespace.get(namespace);
      listed?.delete(tracked);
      if (listed?.size === 0) this.#byNamespace.delete(namespace);
    }
  }
}

// What the footprints of trackers have to say in the status of trackers: whether the hourly ConfigMaps of a namespace
// can be written, and which namespaces hold none of a tracker any more. Who writes footprints reports to it; passes ask
// it. Keeps only what this process has seen: the next leader reports again.

export type FootprintsState =
  /** This process has not tried yet: what status says still counts. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'working' }
  | { readonly kind: 'failing'; readonly reason: string; readonly message: string };

const UNKNOWN: FootprintsState = { kind: 'unknown' };

export class FootprintReports {
  readonly #states = new Map<string, FootprintsState>();
  /** By the UID of the tracker. */
  readonly #emptied = new Map<string, Set<string>>();
  readonly #onChange = new Set<(tracker: string) => void>();

  /** `listener` gets the names of trackers whose status may have to say something else. */
  onChange(listener: (tracker: string) => void): void {
    this.#onChange.add(listener);
  }

  stateIn(namespace: string): FootprintsState {
    return this.#states.get(namespace) ?? UNKNOWN;
  }

  /** `trackers`: those whose ConfigMaps are there. */
  set(namespace: string, state: FootprintsState, trackers: Iterable<string>): void {
    const before = this.stateIn(namespace);
    this.#states.set(namespace, state);
    if (!isSame(before, state)) for (const tracker of trackers) this.#notify(tracker);
  }

  /** Nobody wants ConfigMaps there any more. */
  forget(namespace: string): void {
    this.#states.delete(namespace);
  }

  isEmptied(uid: string, namespace: string): boolean {
    return this.#emptied.get(uid)?.has(namespace) ?? false;
  }

  /** Nothing of the tracker is left in the namespace, and nothing is written there for it. */
  setEmptied({ name, uid }: { readonly name: string; readonly uid: string }, namespace: string): void {
    const emptied = this.#emptied.get(uid) ?? new Set();
    this.#emptied.set(uid, emptied.add(namespace));
    this.#notify(name);
  }

  /** Status has it, or the tracker writes there again. */
  clearEmptied(uid: string, isDone: (namespace: string) => boolean): void {
    const emptied = this.#emptied.get(uid);
    for (const namespace of emptied ?? []) if (isDone(namespace)) emptied?.delete(namespace);
    if (emptied?.size === 0) this.#emptied.delete(uid);
  }

  #notify(tracker: string): void {
    for (const listener of this.#onChange) listener(tracker);
  }
}

function isSame(a: FootprintsState, b: FootprintsState): boolean {
  if (a.kind !== 'failing' || b.kind !== 'failing') return a.kind === b.kind;
  return a.reason === b.reason && a.message === b.message;
}

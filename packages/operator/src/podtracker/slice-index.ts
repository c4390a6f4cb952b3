// The slices of one tracker that hold pods, or that hold nodes, as the server has them: which entry lies where, and
// where there is room. Fed by the informer and by the answers to our own writes, whichever comes first; never writes.
import { compareResourceVersions, isComparable } from '@podtrail/machinery';
import type { Packed } from './packed-entry.ts';
import type { SliceView } from './slice-view.ts';

export class SliceIndex {
  readonly limit: number;
  readonly #ownerUid: string;
  readonly #slices = new Map<string, SliceView>();
  /** Invariant: every key of every slice is here, with one of the slices that hold it. */
  readonly #places = new Map<string, string>();
  /** Further slices that hold a key: only after somebody else wrote, or a write was repeated. */
  readonly #doubles = new Map<string, Set<string>>();
  /** Invariant: exactly the slices with fewer than `limit` entries. */
  readonly #roomy = new Set<string>();
  /** Slices whose owner or labels are not as we write them, and empty ones: to be adopted or collected. */
  readonly #strays = new Set<string>();
  /** UIDs of slices that we deleted: what the informer still delivers of them is old. */
  readonly #gone = new Set<string>();

  constructor(ownerUid: string, limit: number) {
    this.#ownerUid = ownerUid;
    this.limit = limit;
  }

  get size(): number {
    return this.#slices.size;
  }

  get slices(): ReadonlyMap<string, SliceView> {
    return this.#slices;
  }

  get roomy(): ReadonlySet<string> {
    return this.#roomy;
  }

  get strays(): ReadonlySet<string> {
    return this.#strays;
  }

  keys(): IterableIterator<string> {
    return this.#places.keys();
  }

  get placed(): number {
    return this.#places.size;
  }

  placeOf(key: string): SliceView | undefined {
    const name = this.#places.get(key);
    return name === undefined ? undefined : this.#slices.get(name);
  }

  entry(key: string): Packed | undefined {
    return this.placeOf(key)?.entries.get(key);
  }

  /** Slices that hold a key besides its place. */
  doublesOf(key: string): Iterable<string> {
    return this.#doubles.get(key) ?? [];
  }

  hasDouble(key: string): boolean {
    return this.#doubles.has(key);
  }

  /** Takes in a slice as it is now. Returns the keys that may have changed; none if this was known or is old. */
  put(slice: SliceView): Iterable<string> {
    const { name, uid, resourceVersion } = slice.metadata;
    const held = this.#slices.get(name);
    if (this.#gone.has(uid) || (held !== undefined && !isNews(slice, held, resourceVersion))) return [];
    const touched = new Set<string>(held?.entries.keys());
    for (const key of touched) if (!slice.entries.has(key)) this.#unplace(key, name);
    this.#slices.set(name, slice);
    for (const key of slice.entries.keys()) {
      touched.add(key);
      this.#place(key, name);
    }
    mark(this.#roomy, name, slice.entries.size < this.limit);
    const asWeWrite = slice.ownerUid === this.#ownerUid && slice.labelled && slice.entries.size > 0;
    mark(this.#strays, name, !asWeWrite);
    return touched;
  }

  /** The slice is no more. Returns the keys that it held. */
  remove(name: string, uid: string): Iterable<string> {
    this.#gone.delete(uid);
    const held = this.#slices.get(name);
    // A late word about an earlier slice of this name must not take its successor away.
    if (held === undefined || held.metadata.uid !== uid) return [];
    this.#slices.delete(name);
    this.#roomy.delete(name);
    this.#strays.delete(name);
    for (const key of held.entries.keys()) this.#unplace(key, name);
    return held.entries.keys();
  }

  /** We deleted it: what the informer says of it until it has seen that, does not count. */
  removeOurs(name: string, uid: string): Iterable<string> {
    const keys = this.remove(name, uid);
    this.#gone.add(uid);
    return keys;
  }

  /** Versions went backwards (etcd was restored): nothing that is known may outrank what is delivered from now on. */
  forget(): void {
    for (const set of [this.#slices, this.#places, this.#doubles, this.#roomy, this.#strays, this.#gone]) set.clear();
  }

  #place(key: string, name: string): void {
    const place = this.#places.get(key);
    if (place === undefined || place === name) {
      this.#places.set(key, name);
      return;
    }
    const doubles = this.#doubles.get(key);
    if (doubles === undefined) this.#doubles.set(key, new Set([name]));
    else doubles.add(name);
  }

  #unplace(key: string, name: string): void {
    const doubles = this.#doubles.get(key);
    if (this.#places.get(key) === name) {
      const [next] = doubles ?? [];
      if (next === undefined) this.#places.delete(key);
      else this.#places.set(key, next);
      if (next !== undefined) doubles?.delete(next);
    } else {
      doubles?.delete(name);
    }
    if (doubles?.size === 0) this.#doubles.delete(key);
  }
}

function isNews(slice: SliceView, held: SliceView, version: string): boolean {
  if (slice.metadata.uid !== held.metadata.uid) return true;
  const known = held.metadata.resourceVersion;
  if (!isComparable(version) || !isComparable(known)) return version !== known;
  return compareResourceVersions(version, known) > 0;
}

function mark(set: Set<string>, name: string, belongs: boolean): void {
  if (belongs) set.add(name);
  else set.delete(name);
}

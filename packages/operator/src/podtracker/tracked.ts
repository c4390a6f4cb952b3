// One PodTracker as the controller sees it: which pods it selects now, what the server lists of them, and what may
// differ between the two. Informer handlers notify it of changes, one at a time and each at the same cost however many
// pods there are; passes ask it what to write. Keeps nothing that a restart would not find again.
import { isDeepStrictEqual } from 'node:util';
import { compareResourceVersions, isComparable, type NodeView, type PodView } from '@podtrail/machinery';
import type { PodTracker, PodTrackerSpec, PodTrackerStatus } from '../crds/podtracker.ts';
import { ENTRY_LIMIT, type NodeEntry, type PodEntry } from '../crds/tracked-entries.ts';
import { isSparse } from './compact-slices.ts';
import { type Health, nextConditions } from './conditions.ts';
import { footprintPlaces, placeOf } from './footprint-places.ts';
import type { FootprintsState } from './footprint-reports.ts';
import { addressesOf, isListed, type Packed, packNode, packPod, sameListing, unpack } from './packed-entry.ts';
import { planSlices, type SliceWrite } from './plan-slices.ts';
import { ReleasedAddresses, type Reuse } from './released-addresses.ts';
import { Selection } from './selection.ts';
import { SliceIndex } from './slice-index.ts';
import type { Holds, SliceView } from './slice-view.ts';

/** Where a tracker looks things up (the informers' listers), and whom it notifies. */
export interface TrackerEnv {
  /** The operator's own namespace. */
  readonly home: string;
  pods(): Iterable<PodView>;
  node(name: string): NodeView | undefined;
  namespaceLabels(name: string): ReadonlyMap<string, string> | undefined;
  monotonic(): number;
  /** Whether hourly ConfigMaps can be written there. Default: not known. */
  footprintsIn?(namespace: string): FootprintsState;
  /** Whether the tracker has left nothing behind there. Default: not known, and so not. */
  isEmptied?(tracked: Tracked, namespace: string): boolean;
  /** The tracker selects by another spec now, and has done so among the pods that are there. */
  selectionChanged?(tracked: Tracked): void;
  addressReused?(tracked: Tracked, reuse: Reuse): void;
  /** The tracker has a `problem` now, and had none before. Must not throw. */
  failed?(tracked: Tracked, error: unknown): void;
}

/** Back into status only well below the limit, so that a tracker around 100 does not go to and fro. */
const BACK_INTO_STATUS = 80;

export class Tracked {
  readonly name: string;
  readonly uid: string;
  /** What the server lists, pods and nodes apart. */
  readonly books: Readonly<Record<Holds, SliceIndex>>;
  readonly #trackerEnv: TrackerEnv;
  readonly #members = new Map<string, PodView>();
  /** How many members run on each node. */
  readonly #nodes = new Map<string, number>();
  /** Keys whose entry may differ from what the server lists. */
  readonly #dirty: Readonly<Record<Holds, Set<string>>> = { pods: new Set(), nodes: new Set() };
  readonly #released = new ReleasedAddresses();
  readonly #numbers: Record<Holds, number> = { pods: 0, nodes: 0 };
  /** As last decided: holds for a whole pass, however the number of pods changes under it. */
  readonly #sliced: Record<Holds, boolean> = { pods: false, nodes: false };
  #tracker: PodTracker;
  #selection = new Selection({});
  #problem: { readonly error: unknown } | undefined;

  constructor(tracker: PodTracker, trackerEnv: TrackerEnv) {
    this.name = tracker.metadata.name ?? '';
    this.uid = tracker.metadata.uid ?? '';
    this.books = { pods: new SliceIndex(this.uid, ENTRY_LIMIT), nodes: new SliceIndex(this.uid, ENTRY_LIMIT) };
    this.#tracker = tracker;
    this.#trackerEnv = trackerEnv;
    this.#selectOrFail();
  }

  get tracker(): PodTracker {
    return this.#tracker;
  }

  get selection(): Selection {
    return this.#selection;
  }

  get pods(): number {
    return this.#members.size;
  }

  /** Whether anything may have to be written to slices; status is always compared as a whole. */
  get dirtyKeys(): number {
    return this.#dirty.pods.size + this.#dirty.nodes.size;
  }

  /** Why it could not take in what was delivered: what it selects is not known until `catchUp`. */
  get problem(): { readonly error: unknown } | undefined {
    return this.#problem;
  }

  fail(error: unknown): void {
    const isNews = this.#problem === undefined;
    this.#problem = { error };
    if (isNews) this.#trackerEnv.failed?.(this, error);
  }

  /** After a failure everything is selected again. Throws if that cannot be done either. */
  catchUp(): void {
    if (this.#problem === undefined) return;
    this.#selectAgain();
    this.#problem = undefined;
    this.#trackerEnv.selectionChanged?.(this);
  }

  /** The tracker itself as it is now, from the informer or from the answer to a write. False if that is old. */
  learnTracker(tracker: PodTracker): boolean {
    const [version, known] = [tracker, this.#tracker].map(({ metadata }) => metadata.resourceVersion ?? '') as [
      string,
      string,
    ];
    if (isComparable(version) && isComparable(known) && compareResourceVersions(version, known) <= 0) return false;
    const before = this.#tracker;
    this.#tracker = withoutManagedFields(tracker);
    if (isSpecChanged(before, tracker) && this.#selectOrFail()) this.#trackerEnv.selectionChanged?.(this);
    return true;
  }

  /** A pod as it is now. True if what is listed has to change. */
  see(pod: PodView): boolean {
    const { uid, namespace } = pod.metadata;
    const before = this.#members.get(uid);
    const labels = this.#trackerEnv.namespaceLabels(namespace);
    if (!isListed(pod) || !this.#selection.selects(pod, labels)) return this.lose(uid);
    this.#members.set(uid, pod);
    if (before === undefined) {
      this.#count(pod.spec.nodeName, 1);
      this.#noteAddresses(pod, []);
    } else if (sameListing(before, pod)) {
      return false;
    } else {
      this.#count(before.spec.nodeName, -1);
      this.#count(pod.spec.nodeName, 1);
      this.#noteAddresses(pod, addressesOf(before));
    }
    this.#mark('pods', uid);
    return true;
  }

  /** The pod is gone, or not selected any more. True if it was listed. */
  lose(uid: string): boolean {
    const before = this.#members.get(uid);
    if (before === undefined) return false;
    this.#members.delete(uid);
    this.#count(before.spec.nodeName, -1);
    this.#released.giveUp(before, this.#trackerEnv.monotonic());
    this.#mark('pods', uid);
    return true;
  }

  /** A node changed, came or went. True if it is listed. */
  seeNode(name: string): boolean {
    if (!this.#nodes.has(name)) return false;
    this.#mark('nodes', name);
    return true;
  }

  /** Selects again among the pods of a namespace whose labels changed. True if that changed anything. */
  seeNamespace(name: string): boolean {
    let changed = false;
    for (const pod of this.#trackerEnv.pods()) {
      if (pod.metadata.namespace === name && this.see(pod)) changed = true;
    }
    return changed;
  }

  /** A slice as it is now. True if it is not as it should be. */
  learnSlice(slice: SliceView): boolean {
    const { holds } = slice;
    this.#check(holds, this.books[holds].put(slice));
    return this.#dirty[holds].size > 0 || this.books[holds].strays.size > 0;
  }

  /** A slice is gone, by our hand or another's. True if something is listed nowhere now. */
  loseSlice(slice: SliceView, ours: boolean): boolean {
    const { holds, metadata } = slice;
    const book = this.books[holds];
    this.#check(holds, ours ? book.removeOurs(metadata.name, metadata.uid) : book.remove(metadata.name, metadata.uid));
    return this.#dirty[holds].size > 0;
  }

  /** Versions of before mean nothing any more: the listing that follows delivers everything again. */
  forgetSlices(): void {
    for (const holds of ['pods', 'nodes'] as const) {
      for (const key of this.books[holds].keys()) this.#mark(holds, key);
      this.books[holds].forget();
    }
  }

  /** Decides again whether pods and nodes belong into slices. True if that is another decision than before. */
  decide(): boolean {
    const counts = { pods: this.#members.size, nodes: this.#countNodes() };
    let changed = false;
    for (const holds of ['pods', 'nodes'] as const) {
      const inSlices = this.#sliced[holds] || this.books[holds].size > 0;
      const sliced = counts[holds] > (inSlices ? BACK_INTO_STATUS : ENTRY_LIMIT);
      if (sliced === this.#sliced[holds]) continue;
      changed = true;
      this.#sliced[holds] = sliced;
      // While they were in status nobody kept count of what differs from slices; some may still be there.
      if (sliced) for (const key of this.#wantedKeys(holds)) this.#dirty[holds].add(key);
    }
    return changed;
  }

  get isSliced(): boolean {
    return this.#sliced.pods || this.#sliced.nodes;
  }

  /** Many pods have ended, and the rest lies thinly in far more slices than would do. */
  get isSparse(): boolean {
    return (['pods', 'nodes'] as const).some((holds) => {
      const { size, placed, limit } = this.books[holds];
      return this.#sliced[holds] && isSparse(size, placed, limit);
    });
  }

  /**
   * What to write to slices, by the last decision. Everything that was dirty counts as planned; a write that fails
   * must give its keys back by `again`. `compacts`: a step of that too, where they are sparse.
   */
  planSlices(holds: Holds, compacts = false): SliceWrite[] {
    const book = this.books[holds];
    const dirty = this.#dirty[holds];
    const sliced = this.#sliced[holds];
    if (!sliced && book.size === 0) {
      dirty.clear();
      return [];
    }
    const keys = sliced ? dirty : book.keys();
    const wanted = sliced ? (key: string) => this.#wanted(holds, key) : () => undefined;
    const writes = planSlices(book, [...keys], wanted, () => this.#newName(holds), compacts && sliced);
    dirty.clear();
    return writes;
  }

  /** These keys were not written after all. */
  again(holds: Holds, keys: Iterable<string>): void {
    for (const key of keys) this.#dirty[holds].add(key);
  }

  /** The status that should be, given that all slices were written; `leaving` are about to be deleted. */
  wantedStatus(health: Health, now: number, leaving: Partial<Record<Holds, number>> = {}): PodTrackerStatus {
    const generation = this.#tracker.metadata.generation ?? 0;
    const { pods: slicedPods, nodes: slicedNodes } = this.#sliced;
    const staying = (holds: Holds) => (this.#sliced[holds] ? this.books[holds].size - (leaving[holds] ?? 0) : 0);
    const slices = staying('pods') + staying('nodes');
    const nodes = this.#countNodes();
    const places = footprintPlaces(this.#tracker, this.#trackerEnv.home, (namespace) => {
      return this.#trackerEnv.isEmptied?.(this, namespace) ?? false;
    });
    return {
      observedGeneration: generation,
      conditions: nextConditions(this.#tracker.status?.conditions ?? [], {
        health,
        sliced: this.isSliced,
        footprints: this.#footprints(),
        generation,
        now,
      }),
      counts: { pods: this.#members.size, nodes, slices },
      ...(places.length === 0 ? {} : { configMaps: places }),
      ...(slicedPods || this.#members.size === 0 ? {} : { pods: this.#inline<PodEntry>('pods') }),
      ...(slicedNodes || nodes === 0 ? {} : { nodes: this.#inline<NodeEntry>('nodes') }),
    };
  }

  #footprints(): FootprintsState | undefined {
    const place = placeOf(specOf(this.#tracker), this.#trackerEnv.home);
    if (place === undefined) return undefined;
    return this.#trackerEnv.footprintsIn?.(place.namespace) ?? { kind: 'unknown' };
  }

  #inline<T extends PodEntry | NodeEntry>(holds: Holds): Record<string, T> {
    const entries: [string, T][] = [];
    for (const key of this.#wantedKeys(holds)) {
      const packed = this.#wanted(holds, key);
      if (packed !== undefined) entries.push([key, unpack<T>(packed)]);
    }
    return Object.fromEntries(entries);
  }

  #wantedKeys(holds: Holds): Iterable<string> {
    return holds === 'pods' ? this.#members.keys() : this.#nodes.keys();
  }

  #wanted(holds: Holds, key: string): Packed | undefined {
    if (holds === 'pods') {
      const pod = this.#members.get(key);
      return pod === undefined ? undefined : packPod(pod);
    }
    const node = this.#nodes.has(key) ? this.#trackerEnv.node(key) : undefined;
    return node === undefined ? undefined : packNode(node);
  }

  /** Nodes that have a Node object: of the others there is nothing to report. */
  #countNodes(): number {
    let count = 0;
    for (const name of this.#nodes.keys()) if (this.#trackerEnv.node(name) !== undefined) count++;
    return count;
  }

  #count(nodeName: string, by: 1 | -1): void {
    if (nodeName === '') return;
    const before = this.#nodes.get(nodeName) ?? 0;
    if (before + by === 0) this.#nodes.delete(nodeName);
    else this.#nodes.set(nodeName, before + by);
    if (before === 0 || before + by === 0) this.#mark('nodes', nodeName);
  }

  #noteAddresses(pod: PodView, before: readonly string[]): void {
    for (const reuse of this.#released.move(pod, before, this.#trackerEnv.monotonic())) {
      this.#trackerEnv.addressReused?.(this, reuse);
    }
  }

  /** Keys that a slice's change touched: those that are as they should be need no look any more. */
  #check(holds: Holds, touched: Iterable<string>): void {
    const book = this.books[holds];
    const sliced = this.#sliced[holds];
    for (const key of touched) {
      const wanted = sliced ? this.#wanted(holds, key) : undefined;
      if (book.entry(key) === wanted && !book.hasDouble(key)) this.#dirty[holds].delete(key);
      else this.#mark(holds, key);
    }
  }

  #mark(holds: Holds, key: string): void {
    const dirty = this.#dirty[holds];
    dirty.add(key);
    const known = (holds === 'pods' ? this.#members.size : this.#nodes.size) + this.books[holds].placed;
    if (dirty.size <= 2 * known + 1000) return;
    // A standby writes nothing: without this it would remember every pod that ever came and went.
    for (const other of dirty) {
      const listed = this.books[holds].placeOf(other) !== undefined;
      if (!listed && this.#wanted(holds, other) === undefined) dirty.delete(other);
    }
  }

  #newName(holds: Holds): string {
    const infix = holds === 'pods' ? '' : 'n';
    for (;;) {
      const name = `${this.name}-${infix}${this.#numbers[holds]++}`;
      if (!this.books[holds].slices.has(name)) return name;
    }
  }

  /** A spec that passed an older schema, or none, may be anything. */
  #selectOrFail(): boolean {
    try {
      this.#selectAgain();
      this.#problem = undefined;
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #selectAgain(): void {
    this.#selection = new Selection(specOf(this.#tracker));
    const seen = new Set<string>();
    for (const pod of this.#trackerEnv.pods()) {
      seen.add(pod.metadata.uid);
      this.see(pod);
    }
    for (const uid of [...this.#members.keys()]) if (!seen.has(uid)) this.lose(uid);
  }
}

/** Absent only on servers that stored the tracker before they knew the default. */
function specOf(tracker: PodTracker): PodTrackerSpec {
  return tracker.spec ?? {};
}

/** Through v1alpha1 the stored spec can change without a new generation: the server compares what v1alpha1 shows. */
function isSpecChanged(before: PodTracker, after: PodTracker): boolean {
  if (before.metadata.generation !== after.metadata.generation) return true;
  return !isDeepStrictEqual(specOf(before), specOf(after));
}

/** Nobody here reads them, and they are as long as the rest. */
export function withoutManagedFields(tracker: PodTracker): PodTracker {
  delete tracker.metadata.managedFields;
  return tracker;
}

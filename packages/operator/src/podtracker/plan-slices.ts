// From what should be listed and what the slices hold: the fewest writes that bring the two together. Pure. Entries
// stay where they are, new ones fill holes, what is empty is deleted, doubles are taken out; sparse slices are drawn
// together where the caller says so.
import { chooseMerger } from './compact-slices.ts';
import type { Packed } from './packed-entry.ts';
import type { SliceIndex } from './slice-index.ts';
import type { SliceView } from './slice-view.ts';

export interface SliceCreation {
  readonly kind: 'create';
  readonly name: string;
  readonly entries: ReadonlyMap<string, Packed>;
}

export interface SlicePatch {
  readonly kind: 'patch';
  readonly slice: SliceView;
  /** Undefined: the entry is taken out. */
  readonly changes: ReadonlyMap<string, Packed | undefined>;
  /** Owner and labels are set again. */
  readonly adopt: boolean;
}

export interface SliceDeletion {
  readonly kind: 'delete';
  readonly slice: SliceView;
}

export type SliceWrite = SliceCreation | SlicePatch | SliceDeletion;

/**
 * Looks only at `keys`: the caller names those that may differ, so that one change costs the same in a small tracker
 * and in a large one. `newName` gives a name that was not given before.
 */
export function planSlices(
  book: SliceIndex,
  keys: Iterable<string>,
  wanted: (key: string) => Packed | undefined,
  newName: () => string,
  compacts = false,
): SliceWrite[] {
  const drafts = new Drafts(book);
  const homeless: [key: string, entry: Packed][] = [];
  for (const key of keys) {
    const entry = wanted(key);
    for (const name of book.doublesOf(key)) drafts.of(name).set(key, undefined);
    const place = book.placeOf(key);
    if (place !== undefined) {
      if (place.entries.get(key) !== entry) drafts.of(place.metadata.name).set(key, entry);
    } else if (entry !== undefined) {
      homeless.push([key, entry]);
    }
  }
  for (const name of book.strays) drafts.of(name);
  const creations = settle(homeless, drafts, book, newName);
  if (compacts && creations.length === 0) merge(drafts, book);
  return [...creations, ...drafts.writes()];
}

/** First into slices that are written anyway, then into as few others as will do, then into new ones. */
function settle(
  homeless: readonly (readonly [string, Packed])[],
  drafts: Drafts,
  book: SliceIndex,
  newName: () => string,
): SliceCreation[] {
  let next = 0;
  const fill = (name: string) => {
    for (let room = drafts.room(name); room > 0 && next < homeless.length; room--, next++) {
      const [key, entry] = homeless[next] as readonly [string, Packed];
      drafts.of(name).set(key, entry);
    }
  };
  for (const name of [...drafts.names()]) fill(name);
  if (next < homeless.length) {
    // One entry takes any hole; for several the largest holes mean the fewest writes.
    const roomy = homeless.length - next === 1 ? book.roomy : byRoom(book);
    for (const name of roomy) {
      if (next >= homeless.length) break;
      fill(name);
    }
  }
  const creations: SliceCreation[] = [];
  for (; next < homeless.length; next += book.limit) {
    const entries = new Map(homeless.slice(next, next + book.limit));
    creations.push({ kind: 'create', name: newName(), entries });
  }
  return creations;
}

/** Moves whole slices: what is moved is written before the slice it came from is deleted, as the caller orders them. */
function merge(drafts: Drafts, book: SliceIndex): void {
  const sizes = new Map([...book.slices.keys()].map((name) => [name, book.limit - drafts.room(name)]));
  const merger = chooseMerger(sizes, book.limit);
  for (const name of merger?.from ?? []) {
    for (const [key, entry] of drafts.content(name)) {
      drafts.of(merger?.into as string).set(key, entry);
      drafts.of(name).set(key, undefined);
    }
  }
}

function byRoom(book: SliceIndex): string[] {
  const used = (name: string) => book.slices.get(name)?.entries.size ?? 0;
  return [...book.roomy].sort((a, b) => used(a) - used(b));
}

/** The slices that will be written, with what changes in each. */
class Drafts {
  readonly #book: SliceIndex;
  readonly #drafts = new Map<string, Map<string, Packed | undefined>>();

  constructor(book: SliceIndex) {
    this.#book = book;
  }

  of(name: string): Map<string, Packed | undefined> {
    const known = this.#drafts.get(name);
    if (known !== undefined) return known;
    const draft = new Map<string, Packed | undefined>();
    this.#drafts.set(name, draft);
    return draft;
  }

  names(): IterableIterator<string> {
    return this.#drafts.keys();
  }

  room(name: string): number {
    return this.#book.limit - this.#size(name);
  }

  #size(name: string): number {
    const entries = this.#book.slices.get(name)?.entries ?? new Map<string, Packed>();
    let size = entries.size;
    for (const [key, entry] of this.#drafts.get(name) ?? []) {
      if (entry === undefined) size--;
      else if (!entries.has(key)) size++;
    }
    return size;
  }

  /** What it will hold. */
  content(name: string): Map<string, Packed> {
    const content = new Map(this.#book.slices.get(name)?.entries);
    for (const [key, entry] of this.#drafts.get(name) ?? []) {
      if (entry === undefined) content.delete(key);
      else content.set(key, entry);
    }
    return content;
  }

  *writes(): Iterable<SlicePatch | SliceDeletion> {
    for (const [name, changes] of this.#drafts) {
      const slice = this.#book.slices.get(name);
      if (slice === undefined) continue;
      if (this.#size(name) === 0) yield { kind: 'delete', slice };
      else yield { kind: 'patch', slice, changes, adopt: this.#book.strays.has(name) };
    }
  }
}

// Runs of a repeated field as exactly-sized arrays and maps. Called by the protobuf readers, for which a growing array
// would cost several times the memory of what it holds.
import type { ProtoReader } from './proto-reader.ts';
import { StringMap } from './string-map.ts';

/** How one key or value of a map entry is read. */
type ReadText = (r: ProtoReader, tag: number) => string;

export const readInterned: ReadText = (r, tag) => r.interned(tag);
export const readRecurring: ReadText = (r, tag) => r.recurring(tag);

/** Where the run ends of which the first tag has just been read. The cursor does not move. */
export function runEnd(r: ProtoReader, tag: number): number {
  const start = r.pos;
  do r.skip(tag);
  while (next(r, tag));
  const end = r.pos;
  r.pos = start;
  return end;
}

/** Whether the run goes on: true moves the cursor over the next tag. */
function next(r: ProtoReader, tag: number): boolean {
  if (r.pos >= r.limit) return false;
  const before = r.pos;
  if (r.tag() === tag) return true;
  r.pos = before;
  return false;
}

// Filled and copied out of within one call, so one of each serves all; replaced when an outsized run has grown it.
let texts: string[] = [];
const LARGEST_SCRATCH = 256;

/** A run of map entries, whose first tag has just been read. */
export function readMapRun(r: ProtoReader, tag: number, readValue: ReadText): StringMap {
  let count = 0;
  do {
    const outer = r.enter(tag);
    let key = '';
    let value = '';
    while (r.pos < r.limit) {
      const inner = r.tag();
      if (inner >>> 3 === 1) key = r.interned(inner);
      else if (inner >>> 3 === 2) value = readValue(r, inner);
      else r.skip(inner);
    }
    r.leave(outer);
    texts[count++] = key;
    texts[count++] = value;
  } while (next(r, tag));
  return StringMap.fromFlat(takeTexts(count));
}

/** A run of items, whose first tag has just been read. */
export function readRun<T>(r: ProtoReader, tag: number, read: (r: ProtoReader, tag: number) => T): readonly T[] {
  const first = read(r, tag);
  if (!next(r, tag)) return [first];
  const second = read(r, tag);
  if (!next(r, tag)) return [first, second];
  const items = [first, second];
  do items.push(read(r, tag));
  while (next(r, tag));
  // A pushed-to array has spare room; its copy has none.
  return items.slice();
}

// What the object being read has in several runs. A run costs its own length, however many came before it: a copy for
// each run would let one object of 1.5 MB, with a run for every entry, stop the process for minutes.
let grownLists: unknown[][] = [];
let grownMaps: StringMap[] = [];

/** Runs of one field are almost never apart from each other; when they are, they still belong together. */
export function joinLists<T>(before: readonly T[], run: readonly T[]): readonly T[] {
  if (before.length === 0) return run;
  let grown = before as T[];
  if (!grownLists.includes(grown)) {
    // Not in place: a run may be shared with other objects.
    grown = before.slice();
    grownLists.push(grown);
  }
  for (const item of run) grown.push(item);
  return grown;
}

/** The same of maps. Several runs are a map only after `settleJoins`. */
export function joinMaps(before: StringMap, run: StringMap): StringMap {
  if (before.size === 0) return run;
  let grown = before;
  if (!grownMaps.includes(grown)) {
    grown = StringMap.unordered(before.flat.slice());
    grownMaps.push(grown);
  }
  grown.append(run);
  return grown;
}

/** Called by every reader of a kind when its object has been read, also when that failed. */
export function settleJoins(): void {
  if (grownLists.length > 0) grownLists = [];
  if (grownMaps.length === 0) return;
  for (const map of grownMaps) map.settle();
  grownMaps = [];
}

function takeTexts(count: number): string[] {
  const taken = texts.slice(0, count);
  if (count > LARGEST_SCRATCH) texts = [];
  return taken;
}

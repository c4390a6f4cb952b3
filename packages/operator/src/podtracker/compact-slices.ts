// When most pods have ended, what is left of a tracker lies thinly in many slices, because entries stay where they are.
// This says which slices to compact then. Pure; the plan of slices carries it out, a pass decides when.
// Invariant: a slice that goes was at most half full, so that less is moved than had ended in it.

export interface Merger {
  readonly into: string;
  /** Become empty, and so go. */
  readonly from: readonly string[];
}

/** Slices that one step takes out at most. */
const MOST_AT_ONCE = 20;

/** More than twice as many slices as would do. */
export function isSparse(slices: number, entries: number, limit: number): boolean {
  return entries > 0 && slices > 2 * Math.ceil(entries / limit);
}

/** The emptiest ones, into one of them; no more than it takes. Undefined if they are not sparse. */
export function chooseMerger(sizes: ReadonlyMap<string, number>, limit: number): Merger | undefined {
  const held = [...sizes].filter(([, size]) => size > 0).sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  const entries = held.reduce((sum, [, size]) => sum + size, 0);
  if (!isSparse(held.length, entries, limit)) return undefined;
  const surplus = held.length - 2 * Math.ceil(entries / limit);
  const group: string[] = [];
  let sum = 0;
  for (const [name, size] of held) {
    if (sum + size > limit || group.length > Math.min(surplus, MOST_AT_ONCE)) break;
    sum += size;
    group.push(name);
  }
  // On average less than half full: the two emptiest always fit into one.
  const into = group.pop() as string;
  return { into, from: group };
}

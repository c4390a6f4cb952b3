// The name that was most likely meant by one that does not exist.

/** The name with the fewest letters to change, if they are few; or the one that begins so, if it is the only one. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(wanted.length / 4));
  const sorted = [...names].sort();
  let best: string | undefined;
  let least = most + 1;
  for (const name of sorted) {
    const changed = distance(wanted, name, least);
    if (changed < least) [best, least] = [name, changed];
  }
  if (best !== undefined) return best;
  const longer = sorted.filter((name) => name.startsWith(wanted) || wanted.startsWith(name));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Letters to add, remove, replace or swap with their neighbour; `limit` or more is not counted to its end. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

// Patterns for annotation keys: `*` is any run of characters, `?` any one, everything else itself. No regular
// expressions are made of them, so that no pattern takes longer than key × pattern. Pure.

export type KeyFilter = (key: string) => boolean;

/** All that kubectl last applied, as one value: it repeats the whole manifest at each apply. The ledger leaves it out. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Matches what any of the patterns does; without patterns everything but what kubectl last applied. */
export function keyFilter(patterns: readonly string[]): KeyFilter {
  return patterns.length === 0
    ? (key) => key !== LAST_APPLIED
    : (key) => patterns.some((pattern) => matchesGlob(key, pattern));
}

export function matchesGlob(key: string, pattern: string): boolean {
  let k = 0;
  let p = 0;
  // The last star, and up to where it has eaten: when what follows it fails, it eats one more.
  let star = -1;
  let eaten = 0;
  while (k < key.length) {
    if (pattern[p] === '*') {
      star = p++;
      eaten = k;
    } else if (pattern[p] === '?' || pattern[p] === key[k]) {
      p++;
      k++;
    } else if (star >= 0) {
      p = star + 1;
      k = ++eaten;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

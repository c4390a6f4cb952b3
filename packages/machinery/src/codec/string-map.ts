// Labels, annotations, selectors, quantities: a small immutable map that costs one array. Keys such as `__proto__` are
// ordinary keys here. Made by the readers only.

export class StringMap implements ReadonlyMap<string, string> {
  static readonly EMPTY: StringMap = new StringMap([]);

  /**
   * Invariant: key, value, key, value …; keys strictly ascending by UTF-16 unit, so equal maps have equal arrays; not
   * before `settle` if a reader is still joining several runs of it.
   */
  flat: readonly string[];

  private constructor(flat: readonly string[]) {
    this.flat = flat;
  }

  /** Takes the array over. Of a repeated key the last value wins, as in every protobuf and JSON decoder. */
  static fromFlat(flat: string[]): StringMap {
    if (flat.length === 0) return StringMap.EMPTY;
    for (let i = 2; i < flat.length; i += 2) {
      if (flat[i - 2]! >= flat[i]!) return new StringMap(inOrder(flat));
    }
    return new StringMap(flat);
  }

  /** Takes the array over. Not a map yet: `append` and, in the end, `settle` make it one. */
  static unordered(flat: string[]): StringMap {
    return new StringMap(flat);
  }

  static of(entries: Iterable<readonly [string, string]>): StringMap {
    const flat: string[] = [];
    for (const [key, value] of entries) flat.push(key, value);
    return StringMap.fromFlat(flat);
  }

  /** Of one made by `unordered` only. */
  append(run: StringMap): void {
    const flat = this.flat as string[];
    for (const text of run.flat) flat.push(text);
  }

  settle(): void {
    this.flat = inOrder(this.flat);
  }

  get size(): number {
    return this.flat.length >> 1;
  }

  get(key: string): string | undefined {
    const at = find(this.flat, key);
    return at < 0 ? undefined : this.flat[at + 1];
  }

  has(key: string): boolean {
    return find(this.flat, key) >= 0;
  }

  forEach(visit: (value: string, key: string, map: ReadonlyMap<string, string>) => void, self?: unknown): void {
    for (let i = 0; i < this.flat.length; i += 2) visit.call(self, this.flat[i + 1]!, this.flat[i]!, this);
  }

  *entries(): MapIterator<[string, string]> {
    for (let i = 0; i < this.flat.length; i += 2) yield [this.flat[i]!, this.flat[i + 1]!];
  }

  *keys(): MapIterator<string> {
    for (let i = 0; i < this.flat.length; i += 2) yield this.flat[i]!;
  }

  *values(): MapIterator<string> {
    for (let i = 1; i < this.flat.length; i += 2) yield this.flat[i]!;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  /** Same keys and values. */
  equals(other: StringMap): boolean {
    if (this.flat === other.flat) return true;
    if (this.flat.length !== other.flat.length) return false;
    for (let i = 0; i < this.flat.length; i++) {
      if (this.flat[i] !== other.flat[i]) return false;
    }
    return true;
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries(this.entries());
  }
}

/** The key's place in the array, or -1. Not a private method: those cost each instance a hidden field. */
function find(flat: readonly string[], key: string): number {
  let low = 0;
  let high = (flat.length >> 1) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = flat[middle * 2]!;
    if (found === key) return middle * 2;
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function inOrder(flat: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) byKey.set(flat[i]!, flat[i + 1]!);
  const sorted: string[] = [];
  for (const key of [...byKey.keys()].sort()) sorted.push(key, byKey.get(key)!);
  return sorted;
}

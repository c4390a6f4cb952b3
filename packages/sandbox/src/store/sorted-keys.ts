// The keys of one resource in the order that lists are answered in. A sorted array: at the size of a sandbox moving
// a few thousand pointers for an insertion is cheaper than any tree, and ranges are slices.

export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const at = this.#positionOf(key);
    if (this.#keys[at] !== key) this.#keys.splice(at, 0, key);
  }

  delete(key: string): void {
    const at = this.#positionOf(key);
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** All keys with a prefix; a copy, so that the caller may write meanwhile. */
  withPrefix(prefix: string): string[] {
    if (prefix === '') return this.#keys.slice();
    return this.#keys.slice(this.#positionOf(prefix), this.#positionOf(`${prefix}\uffff`));
  }

  #positionOf(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

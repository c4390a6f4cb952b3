// A binary heap whose entries know their place, so that one of them can be moved or taken out in O(log n). Used for
// delayed adds (soonest first) and for the priority order (highest first); never holds a reference to a removed entry.

export interface HeapEntry {
  /** Owned by the heap; -1 while the entry is not in one. */
  index: number;
}

export class Heap<E extends HeapEntry> {
  readonly #entries: E[] = [];
  readonly #before: (a: E, b: E) => boolean;

  constructor(before: (a: E, b: E) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#entries.length;
  }

  peek(): E | undefined {
    return this.#entries[0];
  }

  push(entry: E): void {
    entry.index = this.#entries.length;
    this.#entries.push(entry);
    this.#up(entry.index);
  }

  pop(): E | undefined {
    const first = this.#entries[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(entry: E): void {
    const at = entry.index;
    const last = this.#entries.pop();
    entry.index = -1;
    if (last === undefined || last === entry) return;
    this.#place(last, at);
    this.fix(last);
  }

  /** To be called after the sort key of `entry` has changed. */
  fix(entry: E): void {
    this.#up(entry.index);
    this.#down(entry.index);
  }

  clear(): void {
    for (const entry of this.#entries) entry.index = -1;
    this.#entries.length = 0;
  }

  #place(entry: E, at: number): void {
    this.#entries[at] = entry;
    entry.index = at;
  }

  #up(at: number): void {
    const moving = this.#entries[at] as E;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#entries[parentAt] as E;
      if (!this.#before(moving, parent)) break;
      this.#place(parent, at);
      at = parentAt;
    }
    this.#place(moving, at);
  }

  #down(at: number): void {
    const moving = this.#entries[at] as E;
    const size = this.#entries.length;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= size) break;
      const right = childAt + 1;
      if (right < size && this.#before(this.#entries[right] as E, this.#entries[childAt] as E)) childAt = right;
      const child = this.#entries[childAt] as E;
      if (!this.#before(child, moving)) break;
      this.#place(child, at);
      at = childAt;
    }
    this.#place(moving, at);
  }
}

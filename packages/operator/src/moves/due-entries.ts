// What waits for its time, in the order in which it came. Bounded: what is over the bound is refused, and the caller
// counts it. Entries that come with the same wait are due in the order in which they came, so nothing is sorted.

export class DueEntries<T> {
  readonly #most: number;
  readonly #waits: readonly number[];
  /** One for each wait. */
  readonly #queues: readonly Map<string, { readonly dueAt: number; readonly value: T }>[];

  constructor(most: number, waits: readonly number[]) {
    this.#most = most;
    this.#waits = waits;
    this.#queues = waits.map(() => new Map());
  }

  get size(): number {
    return this.#queues.reduce((sum, { size }) => sum + size, 0);
  }

  /** `round`: which of the waits. False where there is no room for it, or no such round; what waits already stays as it is. */
  add(key: string, value: T, from: number, round = 0): boolean {
    const wait = this.#waits[round];
    const queue = this.#queues[round];
    if (wait === undefined || queue === undefined) return false;
    if (this.#queues.some((others) => others.has(key))) return true;
    if (this.size >= this.#most) return false;
    queue.set(key, { dueAt: from + wait, value });
    return true;
  }

  /** Takes up to so many that are due, the first rounds first. */
  take(now: number, most: number): { readonly key: string; readonly value: T; readonly round: number }[] {
    const taken: { key: string; value: T; round: number }[] = [];
    for (const [round, queue] of this.#queues.entries()) {
      for (const [key, { dueAt, value }] of queue) {
        if (dueAt > now || taken.length >= most) break;
        queue.delete(key);
        taken.push({ key, value, round });
      }
    }
    return taken;
  }
}

// Items that are to be added later: one entry per item, the earliest time wins. One timer, for the soonest of them.
// Called by WorkQueue only; it hands an item over and forgets it, and never looks at what the queue does with it.
import type { Clock, Timer } from '../clock.ts';
import { Heap, type HeapEntry } from './heap.ts';

interface Delayed<T> extends HeapEntry {
  readonly item: T;
  readonly order: number;
  readyAt: number;
  priority: number;
}

export class DelayedAdds<T> {
  readonly #clock: Clock;
  readonly #ready: (item: T, priority: number) => void;
  readonly #entries = new Map<T, Delayed<T>>();
  readonly #heap = new Heap<Delayed<T>>((a, b) =>
    a.readyAt === b.readyAt ? a.order < b.order : a.readyAt < b.readyAt,
  );
  #order = 0;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, ready: (item: T, priority: number) => void) {
    this.#clock = clock;
    this.#ready = ready;
  }

  get size(): number {
    return this.#heap.size;
  }

  add(item: T, afterMs: number, priority: number): void {
    const readyAt = this.#clock.monotonic() + afterMs;
    const known = this.#entries.get(item);
    if (known === undefined) {
      const entry: Delayed<T> = { item, readyAt, priority, order: this.#order++, index: -1 };
      this.#entries.set(item, entry);
      this.#heap.push(entry);
    } else {
      known.priority = Math.max(known.priority, priority);
      if (known.readyAt <= readyAt) return;
      known.readyAt = readyAt;
      this.#heap.fix(known);
    }
    this.#arm();
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#entries.clear();
    this.#heap.clear();
  }

  #arm(): void {
    const soonest = this.#heap.peek();
    if (soonest === undefined || soonest.readyAt === this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = soonest.readyAt;
    this.#timer = this.#clock.setTimer(Math.max(0, soonest.readyAt - this.#clock.monotonic()), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    // Timers may come early (very long ones are cut, and Node rounds): only what is due goes, the rest is armed again.
    const now = this.#clock.monotonic();
    for (
      let soonest = this.#heap.peek();
      soonest !== undefined && soonest.readyAt <= now;
      soonest = this.#heap.peek()
    ) {
      this.#heap.pop();
      this.#entries.delete(soonest.item);
      this.#ready(soonest.item, soonest.priority);
    }
    this.#arm();
  }
}

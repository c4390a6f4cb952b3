// In which order a work queue hands out the items that are ready. The queue itself deduplicates, so an order is never
// given an item that it already holds; it never decides whether an item may run.
import { Heap, type HeapEntry } from './heap.ts';

export interface ReadyOrder<T> {
  readonly length: number;
  push(item: T, priority: number): void;
  /** An item that is waiting here was added again; `priority` is that of the new add. */
  touch(item: T, priority: number): void;
  pop(): { readonly item: T; readonly priority: number } | undefined;
}

/** First in, first out; carries the priority along, but does not order by it. */
export class FifoOrder<T> implements ReadyOrder<T> {
  #items: ({ item: T; priority: number } | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T, priority: number): void {
    this.#items.push({ item, priority });
  }

  touch(): void {}

  pop(): { readonly item: T; readonly priority: number } | undefined {
    const first = this.#items[this.#head];
    if (first === undefined) return undefined;
    // The slot is emptied so that the item can be collected before the array is compacted.
    this.#items[this.#head++] = undefined;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return first;
  }
}

interface Ranked<T> extends HeapEntry {
  readonly item: T;
  readonly arrival: number;
  priority: number;
}

/** What an informer's initial list is enqueued with, so that live changes overtake it after a restart. */
export const LOW_PRIORITY = -100;

/** Highest priority first, first in first out among equals. Adding again may raise a waiting item, never lower it. */
export class PriorityOrder<T> implements ReadyOrder<T> {
  readonly #waiting = new Map<T, Ranked<T>>();
  readonly #heap = new Heap<Ranked<T>>((a, b) =>
    a.priority === b.priority ? a.arrival < b.arrival : a.priority > b.priority,
  );
  #arrivals = 0;

  get length(): number {
    return this.#heap.size;
  }

  push(item: T, priority: number): void {
    const ranked: Ranked<T> = { item, priority, arrival: this.#arrivals++, index: -1 };
    this.#waiting.set(item, ranked);
    this.#heap.push(ranked);
  }

  touch(item: T, priority: number): void {
    const ranked = this.#waiting.get(item);
    if (ranked === undefined || ranked.priority >= priority) return;
    ranked.priority = priority;
    this.#heap.fix(ranked);
  }

  pop(): { readonly item: T; readonly priority: number } | undefined {
    const ranked = this.#heap.pop();
    if (ranked !== undefined) this.#waiting.delete(ranked.item);
    return ranked;
  }
}

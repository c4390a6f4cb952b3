// Timers in the order in which they are due, and among those due at once in the order in which they were set: that
// order is what makes two runs of one seed equal. A binary heap; a cancelled timer stays until its turn and is dropped.

export interface Timer {
  readonly at: number;
  cancel(): void;
}

export class QueuedTimer implements Timer {
  readonly at: number;
  readonly order: number;
  act: (() => void) | undefined;

  constructor(at: number, order: number, act: () => void) {
    this.at = at;
    this.order = order;
    this.act = act;
  }

  cancel(): void {
    this.act = undefined;
  }
}

export class TimerQueue {
  readonly #heap: QueuedTimer[] = [];
  #order = 0;

  add(at: number, act: () => void): QueuedTimer {
    const timer = new QueuedTimer(at, this.#order++, act);
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    return timer;
  }

  /** The next timer that is still wanted. */
  peek(): QueuedTimer | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.act !== undefined) return first;
      this.#removeFirst();
    }
  }

  /** Removes the next timer if it is due at `time` or before. */
  takeDue(time: number): QueuedTimer | undefined {
    const first = this.peek();
    if (first === undefined || first.at > time) return undefined;
    this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const last = this.#heap.pop()!;
    if (this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(index: number): void {
    const heap = this.#heap;
    const timer = heap[index]!;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = timer;
  }

  #sink(index: number): void {
    const heap = this.#heap;
    const timer = heap[index]!;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, timer)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = timer;
  }
}

function isBefore(one: QueuedTimer, other: QueuedTimer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

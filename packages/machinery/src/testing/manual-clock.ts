// A clock that only the test moves. Timers fire in order of their deadline, then of their creation.
import type { Clock, Timer } from '../clock.ts';

interface PendingTimer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

export class ManualClock implements Clock {
  #monotonic = 0;
  #wall: number;
  #order = 0;
  readonly #pending = new Set<PendingTimer>();
  #watchers: (() => void)[] = [];

  constructor(startWall = Date.UTC(2026, 0, 1)) {
    this.#wall = startWall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(ms: number, fire: () => void): Timer {
    const timer: PendingTimer = { at: this.#monotonic + Math.max(0, ms), order: this.#order++, fire };
    this.#pending.add(timer);
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const wake of watchers) wake();
    return { cancel: () => this.#pending.delete(timer) };
  }

  /** How many timers are waiting. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Delays, from now, of the waiting timers, soonest first. */
  get delays(): number[] {
    return [...this.#pending].map((t) => t.at - this.#monotonic).sort((a, b) => a - b);
  }

  /** Resolves once at least `count` timers are waiting: the event a test awaits before it advances. */
  async untilPending(count = 1): Promise<void> {
    while (this.#pending.size < count) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  /** Moves on by `ms`, firing what falls due; lets promises settle after each timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settle();
      const next = this.#next();
      if (next === undefined || next.at > end) break;
      this.#moveTo(next.at);
      this.#pending.delete(next);
      next.fire();
    }
    this.#moveTo(end);
    await settle();
  }

  /** The wall clock jumps (NTP, suspend); the monotonic clock does not. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  #next(): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const t of this.#pending) {
      if (first === undefined || t.at < first.at || (t.at === first.at && t.order < first.order)) first = t;
    }
    return first;
  }

  #moveTo(monotonic: number): void {
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

/** Lets everything that is already runnable run: two turns of the event loop, no time passes on the manual clock. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

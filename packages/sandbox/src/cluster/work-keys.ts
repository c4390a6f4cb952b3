// Keys that want a look, each once, a moment after the first reason for it: what a work queue is to a real controller.
import type { VirtualClock } from '../clock/virtual-clock.ts';

export class WorkKeys {
  readonly #clock: VirtualClock;
  readonly #delayMs: number;
  readonly #work: (key: string) => void;
  readonly #waiting = new Set<string>();

  constructor(clock: VirtualClock, delayMs: number, work: (key: string) => void) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#work = work;
  }

  add(key: string, delayMs: number = this.#delayMs): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#clock.in(delayMs, () => {
      this.#waiting.delete(key);
      this.#work(key);
    });
  }
}

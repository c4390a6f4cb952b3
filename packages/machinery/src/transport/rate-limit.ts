// An optional token bucket in front of every call. Off by default: API Priority and Fairness shares the server better
// than a guess on this side can; it is here for clusters whose owners ask for a bound.
import { type Clock, sleep } from '../clock.ts';

export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  /** Resolves when the call may go out; callers are served in the order in which they asked. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
    // The debt may go below zero: each waiting caller has its token booked already, which keeps the order.
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    try {
      await sleep(this.#clock, (-this.#tokens / this.#perSecond) * 1000, signal);
    } catch (aborted) {
      // A call that was not made must not slow down those that come later.
      this.#tokens += 1;
      throw aborted;
    }
  }
}

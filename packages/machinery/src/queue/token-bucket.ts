// A token bucket on the monotonic clock. Work queues reserve from it (and get how long to wait), the event
// recorder's spam limit takes from it or does without. It never sets a timer.
import type { Clock } from '../clock.ts';

export interface TokenBucketOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** The most tokens it holds, and what it starts with. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor(options: TokenBucketOptions) {
    this.#clock = options.clock;
    this.#perMs = options.perSecond / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#filledAt = options.clock.monotonic();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token, of the future if need be; milliseconds until it is there. */
  reserve(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}

// How often each caller may ask: a bucket of tokens for each, filled at a steady rate. Bounded: of callers beyond the most
// that are remembered, the one that asked longest ago is forgotten, whose bucket is full again anyway.
import { Problem } from '../problem.ts';

export interface RateLimitOptions {
  /** Requests a second, in the long run. */
  readonly perSecond: number;
  /** At once. */
  readonly burst: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly mostCallers?: number | undefined;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MOST_CALLERS = 10_000;

export class RateLimit {
  readonly #options: RateLimitOptions;
  /** The one that asked longest ago first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** Throws a Problem of 429 that says when to come again. */
  take(caller: string): void {
    const { perSecond, burst, now, mostCallers = MOST_CALLERS } = this.#options;
    const at = now();
    const bucket = this.#buckets.get(caller) ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    if (this.#buckets.size > mostCallers) this.#buckets.delete(this.#buckets.keys().next().value as string);
    if (bucket.tokens < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      throw new Problem(429, 'too-many-requests', `you may ask ${perSecond} times a second`, {
        hint: 'wait as long as Retry-After says; ask for many addresses at once with POST.',
        headers: { 'retry-after': String(seconds) },
      });
    }
    bucket.tokens--;
  }
}

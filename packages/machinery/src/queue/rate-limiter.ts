// How long a failed item waits before it is tried again. Small limiters that compose; `controllerRateLimiter` is the
// usual composition. All delays are milliseconds; none of them sets a timer.
import { exponentialDelay } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { jitter, type Random } from '../random.ts';
import { TokenBucket } from './token-bucket.ts';

export interface RateLimiter<T> {
  /** Counts one more failure of `item` and says how long it should wait. */
  delayFor(item: T): number;
  /** The item succeeded, or is given up: its failures no longer count. */
  forget(item: T): void;
  /** How many failures of `item` have been counted since it was last forgotten. */
  requeues(item: T): number;
}

class Failures<T> {
  readonly #counts = new Map<T, number>();

  /** The count before this failure. */
  add(item: T): number {
    const before = this.of(item);
    this.#counts.set(item, before + 1);
    return before;
  }

  of(item: T): number {
    return this.#counts.get(item) ?? 0;
  }

  forget(item: T): void {
    this.#counts.delete(item);
  }
}

/** `baseMs`, doubled with each failure of the same item, at most `maxMs`. */
export function exponentialLimiter<T>(baseMs: number, maxMs: number): RateLimiter<T> {
  const failures = new Failures<T>();
  const limits = { firstMs: baseMs, longestMs: maxMs };
  return {
    delayFor: (item) => exponentialDelay(limits, failures.add(item)),
    forget: (item) => failures.forget(item),
    requeues: (item) => failures.of(item),
  };
}

/** `fastMs` for the first `fastAttempts` failures of an item, then `slowMs`. */
export function fastSlowLimiter<T>(fastMs: number, slowMs: number, fastAttempts: number): RateLimiter<T> {
  const failures = new Failures<T>();
  return {
    delayFor: (item) => (failures.add(item) < fastAttempts ? fastMs : slowMs),
    forget: (item) => failures.forget(item),
    requeues: (item) => failures.of(item),
  };
}

/** One bucket for all items together: it knows no item, so it has nothing to forget. */
export function bucketLimiter<T>(bucket: TokenBucket): RateLimiter<T> {
  return { delayFor: () => bucket.reserve(), forget: () => {}, requeues: () => 0 };
}

/** Asks every limiter and takes the longest delay; the burst of a bucket may so be passed by items that wait longer. */
export function maxOf<T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> {
  return {
    delayFor: (item) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.delayFor(item)), 0),
    forget: (item) => {
      for (const limiter of limiters) limiter.forget(item);
    },
    requeues: (item) => limiters.reduce((most, limiter) => Math.max(most, limiter.requeues(item)), 0),
  };
}

/** No delay of `limiter` is longer than `maxMs`. */
export function withMaxWait<T>(limiter: RateLimiter<T>, maxMs: number): RateLimiter<T> {
  return wrapped(limiter, (item) => Math.min(maxMs, limiter.delayFor(item)));
}

/** Stretches each delay by up to `factor`, so that items which failed together do not come back together. */
export function withJitter<T>(limiter: RateLimiter<T>, random: Random, factor = 0.2): RateLimiter<T> {
  return wrapped(limiter, (item) => jitter(random, limiter.delayFor(item), factor));
}

/** The delays of `limiter` for the first `fastAttempts` failures of an item, then `slowMs`, for ever. */
export function slowAfter<T>(limiter: RateLimiter<T>, fastAttempts: number, slowMs: number): RateLimiter<T> {
  return wrapped(limiter, (item) => {
    const before = limiter.requeues(item);
    const delay = limiter.delayFor(item);
    return before < fastAttempts ? delay : slowMs;
  });
}

/** Each method by name: a spread would lose those of a class, which stand on its prototype. */
function wrapped<T>(limiter: RateLimiter<T>, delayFor: (item: T) => number): RateLimiter<T> {
  return { delayFor, forget: (item) => limiter.forget(item), requeues: (item) => limiter.requeues(item) };
}

export interface ControllerLimits {
  readonly baseMs?: number;
  readonly maxMs?: number;
  /** Retries per second of all items together. */
  readonly perSecond?: number;
  readonly burst?: number;
}

/** Per item 5 ms doubling up to 1000 s, and over all items 10 retries a second after a burst of 100. */
export function controllerRateLimiter<T>(clock: Clock, limits: ControllerLimits = {}): RateLimiter<T> {
  const { baseMs = 5, maxMs = 1_000_000, perSecond = 10, burst = 100 } = limits;
  return maxOf(exponentialLimiter<T>(baseMs, maxMs), bucketLimiter<T>(new TokenBucket({ clock, perSecond, burst })));
}

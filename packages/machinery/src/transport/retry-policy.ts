// When a buffered call is sent once more, and after how long. No timers here; `HttpTransport` is its only caller and
// makes one budget for each call.
import { exponentialDelay } from '../backoff.ts';
import { ApiError, ConnectionError, isTooLargeResourceVersion } from '../errors.ts';
import { jitter, type Random } from '../random.ts';
import type { HttpRequest } from './transport.ts';

export interface RetryPolicy {
  /** Tries after a failed connection (the first one not counted). */
  readonly connectionRetries: number;
  /** Tries after an answer that names a Retry-After. */
  readonly refusalRetries: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  connectionRetries: 3,
  refusalRetries: 10,
  firstDelayMs: 100,
  longestDelayMs: 1000,
};

/** Faults that may be gone in a moment. Not: a wrong certificate, a proxy that refuses, a garbled answer. */
const PASSING = new Set(['refused', 'reset', 'dns', 'timeout']);

export class RetryBudget {
  readonly #policy: RetryPolicy;
  readonly #random: Random;
  readonly #reads: boolean;
  #connectionRetries = 0;
  #refusalRetries = 0;

  constructor(policy: RetryPolicy, method: HttpRequest['method'], random: Random) {
    this.#policy = policy;
    this.#random = random;
    this.#reads = method === 'GET' || method === 'HEAD';
  }

  /** Milliseconds to wait before the next try; undefined means: give up with this error. */
  spend(error: unknown): number | undefined {
    if (error instanceof ApiError) return this.#afterRefusal(error);
    if (error instanceof ConnectionError) return this.#afterFault(error);
    return undefined;
  }

  #afterRefusal(error: ApiError): number | undefined {
    const asked = error.retryAfterMs;
    if (asked === undefined || !this.#mayRepeat(error)) return undefined;
    if (++this.#refusalRetries > this.#policy.refusalRetries) return undefined;
    // As client-go: never less than asked for, and never at once, also where a server names 0 or a date that is over.
    return jitter(this.#random, Math.max(asked, this.#backoff(this.#refusalRetries)), 0.1);
  }

  #mayRepeat(error: ApiError): boolean {
    // These two with Retry-After say that the server did not act, so that any method may be repeated. Other failures
    // may have come after the write.
    if (error.status === 429 || error.status === 503) return true;
    // This one is for the caller: the version may never come (etcd restored from a snapshot), so it must list again.
    return this.#reads && error.status >= 500 && !isTooLargeResourceVersion(error);
  }

  #afterFault(error: ConnectionError): number | undefined {
    if (!PASSING.has(error.fault)) return undefined;
    // After a reset only a read is safe to repeat, unless nothing had left yet.
    if (!error.neverSent && !(this.#reads && error.fault === 'reset')) return undefined;
    if (++this.#connectionRetries > this.#policy.connectionRetries) return undefined;
    return jitter(this.#random, this.#backoff(this.#connectionRetries), 0.5);
  }

  #backoff(retries: number): number {
    const { firstDelayMs, longestDelayMs } = this.#policy;
    return exponentialDelay({ firstMs: firstDelayMs, longestMs: longestDelayMs }, retries - 1);
  }
}

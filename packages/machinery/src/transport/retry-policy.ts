// When a buffered call is sent once more, and after how long. Pure; `HttpTransport` is its only caller.
import { ApiError, ConnectionError } from '../errors.ts';
import { jitter, type Random } from '../random.ts';

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

const READS = new Set(['GET', 'HEAD']);

/** Milliseconds to wait before try number `attempt` + 1 (attempts count from 1); undefined means: give up. */
export function retryDelay(
  policy: RetryPolicy,
  method: string,
  error: unknown,
  attempt: number,
  random: Random,
): number | undefined {
  if (error instanceof ApiError) {
    // With Retry-After the server says that it did not act on the request, so any method may be repeated.
    const asked = error.retryAfterMs;
    const mayRetry = error.status === 429 || error.status >= 500;
    return mayRetry && asked !== undefined && attempt <= policy.refusalRetries ? jitter(random, asked, 0.1) : undefined;
  }
  if (!(error instanceof ConnectionError) || attempt > policy.connectionRetries) return undefined;
  // A refused connection never carried the request; after a reset only a read is safe to repeat.
  const neverSent = error.fault === 'refused' || error.fault === 'dns';
  if (!neverSent && !(READS.has(method) && error.fault === 'reset')) return undefined;
  return jitter(random, Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (attempt - 1)), 0.5);
}

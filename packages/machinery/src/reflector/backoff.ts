// Waiting times that double up to a cap, stretched by jitter so that a thousand clients do not come back at once.
import { jitter, type Random } from '../random.ts';

export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The server is away: it is usually back within seconds, and asking costs it nothing. */
export const CONNECTION_BACKOFF: BackoffLimits = { firstMs: 100, longestMs: 2_000 };
/** The server answers with errors or refuses us: ask it less often. */
export const SERVER_BACKOFF: BackoffLimits = { firstMs: 800, longestMs: 30_000 };

export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: Random;
  #failures = 0;

  constructor(limits: BackoffLimits, random: Random) {
    this.#limits = limits;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The next waiting time. Never overflows: the exponent stops growing at the cap. */
  next(): number {
    const { firstMs, longestMs } = this.#limits;
    const base = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
    // Half of it is drawn: never less than half, never more than the cap.
    return jitter(this.#random, base / 2, 1);
  }

  reset(): void {
    this.#failures = 0;
  }
}

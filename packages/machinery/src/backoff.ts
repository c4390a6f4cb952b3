// Waiting times that double up to a cap. `exponentialDelay` is the arithmetic of every backoff here and in the packages
// above; when failures are forgotten and how much is drawn belongs to who waits. `Backoff` is for who has no rule of its own.
import { jitter, type Random } from './random.ts';

export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** 2 ** n is Infinity from n = 1024 on, and 0 × Infinity would be NaN. */
const LARGEST_EXPONENT = 1000;

/** `firstMs`, doubled with each failure before this one, at most `longestMs`. Nothing is drawn. */
export function exponentialDelay({ firstMs, longestMs }: BackoffLimits, failuresBefore: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failuresBefore, LARGEST_EXPONENT));
}

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

  /** The next waiting time. */
  next(): number {
    const base = exponentialDelay(this.#limits, this.#failures++);
    // Half of it is drawn: never less than half, never more than the cap.
    return jitter(this.#random, base / 2, 1);
  }

  reset(): void {
    this.#failures = 0;
  }
}

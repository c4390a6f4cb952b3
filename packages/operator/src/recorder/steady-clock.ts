// The recorder's idea of now: the wall clock, but never back. Intervals of the ledger must not turn negative because
// somebody set the time.
import { type EpochMillis, epochMillis } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';

export class SteadyClock {
  readonly #clock: Clock;
  #last: number;
  /** How far the wall clock is behind what was already said; 0 most of the time. */
  behindMs = 0;

  constructor(clock: Clock, notBefore: number) {
    this.#clock = clock;
    this.#last = notBefore;
  }

  now(): EpochMillis {
    const wall = this.#clock.now();
    this.behindMs = Math.max(0, this.#last - wall);
    this.#last = Math.max(this.#last, wall);
    return epochMillis(this.#last);
  }
}

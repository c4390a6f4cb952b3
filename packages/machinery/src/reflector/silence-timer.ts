// Calls back once when nothing was received for a while. Used by a listing that arrives as a stream.
import type { Clock, Timer } from '../clock.ts';

export class SilenceTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onSilence: () => void;
  #receivedAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number, onSilence: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onSilence = onSilence;
    this.#receivedAt = clock.monotonic();
    this.#arm();
  }

  /** Something was received. Sets no timer, because it is called for each object of a listing. */
  restart(): void {
    this.#receivedAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#receivedAt + this.#ms - this.#clock.monotonic(), () => {
      if (this.#clock.monotonic() - this.#receivedAt >= this.#ms) this.#onSilence();
      else this.#arm();
    });
  }
}

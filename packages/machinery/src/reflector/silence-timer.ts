// Calls back once when nothing was received for a while. Used by a listing that arrives as a stream.
import type { Clock, Timer } from '../clock.ts';

export class SilenceTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onSilence: () => void;
  #receivedAt: number;
  #timer: Timer | undefined;
  #held = false;

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
    this.#held = false;
  }

  /** We do not read, so that silence is our own doing; until something is received again. */
  hold(): void {
    this.#held = true;
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#receivedAt + this.#ms - this.#clock.monotonic(), () => {
      if (this.#held) this.#receivedAt = this.#clock.monotonic();
      if (this.#clock.monotonic() - this.#receivedAt >= this.#ms) this.#onSilence();
      else this.#arm();
    });
  }
}

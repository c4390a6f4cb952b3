// A listing by stream that an old server never closes is noticed by its silence. Used by the reflector.
import type { Clock } from '../clock.ts';

/** Calls back once when nothing was heard for a while. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onSilence: () => void;
  #heardAt: number;
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, ms: number, onSilence: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onSilence = onSilence;
    this.#heardAt = clock.monotonic();
    this.#arm();
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#heardAt + this.#ms - this.#clock.monotonic(), () => {
      if (this.#clock.monotonic() - this.#heardAt >= this.#ms) this.#onSilence();
      else this.#arm();
    });
  }
}

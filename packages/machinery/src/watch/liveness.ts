// Notices a watch that has gone silent. A half-open TCP connection gives no error and no bytes; only a clock tells it
// from a quiet cluster. Bookmarks come about once a minute, so after the first one silence means more.
import type { Clock, Timer } from '../clock.ts';

export interface LivenessLimits {
  /** Silence allowed before a bookmark has been seen on this stream: the server may not send any. */
  readonly quietMs: number;
  /** Silence allowed once bookmarks are known to come. */
  readonly quietWithBookmarksMs: number;
  /** For the answer's first byte. */
  readonly openMs: number;
}

export const DEFAULT_LIVENESS: LivenessLimits = { quietMs: 180_000, quietWithBookmarksMs: 75_000, openMs: 30_000 };

export class Liveness {
  readonly #clock: Clock;
  readonly #limits: LivenessLimits;
  readonly #onSilent: (silentMs: number) => void;
  #lastByteAt: number;
  #limitMs: number;
  #timer: Timer | undefined;
  #held = false;

  constructor(clock: Clock, limits: LivenessLimits, onSilent: (silentMs: number) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onSilent = onSilent;
    this.#lastByteAt = clock.monotonic();
    this.#limitMs = limits.openMs;
    this.#arm();
  }

  opened(): void {
    this.#limitMs = this.#limits.quietMs;
    this.received();
  }

  /** Called for every chunk: only notes the time, the timer looks at it when it fires. */
  received(): void {
    this.#lastByteAt = this.#clock.monotonic();
  }

  bookmarkSeen(): void {
    if (this.#limitMs === this.#limits.quietWithBookmarksMs) return;
    this.#limitMs = this.#limits.quietWithBookmarksMs;
    this.#arm();
  }

  /** While we do not read, silence is our own doing. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.received();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer?.cancel();
    const silentMs = this.#clock.monotonic() - this.#lastByteAt;
    this.#timer = this.#clock.setTimer(this.#limitMs - silentMs, () => this.#check());
  }

  #check(): void {
    const silentMs = this.#clock.monotonic() - this.#lastByteAt;
    if (this.#held || silentMs < this.#limitMs) {
      if (this.#held) this.received();
      this.#arm();
      return;
    }
    this.stop();
    this.#onSilent(silentMs);
  }
}

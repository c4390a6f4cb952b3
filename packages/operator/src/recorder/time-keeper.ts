// Knows what time to write into the ledger, and makes whoever has to write wait while that is not known: asks the server
// at once, and has the ledger corrected where the time turns out to be another. Only the recorder uses it.
import type { EpochMillis } from '@podtrail/history';
import { type Clock, type ServerDate, sleep } from '@podtrail/machinery';
import { LedgerClock, type Step } from './ledger-clock.ts';

export interface TimeKeeperOptions {
  readonly clock: Clock;
  /** Until when an earlier recorder has written. */
  readonly notBefore: number;
  /** Sends the server any question; its answer comes by `dated`. */
  readonly ask: () => Promise<unknown>;
  /** Has what was written by the wrong time taken back, and calls `corrected` of the clock. */
  readonly correct: (step: Step) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

const ASK_AGAIN_MS = 500;

export class TimeKeeper {
  readonly clock: LedgerClock;
  readonly #options: TimeKeeperOptions;
  readonly #stop = new AbortController();
  #waiting: Promise<EpochMillis> | undefined;
  #isCorrecting = false;

  constructor(options: TimeKeeperOptions) {
    this.#options = options;
    this.clock = new LedgerClock(options.clock, options.notBefore);
  }

  /** At once while the time is known, else when it is. Rejects after `stop`. */
  certain(): EpochMillis | Promise<EpochMillis> {
    return this.clock.certain() ?? (this.#waiting ??= this.#untilKnown());
  }

  /** What an answer of the server said. */
  dated(seen: ServerDate): void {
    this.clock.sample(seen);
    const { step } = this.clock;
    if (step === undefined || this.#isCorrecting) return;
    this.#isCorrecting = true;
    this.#options
      .correct(step)
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => {
        this.#isCorrecting = false;
      });
  }

  stop(): void {
    this.#stop.abort(new Error('the recorder has ended'));
  }

  async #untilKnown(): Promise<EpochMillis> {
    try {
      for (;;) {
        const at = this.clock.certain();
        if (at !== undefined) return at;
        this.#stop.signal.throwIfAborted();
        // A question that fails is no news: the watch notices by itself when the server is away.
        if (this.clock.step === undefined) await this.#asked();
        if (this.clock.certain() === undefined) await sleep(this.#options.clock, ASK_AGAIN_MS, this.#stop.signal);
      }
    } finally {
      this.#waiting = undefined;
    }
  }

  /** Ends with the keeper, too: a server that does not answer holds nobody back. */
  async #asked(): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    const onAbort = () => stopped.resolve();
    this.#stop.signal.addEventListener('abort', onAbort, { once: true });
    await Promise.race([this.#options.ask().catch(() => undefined), stopped.promise]);
    this.#stop.signal.removeEventListener('abort', onAbort);
  }
}

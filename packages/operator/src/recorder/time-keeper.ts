// The time to write into the ledger. While it is not known, writers wait and the server is asked; where it turns out to be
// another, the ledger is corrected. Only the recorder uses it.
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

/** A server that does not answer is not asked more often; any answer of it, to whatever question, ends the wait. */
const ASK_AGAIN_MS = 2_000;

export class TimeKeeper {
  readonly clock: LedgerClock;
  readonly #options: TimeKeeperOptions;
  readonly #stop = new AbortController();
  #waiting: Promise<EpochMillis> | undefined;
  #isCorrecting = false;
  #dated = Promise.withResolvers<void>();

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
    this.#wake();
    const { step } = this.clock;
    if (step === undefined || this.#isCorrecting) return;
    this.#isCorrecting = true;
    this.#options
      .correct(step)
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => {
        this.#isCorrecting = false;
        this.#wake();
      });
  }

  stop(): void {
    this.#stop.abort(new Error('the recorder has ended'));
    this.#wake();
  }

  #wake(): void {
    this.#dated.resolve();
    this.#dated = Promise.withResolvers<void>();
  }

  async #untilKnown(): Promise<EpochMillis> {
    try {
      for (;;) {
        const at = this.clock.certain();
        if (at !== undefined) return at;
        this.#stop.signal.throwIfAborted();
        // A request that fails is ignored: the watch notices by itself when the server is away.
        if (this.clock.step === undefined) await this.#asked();
        if (this.clock.certain() === undefined) await this.#pause();
      }
    } finally {
      this.#waiting = undefined;
    }
  }

  async #pause(): Promise<void> {
    const done = new AbortController();
    const slept = sleep(this.#options.clock, ASK_AGAIN_MS, AbortSignal.any([done.signal, this.#stop.signal]));
    await Promise.race([slept.catch(() => undefined), this.#dated.promise]);
    done.abort();
  }

  /** Until there is an answer, also to another question, or the keeper ends: a slow server holds nobody back. */
  async #asked(): Promise<void> {
    await Promise.race([this.#options.ask().catch(() => undefined), this.#dated.promise]);
  }
}

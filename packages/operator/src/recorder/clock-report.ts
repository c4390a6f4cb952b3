// What is wrong with the clocks, for status and listeners. Looked at by the heartbeat of the recorder.
import { epochMillis } from '@podtrail/history';
import type { Problem } from './followed-stream.ts';
import type { LedgerClock } from './ledger-clock.ts';

export class ClockReport {
  readonly #clock: LedgerClock;
  readonly #onWarning: (warning: string | undefined) => void;
  #problem: Problem | undefined;
  #warning: string | undefined;

  constructor(clock: LedgerClock, onWarning: (warning: string | undefined) => void) {
    this.#clock = clock;
    this.#onWarning = onWarning;
  }

  /** While it lasts, what was watched could lie in the future, and nothing is claimed. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  look(): void {
    const { doubt: error, warning } = this.#clock;
    const since = this.#problem?.since ?? epochMillis(this.#clock.now());
    this.#problem = error === undefined ? undefined : { what: 'clock', since, error };
    // The sentence counts seconds: reported is only whether there is one.
    if ((warning === undefined) === (this.#warning === undefined)) return;
    this.#warning = warning;
    this.#onWarning(warning);
  }
}

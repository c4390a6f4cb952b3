// A page that is made as seldom as its cost demands: one that took long is shown again to those who ask soon after, so
// that no number of askers makes it take more than a tenth of the event loop. Called by the plain server. Its age is
// measured on the clock that the page is made from, so that a page never outlives a jump of that clock.
import type { MakePage, Page } from './plain-server.ts';

/** Of the time that it took. */
const SHOWN_FOR = 9;
/** A page older than this is never shown: whoever asks wants to know how it is now. */
const OLDEST_MS = 1_000;

export class SparingPage {
  readonly #make: MakePage;
  readonly #now: () => number;
  #making: Promise<Page> | undefined;
  #freshUntil = Number.NEGATIVE_INFINITY;

  /** `now`: monotonic milliseconds. */
  constructor(make: MakePage, now: () => number) {
    this.#make = make;
    this.#now = now;
  }

  get(): Promise<Page> {
    if (this.#making === undefined || this.#now() >= this.#freshUntil) this.#making = this.#remake();
    return this.#making;
  }

  async #remake(): Promise<Page> {
    // While it is being made, everybody waits for the same one.
    this.#freshUntil = Number.POSITIVE_INFINITY;
    const begun = this.#now();
    try {
      return await this.#make();
    } finally {
      const ended = this.#now();
      this.#freshUntil = ended + Math.min(SHOWN_FOR * (ended - begun), OLDEST_MS);
    }
  }
}

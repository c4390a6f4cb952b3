// Where the demo writes: lines of what happens, and on a terminal a status line below them that renews itself.
// Elsewhere the status is a line of its own now and then.

import type { Sink } from '../command-env.ts';
import { visible } from '../output/visible.ts';

const CLEAR_LINE = '\r\u001b[2K';
const PLAIN_STATUS_MS = 10_000;

export class Stage {
  readonly #sink: Sink;
  readonly #now: () => number;
  readonly #columns: () => number;
  readonly #onGone: () => void;
  #status = '';
  #statusAt = Number.NEGATIVE_INFINITY;
  #written: Promise<void> = Promise.resolve();

  /** `onGone`: nobody reads any more (`| head`), perhaps called several times. */
  constructor(sink: Sink, now: () => number, columns: () => number, onGone: () => void) {
    this.#sink = sink;
    this.#now = now;
    this.#columns = columns;
    this.#onGone = onGone;
  }

  /** As it is, several lines too. */
  say(text: string): void {
    const clear = this.#status === '' || !this.#sink.isTTY ? '' : CLEAR_LINE;
    this.#write(`${clear}${text}\n${this.#sink.isTTY ? this.#status : ''}`);
  }

  /** Something happened, with the time of day. */
  happened(text: string): void {
    this.say(`${new Date(this.#now()).toISOString().slice(11, 19)}  ${visible(text)}`);
  }

  status(text: string): void {
    if (this.#sink.isTTY) {
      this.#status = visible(text).slice(0, Math.max(20, this.#columns() - 1));
      this.#write(`${CLEAR_LINE}${this.#status}`);
    } else if (this.#now() - this.#statusAt >= PLAIN_STATUS_MS) {
      this.#statusAt = this.#now();
      this.happened(text);
    }
  }

  /** Nothing is left on the status line; resolves when all is written. */
  async end(): Promise<void> {
    if (this.#status !== '' && this.#sink.isTTY) this.#write(CLEAR_LINE);
    this.#status = '';
    await this.#written;
  }

  #write(text: string): void {
    this.#written = this.#written.then(() => this.#sink.write(text));
    this.#written.catch(this.#onGone);
  }
}

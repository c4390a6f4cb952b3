// How far a log has been read, on a terminal: one line that is written over.
import type { Cli } from '../cli.ts';
import { showBytes } from '../output/bytes.ts';

const EVERY_MS = 500;
const CLEAR_LINE = '\r\u001b[2K';

export class ReadingProgress {
  readonly #cli: Cli;
  readonly #isShown: boolean;
  readonly #started: number;
  #next: number;

  constructor(cli: Cli, isShown: boolean) {
    this.#cli = cli;
    this.#isShown = isShown;
    this.#started = cli.commandEnv.clock.monotonic();
    this.#next = this.#started + EVERY_MS;
  }

  async show(bytes: number, found: string): Promise<void> {
    const { clock, stderr } = this.#cli.commandEnv;
    const now = clock.monotonic();
    if (!this.#isShown || now < this.#next) return;
    this.#next = now + EVERY_MS;
    const perSecond = showBytes(bytes / ((now - this.#started) / 1000));
    await stderr.write(`${CLEAR_LINE}${showBytes(bytes)} read, ${perSecond} a second, ${found}`);
  }

  async clear(): Promise<void> {
    if (this.#isShown) await this.#cli.commandEnv.stderr.write(CLEAR_LINE);
  }
}

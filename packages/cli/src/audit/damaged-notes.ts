// The first lines of a log that could not be read, named on standard error. Notes are written where the reading waits; a
// line is read where it does not.
import type { DamagedLine } from '@podtrail/history/audit';
import type { Cli } from '../cli.ts';

const MOST_NOTED = 10;

export class DamagedNotes {
  readonly #cli: Cli;
  #notes: string[] = [];
  #count = 0;

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  add({ input, line, offset, why }: DamagedLine): void {
    this.#count++;
    if (this.#count <= MOST_NOTED) this.#notes.push(`${input}, line ${line}, byte ${offset}: ${why}`);
    else if (this.#count === MOST_NOTED + 1) this.#notes.push('more lines cannot be read; they are counted');
  }

  async flush(): Promise<void> {
    const notes = this.#notes;
    this.#notes = [];
    for (const note of notes) await this.#cli.note(note);
  }
}

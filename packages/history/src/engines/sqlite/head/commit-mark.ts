// How many commits the head has seen, in a small file beside it, written after each of them. A log that lost its tail
// takes the head back to an older state that is whole in itself: answers from it are honest, because its coverage is
// shorter, but that something is missing shows only here. Not synced: after a power failure it may lag, never lead.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { sealed, unsealed } from '../format/checksum.ts';
import { OWNER_ONLY_FILE } from '../private-file.ts';

const BYTES = 8;

export class CommitMark {
  readonly #path: string;
  #file: number | undefined;

  constructor(headPath: string) {
    this.#path = `${headPath}.mark`;
  }

  /** Undefined when there is none that can be read. */
  read(): number | undefined {
    try {
      return unsealed(readFileSync(this.#path), () => this.#path).readDoubleLE(0);
    } catch {
      return undefined;
    }
  }

  /** Failing costs only the warning. */
  write(commits: number): void {
    const body = Buffer.allocUnsafe(BYTES);
    body.writeDoubleLE(commits);
    try {
      this.#file ??= openSync(this.#path, 'w', OWNER_ONLY_FILE);
      writeSync(this.#file, sealed(body), 0, BYTES + 4, 0);
    } catch {
      // A full disk: the commit itself says so when it needs room.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

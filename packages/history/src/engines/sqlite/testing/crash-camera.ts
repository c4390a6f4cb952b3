// Takes a picture of a store's files at a failpoint and ends the run there: what a process leaves that is killed, without
// the process. The picture lies beside the store and may be opened as one.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { type Failpoint, Failpoints } from '../failpoints.ts';

/** Thrown where the process would be gone. */
export class Killed extends Error {}

export class CrashCamera extends Failpoints {
  readonly #path: string;
  readonly #at: Failpoint;
  #left: number;
  hasTaken = false;

  constructor(path: string, at: Failpoint, nth: number) {
    super();
    this.#path = path;
    this.#at = at;
    this.#left = nth;
  }

  /** Where the picture lies. */
  get picture(): string {
    return `${this.#path}.picture`;
  }

  override pass(name: Failpoint): void {
    if (name !== this.#at || --this.#left !== 0) return;
    this.take();
    this.hasTaken = true;
    throw new Killed();
  }

  take(): void {
    copyStore(this.#path, this.picture);
  }
}

/** File, log and weeks. The log's index is built again by the next process. */
function copyStore(from: string, to: string): void {
  for (const end of ['', '-wal', '.d']) {
    if (existsSync(`${from}${end}`)) cpSync(`${from}${end}`, `${to}${end}`, { recursive: true });
  }
}

export function removeStore(path: string): void {
  for (const end of ['', '-wal', '-shm', '.d', '.lock', '.mark'])
    rmSync(`${path}${end}`, { recursive: true, force: true });
}

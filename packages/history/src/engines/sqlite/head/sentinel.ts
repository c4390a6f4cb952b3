// Whether anybody has committed since: a connection that does nothing but look. views.ts asks it when snapshots overlap.
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export class Sentinel {
  readonly #db: DatabaseSync;
  readonly #version: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    this.#version = this.#db.prepare('PRAGMA data_version');
  }

  /** Another number whenever another connection has committed, of this process or of any other. */
  version(): number {
    return this.#version.get()?.['data_version'] as number;
  }

  close(): void {
    this.#db.close();
  }
}

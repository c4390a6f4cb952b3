// Two processes never write one store. The lock is a transaction held open in a small database beside it: the system
// lets it go when the process ends, however that happens, so it cannot be left behind.
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { HistoryError } from '../../errors.ts';
import { isBusy } from './faults.ts';
import { makePrivate } from './private-file.ts';

export class WriterLock {
  readonly #db: DatabaseSync;

  /** Throws `store-in-use` when another process, or this one, holds it. */
  constructor(path: string) {
    const lockPath = `${path}.lock`;
    makePrivate(lockPath);
    const db = new DatabaseSync(lockPath, { timeout: 0 });
    try {
      // Readers are let in: whoever is refused may read who is here.
      // A full disk must not keep a store from being opened: nothing here needs a file beside this one.
      db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
      db.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER, host TEXT); DELETE FROM owner');
      db.prepare('INSERT INTO owner VALUES (?, ?)').run(process.pid, hostname());
      db.exec('COMMIT; BEGIN IMMEDIATE');
    } catch (error) {
      const owner = isBusy(error) ? ownerOf(db) : undefined;
      db.close();
      if (owner === undefined) throw error;
      throw new HistoryError('store-in-use', `the store ${path} is being written by ${owner}`, {
        hint: 'stop that one first, or name another store; reading beside it is fine.',
        cause: error,
      });
    }
    this.#db = db;
  }

  release(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

function ownerOf(db: DatabaseSync): string {
  try {
    const row = db.prepare('SELECT pid, host FROM owner').get();
    return row === undefined ? 'another process' : `process ${row['pid']} on ${row['host']}`;
  } catch {
    return 'another process';
  }
}

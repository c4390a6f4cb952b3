// The head file: everything that is not sealed in a week file, and the list of those. Facts and checkpoint commit here
// and nowhere else, because SQLite is not atomic across files. head-append.ts writes to it, head-read.ts reads it.
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { HistoryError } from '../../errors.ts';
import type { Cluster, Migration } from '../engine.ts';
import { unknownCluster } from '../refusals.ts';
import { Failpoints } from './failpoints.ts';
import { noStore } from './faults.ts';
import { migrateHead } from './migrate.ts';
import { makePrivate } from './private-file.ts';
import { FORMAT, refuseCutFile, refuseOlder, storedVersion } from './schema.ts';
import { logBytes, volumeOf } from './volume.ts';
import { WordTable } from './words.ts';

/** A store below this has a WAL that can lose commits. */
const LEAST_SQLITE = [3, 51, 3];

export interface WeekEntry {
  readonly cluster: number;
  readonly week: number;
  readonly generation: number;
  readonly file: string;
  /** The last rows of the head that it has taken in: closed ones up to here are its copies. */
  readonly last_tenure: number;
  readonly last_placement: number;
  readonly tenures: number;
  readonly placements: number;
}

export interface ClusterEntry extends Cluster {
  readonly number: number;
  readonly expiredFrom: number | undefined;
  readonly expiredTo: number | undefined;
  /** Of changes alone. */
  readonly changesExpiredFrom: number | undefined;
  readonly changesExpiredTo: number | undefined;
  readonly weeks: readonly WeekEntry[];
}

export class Head {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly words: WordTable;
  /** What opening it for writing did. */
  readonly migration: Migration | undefined;
  readonly #generation: StatementSync;
  /** Tells of others' writes only; ours are counted. */
  readonly #dataVersion: StatementSync;
  readonly #logBytes: number;
  #writes = 0;
  #layoutGeneration = -1;
  /** Within this transaction. */
  #isChecked = false;
  #clusters = new Map<string, ClusterEntry>();

  constructor(path: string, writable: boolean, format = FORMAT, failpoints = new Failpoints()) {
    refuseOldSqlite(process.versions['sqlite'] ?? '0');
    this.path = path;
    if (!writable && !existsSync(path)) throw noStore(path);
    refuseCutFile(path);
    if (writable) makePrivate(path);
    this.#logBytes = logBytes(volumeOf(path));
    this.db = new DatabaseSync(path, { readOnly: !writable, timeout: 0 });
    try {
      const version = storedVersion(this.db, path, format.steps.length);
      if (!writable) refuseOlder(version, path, format);
      // The page size and vacuum mode count only for a file that is still empty.
      else this.db.exec('PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
      // Checkpoints are ours (checkpoint): one that fails would make a commit look failed that is not.
      this.db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 0');
      this.db.exec(`PRAGMA journal_size_limit = ${this.#logBytes}`);
      this.migration = writable ? migrateHead(this.db, path, format, failpoints) : undefined;
      this.words = new WordTable(this.db, writable);
      this.#generation = this.db.prepare('SELECT generation FROM layout');
      this.#dataVersion = this.db.prepare('PRAGMA data_version');
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Within a transaction: what clusters and week files there are, as of it. */
  clusters(): ReadonlyMap<string, ClusterEntry> {
    if (this.#isChecked) return this.#clusters;
    const generation = this.#generation.get()?.['generation'] as number;
    if (generation !== this.#layoutGeneration) {
      this.#clusters = this.#readClusters();
      this.#layoutGeneration = generation;
    }
    this.#isChecked = this.db.isTransaction;
    return this.#clusters;
  }

  /** Rises whenever clusters, week files, expired ranges or the writer change. */
  get layoutGeneration(): number {
    this.clusters();
    return this.#layoutGeneration;
  }

  /** Another text whenever anybody has written. */
  get contentVersion(): string {
    return `${this.#dataVersion.get()?.['data_version']}:${this.#writes}`;
  }

  cluster(id: string): ClusterEntry {
    const found = this.clusters().get(id);
    if (found === undefined) throw unknownCluster(id);
    return found;
  }

  /** Within a write transaction: clusters, week files or expired ranges have changed. */
  changeLayout(): void {
    this.db.exec('UPDATE layout SET generation = generation + 1');
    this.#isChecked = false;
  }

  /** All or nothing. */
  write<T>(body: () => T): T {
    this.#isChecked = false;
    this.#writes++;
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = body();
      this.db.exec('COMMIT');
      this.checkpoint(false);
      return result;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.words.forget();
      this.#layoutGeneration = -1;
      throw error;
    } finally {
      this.#isChecked = false;
    }
  }

  /** Brings the log into the file when it has grown; `anyway` also to give its room back. Failing costs only room. */
  checkpoint(anyway: boolean): void {
    try {
      if (anyway) this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      else if (statSync(`${this.path}-wal`).size > this.#logBytes) this.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // A reader is in the way, or the disk is full: the next one may succeed, and commits say what is wrong.
    }
  }

  /** One view of the store for all that `body` reads. */
  read<T>(body: () => T): T {
    this.#isChecked = false;
    this.db.exec('BEGIN');
    try {
      return body();
    } finally {
      this.#isChecked = false;
      this.db.exec('COMMIT');
    }
  }

  close(): void {
    if (this.db.isOpen) this.db.close();
  }

  #readClusters(): Map<string, ClusterEntry> {
    const weeks = this.db.prepare('SELECT * FROM week ORDER BY week').all() as unknown as WeekEntry[];
    const clusters = new Map<string, ClusterEntry>();
    for (const row of this.db.prepare('SELECT * FROM cluster ORDER BY name').all()) {
      clusters.set(row['id'] as string, {
        id: row['id'] as string,
        name: row['name'] as string,
        number: row['number'] as number,
        expiredFrom: (row['expired_from'] as number | null) ?? undefined,
        expiredTo: (row['expired_to'] as number | null) ?? undefined,
        changesExpiredFrom: (row['changes_expired_from'] as number | null) ?? undefined,
        changesExpiredTo: (row['changes_expired_to'] as number | null) ?? undefined,
        weeks: weeks.filter((week) => week.cluster === row['number']),
      });
    }
    return clusters;
  }
}

export function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number);
  for (const [place, least] of LEAST_SQLITE.entries()) {
    const part = parts[place] ?? 0;
    if (part > least) return;
    if (part < least) {
      throw new HistoryError('old-sqlite', `this Node carries SQLite ${version}; podtrail needs 3.51.3 or later`, {
        hint: 'run podtrail with the Node that it brings along (npx podtrail), or a newer one.',
      });
    }
  }
}

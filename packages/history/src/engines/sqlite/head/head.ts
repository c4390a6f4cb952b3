// The head file: everything that is not sealed in a week file, and the list of those. Facts and checkpoint commit here
// and nowhere else, because SQLite is not atomic across files. head-append.ts writes to it, head-read.ts reads it.
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { HistoryError } from '../../../errors.ts';
import { OCCURRENCES } from '../../occurrences/registry.ts';
import { unknownCluster } from '../../refusals.ts';
import type { Migration } from '../../store-admin.ts';
import { Failpoints } from '../failpoints.ts';
import { noStore, writeFault } from '../faults.ts';
import { agrees, damaged } from '../format/checksum.ts';
import { HeadDictionary } from '../format/dictionary.ts';
import { migrateHead } from '../migrate.ts';
import { makePrivate } from '../private-file.ts';
import { logBytes, volumeOf } from '../volume.ts';
import { CommitMark } from './commit-mark.ts';
import { HourIndex } from './hour-index.ts';
import { type ClusterEntry, layoutChecksum, readLayout } from './layout.ts';
import { PrimaryIndex } from './primary-index.ts';
import { Roots } from './roots.ts';
import { FORMAT, refuseCutFile, refuseOlder, storedVersion } from './schema.ts';
import { Tallies } from './tallies.ts';

/** A store below this has a WAL that can lose commits. */
const LEAST_SQLITE = [3, 51, 3];

/** So many times what the log is kept at. */
const LONG_LOGS = 4;

/** `snapshots`: one of several connections of a process that only read. */
export type HeadAccess = 'read' | 'write' | 'snapshots';
const CACHE_KB: Readonly<Record<HeadAccess, number>> = { read: 65_536, write: 16_384, snapshots: 16_384 };

export type { ClusterEntry, WeekEntry } from './layout.ts';

export class Head {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly dictionary: HeadDictionary;
  /** What opening it for writing did. */
  readonly migration: Migration | undefined;
  readonly roots: Roots;
  readonly index: PrimaryIndex;
  readonly tallies: Tallies;
  readonly hours: HourIndex;
  /** Tells of others' writes only; ours are counted. */
  readonly #dataVersion: StatementSync;
  /** Prepared, because every question begins and ends with them. */
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #logBytes: number;
  readonly #mark: CommitMark;
  #writes = 0;
  #layoutGeneration = -1;
  /** What others had written when the roots were read. */
  #seen = -1;
  /** Within this transaction, which nobody else's writes reach. */
  #hasLooked = false;
  #isChecked = false;
  #clusters = new Map<string, ClusterEntry>();

  constructor(path: string, access: HeadAccess, format = FORMAT, failpoints = new Failpoints()) {
    const writable = access === 'write';
    refuseOldSqlite(process.versions['sqlite'] ?? '0');
    this.path = path;
    this.#mark = new CommitMark(path);
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
      this.db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
      this.db.exec(`PRAGMA cache_size = -${CACHE_KB[access]}; PRAGMA journal_size_limit = ${this.#logBytes}`);
      this.migration = writable ? migrateHead(this.db, path, format, failpoints) : undefined;
      this.roots = new Roots(this.db, writable);
      this.dictionary = new HeadDictionary(this.db, this.roots, writable);
      this.index = new PrimaryIndex(this.db, this.roots, writable);
      this.tallies = new Tallies(this.db, this.roots, writable);
      this.hours = new HourIndex(this.db);
      this.#dataVersion = this.db.prepare('PRAGMA data_version');
      this.#begin = this.db.prepare('BEGIN');
      this.#commit = this.db.prepare('COMMIT');
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Within a transaction: what clusters and week files there are, as of it. */
  clusters(): ReadonlyMap<string, ClusterEntry> {
    if (this.#isChecked) return this.#clusters;
    this.#look();
    const { generation } = this.roots.store;
    if (generation !== this.#layoutGeneration) {
      this.#clusters = this.#checkedLayout();
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
    this.#look();
    return `${this.#seen}:${this.#writes}`;
  }

  cluster(id: string): ClusterEntry {
    const found = this.clusters().get(id);
    if (found === undefined) throw unknownCluster(id);
    return found;
  }

  /** Within a write transaction: `update` changes clusters, week files or expired ranges. */
  changeLayout(update: () => void): void {
    // What has been damaged meanwhile must not come under a new checksum.
    this.#checkedLayout();
    update();
    const { generation } = this.roots.store;
    this.roots.change({ generation: generation + 1, layout: layoutChecksum(this.db) });
    this.#isChecked = false;
  }

  /** All or nothing. */
  write<T>(body: () => T): T {
    this.#isChecked = false;
    this.#hasLooked = false;
    this.#writes++;
    this.db.exec('BEGIN IMMEDIATE');
    try {
      this.#look();
      this.index.begin();
      const result = body();
      this.index.flush();
      this.tallies.flush();
      const isChanged = this.roots.flush();
      this.db.exec('COMMIT');
      if (isChanged) this.#mark.write(this.roots.store.commits);
      this.checkpoint(false);
      return result;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.dictionary.forget();
      this.#forget();
      this.#layoutGeneration = -1;
      throw writeFault(error, this.path);
    } finally {
      this.#isChecked = false;
      this.#hasLooked = false;
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

  /** Far beyond what it is kept at: an old state that is being read keeps it from beginning at its start again. */
  isLogLong(): boolean {
    return (statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > LONG_LOGS * this.#logBytes;
  }

  /** One view of the store for all that `body` reads. */
  read<T>(body: () => T): T {
    this.begin();
    try {
      return body();
    } finally {
      this.end();
    }
  }

  /** The same for work in slices. */
  *hold<S, T>(body: () => Generator<S, T>): Generator<S, T> {
    this.begin();
    try {
      return yield* body();
    } finally {
      this.end();
    }
  }

  /** The same for reads that come one by one: all of them until `end` see one state. */
  begin(): void {
    this.#isChecked = false;
    this.#hasLooked = false;
    this.#begin.run();
    try {
      // What is remembered of the roots may be older than this view, and would make what it shows look damaged.
      this.#look();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  end(): void {
    this.#isChecked = false;
    this.#hasLooked = false;
    if (this.db.isOpen && this.db.isTransaction) this.#commit.run();
  }

  /** How many commits were made and are not there any more. */
  lostCommits(): number {
    const mark = this.#mark.read() ?? 0;
    return this.read(() => this.#lost(mark));
  }

  #lost(mark = this.#mark.read() ?? 0): number {
    return Math.max(0, mark - this.roots.store.commits);
  }

  close(): void {
    this.#mark.close();
    if (this.db.isOpen) this.db.close();
  }

  /** For a writer that begins: throws `damaged` unless everything is there and of one age. Records are checked when read. */
  checkSums(): void {
    this.dictionary.check();
    // A log that lost its end may have left pages of another age in the file, which nobody may write on.
    if (this.#lost() > 0) {
      const [first] = this.db.prepare('PRAGMA integrity_check(1)').all();
      if (first?.['integrity_check'] !== 'ok') throw damaged('head, after its log lost its end', first);
    }
    for (const { number } of this.clusters().values()) {
      this.index.checkGroups(number);
      for (const { number: kind } of OCCURRENCES.values()) this.tallies.check(number, kind);
    }
  }

  /** What was compared with the roots is compared again when somebody else has written. */
  #look(): void {
    if (this.#hasLooked) return;
    this.#hasLooked = this.db.isTransaction;
    const seen = this.#dataVersion.get()?.['data_version'] as number;
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#forget();
  }

  #forget(): void {
    this.roots.forget();
    this.index.forget();
    this.tallies.forget();
    this.hours.forget();
  }

  #checkedLayout(): Map<string, ClusterEntry> {
    const { clusters, checksum } = readLayout(this.db);
    if (!agrees(checksum, this.roots.store.layout)) throw damaged('head, list of clusters and week files');
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

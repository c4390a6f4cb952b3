// The store inside its thread: opening, writing and long work; questions.ts answers. A thread (store-thread.ts) or a
// benchmark calls it; nothing here knows of messages. Long work is a generator that yields after each slice.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { HistoryError } from '../../errors.ts';
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { Placement, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { compareVersions } from '../../model/version-order.ts';
import type { Batch } from '../ledger-writer.ts';
import { nameTaken, staleWriter } from '../refusals.ts';
import type { SizeLimit } from '../size-limit.ts';
import type { Cluster } from '../snapshot.ts';
import type { Migration, Patrol, RoomKept, Verification } from '../store-admin.ts';
import { backupStore } from './backup.ts';
import { Ballast } from './ballast.ts';
import { type Death, Failpoints } from './failpoints.ts';
import { asHistoryError, lostHead, readFault } from './faults.ts';
import { type ClusterEntry, Head } from './head/head.ts';
import { HeadAppender } from './head/head-append.ts';
import { HeadReader } from './head/head-read.ts';
import { indexHours, WORTH_INDEXING } from './head/index-hours.ts';
import { FORMAT, type Format } from './head/schema.ts';
import { Sentinel } from './head/sentinel.ts';
import type { Rest } from './head/verify-head.ts';
import { View } from './head/view.ts';
import { Views } from './head/views.ts';
import { keepWithin } from './keep-room.ts';
import { migrateWeeks } from './migrate.ts';
import { pruneKind, pruneRecords } from './prune.ts';
import { Questions } from './questions.ts';
import { fileSize, roomOf } from './room.ts';
import { RoomForWrites } from './room-for-writes.ts';
import { StorePatrol, type VerifiedStore, verifyStore } from './verify-store.ts';
import { ripeWeeks } from './week/ripe-weeks.ts';
import { removeSealed, type SealParts, sealWeek } from './week/seal.ts';
import { Sealed } from './week/sealed.ts';
import { Weeks } from './week/weeks.ts';
import { WriterLock } from './writer-lock.ts';

export interface StoreOptions {
  readonly path: string;
  readonly access: 'read' | 'write';
  /**
   * A week's closed records are moved out of the head when there are this many of them. Below what makes an hour of
   * occurrences worth an index, that is done with so few, too.
   */
  readonly sealAt?: number;
  readonly death?: Death | undefined;
}

/** For tests inside the thread: where it dies, and what it takes for the newest format. */
export interface Seams {
  readonly failpoints?: Failpoints;
  readonly format?: Format;
}

export interface FencedBatch {
  readonly cluster: Cluster;
  readonly fence: number;
  readonly batch: Batch;
}

const SEAL_AT = 100_000;

export class Store {
  readonly path: string;
  readonly #head: Head;
  readonly #reader: HeadReader;
  readonly #weeks: Weeks;
  readonly #sealed: Sealed;
  /** What is asked of the connection that writes; undefined where nothing does. */
  readonly #questions: Questions | undefined;
  readonly #views: Views;
  readonly #lock: WriterLock | undefined;
  readonly #appender: HeadAppender | undefined;
  readonly #failpoints: Failpoints;
  readonly #format: Format;
  readonly #ballast: Ballast;
  readonly #disk: RoomForWrites;
  readonly #patrol: StorePatrol;
  readonly #sealAt: number;
  #fence: StatementSync | undefined;
  #layout = -1;
  /** Opened when snapshots overlap for the first time. */
  #sentinel: Sentinel | undefined;

  constructor({ path, access, sealAt = SEAL_AT, death }: StoreOptions, seams: Seams = {}) {
    this.path = path;
    this.#failpoints = seams.failpoints ?? new Failpoints(death);
    this.#format = seams.format ?? FORMAT;
    this.#sealAt = sealAt;
    this.#weeks = new Weeks(path, this.#format.weekVersion);
    this.#ballast = new Ballast(path);
    let lock: WriterLock | undefined;
    const open = (): Head => {
      if (access === 'write') {
        // Annotations can hold secrets: a directory that is made for the store is for its owner.
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        lock = new WriterLock(path);
        if (fileSize(path) === 0 && this.#weeks.files().length > 0) throw lostHead(path, this.#weeks.directory);
      }
      return new Head(path, access, this.#format, this.#failpoints);
    };
    try {
      try {
        this.#head = open();
      } catch (error) {
        // On a full disk even the index of the log may have no room.
        if (access !== 'write' || !this.#ballast.isNeededToOpen() || !this.#ballast.releaseSome()) throw error;
        lock?.release();
        this.#head = open();
      }
      this.#reader = new HeadReader(this.#head);
      this.#appender = access === 'write' ? new HeadAppender(this.#head, this.#reader) : undefined;
      this.#disk = new RoomForWrites({
        ...{ path, head: this.#head, reader: this.#reader },
        ...{ appender: this.#appender, ballast: this.#ballast },
      });
      // Readers leave no trace.
      this.#patrol = new StorePatrol(this.#verified(), access === 'write');
      this.#sealed = new Sealed(this.#weeks);
      const version = this.#format.steps.length;
      const weeks = access === 'write' ? new Weeks(path, this.#format.weekVersion) : this.#weeks;
      const connect = () => new View(new Head(path, 'snapshots', this.#format), weeks, version);
      this.#views = new Views({
        connect,
        weeks,
        version: () => (this.#sentinel ??= new Sentinel(path)).version(),
        isLogLong: () => this.#head.isLogLong(),
      });
      // Who only reads has one connection, unless several snapshots are open at once.
      if (access === 'read') this.#views.add(new View(this.#head, weeks, version));
      else this.#questions = new Questions(this.#head, this.#reader, this.#weeks, version);
      if (access === 'write') {
        // Whatever is written on top of a part that is missing would make its loss look right.
        this.#read(() => this.#head.checkSums());
        this.#weeks.removeLeftovers(this.#clusters());
      }
    } catch (error) {
      lock?.release();
      throw access === 'write' ? asHistoryError(error, path) : readFault(error, path);
    }
    this.#lock = lock;
  }

  /** All that `body` reads is of one instant. */
  read<T>(body: (questions: Questions) => T): T {
    try {
      const questions = this.#questions;
      return questions === undefined
        ? this.#views.once((view) => body(view.questions))
        : this.#read(() => body(questions));
    } catch (error) {
      throw asHistoryError(error, this.path);
    }
  }

  /** The same on the connection that writes. */
  #read<T>(body: () => T): T {
    try {
      return this.#head.read(() => {
        this.#forgetOldWeeks();
        return body();
      });
    } catch (error) {
      throw asHistoryError(error, this.path);
    }
  }

  /** One state of the store until it is given back; undefined while that has to wait for others to be. */
  takeView(): View | undefined {
    return this.#views.take();
  }

  giveView(view: View): void {
    this.#views.give(view);
  }

  /** Rises whenever clusters, week files or expired ranges change. */
  layout(): number {
    return this.#views.once((view) => view.layout);
  }

  takeOver({ id, name }: Cluster): number {
    this.#writable();
    return this.#disk.writeToBegin(() => {
      const { db } = this.#head;
      const other = db.prepare('SELECT id FROM cluster WHERE name = ? AND id <> ?').get(name, id);
      if (other !== undefined) throw nameTaken(name, String(other['id']));
      this.#head.changeLayout(() => {
        db.prepare(
          `INSERT INTO cluster (id, name, fence) VALUES (?, ?, 1)
           ON CONFLICT (id) DO UPDATE SET name = excluded.name, fence = fence + 1`,
        ).run(id, name);
      });
      const fence = db.prepare('SELECT fence FROM cluster WHERE id = ?').get(id)!['fence'] as number;
      this.#failpoints.pass('take-over:stored');
      return fence;
    });
  }

  /**
   * Stores several batches in one transaction. Each that is refused has its error at its place; when the transaction
   * itself fails, it throws and nothing is stored.
   */
  append(batches: readonly FencedBatch[]): (HistoryError | undefined)[] {
    const appender = this.#writable();
    this.#fence ??= this.#head.db.prepare('SELECT number, fence FROM cluster WHERE id = ?');
    const results = this.#disk.write(() => {
      this.#failpoints.pass('append:begun');
      const outcomes = batches.map(({ cluster, fence, batch }) => {
        const row = this.#fence!.get(cluster.id);
        if (row === undefined || row['fence'] !== fence) return staleWriter(cluster.name);
        const number = row['number'] as number;
        const entry = this.#head.cluster(cluster.id);
        const isReplay = this.#replays(entry);
        for (const fact of batch.facts) {
          if (fact.kind === 'tenure' && fact.tenure.end === undefined && isReplay(fact.tenure)) {
            if (this.#sealed.has(entry, fact.tenure)) continue;
          }
          if (fact.kind === 'placement' && fact.placement.end === undefined && isReplay(fact.placement)) {
            if (this.#sealed.hasPlacement(entry, fact.placement)) continue;
          }
          appender.store(number, fact);
        }
        if (batch.checkpoint !== undefined) appender.checkpoint(number, batch.checkpoint);
        return undefined;
      });
      this.#failpoints.pass('append:stored');
      return outcomes;
    });
    this.#failpoints.pass('append:committed');
    return results;
  }

  /** Moves what is ripe into week files, and indexes hours of occurrences that are over. */
  *maintain(now: EpochMillis): Generator<undefined, void> {
    this.#writable();
    const parts = this.#parts();
    for (const cluster of this.#clusters()) {
      for (const entry of cluster.weeks) yield* removeSealed(parts, entry);
      for (const week of this.#read(() => ripeWeeks(this.#head, cluster, now, this.#sealAt)))
        yield* sealWeek(parts, cluster.id, week);
      const worth = Math.min(WORTH_INDEXING, this.#sealAt);
      yield* indexHours({ head: this.#head, reader: this.#reader, cluster: cluster.number, now, worth });
    }
  }

  /** The head was migrated when it was opened; week files are rewritten now. */
  *migrate(): Generator<undefined, Migration> {
    this.#writable();
    const files = yield* migrateWeeks(this.#parts());
    return { ...this.#head.migration!, files };
  }

  *prune(id: string, before: EpochMillis): Generator<undefined, number> {
    this.#writable();
    return yield* this.#disk.withBallast(pruneRecords(this.#parts(), id, before, this.#disk.writeAnyway));
  }

  *pruneKind(id: string, kind: OccurrenceKind, before: EpochMillis): Generator<undefined, number> {
    this.#writable();
    return yield* this.#disk.withBallast(pruneKind(this.#parts(), id, kind, before, this.#disk.writeAnyway));
  }

  *keepRoom(limit: SizeLimit, now: EpochMillis): Generator<undefined, RoomKept> {
    this.#writable();
    const room = () => this.#read(() => roomOf(this.#head, this.#weeks, limit));
    const { limitBytes } = room();
    const removed = yield* keepWithin(
      this.#parts(),
      limitBytes ?? Number.POSITIVE_INFINITY,
      now,
      this.#disk.writeAnyway,
    );
    this.#ballast.keep();
    return { ...room(), ...removed };
  }

  verify(): Generator<Rest, Verification> {
    return verifyStore(this.#verified());
  }

  patrol(slices: number, now: EpochMillis): Generator<undefined, Patrol> {
    return this.#patrol.patrol(slices, now);
  }

  #verified(): VerifiedStore {
    return { path: this.path, format: this.#format, weeks: this.#weeks, clusters: () => this.#clusters() };
  }

  #clusters(): ClusterEntry[] {
    return this.#questions === undefined
      ? this.#views.once((view) => view.clusters())
      : this.#read(() => [...this.#head.clusters().values()]);
  }

  *backup(path: string): Generator<undefined, void> {
    // A connection of its own: the others may hold a snapshot.
    const head = new Head(this.path, 'snapshots', this.#format);
    try {
      yield* backupStore(head, this.#weeks, path);
    } finally {
      head.close();
    }
  }

  close(): void {
    this.#patrol.stop();
    this.#views.close();
    this.#sentinel?.close();
    this.#weeks.close();
    this.#head.close();
    this.#lock?.release();
  }

  #writable(): HeadAppender {
    if (this.#appender !== undefined) return this.#appender;
    throw new HistoryError('read-only', `the store ${this.path} was opened for reading`, {
      hint: 'only a recorder writes; open it with write access.',
    });
  }

  #parts(): SealParts {
    const appender = this.#writable();
    return { head: this.#head, reader: this.#reader, appender, weeks: this.#weeks, failpoints: this.#failpoints };
  }

  /** Files that a writer, here or elsewhere, has replaced or removed. */
  #forgetOldWeeks(): void {
    const { layoutGeneration } = this.#head;
    if (layoutGeneration === this.#layout) return;
    this.#layout = layoutGeneration;
    const clusters = [...this.#head.clusters().values()];
    this.#weeks.forgetUnlisted(new Set(clusters.flatMap(({ weeks }) => weeks.map(({ file }) => file))));
  }

  /** What began no later than the checkpoint may be known already, and sealed. */
  #replays(cluster: ClusterEntry): (record: Tenure | Placement) => boolean {
    if (cluster.weeks.length === 0) return () => false;
    const checkpoint = this.#reader.coverage.checkpoint(cluster.number);
    if (checkpoint === undefined) return () => true;
    return ({ start }) =>
      start.epoch < checkpoint.epoch ||
      (start.epoch === checkpoint.epoch && compareVersions(start.resourceVersion, checkpoint.resourceVersion) <= 0);
  }
}

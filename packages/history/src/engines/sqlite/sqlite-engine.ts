// The default engine: one SQLite file and its week files, owned by a thread of its own, so that the caller's event loop
// never waits for a disk. This file only hands requests over; store.ts does the work.
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Engine } from '../engine.ts';
import type { Batch, Resumption, Writer } from '../ledger-writer.ts';
import type { Point, PointTexts } from '../points.ts';
import type { SizeLimit } from '../size-limit.ts';
import type { Cluster, Snapshot } from '../snapshot.ts';
import type { Migration, Patrol, Patrolled, Room, RoomKept, StoreStatus, Verification } from '../store-admin.ts';
import { packPoints } from './bulk-points.ts';
import type { Death } from './failpoints.ts';
import { SqliteSnapshot } from './sqlite-snapshot.ts';
import { SNAPSHOT_LIMIT_MS } from './thread/snapshots.ts';
import { ThreadClient } from './thread/thread-client.ts';

export interface SqliteOptions {
  readonly path: string;
  /** `write` creates what is missing, migrates, and keeps other writers out. */
  readonly access: 'read' | 'write';
  /** How long a write waits for another program's lock before it is refused; 30 s by default. */
  readonly lockPatienceMs?: number;
  /** For tests: how old a snapshot may become. */
  readonly snapshotLimitMs?: number;
  /** For tests: fewer records make a week file. */
  readonly sealAt?: number;
  /** For tests: where the process is to die. */
  readonly death?: Death | undefined;
}

const LOCK_PATIENCE_MS = 30_000;

export class SqliteEngine implements Engine {
  readonly #thread: ThreadClient;

  private constructor(thread: ThreadClient) {
    this.#thread = thread;
  }

  static async open(options: SqliteOptions): Promise<SqliteEngine> {
    const defaults = { lockPatienceMs: LOCK_PATIENCE_MS, snapshotLimitMs: SNAPSHOT_LIMIT_MS };
    return new SqliteEngine(await ThreadClient.start({ ...defaults, ...options }));
  }

  clusters(): Promise<readonly Cluster[]> {
    return this.#thread.ask('clusters');
  }

  async snapshot(cluster: string): Promise<Snapshot> {
    const snapshot = this.#thread.begin();
    return new SqliteSnapshot(cluster, {
      read: (operation, ...parameters) => this.#thread.read(snapshot, operation, ...parameters),
      end: () => this.#thread.end(snapshot),
    });
  }

  async answerPoints({ id, name }: Cluster, points: readonly Point[]): Promise<PointTexts> {
    const snapshot = this.#thread.begin();
    try {
      return await this.#thread.points(snapshot, { id, name }, packPoints(points));
    } finally {
      this.#thread.end(snapshot);
    }
  }

  async takeOver({ id, name }: Cluster): Promise<Writer> {
    const cluster = { id, name };
    const fence = await this.#thread.takeOver(cluster);
    return { cluster, fence, append: (batch: Batch) => this.#thread.append({ cluster, fence, batch }) };
  }

  resume(cluster: string): Promise<Resumption> {
    return this.#thread.ask('resume', cluster);
  }

  prune(cluster: string, before: EpochMillis): Promise<number> {
    return this.#thread.work('prune', cluster, before);
  }

  pruneKind(cluster: string, kind: OccurrenceKind, before: EpochMillis): Promise<number> {
    return this.#thread.work('pruneKind', cluster, kind, before);
  }

  room(limit: SizeLimit): Promise<Room> {
    return this.#thread.ask('room', limit);
  }

  keepRoom(limit: SizeLimit, now: EpochMillis): Promise<RoomKept> {
    return this.#thread.work('keepRoom', limit, now);
  }

  maintain(now: EpochMillis): Promise<void> {
    return this.#thread.work('maintain', now);
  }

  migrate(): Promise<Migration> {
    return this.#thread.work('migrate');
  }

  verify(): Promise<Verification> {
    return this.#thread.work('verify');
  }

  patrol(slices: number, now: EpochMillis): Promise<Patrol> {
    return this.#thread.work('patrol', slices, now);
  }

  patrolled(): Promise<Patrolled | undefined> {
    return this.#thread.ask('patrolled');
  }

  status(): Promise<StoreStatus> {
    return this.#thread.ask('status');
  }

  backup(path: string): Promise<void> {
    return this.#thread.work('backup', path);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

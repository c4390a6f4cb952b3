// The SQLite store as an engine without its thread: everything is done when a call returns. For property tests, which
// open stores by the thousand; what the thread adds (order, batching, patience) is tested with the real engine.
import type { OccurrenceKind } from '../../../model/occurrence.ts';
import type { EpochMillis } from '../../../model/time.ts';
import type { Engine } from '../../engine.ts';
import type { Batch, Resumption, Writer } from '../../ledger-writer.ts';
import type { SizeLimit } from '../../size-limit.ts';
import type { Cluster, Snapshot } from '../../snapshot.ts';
import type { Migration, Patrol, Patrolled, Room, RoomKept, StoreStatus, Verification } from '../../store-admin.ts';
import { asHistoryError } from '../faults.ts';
import { View } from '../head/view.ts';
import { SqliteSnapshot } from '../sqlite-snapshot.ts';
import { type Seams, Store, type StoreOptions } from '../store.ts';

export class InThreadEngine implements Engine {
  readonly #store: Store;

  constructor(options: StoreOptions, seams?: Seams) {
    this.#store = new Store(options, seams);
  }

  async clusters(): Promise<readonly Cluster[]> {
    return this.#store.read((questions) => questions.clusters());
  }

  async snapshot(cluster: string): Promise<Snapshot> {
    const view = this.#view();
    return new SqliteSnapshot(cluster, {
      read: async (operation, ...parameters) => {
        if (!(view instanceof View)) throw view;
        const read = view.questions[operation] as (...asked: typeof parameters) => never;
        try {
          return read.apply(view.questions, parameters);
        } catch (error) {
          throw asHistoryError(error, this.#store.path);
        }
      },
      end: () => {
        if (view instanceof View) this.#store.giveView(view);
      },
    });
  }

  /** Or why there is none, which shows in the reads. */
  #view(): unknown {
    try {
      return this.#store.takeView() ?? new RangeError('more snapshots are open than a test may need');
    } catch (error) {
      return asHistoryError(error, this.#store.path);
    }
  }

  async takeOver(cluster: Cluster): Promise<Writer> {
    const fence = this.#store.takeOver(cluster);
    return {
      cluster,
      fence,
      append: async (batch: Batch): Promise<void> => {
        const [refused] = this.#store.append([{ cluster, fence, batch }]);
        if (refused !== undefined) throw refused;
      },
    };
  }

  async resume(cluster: string): Promise<Resumption> {
    return this.#store.read((questions) => questions.resume(cluster));
  }

  async prune(cluster: string, before: EpochMillis): Promise<number> {
    return finished(this.#store.prune(cluster, before));
  }

  async pruneKind(cluster: string, kind: OccurrenceKind, before: EpochMillis): Promise<number> {
    return finished(this.#store.pruneKind(cluster, kind, before));
  }

  async room(limit: SizeLimit): Promise<Room> {
    return this.#store.read((questions) => questions.room(limit));
  }

  async keepRoom(limit: SizeLimit, now: EpochMillis): Promise<RoomKept> {
    return finished(this.#store.keepRoom(limit, now));
  }

  async maintain(now: EpochMillis): Promise<void> {
    finished(this.#store.maintain(now));
  }

  async migrate(): Promise<Migration> {
    return finished(this.#store.migrate());
  }

  async verify(): Promise<Verification> {
    return finished(this.#store.verify());
  }

  async patrolled(): Promise<Patrolled | undefined> {
    return this.#store.read((questions) => questions.patrolled());
  }

  async patrol(slices: number, now: EpochMillis): Promise<Patrol> {
    return finished(this.#store.patrol(slices, now));
  }

  async status(): Promise<StoreStatus> {
    return this.#store.read((questions) => questions.status());
  }

  async backup(path: string): Promise<void> {
    finished(this.#store.backup(path));
  }

  async close(): Promise<void> {
    this.#store.close();
  }
}

/** All slices of long work, one after the other. */
function finished<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value as T;
  }
}

// The ledger in this process's memory: the reference for every other engine, and the store of demos and tests. Whoever
// needs speed or durability uses another one.
import { HistoryError } from '../../errors.ts';
import { presentCoverage } from '../../model/fact.ts';
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { EpochMillis } from '../../model/time.ts';
import { budgetStart, changeUses } from '../../observe/change-budget.ts';
import type { Engine } from '../engine.ts';
import type { Batch, Resumption, Writer } from '../ledger-writer.ts';
import { kindsWithOwnRetention, typeOf } from '../occurrences/registry.ts';
import { compareTexts, coveragePlace, sortedBy } from '../order.ts';
import { nameTaken, noOwnRetention, staleWriter, storeClosed, unknownCluster } from '../refusals.ts';
import type { Cluster, Snapshot } from '../snapshot.ts';
import type { Migration, Patrol, Room, RoomKept, StoreStatus, Verification } from '../store-admin.ts';
import { Ledger } from './ledger.ts';
import { liveStates, MemorySnapshot } from './memory-snapshot.ts';

export class MemoryEngine implements Engine {
  readonly #ledgers = new Map<string, Ledger>();
  #closed = false;

  async clusters(): Promise<readonly Cluster[]> {
    return this.#sortedLedgers().map(({ cluster }) => cluster);
  }

  async takeOver(cluster: Cluster): Promise<Writer> {
    if (this.#closed) throw storeClosed();
    for (const { cluster: other } of this.#ledgers.values()) {
      if (other.name === cluster.name && other.id !== cluster.id) throw nameTaken(cluster.name, other.id);
    }
    const taken = this.#ledgers.get(cluster.id) ?? new Ledger(cluster);
    this.#ledgers.set(cluster.id, taken);
    taken.cluster = cluster;
    const fence = ++taken.fence;
    return {
      cluster,
      fence,
      append: async (batch: Batch) => {
        if (this.#closed) throw storeClosed();
        const ledger = this.#toWrite(cluster.id);
        if (ledger.fence !== fence) throw staleWriter(cluster.name);
        for (const fact of batch.facts) ledger.store(fact);
        if (batch.checkpoint !== undefined) ledger.checkpoint = batch.checkpoint;
      },
    };
  }

  async snapshot(cluster: string): Promise<Snapshot> {
    return new MemorySnapshot(this.#ledger(cluster), () => (this.#closed ? storeClosed() : undefined));
  }

  async resume(cluster: string): Promise<Resumption> {
    const ledger = this.#ledger(cluster);
    const { checkpoint, coverage } = ledger;
    const latest = presentCoverage(sortedBy(coverage.values(), coveragePlace));
    const epoch = checkpoint?.epoch ?? latest?.epoch ?? 1;
    const since = budgetStart(latest?.to);
    const changes = sortedBy(ledger.occurrences('change').values(), typeOf('change').place);
    const recent = changes.filter(({ observedAt }) => observedAt >= since);
    return {
      state: { epoch, live: liveStates(ledger), coverage: latest, changeUses: changeUses(recent) },
      checkpoint,
    };
  }

  async prune(cluster: string, before: EpochMillis): Promise<number> {
    return this.#toWrite(cluster).prune(before);
  }

  async pruneKind(cluster: string, kind: OccurrenceKind, before: EpochMillis): Promise<number> {
    if (!kindsWithOwnRetention().includes(kind)) throw noOwnRetention(kind);
    return this.#toWrite(cluster).pruneKind(kind, before);
  }

  async room(): Promise<Room> {
    return { bytes: 0, limitBytes: undefined, volume: undefined, ballastBytes: 0 };
  }

  /** It lies on no disk: who bounds its memory bounds it. */
  async keepRoom(): Promise<RoomKept> {
    return { ...(await this.room()), removedOfKinds: {}, removedRecords: 0 };
  }

  /** Nothing piles up here. */
  async maintain(): Promise<void> {}

  /** Nothing here outlives the version that wrote it. */
  async migrate(): Promise<Migration> {
    return { from: 1, to: 1, steps: [], files: 0 };
  }

  async verify(): Promise<Verification> {
    let records = 0;
    for (const ledger of this.#ledgers.values()) records += ledger.tenures.size + ledger.placements.size;
    return { records, damages: [], unlisted: [] };
  }

  async patrolled(): Promise<undefined> {
    return undefined;
  }

  async patrol(): Promise<Patrol> {
    return { isFinished: true, damages: [] };
  }

  async status(): Promise<StoreStatus> {
    const clusters = this.#sortedLedgers().map((ledger) => {
      const { cluster, tenures, placements, live, checkpoint } = ledger;
      const changes = ledger.occurrences('change').size;
      const counts = { tenures: tenures.size, placements: placements.size, changes, live: live.size };
      return { ...cluster, ...counts, checkpoint };
    });
    return { version: 1, bytes: 0, clusters };
  }

  async backup(): Promise<void> {
    throw new HistoryError('no-backup', 'a store in memory cannot be backed up', {
      hint: 'export it, or record into sqlite:PATH.',
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ledgers.clear();
  }

  #sortedLedgers(): Ledger[] {
    return [...this.#ledgers.values()].sort((a, b) => compareTexts(a.cluster.name, b.cluster.name));
  }

  /** Snapshots go on with the ledger as it was; the next state is a copy. */
  #toWrite(cluster: string): Ledger {
    const ledger = this.#ledger(cluster);
    if (ledger.openSnapshots === 0) return ledger;
    const copy = new Ledger(ledger.cluster, ledger);
    this.#ledgers.set(cluster, copy);
    return copy;
  }

  #ledger(cluster: string): Ledger {
    if (this.#closed) throw storeClosed();
    const ledger = this.#ledgers.get(cluster);
    if (ledger === undefined) throw unknownCluster(cluster);
    return ledger;
  }
}

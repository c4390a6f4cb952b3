// What a recorder writes with, and what it goes on from.
import type { StoredFact } from '../model/fact.ts';
import type { Checkpoint } from '../model/records.ts';
import type { ObserverState } from '../observe/observer.ts';
import type { Cluster } from './snapshot.ts';

export interface Batch {
  readonly facts: readonly StoredFact[];
  /** Invariant: written with the facts in one transaction, so it never runs ahead of them. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** The right to write to one cluster's ledger, until another recorder takes it over. */
export interface Writer {
  readonly cluster: Cluster;
  /** Raised at every take-over; a writer with an older one is refused inside the transaction (`stale-writer`). */
  readonly fence: number;
  /**
   * Resolves when facts and checkpoint are durable. Storing a batch twice changes nothing; a record that has ended is
   * not reopened by its own earlier version, and coverage shrinks only by its end (newerCoverage). Batches are stored in
   * the order of the calls.
   */
  append(batch: Batch): Promise<void>;
}

/** What a recorder needs to go on where the last one stopped. */
export interface Resumption {
  readonly state: ObserverState;
  readonly checkpoint: Checkpoint | undefined;
}

export interface LedgerWriter {
  /** Takes the cluster's ledger over for writing. */
  takeOver(cluster: Cluster): Promise<Writer>;
  /** As of the last append. Only reads. */
  resume(cluster: string): Promise<Resumption>;
}

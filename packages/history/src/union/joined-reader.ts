// A reader that can ask the ledgers of other replicas beside its own.
import type { LedgerReader, Snapshot } from '../engines/snapshot.ts';

/** What became of a peer that was asked. */
export interface PeerReport {
  /** Its name among the evidence; where it has not said it, its address. */
  readonly collector: string;
  readonly answered: boolean;
  /** Why it did not, in a sentence without its end. */
  readonly why?: string;
}

export interface Joined<T> {
  /** Undefined where no peer answered: there is nothing that the own ledger does not know. */
  readonly value: T | undefined;
  readonly peers: readonly PeerReport[];
}

export interface JoinedReader extends Pick<LedgerReader, 'clusters' | 'snapshot' | 'answerPoints'> {
  /** Asks this ledger and those of all peers that answer in time as one. `ask` may be called again, with fewer of them. */
  joined?<T>(cluster: string, ask: (snapshot: Snapshot) => Promise<T>): Promise<Joined<T>>;
}

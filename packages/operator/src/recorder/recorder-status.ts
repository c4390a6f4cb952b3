// How a recorder stands, for health, metrics and people.
import type { EpochMillis } from '@podtrail/history';
import type { Problem, StreamStatus } from './followed-stream.ts';

export interface RecorderStatus {
  /** Every first listing or catch-up of claims is in the store's hands. */
  readonly synced: boolean;
  /** Every watch of claims is open and caught up. */
  readonly current: boolean;
  /** Consecutive failures of the store; 0 is well. */
  readonly storeFailures: number;
  readonly waitingFacts: number;
  readonly committedFacts: number;
  /** Annotation changes that were counted and not recorded, since this process began. */
  readonly suppressedChanges: number;
  readonly pods: number;
  /** From an observation to its being durable: of the last batch, in milliseconds. */
  readonly lagMs: number;
  /** As they are in the store, since this process began; undefined before. */
  readonly coverageTo: EpochMillis | undefined;
  readonly checkpointAt: EpochMillis | undefined;
  readonly clock: ClockStatus;
  readonly streams: readonly StreamStatus[];
  /** Empty when all is well. */
  readonly problems: readonly Problem[];
}

export interface ClockStatus {
  /** How far the machine's clock is ahead of the ledger's time, which is the server's as far as that is known. */
  readonly skewMs: number;
  /** How far the machine's clock is ahead of the server's; undefined when that is not known. */
  readonly aheadMs: number | undefined;
  /** A sentence while the machine's clock is wrong; recording goes on by the server's. */
  readonly warning: string | undefined;
}

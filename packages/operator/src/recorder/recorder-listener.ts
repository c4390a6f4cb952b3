// What a recorder reports, for logs and metrics. Every method is optional; one that throws disturbs nothing.
import type { Coverage, EpochMillis, Patrol, RoomKept } from '@podtrail/history';
import type { Cacheable, HandlerFailure, ReflectorState } from '@podtrail/machinery';
import type { StoredBatch } from './commit-queue.ts';
import type { StreamRole } from './followed-stream.ts';
import type { LeaseRefusal, LeaseResult } from './lease-reader.ts';

/** `resource` is named as in paths of the API; there are few, so that they may be labels. */
export interface RecorderListener {
  /** A batch is durable. */
  stored?(batch: StoredBatch): void;
  /** The store did not take a batch; it is tried again. */
  storeFailed?(error: unknown, attempt: number): void;
  /** A stream came to another state: it lists, watches, or waits after an error. */
  watchChanged?(resource: string, state: ReflectorState, role: StreamRole): void;
  /** A handler of the caches threw; it is tried again or skips this change. Other handlers are not affected. */
  handlerFailed?(resource: string, failure: HandlerFailure<Cacheable>): void;
  /** Events were lost: the time before this listing became a gap, or unknown for what it lists. */
  lost?(resource: string, reason: Coverage['opened']): void;
  /** The machine's clock differs from the server's, whose time is recorded instead; undefined: no longer. */
  clockDiffers?(warning: string | undefined): void;
  /** The ledger's time was another than the server's: what was claimed since then was taken back. */
  clockCorrected?(correction: ClockCorrection): void;
  /** The Lease of a node was read, or could not be. */
  leaseRead?(result: LeaseResult): void;
  /** Leases of nodes may not be read; undefined: they may be again. Recording goes on. */
  leasesForbidden?(refusal: LeaseRefusal | undefined): void;
  /** A stream of evidence is not watched, or brings more than is kept; without a problem: no longer. Recording goes on. */
  evidenceChanged?(change: EvidenceChange): void;
  /** The store's housekeeping was done, or not; recording goes on. */
  housekept?(done: Housekept): void;
  /** A part of the store was read through, to notice damage. */
  patrolled?(patrol: Patrol): void;
  /** The store was looked at and is within its limit, perhaps because something was removed. */
  roomKept?(kept: RoomKept): void;
}

export interface EvidenceChange {
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Undefined: it is followed again. */
  readonly problem: string | undefined;
}

export interface ClockCorrection {
  readonly since: EpochMillis;
  /** The time that it is. */
  readonly at: EpochMillis;
  /** How many records of the store were corrected. */
  readonly records: number;
}

export interface Housekept {
  readonly what: 'maintain' | 'retain' | 'room' | 'patrol';
  readonly ms: number;
  /** Undefined when it was done. */
  readonly error: unknown;
  /** With `retain`: how many records went. */
  readonly removed: number;
}

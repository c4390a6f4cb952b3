// The beginning or the end of something, with how sure we are and why we know. Nothing in the ledger is a bare time.
import type { EpochMillis } from './time.ts';

/** How the boundary came to be known. */
export type Source =
  /** An event of the watch, live or replayed. */
  | 'watch'
  /** A listing showed it; when it happened is only bounded. */
  | 'list'
  | 'audit'
  | 'import'
  /** A listing lacked it: nobody saw it happen. */
  | 'inferred';

/** Invariant: every boundary has provenance: source, epoch, resourceVersion, observed-at, collector. */
export interface Provenance {
  readonly source: Source;
  /** Counts lives of the cluster's etcd: versions are comparable only within one. */
  readonly epoch: number;
  readonly resourceVersion: string;
  readonly observedAt: EpochMillis;
  readonly collector: string;
}

/** Invariant: notBefore ≤ at ≤ notAfter. */
export interface Boundary extends Provenance {
  /** The best single instant. */
  readonly at: EpochMillis;
  readonly notBefore: EpochMillis;
  readonly notAfter: EpochMillis;
}

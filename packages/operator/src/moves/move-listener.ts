// What the follower of moves reports, for metrics and Events. Every method is optional; one that throws disturbs nothing.
import type { Move } from '@podtrail/history';
import type { Reuse } from './address-reuse.ts';

export interface MoveListener {
  /** A pod ended, and its traces had time to arrive. Once for each departure, whether or not anybody takes its place. */
  departed?(move: Move): void;
  /** Who took its place has a node: once for each departure, at the same time as `departed` or later. */
  placed?(move: Move): void;
  /** Who took its place is ready: once for each departure, at the same time as `placed` or later. */
  replaced?(move: Move): void;
  /** An address went from one pod to another. */
  reused?(reuse: Reuse): void;
  /** So many could not be looked at: too many waited, or the store could not be read. */
  uncounted?(what: 'departures' | 'addresses', count: number): void;
  /** The ledger could not be read; it is tried again. */
  failed?(error: unknown): void;
}

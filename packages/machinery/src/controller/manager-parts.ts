// What a manager is made of, as types: controllers, tasks, the election, and its options. Theirs to implement, the
// manager's to run.
import type { Clock } from '../clock.ts';
import type { ElectionCallbacks, ElectionOutcome } from '../election/leader-elector.ts';
import type { StopSignals } from './controller.ts';
import type { ManagedSource } from './managed-source.ts';

export interface ManagedController {
  readonly name: string;
  readonly sources: readonly ManagedSource[];
  readonly needsLeadership: boolean;
  readonly inFlight: readonly (string | number)[];
  readonly queued: number;
  run(signals: StopSignals, isLeader: () => boolean): Promise<void>;
  /** Takes no more keys and keeps no timer, also if it never ran. */
  shutDown(): void;
}

/** A server, a sink, a sweeper: anything that runs until its signal aborts. A rejection is a failure of the process. */
export interface Task {
  readonly name: string;
  /** Default false: it runs from the very start to the very end, as health servers must. */
  readonly needsLeadership?: boolean;
  run(signal: AbortSignal): Promise<void>;
}

export interface Election {
  isLeader(): boolean;
  run(signal: AbortSignal, callbacks: ElectionCallbacks): Promise<ElectionOutcome>;
}

export interface ManagerOptions {
  readonly clock?: Clock;
  /** Without one, everything runs at once. */
  readonly election?: Election;
  readonly onNewLeader?: (identity: string) => void;
  /**
   * A source that is not in sync after this long is reported; until then this replica does not compete unless all are,
   * afterwards as soon as one controller could work. Default two minutes.
   */
  readonly syncTimeoutMs?: number;
  /** For the log: the name of a source that is not in sync in time. It is waited for all the same. */
  readonly onSyncTimeout?: (source: string) => void;
  /** How long passes under way may take to end after a stop. Default 30 s. */
  readonly shutdownDeadlineMs?: number;
  /** How long, after that, passes may take to obey their signal. Default 1 s. */
  readonly abortGraceMs?: number;
}

/** All that was added before the run. */
export interface ManagerParts {
  readonly sources: ReadonlyMap<ManagedSource, string>;
  readonly shared: ReadonlySet<ManagedSource>;
  readonly controllers: readonly ManagedController[];
  readonly tasks: readonly Task[];
}

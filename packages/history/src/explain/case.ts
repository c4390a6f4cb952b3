// Everything that is known about the end of one pod, as the checks read it. Plain data: read-case.ts fills it from a
// snapshot, tests write it down.
import type { Evidence } from '../model/evidence.ts';
import type { Departure, PodLife } from '../model/pod-life.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Verdict } from './cause.ts';

export interface Case {
  readonly life: PodLife;
  /** Nothing but its departure is stored: its life has expired, or was never seen. Then no trace proves nothing. */
  readonly isLifeMissing?: boolean | undefined;
  /** When it began to end. */
  readonly endedAt: EpochMillis;
  /** When that was first seen: what the pod showed only later came later. Absent where nobody saw it. */
  readonly endSeenAt?: EpochMillis | undefined;
  /** And in which version of the pod. Versions of all objects of a cluster count up together. */
  readonly endVersion?: Pick<Departure, 'epoch' | 'resourceVersion'> | undefined;
  /** About the pod, its node, its controller, the controller of that, and its namespace; each in the order of time. */
  readonly pod: readonly Evidence[];
  readonly node: readonly Evidence[];
  readonly owner: readonly Evidence[];
  readonly workload: readonly Evidence[];
  readonly namespace: readonly Evidence[];
  /** Other pods of its workload that lived around that time, by their creation. */
  readonly siblings: readonly PodLife[];
  /** Streams of evidence (`events`, `replicasets` …) that nobody was watching around that time. */
  readonly unwatched: readonly string[];
  /** The last instant of the ledger: what comes after it may still come. Absent where that is long after the end. */
  readonly knownUntil?: EpochMillis | undefined;
}

/** One cause, or several that the same traces tell apart; undefined where it does not apply. Pure. */
export type Check = (known: Case) => Verdict | undefined;

// What a recorder needs to be opened; given by the command and by the operator. Only types.
import type { ChangeBudgets, Cluster, Engine, SizeLimit } from '@podtrail/history';
import type { Client, Clock, Random } from '@podtrail/machinery';
import type { RecordedStream } from './recorded-streams.ts';
import type { RecorderListener } from './recorder-listener.ts';

export interface RecorderOptions {
  readonly client: Client;
  readonly engine: Engine;
  readonly cluster: Cluster;
  /** Who is recording, for the provenance of facts: a host or pod name. */
  readonly collector: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Record only these namespaces, for those without rights on the whole cluster. Then no answer is ever "free", nodes
   * are not followed, and every restart makes a gap.
   */
  readonly namespaces?: readonly string[] | undefined;
  /** Compare the cache with a consistent listing this often. Default ten minutes. */
  readonly consistencyMs?: number;
  /** Forget closed records this long after their end. Default: never. */
  readonly retentionMs?: number | undefined;
  /** Keep the store within this size. Default: it is not looked at. */
  readonly storeLimit?: SizeLimit | undefined;
  /** How much of annotation changes is recorded; history has a default. */
  readonly changeBudgets?: ChangeBudgets | undefined;
  /**
   * Record what causes are found from, too: lives of pods, departures, evidence; and follow Events, owners of pods and
   * namespaces for that. Default: no.
   */
  readonly causes?: boolean | undefined;
  /** Forget lives of pods, departures and evidence this long after they happened. Default: with all else. */
  readonly evidenceRetentionMs?: number | undefined;
  /** What is followed. Default: `RECORDED_STREAMS`, and with `causes` those of evidence. */
  readonly streams?: readonly RecordedStream[] | undefined;
  readonly listeners?: readonly RecorderListener[];
}

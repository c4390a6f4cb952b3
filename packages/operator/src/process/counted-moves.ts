// The follower of moves in the operator: its counters on every replica, and whoever else listens to it.
import type { Cluster, LedgerReader } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import type { Registry } from 'prom-client';
import { MoveMetrics } from '../metrics/move-metrics.ts';
import { MoveFollower } from '../moves/move-follower.ts';
import type { MoveListener } from '../moves/move-listener.ts';
import { type Log, problemOf } from './log.ts';
import { LogSampler } from './log-sampler.ts';

export interface CountedMovesOptions {
  readonly engine: Pick<LedgerReader, 'snapshot'>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly monitoring: { readonly registry: Registry };
}

export interface CountedMoves {
  readonly follower: MoveFollower;
  /** Is notified, too, from now on. */
  listen(listener: MoveListener): void;
}

export function countedMoves({ engine, cluster, clock, log, monitoring }: CountedMovesOptions): CountedMoves {
  const metrics = new MoveMetrics(monitoring.registry);
  const failures = new LogSampler();
  const failed = (error: unknown) => {
    const times = failures.again('moves');
    if (times === undefined) return;
    log.warn('moves could not be counted; recording goes on', { times, problem: problemOf(error) });
  };
  const listeners: MoveListener[] = [metrics, { failed, departed: () => failures.over('moves') }];
  const follower = new MoveFollower({ reader: engine, cluster: cluster.id, clock, listeners });
  metrics.watch(follower);
  return { follower, listen: (listener) => void listeners.push(listener) };
}

// How much one cluster's ledger holds, and how much of its time was watched.
import type { ClusterStatus, Engine } from '../engines/engine.ts';
import { HistoryError } from '../errors.ts';
import type { EpochMillis } from '../model/time.ts';
import { readWatchedTime } from './who.ts';

export interface Stats extends ClusterStatus {
  readonly first: EpochMillis | undefined;
  readonly last: EpochMillis | undefined;
  readonly gaps: number;
  readonly gapMs: number;
  /** Between the first and the last instant, from 0 to 1; undefined before there is any. */
  readonly watched: number | undefined;
}

export async function stats(engine: Engine, cluster: string): Promise<Stats> {
  const status = (await engine.status()).clusters.find(({ id }) => id === cluster);
  if (status === undefined) {
    throw new HistoryError('unknown-cluster', `the store has no cluster ${cluster}`, {
      hint: 'record it first, or name one of those that the store lists.',
    });
  }
  const { first, last, gaps } = await readWatchedTime(engine, cluster);
  const gapMs = gaps.reduce((sum, gap) => sum + (gap.to - gap.from), 0);
  const length = first === undefined || last === undefined ? 0 : last - first;
  return { ...status, first, last, gaps: gaps.length, gapMs, watched: length > 0 ? 1 - gapMs / length : undefined };
}

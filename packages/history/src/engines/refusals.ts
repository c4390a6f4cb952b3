// The refusals that every engine speaks in the same words.
import { HistoryError } from '../errors.ts';

export function staleWriter(cluster: string): HistoryError {
  return new HistoryError('stale-writer', `another recorder has taken over the ledger of ${cluster}`, {
    hint: 'stop this one; only one recorder writes to a ledger at a time.',
  });
}

export function unknownCluster(cluster: string): HistoryError {
  return new HistoryError('unknown-cluster', `the store has no cluster ${cluster}`, {
    hint: 'record it first, or name one of those that `podtrail store status` lists.',
  });
}

export function nameTaken(name: string, id: string): HistoryError {
  return new HistoryError('cluster-name-taken', `another cluster of this store (${id}) is named ${name}`, {
    hint: 'give this one another name (`record` and `operator` take --cluster-name NAME), or a store of its own with --store.',
  });
}

export function storeClosed(): HistoryError {
  return new HistoryError('store-closed', 'the store has been closed', { hint: 'open it again to go on.' });
}

export function snapshotClosed(): HistoryError {
  return new HistoryError('snapshot-closed', 'the snapshot has been closed', { hint: 'open another one to go on.' });
}

/** A state that is kept costs room, and the more the longer. */
export function snapshotExpired(limitMs: number): HistoryError {
  const limit = `${limitMs / 1000} seconds`;
  return new HistoryError('snapshot-expired', `the question took longer than a snapshot may live (${limit})`, {
    hint: 'ask for less: a shorter span, or smaller pages.',
  });
}

/** Nothing is lost: the newest list of files names what has replaced it. */
export function snapshotTooOld(cause?: unknown): HistoryError {
  return new HistoryError('snapshot-too-old', 'a file that the snapshot needs has been replaced or pruned', {
    hint: 'ask again.',
    cause,
  });
}

export function noOwnRetention(kind: string): HistoryError {
  return new HistoryError('no-own-retention', `records of kind ${kind} cannot be removed alone`, {
    hint: 'they go with all else of their time.',
  });
}

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

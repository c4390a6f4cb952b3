// The reader of an operator: its own cluster, and no other one that the store holds (a volume that was used before, an
// import). Callers' rights are found out in the operator's cluster, and mean nothing in another one.
import { HistoryError } from '@podtrail/history';
import type { Cluster } from '@podtrail/history/wire';
import type { AskedReader } from './asked-ledger.ts';

/** Other clusters are neither read nor named: they are unknown, as those that are not in the store. */
export function oneCluster(reader: AskedReader, { id, name }: Pick<Cluster, 'id' | 'name'>): AskedReader {
  const only = async <T>(cluster: string, read: () => Promise<T>): Promise<T> => {
    if (cluster === id) return await read();
    throw new HistoryError('unknown-cluster', `this operator answers for the cluster ${name} only`, {
      hint: `leave cluster= out, or give cluster=${name}.`,
    });
  };
  const { joined, answerPoints } = reader;
  return {
    clusters: async () => (await reader.clusters()).filter((cluster) => cluster.id === id),
    snapshot: (cluster) => only(cluster, () => reader.snapshot(cluster)),
    ...(joined === undefined
      ? {}
      : { joined: (cluster, ask) => only(cluster, () => joined.call(reader, cluster, ask) as never) }),
    ...(answerPoints === undefined
      ? {}
      : { answerPoints: (cluster, points) => only(cluster.id, () => answerPoints.call(reader, cluster, points)) }),
  };
}

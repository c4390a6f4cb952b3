// Under which cluster of a store something is kept that does not name its own: footprints and saved pods. A
// cluster that is long gone may live on in them: a name is enough to keep them under.
import type { Cluster, Engine } from '@podtrail/history';
import { UsageError } from '../errors.ts';
import { chooseCluster } from '../options/choose-cluster.ts';

/** `what` is imported: for the message. */
export async function clusterFor(engine: Engine, wanted: string | undefined, what: string): Promise<Cluster> {
  const clusters = await engine.clusters();
  const isThere = clusters.some(({ id, name }) => id === wanted || name === wanted);
  if (wanted !== undefined && !isThere) return { id: wanted, name: wanted };
  if (clusters.length === 0) throw new UsageError(`${what} not name their cluster`, 'name it with --cluster NAME.');
  return await chooseCluster(engine, wanted);
}

// Which cluster of a store is asked about: the only one, or the one that was named.
import type { Cluster, Engine } from '@podtrail/history';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

export async function chooseCluster(engine: Pick<Engine, 'clusters'>, wanted: string | undefined): Promise<Cluster> {
  const clusters = await engine.clusters();
  const [first] = clusters;
  if (first === undefined) {
    throw new CliError('empty-store', 'the store holds no cluster yet', {
      hint: 'start `podtrail record` on the cluster first.',
      // Not "none": a script would take that for free, and nobody was watching.
      exitCode: EXIT.unknown,
    });
  }
  if (wanted === undefined) {
    if (clusters.length === 1) return first;
    throw new UsageError(
      `the store holds ${clusters.length} clusters: ${listed(clusters)}`,
      'choose one with --cluster NAME.',
    );
  }
  const found = clusters.find((c) => c.name === wanted) ?? clusters.find((c) => c.id === wanted);
  if (found !== undefined) return found;
  throw new UsageError(
    `the store holds no cluster ${wanted}; it holds ${listed(clusters)}`,
    'choose one with --cluster NAME.',
  );
}

function listed(clusters: readonly Cluster[]): string {
  return clusters.map(({ name, id }) => `${name} (${id})`).join(', ');
}

// The nodes as CSV. Pure.
import { csvText } from '../../parts/csv.ts';
import type { Tile } from './node-tiles.ts';

const HEADER = ['node', 'pods', 'in_doubt', 'host_network', 'workloads', 'departures', 'arrived', 'left', 'stayed'];

export function nodesCsv(tiles: readonly Tile[]): string {
  return csvText(
    HEADER,
    tiles.map(({ node, summary: { pods, inDoubt, hostNetwork, workloads, departures, compared } }) => [
      ...[node, pods, inDoubt, hostNetwork],
      workloads.map(({ namespace, kind, name, pods }) => `${namespace}/${kind}/${name} ${pods}`).join('; '),
      Object.entries(departures)
        .map(([cause, count]) => `${cause} ${count}`)
        .join('; '),
      ...[compared?.arrived ?? null, compared?.left ?? null, compared?.stayed ?? null],
    ]),
  );
}

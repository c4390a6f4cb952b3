// The nodes as CSV. Pure.
import { csvText } from '../../parts/csv.ts';
import { type Tile, workloadKey } from './node-tiles.ts';

const HEADER = [
  ...['node', 'pods', 'in_doubt', 'host_network', 'workloads', 'other_pods', 'chosen_workload_pods'],
  ...['departures', 'departures_not_looked_up', 'arrived', 'left', 'stayed'],
];

export function nodesCsv(tiles: readonly Tile[]): string {
  return csvText(
    HEADER,
    tiles.map(({ node, summary }) => [
      ...[node, summary.pods, summary.inDoubt, summary.hostNetwork],
      summary.workloads.map((one) => `${workloadKey(one)} ${one.pods}`).join('; '),
      ...[summary.otherPods, summary.workloadPods],
      Object.entries(summary.departures)
        .map(([cause, count]) => `${cause} ${count}`)
        .join('; '),
      summary.departuresUnjudged,
      ...[summary.compared?.arrived ?? null, summary.compared?.left ?? null, summary.compared?.stayed ?? null],
    ]),
  );
}

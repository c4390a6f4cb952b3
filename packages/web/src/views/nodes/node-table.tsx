// The same as the tiles, as a table.
import { useState } from 'preact/hooks';
import { adjust } from '../../address/location.ts';
import { causeText } from '../../parts/cause.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { isOfWorkload, type Tile, type TileChoice, workloadKey } from './node-tiles.ts';

const PAGE = 500;
const WORKLOADS = 3;
const COLUMNS: readonly Column[] = [
  { name: 'Node', isName: true },
  { name: 'Pods', isNumber: true },
  { name: 'In doubt', isNumber: true },
  { name: 'Workloads' },
  { name: 'Departures' },
];
const COMPARED: readonly Column[] = [
  { name: 'Arrived', isNumber: true },
  { name: 'Left', isNumber: true },
  { name: 'Stayed', isNumber: true },
];

export function NodeTable({ tiles, choice }: { readonly tiles: readonly Tile[]; readonly choice: TileChoice }) {
  const [most, setMost] = useState(PAGE);
  const chosen = isOfWorkload(choice) ? [{ name: `Of ${choice.workload}`, isNumber: true }] : [];
  const isCompared = tiles.some(({ summary }) => summary.compared !== null);
  return (
    <>
      <DataTable
        label="Table of nodes"
        columns={[...COLUMNS, ...chosen, ...(isCompared ? COMPARED : [])]}
        rows={tiles.slice(0, most).map(({ node, summary, count }) => {
          const { pods, inDoubt, workloads, departures, departuresUnjudged, compared } = summary;
          const shown = workloads.slice(0, WORKLOADS);
          const others = shown.reduce((rest, one) => rest - one.pods, pods);
          return {
            key: node,
            cells: [
              <button type="button" class="quiet" onClick={() => adjust({ node }, true)}>
                {node}
              </button>,
              ...[pods, inDoubt],
              [
                ...shown.map((one) => `${workloadKey(one)} ${one.pods}`),
                ...(others > 0 ? [`others ${others}`] : []),
              ].join(', '),
              Object.entries(departures)
                .map(([cause, count]) => `${causeText(cause)} ${count}`)
                .concat(departuresUnjudged > 0 ? `not looked up ${departuresUnjudged}` : [])
                .join(', '),
              ...chosen.map(() => count ?? '…'),
              ...[compared?.arrived, compared?.left, compared?.stayed],
            ],
          };
        })}
      />
      {tiles.length > most && (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          {tiles.length - most} more nodes
        </button>
      )}
    </>
  );
}

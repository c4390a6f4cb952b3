// The same as the tiles, as a table.
import { useState } from 'preact/hooks';
import { adjust } from '../../address/location.ts';
import { causeText } from '../../parts/cause.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { Tile } from './node-tiles.ts';

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

export function NodeTable({ tiles }: { readonly tiles: readonly Tile[] }) {
  const [most, setMost] = useState(PAGE);
  const isCompared = tiles.some(({ summary }) => summary.compared !== null);
  return (
    <>
      <DataTable
        label="Table of nodes"
        columns={isCompared ? [...COLUMNS, ...COMPARED] : COLUMNS}
        rows={tiles.slice(0, most).map(({ node, summary }) => {
          const { pods, inDoubt, workloads, departures, compared } = summary;
          const others = workloads.length - WORKLOADS;
          return {
            key: node,
            cells: [
              <button type="button" class="quiet" onClick={() => adjust({ node }, true)}>
                {node}
              </button>,
              ...[pods, inDoubt],
              workloads
                .slice(0, WORKLOADS)
                .map(({ namespace, name, pods }) => `${namespace}/${name} ${pods}`)
                .join(', ') + (others > 0 ? `, ${others} more` : ''),
              Object.entries(departures)
                .map(([cause, count]) => `${causeText(cause)} ${count}`)
                .join(', '),
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

// The same as the timeline shows, as a table: for those who do not see the canvas, and to read and to copy.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CauseLabel } from '../parts/cause-label.tsx';
import { counted } from '../parts/counted.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { HolderName, NodeName } from '../parts/holder-name.tsx';
import { Time } from '../parts/time.tsx';
import { durationText } from '../times/span.ts';
import type { TimelineMove } from './connectors.ts';
import { intervalWords, laneName } from './interval-text.ts';
import { cellsWithin, placesWithin } from './table-rows.ts';
import type { TimeView } from './time-view.ts';
import type { TimelineData } from './timeline-data.ts';

export interface TimelineTableProps {
  readonly data: TimelineData;
  readonly view: TimeView;
  readonly moves: readonly TimelineMove[];
  readonly onOpen: (uid: string) => void;
}

const PAGE = 200;
const LANE: Column = { name: 'Lane', isName: true };
const INTERVALS: readonly Column[] = [
  LANE,
  ...['Who', 'Workload', 'Node', 'Address', 'From', 'To', 'How long', 'Why it ended'].map((name) => ({ name })),
];
const COUNTS: readonly Column[] = [LANE, { name: 'From' }, { name: 'To' }, { name: 'How many', isNumber: true }];

export function TimelineTable({ data, view, moves, onOpen }: TimelineTableProps) {
  const [page, setPage] = useState(0);
  const rows = data.density === null ? placesWithin(data.index, view) : cellsWithin(data, view);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  const shown = Math.min(page, pages - 1);
  const of = rows.subarray(shown * PAGE, (shown + 1) * PAGE);
  // Where lanes are no addresses, none are read.
  const hasAddresses = data.document.ips.length > 0;
  const columns = data.density !== null ? COUNTS : INTERVALS.filter(({ name }) => hasAddresses || name !== 'Address');
  const moveOf = new Map(moves.map((move) => [move.uid, move]));
  return (
    <>
      <DataTable
        label="Table of the timeline"
        columns={columns}
        rows={Array.from(of, (place) => ({
          key: String(place),
          cells: data.density === null ? intervalCells(data, place, moveOf, onOpen) : countCells(data, place),
        }))}
      />
      <div class="row">
        <button type="button" disabled={shown === 0} onClick={() => setPage(shown - 1)}>
          Previous page
        </button>
        <span role="status">
          Page {shown + 1} of {pages}, {counted(rows.length, 'row')}
        </span>
        <button type="button" disabled={shown >= pages - 1} onClick={() => setPage(shown + 1)}>
          Next page
        </button>
      </div>
    </>
  );
}

function intervalCells(
  data: TimelineData,
  place: number,
  moveOf: ReadonlyMap<string, TimelineMove>,
  onOpen: (uid: string) => void,
): readonly ComponentChildren[] {
  const words = intervalWords(data, place);
  if (words === undefined) return [];
  const { lane, holder, workload, ip, start, end, startBounds, endBounds, name } = words;
  const move = end === null ? undefined : moveOf.get(holder.uid);
  return [
    lane,
    <HolderName key="holder" holder={{ ...holder, workload: null }} />,
    workload,
    <NodeName key="node" node={holder.node} />,
    ...(data.document.ips.length > 0 ? [ip] : []),
    <>
      <Time at={start} /> <span class="muted small">{startBounds}</span>
    </>,
    <>
      {end === null ? 'still there' : <Time at={end} />} <span class="muted small">{endBounds}</span>
    </>,
    durationText((end ?? data.openUntil) - start),
    <>
      {move !== undefined && <CauseLabel cause={move.cause} certainty={move.certainty} />}{' '}
      {holder.kind === 'Pod' && (
        <button type="button" class="plain" onClick={() => onOpen(holder.uid)}>
          Evidence<span class="visually-hidden"> of {name}</span>
        </button>
      )}
    </>,
  ];
}

function countCells({ density, document }: TimelineData, cell: number): readonly ComponentChildren[] {
  if (density === null) return [];
  const lane = document.lanes[laneOfCell(density.laneStarts, cell)];
  const from = document.base + density.bucket[cell]! * density.bucketMs;
  return [
    lane === undefined ? '' : laneName(lane),
    <Time key="from" at={from} />,
    <Time key="to" at={from + density.bucketMs} />,
    density.count[cell],
  ];
}

function laneOfCell(laneStarts: Int32Array, cell: number): number {
  let low = 0;
  let high = laneStarts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (laneStarts[middle + 1]! > cell) high = middle;
    else low = middle + 1;
  }
  return low;
}

// What the timeline shows as rows of CSV. Times are absolute. Pure.
import { csvText } from '../../parts/csv.ts';
import type { TimelineMove } from '../../timeline/connectors.ts';
import { intervalWords } from '../../timeline/interval-text.ts';
import { placesWithin } from '../../timeline/table-rows.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import type { TimelineData } from '../../timeline/timeline-data.ts';
import { instantText } from '../../times/span.ts';

const HEADER = [
  ...['lane', 'kind', 'namespace', 'name', 'uid', 'node', 'workload', 'ip'],
  ...['start', 'start_not_before', 'start_not_after', 'end', 'end_not_before', 'end_not_after', 'cause', 'certainty'],
];
/** Later than that nothing bounds it. */
const LAST = Date.UTC(9000, 0);

export function trailCsv(data: TimelineData, view: TimeView, moves: readonly TimelineMove[]): string {
  const { index } = data;
  const moveOf = new Map(moves.map((move) => [move.uid, move]));
  const rows = Array.from(placesWithin(index, view), (place) => {
    const words = intervalWords(data, place);
    if (words === undefined) return [];
    const { lane, holder, workload, ip, end } = words;
    const move = end === null ? undefined : moveOf.get(holder.uid);
    const time = (column: Float64Array) => timeCell(column[place] ?? Number.POSITIVE_INFINITY);
    return [
      ...[lane, holder.kind, holder.namespace, holder.name, holder.uid, holder.node, workload.replace(' ', '/'), ip],
      ...[time(index.start), time(index.startNotBefore), time(index.startNotAfter)],
      ...[time(index.end), time(index.endNotBefore), time(index.endNotAfter)],
      ...[move?.cause ?? null, move?.certainty ?? null],
    ];
  });
  return csvText(HEADER, rows);
}

function timeCell(at: number): string | null {
  return at < LAST ? instantText(at) : null;
}

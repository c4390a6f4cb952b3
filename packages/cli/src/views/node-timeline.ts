// A node within a span, as a table in the order of time: who was there when it began, who came, who left, and why.
import {
  type AskedSpan,
  changeSentence,
  changeVerdict,
  type EpochMillis,
  type NodeChange,
  type NodeFound,
  type NodeStay,
  type Span,
} from '@podtrail/history/wire';
import { counted } from '../output/counted.ts';
import type { Listing } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { showBoundary, showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { causeText, lifeColumns, nextText } from './ending.ts';
import { holderName, workloadText } from './holder.ts';
import { endText } from './watched.ts';

/** `there`: since before the span. */
type TimelineRow = { readonly change: 'there'; readonly stay: NodeStay } | NodeChange;

export function timelineListing(
  node: string,
  found: NodeFound,
  asked: AskedSpan,
  now: EpochMillis,
  zone: Zone,
): Listing<TimelineRow> {
  const rows = timelineOf(found, asked);
  return {
    rows,
    document: found.document,
    sentence: rows.length === 0 ? undefined : timelineSentence(node, rows, asked, zone),
    columns: timelineColumns(found, now, zone),
    // For tables only: other formats have one record for each pod.
    ...{ csv: [], json: podOf, name: (row) => holderName(podOf(row)) },
  };
}

function timelineOf({ pods, changes }: NodeFound, { from }: Span): TimelineRow[] {
  const before = pods.items.filter(({ start }) => start.at < from);
  return [...before.map((stay) => ({ change: 'there' as const, stay })), ...changes];
}

function timelineSentence(node: string, rows: readonly TimelineRow[], { from, hasSince }: AskedSpan, zone: Zone) {
  const count = (change: TimelineRow['change']) => rows.filter((row) => row.change === change).length;
  const there = !hasSince ? '' : `${counted(count('there'), 'pod')} at ${showTime(from, zone)}; `;
  return `${node}: ${there}${count('arrived')} arrived, ${count('left')} left.`;
}

function timelineColumns({ pods, watching }: NodeFound, now: EpochMillis, zone: Zone): Column<TimelineRow>[] {
  const stays = new Map(pods.items.map((stay) => [stay.pod.uid, stay]));
  return [
    { header: 'TIME', cell: (row) => showBoundary(row.change === 'there' ? row.stay.start : row.when, zone) },
    { header: 'CHANGE', cell: ({ change }) => change },
    { header: 'NAMESPACE', cell: (row) => podOf(row).namespace },
    { header: 'NAME', cell: (row) => podOf(row).name },
    { header: 'CAUSE', cell: causeOf },
    { header: 'MOVED', cell: movedText },
    { header: 'WORKLOAD', wide: true, cell: (row) => workloadText(podOf(row)) },
    { header: 'THERE UNTIL', wide: true, cell: (row) => endText(stays.get(podOf(row).uid)?.end, watching, now, zone) },
    { header: 'UID', wide: true, cell: (row) => podOf(row).uid },
    ...lifeColumns<TimelineRow>((row) => stays.get(podOf(row).uid)?.ending.life, zone),
    { header: 'WHY', wide: true, cell: (row) => (row.change === 'there' ? '' : (changeSentence(row) ?? '')) },
  ];
}

function podOf(row: TimelineRow) {
  return row.change === 'there' ? row.stay.pod : row.pod;
}

function causeOf(row: TimelineRow): string {
  if (row.change === 'there') return '';
  return row.change === 'left' ? causeText(row.ending) : (changeVerdict(row)?.cause ?? '');
}

/** Where from, or where to; with a "?" where it may have been another. */
function movedText(row: TimelineRow): string {
  if (row.change === 'left') return row.ending.to === undefined ? '' : `to ${nextText(row.ending.to)}`;
  if (row.change === 'there' || row.cameFrom === undefined) return '';
  const { from, to } = row.cameFrom;
  return `from ${from.pod.node}${to?.certainty === 'certain' ? '' : '?'}`;
}

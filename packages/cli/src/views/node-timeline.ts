// A node within a span, as a table in the order of time: who came, who left, and why; with -o wide also who was there when
// it began, which on most nodes is most of them.
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
import type { Listing, PrintOptions } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { showBoundary, showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { causeText, lifeColumns, nextText, verdictText } from './ending.ts';
import { holderName, workloadText } from './holder.ts';
import { endText } from './watched.ts';

/** `there`: since before the span. */
type TimelineRow = { readonly change: 'there'; readonly stay: NodeStay } | NodeChange;

export function timelineListing(
  node: string,
  found: NodeFound,
  asked: AskedSpan,
  now: EpochMillis,
  { zone, format }: Pick<PrintOptions, 'zone' | 'format'>,
): Listing<TimelineRow> {
  const all = timelineOf(found, asked);
  const rows = format === 'wide' ? all : all.filter(({ change }) => change !== 'there');
  const hasMore = rows.length < all.length;
  return {
    rows,
    document: found.document,
    sentence: all.length === 0 ? undefined : timelineSentence(node, all, { ...asked, hasMore }, zone),
    columns: timelineColumns(found, now, zone),
    // For tables only: other formats have one record for each pod.
    ...{ csv: [], json: podOf, name: (row) => holderName(podOf(row)) },
  };
}

function timelineOf({ pods, changes }: NodeFound, { from }: Span): TimelineRow[] {
  const before = pods.items.filter(({ start }) => start.at < from);
  return [...before.map((stay) => ({ change: 'there' as const, stay })), ...changes];
}

function timelineSentence(
  node: string,
  rows: readonly TimelineRow[],
  { from, hasSince, hasMore }: AskedSpan & { readonly hasMore: boolean },
  zone: Zone,
) {
  const count = (change: TimelineRow['change']) => rows.filter((row) => row.change === change).length;
  const more = hasMore ? ' (-o wide lists them)' : '';
  const there = !hasSince ? '' : `${counted(count('there'), 'pod')} at ${showTime(from, zone)}${more}; `;
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
  return row.change === 'left' ? causeText(row.ending) : verdictText(changeVerdict(row));
}

/** Where from, or where to; with a "?" where it may have been another. */
function movedText(row: TimelineRow): string {
  if (row.change === 'left') return row.ending.to === undefined ? '' : `to ${nextText(row.ending.to)}`;
  if (row.change === 'there' || row.cameFrom === undefined) return '';
  const { from, to } = row.cameFrom;
  return `from ${from.pod.node}${to?.certainty === 'certain' ? '' : '?'}`;
}

// An interval in words: for the card under the pointer, for what is announced, for the table and for CSV. Pure.
import { causeText } from '../parts/cause.ts';
import { durationText } from '../times/span.ts';
import { timeText, zoneText } from '../times/zone.ts';
import type { TimelineData } from './timeline-data.ts';
import { holderOf, type TimelineHolder, type TimelineLane } from './timeline-document.ts';

export interface IntervalWords {
  readonly lane: string;
  readonly holder: TimelineHolder;
  readonly name: string;
  readonly workload: string;
  readonly ip: string;
  readonly start: number;
  /** Null while it lasts. */
  readonly end: number | null;
  /** Empty where the edge is exact. */
  readonly startBounds: string;
  readonly endBounds: string;
}

export function laneName({ namespace, label }: TimelineLane): string {
  return namespace === null || namespace === '' || label.includes('/') ? label : `${namespace}/${label}`;
}

function holderName({ kind, namespace, name }: TimelineHolder): string {
  const shown = namespace === '' ? name : `${namespace}/${name}`;
  return kind === 'Pod' ? shown : `${kind} ${shown}`;
}

export function intervalWords(data: TimelineData, place: number): IntervalWords | undefined {
  const { index, document } = data;
  const lane = document.lanes[index.rowLane[index.rowOf[place]!]!];
  if (lane === undefined) return undefined;
  const holder = holderOf(document, index.holder[place]!);
  const end = index.end[place]!;
  return {
    ...{ lane: laneName(lane), holder, name: holderName(holder) },
    workload: holder.workload === null ? '' : `${holder.workload.kind} ${holder.workload.name}`,
    ip: document.ips[index.ip[place]!] ?? '',
    start: index.start[place]!,
    end: end === Number.POSITIVE_INFINITY ? null : end,
    startBounds: boundsText(index.startNotBefore[place]!, index.startNotAfter[place]!),
    endBounds:
      end === Number.POSITIVE_INFINITY ? '' : boundsText(index.endNotBefore[place]!, index.endNotAfter[place]!),
  };
}

/** One sentence, as a screen reader says it. */
export function intervalSentence(words: IntervalWords, cause?: string | undefined): string {
  const { name, holder, lane, start, end } = words;
  const on = holder.node === '' || holder.node === lane ? '' : ` on ${holder.node}`;
  const until = end === null ? 'still there' : `to ${timeText(end)}, ${durationText(end - start)}`;
  const why = cause === undefined ? '' : `, ${causeText(cause)}`;
  return `${name}${on}, from ${timeText(start)} ${until}${why}, ${zoneText(start)}. Lane ${lane}.`;
}

/** In the year 9999 lies what nothing bounds. */
const UNBOUNDED = Date.UTC(9000, 0);

function boundsText(notBefore: number, notAfter: number): string {
  if (notBefore === notAfter) return '';
  if (notAfter >= UNBOUNDED) return `not before ${timeText(notBefore, 'exact')}`;
  return `between ${timeText(notBefore, 'exact')} and ${timeText(notAfter, 'exact')}`;
}

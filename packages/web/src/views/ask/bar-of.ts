// What the small time bar of an answer shows: holders or rivals, who had the address before and after, and the time that
// nobody watched. Pure.
import type { HolderDocument, TrailDocument, WhoDocument } from '@podtrail/history/wire';
import { markParts, type TimeMark, type TimeRange } from '../../timeline/time-mark.ts';

type Stay = TrailDocument['stays'][number];
type Times = Pick<Stay, 'start' | 'end'>;

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly marks: readonly TimeMark[];
  readonly gaps: readonly TimeRange[];
}

/** What is asked for on each side of the instant: who held it before and after. */
export const AROUND_MS = 12 * 3_600_000;
const LEAST_MS = 60_000;
/** Room beside what is shown. */
const MARGIN = 0.15;
/** How much of the time after the instant is shown at least. */
const AFTER = 0.05;

export type Neighbour = HolderDocument & Times;

/** The nearest before and after the instant that are no holders of it. */
export function neighboursOf(
  answer: WhoDocument,
  around: TrailDocument | undefined,
): { readonly before: Neighbour | undefined; readonly after: Neighbour | undefined } {
  const at = Date.parse(answer.query.at);
  const others = othersOf(answer, around);
  // One whose end nobody saw had it last, as far as is known.
  const ended = others.filter(({ start, end }) => Date.parse(end === null ? start.at : end.at) <= at);
  const begun = others.filter(({ start }) => Date.parse(start.at) > at);
  const last = answer.answer === 'free' ? answer.last : undefined;
  const next = answer.answer === 'free' ? answer.next : undefined;
  const latest = ended.reduce<Stay | undefined>((a, b) => (a !== undefined && endOf(a) >= endOf(b) ? a : b), undefined);
  return { before: latest ?? last, after: begun[0] ?? next };
}

/** Up to when it is known who came after the instant; undefined where nothing after it is, or who held it then is not. */
export function knownUntil(answer: WhoDocument, { coverage }: TrailDocument, now: number): number | undefined {
  const at = Date.parse(answer.query.at);
  const until = Math.min(at + AROUND_MS, now, Date.parse(coverage.to ?? answer.query.at));
  return until > at && answer.answer !== 'unknown' ? until : undefined;
}

/** Undefined where there is nothing to draw. */
export function barOf(answer: WhoDocument, around: TrailDocument | undefined, now: number): Bar | undefined {
  const at = Date.parse(answer.query.at);
  const kind = answer.answer === 'ambiguous' ? 'rival' : 'holder';
  const holders = answer.holders.map((holder) => markOf(holder, holder, kind));
  const { before, after } = neighboursOf(answer, around);
  const others = [before, after].flatMap((one) => (one === undefined ? [] : [markOf(one, one, 'neighbour')]));
  const all = [...holders, ...others];
  const distances = all.flatMap(({ start, end }) => [start, end ?? now]).map((edge) => Math.abs(edge - at));
  const reach = Math.max(LEAST_MS, ...distances.filter((distance) => distance <= AROUND_MS)) * (1 + MARGIN);
  const from = at - reach;
  // Nothing is known of what has not come.
  const to = Math.max(Math.min(at + reach, now), at + AFTER * reach);
  // One of days before has its name in words, and no place on the bar.
  const marks = all.filter((mark) => {
    const { certain, maybe } = markParts(mark, { from, to });
    return certain !== null || maybe.length > 0;
  });
  if (marks.length === 0) return undefined;
  const gaps = (around?.coverage.gaps ?? answer.coverage.gaps).map((gap) => ({
    from: Date.parse(gap.from),
    to: gap.to === null ? now : Date.parse(gap.to),
  }));
  return { from, to, marks, gaps: gaps.filter((gap) => gap.from < to && gap.to > from) };
}

function othersOf(answer: WhoDocument, around: TrailDocument | undefined): readonly Stay[] {
  const isHolder = (stay: Stay) =>
    answer.holders.some(({ uid, start }) => uid === stay.uid && start.at === stay.start.at);
  return (around?.stays ?? []).filter((stay) => !isHolder(stay));
}

function endOf({ end }: Times): number {
  return end === null ? Number.POSITIVE_INFINITY : Date.parse(end.at);
}

function markOf({ kind, namespace, name }: HolderDocument, { start, end }: Times, as: TimeMark['kind']): TimeMark {
  return {
    label: kind === 'Pod' ? `${namespace}/${name}` : `${kind} ${name}`,
    start: Date.parse(start.at),
    startNotBefore: Date.parse(start.notBefore),
    startNotAfter: Date.parse(start.notAfter),
    end: end === null ? null : Date.parse(end.at),
    endNotBefore: end === null ? null : Date.parse(end.notBefore),
    endNotAfter: end === null || end.notAfter.startsWith('9999') ? null : Date.parse(end.notAfter),
    kind: as,
  };
}

// One stay on a time bar: where its parts are, and the sentence that says the same. Pure; drawn by time-bar.tsx.
import { timeText, zoneText } from '../times/zone.ts';

export interface TimeMark {
  readonly label: string;
  readonly start: number;
  readonly startNotBefore: number;
  readonly startNotAfter: number;
  /** Null: it goes on. */
  readonly end: number | null;
  readonly endNotBefore: number | null;
  readonly endNotAfter: number | null;
  readonly kind: 'holder' | 'rival' | 'neighbour';
}

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface MarkParts {
  /** It was certainly so. Null: there is no such time within the bar. */
  readonly certain: TimeRange | null;
  /** Between the bounds of an edge: it may have been so. */
  readonly maybe: readonly TimeRange[];
}

export function markParts(mark: TimeMark, within: TimeRange): MarkParts {
  const lastEnd = mark.end === null ? Number.POSITIVE_INFINITY : (mark.endNotAfter ?? mark.end);
  const firstEnd = mark.end === null ? Number.POSITIVE_INFINITY : (mark.endNotBefore ?? mark.end);
  const certain = { from: mark.startNotAfter, to: firstEnd };
  // Where the bounds of both edges overlap nothing is certain, and all of it may have been.
  const maybe =
    certain.from >= certain.to
      ? [{ from: mark.startNotBefore, to: lastEnd }]
      : [
          { from: mark.startNotBefore, to: mark.startNotAfter },
          { from: firstEnd, to: lastEnd },
        ];
  return {
    certain: cut(certain, within),
    maybe: maybe.map((range) => cut(range, within)).filter((range) => range !== null),
  };
}

/** Null: nothing of it is within. */
export function cut(range: TimeRange, within: TimeRange): TimeRange | null {
  const from = Math.max(range.from, within.from);
  const to = Math.min(range.to, within.to);
  return from < to ? { from, to } : null;
}

const KINDS = { holder: '', rival: 'may have been instead: ', neighbour: 'beside it: ' };

export function markSentence(mark: TimeMark): string {
  const { label, kind, start, startNotBefore, startNotAfter, end, endNotBefore, endNotAfter } = mark;
  const from = `from ${edgeText(start, startNotBefore, startNotAfter)}`;
  const to = end === null ? 'still there' : `to ${edgeText(end, endNotBefore ?? end, endNotAfter ?? end)}`;
  return `${KINDS[kind]}${label}, ${from}, ${to}, ${zoneText(start)}`;
}

function edgeText(at: number, notBefore: number, notAfter: number): string {
  if (notBefore === notAfter) return timeText(at);
  const format = notAfter - notBefore < 1000 ? 'exact' : 'second';
  return `between ${timeText(notBefore, format)} and ${timeText(notAfter, format)}`;
}

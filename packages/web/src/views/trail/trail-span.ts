// Between the time that the timeline shows and the URL. A span that ends now goes on with time, so the URL has its length
// and no end. Pure.
import type { TimeView } from '../../timeline/time-view.ts';
import { instantText } from '../../times/span.ts';

/** An end as near to now as this part of the span is now: nobody can pan to the very millisecond. */
const NEAR = 0.01;
const SECOND = 1000;
const LEAST_EVERY_MS = 5 * SECOND;
const MOST_EVERY_MS = 30 * SECOND;

export interface SpanOfTrail {
  /** As it was when it last came to rest. */
  readonly view: TimeView;
  readonly now: number;
  readonly isLive: boolean;
}

export interface SpanTexts {
  readonly since: string;
  readonly until: string | undefined;
}

export function spanTexts({ from, to }: TimeView, now: number): SpanTexts {
  const span = to - from;
  if (to < now - NEAR * span || span < SECOND) return { since: instantText(from), until: instantText(to) };
  return { since: relativeText(span), until: undefined };
}

/** `1h30m`, as parseDuration reads it; seconds at the least. */
export function relativeText(ms: number): string {
  let rest = Math.max(1, Math.round(ms / SECOND));
  let text = '';
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}

/** How often what goes on with time is asked for again: about when it has moved by a pixel. */
export function everyMs({ from, to }: TimeView): number {
  return Math.min(MOST_EVERY_MS, Math.max(LEAST_EVERY_MS, (to - from) / 1000));
}

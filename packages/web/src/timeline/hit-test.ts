// What is under a point: an interval, a gap, nothing. By halves within the row, so it costs the same for a million. Pure.
import { firstEndingAfter, type IntervalIndex } from './interval-index.ts';
import { type LaneLayout, rowAt } from './lane-layout.ts';

/** `slack`: milliseconds that a pointer may miss by; short intervals would never be hit otherwise. -1: none. */
export function intervalAt(
  index: IntervalIndex,
  layout: LaneLayout,
  {
    at,
    y,
    slack,
    openUntil,
  }: { readonly at: number; readonly y: number; readonly slack: number; readonly openUntil: number },
): number {
  const row = rowAt(layout, index.laneRows, y);
  if (row === -1) return -1;
  const stop = index.rowStarts[row + 1]!;
  let found = -1;
  let least = Number.POSITIVE_INFINITY;
  const near = firstEndingAfter(index, row, at - slack);
  // The nearest: those within the slack follow each other.
  for (let place = near; place < stop; place++) {
    const start = index.start[place]!;
    if (start > at + slack) break;
    const end = Math.min(index.end[place]!, openUntil);
    const away = at < start ? start - at : at > end ? at - end : 0;
    if (away <= slack && away < least) {
      found = place;
      least = away;
    }
    if (least === 0) break;
  }
  return found;
}

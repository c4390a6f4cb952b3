// What of a row is to be drawn: its intervals, and runs of those that are too short to be seen one by one. Costs as much
// as there are pixels, not as there are intervals. Pure; called once for each visible row of each frame.
import { firstEndingAfter, type IntervalIndex } from './interval-index.ts';

export interface RowPainter {
  interval(place: number): void;
  /** `count` intervals from `first` on, each narrower than a pixel and no further apart. */
  run(first: number, count: number, from: number, to: number): void;
}

/** `pixel`: milliseconds of one. */
export function visibleRuns(
  index: IntervalIndex,
  row: number,
  from: number,
  to: number,
  pixel: number,
  painter: RowPainter,
): void {
  const { start, end, rowStarts } = index;
  const first = rowStarts[row]!;
  const stop = rowStarts[row + 1]!;
  // One more on both sides: the bounds of its edge may be within.
  let place = Math.max(first, firstEndingAfter(index, row, from) - 1);
  while (place < stop) {
    const begins = start[place]!;
    if (end[place]! - begins >= pixel) {
      painter.interval(place);
      place++;
      if (begins > to) return;
      continue;
    }
    const runFirst = place;
    let runTo = end[place]!;
    // Pixel by pixel. Because intervals of a row do not overlap, only the last one that starts within a pixel can go
    // beyond it.
    for (;;) {
      const next = firstStartingFrom(start, place + 1, stop, runTo + pixel);
      if (next === place + 1) {
        place = next;
        break;
      }
      const last = next - 1;
      if (end[last]! - start[last]! >= pixel) {
        if (last - 1 > place) runTo = Math.max(runTo, end[last - 1]!);
        place = last;
        break;
      }
      place = last;
      runTo = Math.max(runTo, end[last]!);
      if (runTo > to) {
        place = next;
        break;
      }
    }
    if (place - runFirst === 1) painter.interval(runFirst);
    else painter.run(runFirst, place - runFirst, begins, runTo);
    if (begins > to) return;
  }
}

/** The first place that starts at `at` or later: steps that double, then halves, because it is mostly near. */
export function firstStartingFrom(start: Float64Array, from: number, stop: number, at: number): number {
  let low = from;
  let step = 1;
  while (low < stop && start[low]! < at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low, stop);
  low = Math.max(from, low - step / 2);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (start[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Which intervals or counts a table shows: those of the time in view, in the order of lanes. Pure.
import { firstEndingAfter, type IntervalIndex } from './interval-index.ts';
import type { TimeView } from './time-view.ts';
import { firstCell, type TimelineData } from './timeline-data.ts';
import { firstStartingFrom } from './visible-runs.ts';

export function placesWithin(index: IntervalIndex, { from, to }: TimeView): Int32Array {
  const places: number[] = [];
  for (let row = 0; row + 1 < index.rowStarts.length; row++) {
    const stop = index.rowStarts[row + 1]!;
    for (let place = firstEndingAfter(index, row, from); place < stop && index.start[place]! < to; place++)
      places.push(place);
  }
  const { rowLane, rowOf, start } = index;
  const lane = (place: number) => rowLane[rowOf[place]!]!;
  return Int32Array.from(places).sort((a, b) => lane(a) - lane(b) || start[a]! - start[b]!);
}

/** How many there are, without looking at each. */
export function countWithin(index: IntervalIndex, { from, to }: TimeView): number {
  let count = 0;
  for (let row = 0; row + 1 < index.rowStarts.length; row++) {
    const first = firstEndingAfter(index, row, from);
    count += firstStartingFrom(index.start, first, index.rowStarts[row + 1]!, to) - first;
  }
  return count;
}

export function cellsWithin({ density, document }: TimelineData, { from, to }: TimeView): Int32Array {
  if (density === null) return new Int32Array();
  const { bucketMs, bucket, laneStarts } = density;
  const cells: number[] = [];
  for (let lane = 0; lane + 1 < laneStarts.length; lane++) {
    const stop = laneStarts[lane + 1]!;
    const first = firstCell(density, lane, (from - document.base) / bucketMs);
    for (let cell = first; cell < stop && document.base + bucket[cell]! * bucketMs < to; cell++) cells.push(cell);
  }
  return Int32Array.from(cells);
}

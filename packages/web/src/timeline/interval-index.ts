// The intervals of a document in typed arrays, in the order in which they are drawn and found: by lane, by row within the
// lane, by start. Made once for each document. Pure.
import type { TimelineDocument } from './timeline-document.ts';

export interface IntervalIndex {
  readonly count: number;
  /** Of lane n the rows from laneRows[n] up to laneRows[n + 1]. */
  readonly laneRows: Int32Array;
  /** Of row n the intervals from rowStarts[n] up to rowStarts[n + 1]. Invariant: intervals of a row do not overlap. */
  readonly rowStarts: Int32Array;
  readonly rowLane: Int32Array;
  readonly rowOf: Int32Array;
  readonly holder: Int32Array;
  /** Place in `ips` of the document; -1 where there is none. */
  readonly ip: Int32Array;
  /** Epoch milliseconds. */
  readonly start: Float64Array;
  readonly startNotBefore: Float64Array;
  readonly startNotAfter: Float64Array;
  /** Infinity while it lasts. */
  readonly end: Float64Array;
  readonly endNotBefore: Float64Array;
  readonly endNotAfter: Float64Array;
}

export function indexIntervals(document: TimelineDocument): IntervalIndex {
  const { base, intervals, lanes } = document;
  const count = intervals.lane.length;
  const order = inOrder(intervals.lane, intervals.start);
  const laneRows = new Int32Array(lanes.length + 1);
  const row = new Int32Array(count);
  let rows = 0;
  for (let lane = 0, n = 0; lane < lanes.length; lane++) {
    laneRows[lane] = rows;
    // When the last interval of each row of this lane ends.
    const free: number[] = [];
    for (; n < count; n++) {
      const at = order === null ? n : order[n]!;
      if (intervals.lane[at] !== lane) break;
      const start = intervals.start[at]!;
      let chosen = 0;
      while (chosen < free.length && free[chosen]! > start) chosen++;
      free[chosen] = Math.max(start, intervals.end[at] ?? Number.POSITIVE_INFINITY);
      row[n] = rows + chosen;
    }
    // A lane without intervals is still there to be seen.
    rows += Math.max(1, free.length);
  }
  laneRows[lanes.length] = rows;
  const rowStarts = countRows(row, rows);
  const index = emptyIndex(count, laneRows, rowStarts);
  const next = rowStarts.slice();
  for (let n = 0; n < count; n++) {
    const at = order === null ? n : order[n]!;
    const rowOf = row[n]!;
    const place = next[rowOf]!;
    next[rowOf] = place + 1;
    const start = base + intervals.start[at]!;
    const end = base + (intervals.end[at] ?? Number.POSITIVE_INFINITY);
    index.rowOf[place] = rowOf;
    index.holder[place] = intervals.holder[at]!;
    index.ip[place] = intervals.ip[at] ?? -1;
    index.start[place] = start;
    index.startNotBefore[place] = start - intervals.startEarlier[at]!;
    index.startNotAfter[place] = start + (intervals.startLater[at] ?? Number.POSITIVE_INFINITY);
    index.end[place] = Math.max(start, end);
    index.endNotBefore[place] = end - (intervals.endEarlier[at] ?? 0);
    index.endNotAfter[place] = end + (intervals.endLater[at] ?? Number.POSITIVE_INFINITY);
  }
  return index;
}

/** The first interval of the row that ends after `at`, or where the row ends. */
export function firstEndingAfter(index: IntervalIndex, row: number, at: number): number {
  let low = index.rowStarts[row]!;
  let high = index.rowStarts[row + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (index.end[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Null: they are in order of lanes and starts already, as the server sends them. */
function inOrder(lane: readonly number[], start: readonly number[]): number[] | null {
  const compare = (a: number, b: number) => lane[a]! - lane[b]! || start[a]! - start[b]!;
  for (let n = 1; n < lane.length; n++)
    if (compare(n - 1, n) > 0) return Array.from({ length: lane.length }, (_, place) => place).sort(compare);
  return null;
}

function countRows(row: Int32Array, rows: number): Int32Array {
  const starts = new Int32Array(rows + 1);
  for (let n = 0; n < row.length; n++) starts[row[n]! + 1]! += 1;
  for (let n = 0; n < rows; n++) starts[n + 1]! += starts[n]!;
  return starts;
}

function emptyIndex(count: number, laneRows: Int32Array, rowStarts: Int32Array): IntervalIndex {
  const rowLane = new Int32Array(rowStarts.length - 1);
  for (let lane = 0; lane + 1 < laneRows.length; lane++) rowLane.fill(lane, laneRows[lane], laneRows[lane + 1]);
  const times = () => new Float64Array(count);
  return {
    ...{ count, laneRows, rowStarts, rowLane },
    ...{ rowOf: new Int32Array(count), holder: new Int32Array(count), ip: new Int32Array(count) },
    ...{ start: times(), startNotBefore: times(), startNotAfter: times() },
    ...{ end: times(), endNotBefore: times(), endNotAfter: times() },
  };
}

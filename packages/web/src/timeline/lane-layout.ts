// How high each lane is and where it lies, from the first to the last of thousands, so that only those within the window
// are drawn. A lane with many rows has low ones. Pure.

export interface LaneLayout {
  /** Of lane n from tops[n] to tops[n + 1], in CSS pixels from the top of the first. */
  readonly tops: Float64Array;
  readonly rowHeights: Float64Array;
  readonly height: number;
}

const PADDING = 4;
/** A label needs as much. */
const LEAST = 24;

export function layOutLanes(laneRows: Int32Array): LaneLayout {
  const lanes = laneRows.length - 1;
  const tops = new Float64Array(lanes + 1);
  const rowHeights = new Float64Array(lanes);
  for (let lane = 0; lane < lanes; lane++) {
    const rows = laneRows[lane + 1]! - laneRows[lane]!;
    const rowHeight = rows <= 4 ? 18 : rows <= 16 ? 10 : rows <= 64 ? 6 : 4;
    rowHeights[lane] = rowHeight;
    tops[lane + 1] = tops[lane]! + Math.max(LEAST, rows * rowHeight + PADDING);
  }
  return { tops, rowHeights, height: tops[lanes] ?? 0 };
}

/** -1 above the first and below the last. */
export function laneAt({ tops, height }: LaneLayout, y: number): number {
  if (y < 0 || y >= height) return -1;
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tops[middle + 1]! > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The row of all rows, -1 where there is none. */
export function rowAt(layout: LaneLayout, laneRows: Int32Array, y: number): number {
  const lane = laneAt(layout, y);
  if (lane === -1) return -1;
  const first = laneRows[lane]!;
  const within = Math.floor((y - rowsTop(layout, lane)) / layout.rowHeights[lane]!);
  const row = first + within;
  return within < 0 || row >= laneRows[lane + 1]! ? -1 : row;
}

export function rowTop(layout: LaneLayout, laneRows: Int32Array, lane: number, row: number): number {
  return rowsTop(layout, lane) + (row - laneRows[lane]!) * layout.rowHeights[lane]!;
}

function rowsTop({ tops }: LaneLayout, lane: number): number {
  return tops[lane]! + PADDING / 2;
}

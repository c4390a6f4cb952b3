// What a key does to the timeline. Pure: keys become changes of the view or of the selection; timeline.ts carries them out.
import { firstEndingAfter, type IntervalIndex } from './interval-index.ts';
import { moveBy, type TimeView, zoomAt } from './time-view.ts';

const STEP = 0.15;
const ZOOM = 0.6;

/** Undefined: the key does not change the time shown. */
export function viewAfterKey(key: string, view: TimeView, now: number): TimeView | undefined {
  const span = view.to - view.from;
  const middle = view.from + span / 2;
  switch (key) {
    case 'ArrowLeft':
      return moveBy(view, -STEP * span);
    case 'ArrowRight':
      return moveBy(view, STEP * span);
    case '+':
    case '=':
      return zoomAt(view, middle, ZOOM);
    case '-':
      return zoomAt(view, middle, 1 / ZOOM);
    case 't':
      return { from: now - span, to: now };
    default:
      return undefined;
  }
}

/** The interval that `[`, `]`, ↑ or ↓ selects, -1 for none. Where nothing is selected yet: the first that is shown. */
export function selectionAfterKey(key: string, index: IntervalIndex, selected: number, view: TimeView): number {
  if (!['[', ']', 'ArrowUp', 'ArrowDown'].includes(key)) return -1;
  if (selected < 0) return firstShown(index, view);
  const lane = index.rowLane[index.rowOf[selected]!]!;
  if (key === '[') return neighbour(index, lane, selected, -1);
  if (key === ']') return neighbour(index, lane, selected, 1);
  return inNextRow(index, selected, key === 'ArrowUp' ? -1 : 1, view);
}

function firstShown(index: IntervalIndex, view: TimeView): number {
  for (let row = 0; row + 1 < index.rowStarts.length; row++) {
    const place = firstEndingAfter(index, row, view.from);
    if (place < index.rowStarts[row + 1]! && index.start[place]! < view.to) return place;
  }
  return -1;
}

/** Of the same lane, before or after by start; rows of a lane are only there because intervals overlap. */
function neighbour(index: IntervalIndex, lane: number, selected: number, direction: 1 | -1): number {
  const from = index.start[selected]!;
  let found = -1;
  for (let row = index.laneRows[lane]!; row < index.laneRows[lane + 1]!; row++) {
    const place = nearestInRow(index, row, selected, from, direction);
    if (place !== -1 && (found === -1 || isBefore(index, place, found) === (direction === 1))) found = place;
  }
  return found;
}

function nearestInRow(index: IntervalIndex, row: number, selected: number, from: number, direction: 1 | -1): number {
  const first = index.rowStarts[row]!;
  const stop = index.rowStarts[row + 1]!;
  let low = first;
  let high = stop;
  // The first of the row that comes after the selected one.
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = index.start[middle]!;
    if (start > from || (start === from && middle > selected)) high = middle;
    else low = middle + 1;
  }
  if (direction === 1) return low < stop ? low : -1;
  const before = low - 1 === selected ? low - 2 : low - 1;
  return before >= first ? before : -1;
}

function isBefore({ start }: IntervalIndex, a: number, b: number): boolean {
  const difference = start[a]! - start[b]!;
  return difference === 0 ? a < b : difference < 0;
}

/** The next row with something: what goes on at the same time there, or else what is nearest. */
function inNextRow(index: IntervalIndex, selected: number, direction: 1 | -1, view: TimeView): number {
  const at = Math.max(index.start[selected]!, view.from);
  const rows = index.rowStarts.length - 1;
  for (let row = index.rowOf[selected]! + direction; row >= 0 && row < rows; row += direction) {
    const first = index.rowStarts[row]!;
    const stop = index.rowStarts[row + 1]!;
    if (first === stop) continue;
    return Math.min(firstEndingAfter(index, row, at), stop - 1);
  }
  return -1;
}

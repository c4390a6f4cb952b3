// Which time is shown, on how many pixels, and how it changes: zoomed at a place, moved, brushed. Pure.

export interface TimeView {
  readonly from: number;
  readonly to: number;
}

const SHORTEST_MS = 50;
/** As much as the server answers about. */
const LONGEST_MS = 400 * 86_400_000;

export function xOf(view: TimeView, width: number, at: number): number {
  return ((at - view.from) / (view.to - view.from)) * width;
}

export function timeAt(view: TimeView, width: number, x: number): number {
  return view.from + (x / width) * (view.to - view.from);
}

/** `factor` below 1 shows less. The time at `at` stays where it is. */
export function zoomAt(view: TimeView, at: number, factor: number): TimeView {
  const span = view.to - view.from;
  const wanted = limited(span * factor);
  const part = (at - view.from) / span;
  const from = at - part * wanted;
  return { from, to: from + wanted };
}

export function moveBy(view: TimeView, ms: number): TimeView {
  return { from: view.from + ms, to: view.to + ms };
}

/** With both fingers where they were: `before` and `after` are their places, as times of `view`. */
export function pinch(view: TimeView, before: readonly [number, number], after: readonly [number, number]): TimeView {
  const span = view.to - view.from;
  const wanted = limited(Math.abs((span * (before[1] - before[0])) / (after[1] - after[0] || 1)));
  const part = ((after[0] + after[1]) / 2 - view.from) / span;
  const from = (before[0] + before[1]) / 2 - part * wanted;
  return { from, to: from + wanted };
}

/** From one end of the brush to the other, in any direction, and no further than now. */
export function brushed(a: number, b: number, now: number): TimeView {
  const from = Math.min(a, b);
  return { from, to: Math.max(from + SHORTEST_MS, Math.min(now, Math.max(a, b))) };
}

/** The same length, and nothing of what has not come: the URL could not say it, and there is nothing to see. */
export function upTo(view: TimeView, now: number): TimeView {
  const beyond = view.to - now;
  return beyond > 0 ? moveBy(view, -beyond) : view;
}

/** The same length; moved only where nothing of the range is shown, so that all or at least its beginning is. */
export function reveal(view: TimeView, from: number, to: number): TimeView {
  const span = view.to - view.from;
  if (from < view.to && to > view.from) return view;
  const middle = to - from > span ? from + span * 0.4 : (from + to) / 2;
  return { from: middle - span / 2, to: middle + span / 2 };
}

function limited(span: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, span));
}

// When what was loaded is not enough for what is shown: time beyond it, or counts where zooming in has made room for the
// intervals themselves. Asks for more than is shown, so that moving a little needs nothing. Pure.
import type { TimeView } from './time-view.ts';

export interface Loaded {
  readonly from: number;
  readonly to: number;
  readonly detail: 'intervals' | 'density';
}

/** So much more on each side. */
const AROUND = 0.5;
/** The server refuses a span of more than 400 days. */
const LONGEST_MS = 399.9 * 24 * 3_600_000;
/** Counts of a span so many times longer than what is shown are coarse. */
const COARSE = 3;

export function needsLoading(view: TimeView, loaded: Loaded | undefined, now: number): boolean {
  if (loaded === undefined) return true;
  const span = view.to - view.from;
  const tolerance = span * 0.01;
  // Nothing is to be had of the future.
  const to = Math.min(view.to, now);
  if (view.from < loaded.from - tolerance || (to > loaded.to + tolerance && to > view.from)) return true;
  return loaded.detail === 'density' && loaded.to - loaded.from > COARSE * span;
}

export function spanToLoad(view: TimeView, now: number): TimeView {
  const around = (view.to - view.from) * AROUND;
  const to = Math.max(Math.min(view.to + around, now), view.from + 1);
  const from = Math.max(0, to - LONGEST_MS, view.from - around);
  return { from: Math.floor(from), to: Math.ceil(to) };
}

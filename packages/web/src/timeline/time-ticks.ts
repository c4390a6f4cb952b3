// Where a time axis has its ticks, and what stands at them. Ticks are at whole hours, days and so on of a clock in the
// reader's zone. Pure: the zone's offset is a function. Called by the timeline's axis and by the time bar.
import { type TimeFormat, timeText } from '../times/zone.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28, 56, 112].map((n) => n * DAY),
];
/** A Monday: weeks begin there. */
const MONDAY = 4 * DAY;

export interface Ticks {
  readonly step: number;
  readonly at: readonly number[];
}

/** At most `most` ticks within the span. `offsetAt`: milliseconds by which the zone is ahead of UTC. */
export function timeTicks(from: number, to: number, most: number, offsetAt: (at: number) => number): Ticks {
  const step = STEPS.find((step) => (to - from) / step < most) ?? 224 * DAY;
  const origin = step >= 7 * DAY ? MONDAY : 0;
  const at: number[] = [];
  const first = Math.floor((from + offsetAt(from) - origin) / step);
  const last = Math.ceil((to + offsetAt(to) - origin) / step);
  for (let n = first; n <= last; n++) {
    const wall = n * step + origin;
    // Twice, because the offset is that of the instant, which is not known before.
    const tick = wall - offsetAt(wall - offsetAt(wall));
    if (tick >= from && tick <= to && tick > (at.at(-1) ?? from - 1)) at.push(tick);
  }
  return { step, at };
}

/** Of an axis with that step: no finer than it needs to be, and the day where one begins. */
export function tickText(at: number, step: number, inZone: string): string {
  // So far apart that the year is not always the same.
  if (step >= 28 * DAY) return timeText(at, 'second', inZone).slice(0, 10);
  if (step >= DAY) return timeText(at, 'day', inZone);
  if (step < SECOND) return timeText(at, 'exact', inZone).slice(14);
  const format: TimeFormat = step < MINUTE ? 'clock' : 'minute';
  const text = timeText(at, format, inZone);
  return /^00:00(?::00)?$/.test(text) ? timeText(at, 'day', inZone) : text;
}

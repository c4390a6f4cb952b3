// Instants and boundaries as people read them. Always with their zone, so that a time can be pasted back into `--at`.
import { type Boundary, NOT_KNOWN_YET } from '@podtrail/history';
import type { Zone } from './zone.ts';

/** RFC 3339 in UTC with milliseconds: what JSON and standard error carry. */
export function toUtcText(instant: number): string {
  return new Date(instant).toISOString();
}

/** RFC 3339 in the zone; milliseconds only where there are any. */
export function showTime(instant: number, zone: Zone): string {
  const offset = zone.offsetAt(instant);
  const local = new Date(instant + offset * 60_000).toISOString();
  const fraction = instant % 1000 === 0 ? '' : local.slice(19, 23);
  return `${local.slice(0, 19)}${fraction}${offsetText(offset)}`;
}

/** Only the time of day, for sentences that have named the day. */
function showClock(instant: number, zone: Zone): string {
  return showTime(instant, zone).slice(11);
}

/** `A to B`, the day once if it is the same. */
export function showSpan(from: number, to: number, zone: Zone): string {
  const first = showTime(from, zone);
  const second = showTime(to, zone);
  return `${first} to ${first.slice(0, 10) === second.slice(0, 10) ? showClock(to, zone) : second}`;
}

/** Up to this, a boundary reads as a time with a margin; beyond, as the span in which it lies. */
const LARGEST_MARGIN_MS = 5000;

/** How sure we are is part of the time: `10:05:03 ±1s`, or the span in which it happened. */
export function showBoundary({ at, notBefore, notAfter }: Boundary, zone: Zone): string {
  // Nothing bounds it yet.
  if (notAfter >= NOT_KNOWN_YET) return `${showTime(toSecond(notBefore, 0), zone)} or later`;
  const margin = Math.max(at - notBefore, notAfter - at);
  if (margin === 0) return showTime(at, zone);
  if (margin > LARGEST_MARGIN_MS) {
    const second = showTime(toSecond(notAfter, 999), zone);
    const first = showTime(toSecond(notBefore, 0), zone);
    return `${first}..${first.slice(0, 10) === second.slice(0, 10) ? second.slice(11) : second}`;
  }
  if (margin < 1000) return `${showTime(at, zone)} ±${margin}ms`;
  // Cutting the milliseconds moves the time by up to a second: the margin must cover that too.
  const shown = toSecond(at, 0);
  return `${showTime(shown, zone)} ±${Math.ceil(Math.max(shown - notBefore, notAfter - shown) / 1000)}s`;
}

function toSecond(instant: number, roundUp: number): number {
  return Math.floor((instant + roundUp) / 1000) * 1000;
}

function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

// Instants as text in the zone that the reader has chosen: the browser's own, UTC, or any other. The choice is kept in
// the browser; URLs never depend on it, because their times are absolute.
import { signal } from '../state/signal.ts';
import { isDay } from './span.ts';
import { storedText, storeText } from './stored-text.ts';

const KEY = 'podtrail-zone';
const DAY_MS = 24 * 3_600_000;
/** `local`, or an IANA name. */
export const zone = signal<string>(known(storedText(KEY)) ?? 'local');

export function chooseZone(name: string): void {
  zone.value = known(name) ?? 'local';
  storeText(KEY, zone.value);
}

/** Names that the browser knows, for a list to choose from. */
export function zoneNames(): readonly string[] {
  return Intl.supportedValuesOf('timeZone');
}

function known(name: string | undefined): string | undefined {
  if (name === undefined || name === 'local') return name;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** exact: 2026-11-15 10:05:00.123; second: without milliseconds; clock: 10:05:00; minute: 10:05; day: 11-15. */
export type TimeFormat = 'exact' | 'second' | 'clock' | 'minute' | 'day';

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Always year first and 24 hours: times are compared with logs. */
export function timeText(at: number, format: TimeFormat = 'second', inZone: string = zone.value): string {
  const parts = new Map(
    formatter(inZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const day = `${part('month')}-${part('day')}`;
  const minute = `${part('hour')}:${part('minute')}`;
  if (format === 'day') return day;
  if (format === 'minute') return minute;
  if (format === 'clock') return `${minute}:${part('second')}`;
  const text = `${part('year')}-${day} ${minute}:${part('second')}`;
  return format === 'exact' ? `${text}.${part('fractionalSecond')}` : text;
}

/** `UTC`, `+01:00`: what stands behind a time. */
export function zoneText(at: number, inZone: string = zone.value): string {
  if (inZone === 'UTC') return 'UTC';
  const offset = offsetOf(at, inZone);
  if (offset === 0) return 'UTC';
  const minutes = Math.abs(offset) / 60_000;
  const two = (n: number) => String(n).padStart(2, '0');
  return `${offset < 0 ? '−' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** A text of the server with its times as the reader's clock shows them. */
export function zonedText(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (iso) => {
    const at = Date.parse(iso);
    return `${timeText(at, 'exact')} ${zoneText(at)}`;
  });
}

/** Milliseconds by which the zone is ahead of UTC at that instant. */
export function offsetOf(at: number, inZone: string = zone.value): number {
  const text = timeText(at, 'exact', inZone).replace(' ', 'T');
  return Date.parse(`${text}Z`) - Math.trunc(at);
}

/**
 * The instants at which a clock in the zone shows a wall time (`2026-11-15T10:05:00`), the first of them first: none
 * where the clocks go forward over it, two where they go back.
 */
export function instantsInZone(wall: string, inZone: string = zone.value): readonly number[] {
  const text = wall.trim().replace(' ', 'T');
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc) || !isDay(text.slice(0, 10)) || known(inZone) === undefined) return [];
  const offsets = new Set([-DAY_MS, DAY_MS].map((away) => offsetOf(asUtc + away, inZone)));
  return [...offsets].map((offset) => asUtc - offset).filter((at) => at + offsetOf(at, inZone) === asUtc);
}

/** Undefined also where there are two: it takes a zone to say which. */
export function instantInZone(wall: string): number | undefined {
  const [at, second] = instantsInZone(wall);
  return second === undefined ? at : undefined;
}

function formatter(inZone: string): Intl.DateTimeFormat {
  let found = formatters.get(inZone);
  if (found === undefined) {
    found = new Intl.DateTimeFormat('en-CA', {
      ...(inZone === 'local' ? {} : { timeZone: inZone }),
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
    });
    formatters.set(inZone, found);
  }
  return found;
}

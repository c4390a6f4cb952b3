// Instants and spans as people write them into the URL: absolute (RFC 3339, epoch), or relative to now (`6h`: six hours
// ago). Pure: now is a parameter. A link that is shared has absolute times only.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const MOST_RELATIVE = 400 * DAY;

export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Milliseconds of `90s`, `1h30m`, `2d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g))
    sum += Number(number) * (UNITS[unit] ?? 0);
  return sum <= MOST_RELATIVE ? sum : undefined;
}

/** Of `now`, `15m`, `15m ago`, RFC 3339 with a zone, or epoch seconds or milliseconds. Undefined if it is none. */
export function parseInstant(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  if (trimmed === 'now') return now;
  const ago = parseDuration(trimmed.replace(/\s*ago$/, ''));
  if (ago !== undefined) return now - ago;
  if (/^\d{10}(?:\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * SECOND);
  if (/^\d{13}$/.test(trimmed)) return Number(trimmed);
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})$/i.test(trimmed))
    return undefined;
  if (!isDay(trimmed.slice(0, 10))) return undefined;
  const at = Date.parse(trimmed.replace(' ', 'T').replace(/\s+/g, ''));
  return Number.isNaN(at) ? undefined : at;
}

/** Of `2026-11-15`. Of the 31st of a month that has none, some clocks make the first of the next. */
export function isDay(date: string): boolean {
  const noon = Date.parse(`${date}T12:00Z`);
  return noon > 0 && instantText(noon).slice(0, 10) === date;
}

/** `otherwise`: how long ago it begins where the URL says nothing. An end that is not after the beginning is ignored. */
export function resolveSpan(
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
  now: number,
  otherwise: number,
): TimeSpan {
  const to = (until === undefined ? undefined : parseInstant(until, now)) ?? now;
  const from = (since === undefined ? undefined : parseInstant(since, now)) ?? to - otherwise;
  return from < to ? { from, to } : { from: to - otherwise, to };
}

/** Whether it goes on with time: its end is now. */
export function isLive({ until }: { readonly until?: string | undefined }): boolean {
  return until === undefined || until === 'now';
}

export function instantText(at: number): string {
  return new Date(Math.round(at)).toISOString();
}

/** Two units at most: `1 d 3 h`, `4 min 2 s`, `250 ms`. */
export function durationText(ms: number): string {
  const left = Math.abs(ms);
  if (left < SECOND) return `${Math.round(left)} ms`;
  if (left < 10 * SECOND) return `${(left / SECOND).toFixed(1).replace(/\.0$/, '')} s`;
  const steps: readonly [number, string][] = [
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'min'],
    [SECOND, 's'],
  ];
  const first = steps.findIndex(([unit]) => left >= unit);
  const words: string[] = [];
  let rest = left;
  for (const [unit, name] of steps.slice(first, first + 2)) {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    if (count > 0) words.push(`${count} ${name}`);
  }
  return words.join(' ');
}

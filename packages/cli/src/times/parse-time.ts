// The times that podtrail understands, and no others: `now`, an age (`15m`, `15m ago`, `1d`), RFC 3339, `YYYY-MM-DD[THH:MM[:SS]]`
// in the chosen zone, epoch seconds or milliseconds. Whatever could mean two instants is refused with a sentence.
import { type EpochMillis, epochMillis } from '@podtrail/history';
import { parseDuration } from './duration.ts';
import { instantsOf, utcOf, type WallTime, type Zone } from './zone.ts';

export type ParsedTime =
  /** `byZone`: it named no zone, and that of the caller decided. */
  | { readonly ok: true; readonly at: EpochMillis; readonly byZone?: true }
  | { readonly ok: false; readonly problem: string };

const SHAPES =
  'use now, an age (15m, 1h30m, 1d, 15m ago), RFC 3339 (2026-11-15T10:05:00Z), YYYY-MM-DD[THH:MM[:SS]], or epoch seconds or milliseconds';
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?$/i;
const NUMBER = /^(\d{1,17})(?:\.(\d{1,9}))?$/;
/** Smaller numbers are no instants that a ledger could know (1973), and rather a forgotten unit. */
const LEAST_SECONDS = 100_000_000;
const LEAST_MILLISECONDS = 100_000_000_000;
const DAY_MS = 86_400_000;
const LEAST_MICROSECONDS = 100_000_000_000_000;

export function parseTime(text: string, now: number, zone: Zone): ParsedTime {
  const trimmed = text.trim();
  const age = ageOf(trimmed);
  if (age !== undefined) return instant(now - age);
  const number = NUMBER.exec(trimmed);
  if (number !== null) return fromNumber(trimmed, Number(number[1]), number[2]);
  const match = DATE_TIME.exec(trimmed);
  if (match !== null) return fromDateTime(trimmed, match, zone);
  return problem(`"${trimmed}" is not a time that podtrail understands; ${SHAPES}`);
}

/** How long before now, for a time that is said so; undefined for any other. */
export function ageOf(trimmed: string): number | undefined {
  if (trimmed.toLowerCase() === 'now') return 0;
  return parseAge(trimmed.endsWith(' ago') ? trimmed.slice(0, -4).trimEnd() : trimmed);
}

function fromNumber(text: string, whole: number, fraction: string | undefined): ParsedTime {
  if (whole < LEAST_SECONDS) return problem(`"${text}" has no unit; ${SHAPES}`);
  if (whole < LEAST_MILLISECONDS) return instant(whole * 1000 + millis(fraction));
  if (whole < LEAST_MICROSECONDS) return instant(whole);
  return problem(`"${text}" is too large for epoch milliseconds; divide microseconds or nanoseconds first`);
}

function fromDateTime(text: string, match: RegExpExecArray, zone: Zone): ParsedTime {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((p) => Number(p ?? 0));
  const wall: WallTime = { year, month, day, hour, minute, second, millisecond: millis(match[7]) };
  const asUtc = utcOf(wall);
  const date = new Date(asUtc);
  // Date turns February 30 into March 2; a time that does not come back as it went in does not exist.
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  if (!exists) return problem(`"${text}" does not exist in the calendar`);
  const offset = match[8];
  if (offset !== undefined) return withOffset(text, asUtc, offset);
  const instants = instantsOf(wall, zone);
  const [first, other] = instants;
  if (first === undefined) {
    return problem(`"${text}" does not exist in ${zone.name}: clocks were set forward over it; add an offset or Z`);
  }
  if (other !== undefined) {
    const both = instants.map((i) => new Date(i).toISOString()).join(' or ');
    return problem(`"${text}" happened twice in ${zone.name} (clocks were set back): ${both}; add an offset or Z`);
  }
  return { ok: true, at: epochMillis(first), byZone: true };
}

function withOffset(text: string, asUtc: number, offset: string): ParsedTime {
  if (/z/i.test(offset)) return instant(asUtc);
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return problem(`"${text}" has an offset that does not exist`);
  const east = (hours * 60 + minutes) * (offset.startsWith('-') ? -1 : 1);
  return instant(asUtc - east * 60_000);
}

/** Cut, not rounded: an instant is never moved into the future. */
function millis(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** A duration, also one that begins with days. A day is 24 hours, whatever the clocks of the zone did. */
function parseAge(text: string): number | undefined {
  const [, days, rest = ''] = /^(\d{1,5})d(.*)$/.exec(text) ?? [];
  if (days === undefined) return parseDuration(text);
  const more = rest === '' ? 0 : parseDuration(rest);
  return more === undefined ? undefined : Number(days) * DAY_MS + more;
}

function instant(at: number): ParsedTime {
  return { ok: true, at: epochMillis(at) };
}

function problem(text: string): ParsedTime {
  return { ok: false, problem: text };
}

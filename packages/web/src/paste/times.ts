// Finds times in a text that somebody pasted, in the forms that logs have. Pure: now, and the zone of times that have
// none, are parameters.
import { isDay } from '../times/span.ts';
import { findDay, MONTH, monthOf, type PasteClock, two } from './days.ts';
import { keyBefore, type TimeKey } from './time-keys.ts';

export interface FoundTime extends TimeKey {
  readonly at: number;
  /** As it stands in the text. */
  readonly text: string;
  /** False: the zone is the reader's, which may not be that of the log. */
  readonly hasZone: boolean;
  /** False: it is the last time that a clock showed this, which may not be the day of the log. */
  readonly hasDate: boolean;
  readonly index: number;
  /**
   * 2: a time. 3: a number that is one by its place. 4: of a thing, or the end of a flow. 5: a number that may be
   * one.
   */
  readonly rank: number;
}

/** No fraction: the address behind a comma. */
const CLOCK = '(\\d{1,2}:[0-5]\\d(?::\\d{2}(?:[.,]\\d{1,9}(?!\\d*\\.\\d))?)?(?:\\s?[ap]\\.?m\\b)?)';
/** Such as there are: 10:05-10:15 is a span, and of GMT+1 nothing is read but that it is not GMT. */
const OFFSET = '[+-](?:0\\d|1[0-4])(?::?(?:[03]0|45)|(?!:?\\d))';
/** Those that mean one thing everywhere: CST, IST, BST and AST do not. */
const NAMED = ' EST-05 EDT-04 CDT-05 MST-07 MDT-06 PST-08 PDT-07 CET+01 CEST+02 EET+02 EEST+03 JST+09';
const PLACE = '(?:A\\w+[ac]|Europe|Indian|Pacific)/[\\w/]+';
const ZONE = `\\s?(Z|(?:UTC|GMT)?${OFFSET}|(?:UTC|GMT)(?![+-])|${NAMED.replace(/[+-]\d+|^ /g, '').replace(/ /g, '|')}|${PLACE})?(?!\\w)`;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** Before this nobody had Kubernetes: such a number is something else. */
const EARLIEST = Date.UTC(2014, 5, 1);

type Reading = Pick<FoundTime, 'at' | 'hasZone'>;
/** Two where clocks showed it twice. */
type Read = (
  parts: readonly (string | undefined)[],
  clock: PasteClock,
  /** The date that stands elsewhere in the text. */
  day: string | undefined,
) => readonly Reading[];

const FORMS = (
  [
    // 2026-11-15T10:05:00.123Z, 2026-11-15 10:05:00, 2026/11/15_10:05:00 +0100
    [
      `(?<!\\d)(\\d{4})([-/]?)(\\d{2})\\2(\\d{2})[T _-]${CLOCK}${ZONE}`,
      ([year, , month, day, time, zone], clock) => wall(`${year}-${month}-${day}`, time, zone, clock),
    ],
    // 20261115T100500Z
    [
      `(?<!\\w)(\\d{4})(\\d{2})(\\d{2})T(\\d{2})(\\d{2})(\\d{2})${ZONE}`,
      ([year, month, day, hour, minute, second, zone], clock) =>
        wall(`${year}-${month}-${day}`, `${hour}:${minute}:${second}`, zone, clock),
    ],
    // 15/Nov/2026:10:05:00 +0000, as web servers write it; 15 Nov 2026 10:05:00 GMT, as mails and headers do; 15 Nov 10:05
    [
      `(?<!\\d)(\\d{1,2})\\.?[/ -]${MONTH}(?:[/ -](\\d{4}))?,?[: ]${CLOCK}${ZONE}`,
      ([day, month, year, time, zone], clock) => ofYear(year, `${monthOf(month)}-${two(day)}`, time, zone, clock),
    ],
    // Nov 15 10:05:00, as syslog writes it; Nov 15 10:05:00 UTC 2026, as `date` and Apache do
    [
      `\\b${MONTH} {1,2}(\\d{1,2}),?(?: at)? ${CLOCK}${ZONE}(?: (20\\d{2})\\b)?`,
      ([month, day, time, zone, year], clock) => ofYear(year, `${monthOf(month)}-${two(day)}`, time, zone, clock),
    ],
    // I1115 10:05:00.123456, as Kubernetes writes it
    [
      `(?<!\\w)[IWEF](\\d{2})(\\d{2}) ${CLOCK}`,
      ([month, day, time], clock) => ofYear(undefined, `${month}-${day}`, time, undefined, clock),
    ],
    // Epoch seconds, milliseconds, microseconds, nanoseconds
    [
      '(?<![\\w.-])(\\d{10}(?:\\.\\d+)?|\\d\\.\\d{9,}e\\+?09|\\d{13}|\\d{16}|\\d{19})(?![\\w.-])',
      ([number], { now }) => epoch(Number(number), now),
    ],
    // 14:03, 14:03:09.123 as tcpdump writes it, 2:03 pm, 11/15/2026-14:03:09; not within an address, a version or a port
    [
      `(?<![\\w.:/]|(?<!/\\d{4})-)${CLOCK}${ZONE}(?![/-]|:\\d)`,
      ([time, zone], clock, day) => {
        if (day !== undefined) return wall(day, time, zone, clock);
        // The day of the reader may be the one before or after that of UTC.
        const days = [1, 0, -1, -2].map((n) => new Date(clock.now + n * DAY_MS).toISOString().slice(0, 10));
        return lastOf(days, time, zone, clock, MINUTE_MS);
      },
    ],
  ] as readonly (readonly [string, Read])[]
).map(([form, read]) => [new RegExp(form, 'gi'), read] as const);
const DATED = FORMS.length - 1;
const NUMBERS = DATED - 1;

export function findTimes(text: string, clock: PasteClock): readonly FoundTime[] {
  const found: FoundTime[] = [];
  const day = findDay(text, clock)?.text;
  for (const [n, [form, read]] of FORMS.entries()) {
    // Beside a whole time, half of one is something else.
    if (n === DATED && found.some(({ rank }) => rank < 5)) break;
    const hasDate = n < DATED || day !== undefined;
    for (const match of text.matchAll(form)) {
      const [whole, ...parts] = match;
      const { index } = match;
      const isTaken = found.some(
        (other) => index < other.index + other.text.length && other.index < index + whole.length,
      );
      if (isTaken) continue;
      const { key, says } = keyBefore(text, index);
      if (n === NUMBERS && says === 'other') continue;
      const rank =
        says === 'thing' ? (n === NUMBERS ? 5 : 4) : n === NUMBERS && says === '' ? rankOfNumber(text, match) : 2;
      for (const reading of read(parts, clock, day))
        if (!found.some(({ at }) => at === reading.at))
          found.push({ ...reading, hasDate, text: whole.trim(), index, key, says, rank });
    }
  }
  return found.sort((a, b) => a.index - b.index);
}

/** By its place: the first of its line or behind a sample, with milliseconds, or of two that are the start and the end. */
function rankOfNumber(text: string, { 0: number, index }: RegExpExecArray): number {
  const before = text.slice(0, index);
  if (isPair(/(\d+)[,\s]+$/.exec(before)?.[1], number)) return 4;
  if (isPair(number, /^[,\s]+(\d+)/.exec(text.slice(index + number.length))?.[1])) return 2;
  return number.includes('.') || /(?:^|\n)\W*$|\} \S+ $/.test(before) ? 3 : 5;
}

/** At most an hour apart. */
function isPair(start = '', end = ''): boolean {
  const seconds = (Number(end) - Number(start)) / 10 ** (start.length - 10);
  return start.length === end.length && seconds >= 0 && seconds <= 3_600;
}

function wall(
  day: string,
  time: string | undefined,
  zone: string | undefined,
  { inZone }: PasteClock,
): readonly Reading[] {
  if (!isDay(day)) return [];
  const local = `${day}T${clockText(time)}`;
  const named = zone && NAMED.split(` ${zone}`)[1]?.slice(0, 3);
  const place = zone?.includes('/') ? zone : undefined;
  // In small letters most names are words.
  if (zone === undefined || (!named && /^(?!z|utc|gmt)[a-z]/i.test(zone)))
    return inZone(local, place).map((at) => ({ at, hasZone: place !== undefined }));
  const offset = named ?? zone.replace(/[a-z:]/gi, '');
  const at = Date.parse(`${local}${offset === '' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(3) || '00'}`}`);
  return Number.isNaN(at) ? [] : [{ at, hasZone: true }];
}

function ofYear(
  written: string | undefined,
  day: string,
  time: string | undefined,
  zone: string | undefined,
  clock: PasteClock,
) {
  if (written !== undefined) return wall(`${written}-${day}`, time, zone, clock);
  const year = new Date(clock.now).getUTCFullYear();
  const days = [year + 1, year, year - 1].map((candidate) => `${candidate}-${day}`);
  return lastOf(days, time, zone, clock, DAY_MS);
}

/** Of several days, the latest first, the last that has been: a log is of the past. `slackMs`: clocks differ. */
function lastOf(
  days: readonly string[],
  time: string | undefined,
  zone: string | undefined,
  clock: PasteClock,
  slackMs: number,
): readonly Reading[] {
  const past = days.map((day) => wall(day, time, zone, clock).filter(({ at }) => at <= clock.now + slackMs));
  return past.find(({ length }) => length > 0) ?? [];
}

function epoch(value: number, now: number): readonly Reading[] {
  const at = Math.trunc(value < 1e11 ? value * 1e3 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6);
  return at >= EARLIEST && at <= now + DAY_MS ? [{ at, hasZone: true }] : [];
}

/** 24 hours and milliseconds, whatever the log has; a comma is a point. */
function clockText(time = ''): string {
  const [, hour = '', minute, second = ':00', fraction = '', half] =
    /^(\d+)(:\d+)(:\d+)?[.,]?(\d*)\s?(\w)?/.exec(time) ?? [];
  // In German, `22:05 am 15.11.2026` has a date behind it.
  const isHalf = half !== undefined && Number(hour) <= 12;
  const hours = isHalf ? String((Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)) : hour;
  return `${two(hours)}${minute}${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}

// Finds times in a text that somebody pasted, in the forms that logs have. Pure: now, and the zone of times that have
// none, are parameters.
import { findDay, MONTH, monthOf, type PasteClock, two } from './days.ts';

export interface FoundTime {
  readonly at: number;
  /** As it stands in the text. */
  readonly text: string;
  /** False: the zone is the reader's, which may not be that of the log. */
  readonly hasZone: boolean;
  /** False: it is the last time that a clock showed this, which may not be the day of the log. */
  readonly hasDate: boolean;
  readonly index: number;
}

const CLOCK = '(\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?)';
const ZONE = '\\s?(Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?(?![\\w])';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** Before this nobody had Kubernetes: such a number is something else. */
const EARLIEST = Date.UTC(2014, 5, 1);

type Read = (
  parts: readonly (string | undefined)[],
  clock: PasteClock,
  /** The date that stands elsewhere in the text. */
  day: string | undefined,
) => Pick<FoundTime, 'at' | 'hasZone'> | undefined;

const FORMS: readonly (readonly [RegExp, Read])[] = [
  // 2026-11-15T10:05:00.123Z, 2026-11-15 10:05:00, 2026/11/15 10:05:00 +0100
  [
    new RegExp(`(?<!\\d)(\\d{4})[-/](\\d{2})[-/](\\d{2})[T ]${CLOCK}${ZONE}`, 'gi'),
    ([year, month, day, time, zone], clock) => wall(`${year}-${month}-${day}`, time, zone, clock),
  ],
  // 15/Nov/2026:10:05:00 +0000, as web servers write it; 15 Nov 2026 10:05:00 GMT, as mails and headers do
  [
    new RegExp(`(?<!\\d)(\\d{1,2})[/ -]${MONTH}[/ -](\\d{4})[: ]${CLOCK}${ZONE}`, 'gi'),
    ([day, month, year, time, zone], clock) => wall(`${year}-${monthOf(month)}-${two(day)}`, time, zone, clock),
  ],
  // Nov 15 10:05:00, as syslog writes it
  [
    new RegExp(`\\b${MONTH} {1,2}(\\d{1,2}) ${CLOCK}(?![\\w])`, 'gi'),
    ([month, day, time], clock) => withoutYear(monthOf(month), two(day), time, clock),
  ],
  // I1115 10:05:00.123456, as Kubernetes writes it
  [
    new RegExp(`(?<!\\w)[IWEF](\\d{2})(\\d{2}) ${CLOCK}`, 'g'),
    ([month, day, time], clock) => withoutYear(month, day, time, clock),
  ],
  // Epoch seconds, milliseconds, microseconds, nanoseconds
  [
    /(?<![\w.:-])(\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19})(?![\w.:-])/g,
    ([number = ''], clock) => epoch(number, clock),
  ],
  // 14:03, 14:03:09.123 as tcpdump writes it, 2:03 pm; not within an address, a version or a port
  [
    new RegExp(
      `(?<![\\w.:/-])(\\d{1,2})(:[0-5]\\d)(:[0-5]\\d(?:[.,]\\d{1,9})?)?(?:\\s?([ap])\\.?m\\b)?${ZONE}(?![:/-])`,
      'gi',
    ),
    ([hour, minute, second = ':00', half, zone], clock, day) => {
      const hours = half === undefined ? hour : String((Number(hour) % 12) + (/p/i.test(half) ? 12 : 0));
      const time = two(hours) + minute + second;
      if (day !== undefined) return wall(day, time, zone, clock);
      // The day of the reader may be the one before or after that of UTC.
      const days = [1, 0, -1, -2].map((n) => new Date(clock.now + n * DAY_MS).toISOString().slice(0, 10));
      return lastOf(days, time, zone, clock, MINUTE_MS);
    },
  ],
];
const DATED = FORMS.length - 1;

export function findTimes(text: string, clock: PasteClock): readonly FoundTime[] {
  const found: FoundTime[] = [];
  const day = findDay(text, clock)?.text;
  for (const [n, [form, read]] of FORMS.entries()) {
    // Beside a whole time, half of one is something else.
    if (n === DATED && found.length > 0) break;
    const hasDate = n < DATED || day !== undefined;
    for (const match of text.matchAll(form)) {
      const [whole, ...parts] = match;
      const { index } = match;
      const isTaken = found.some(
        (other) => index < other.index + other.text.length && other.index < index + whole.length,
      );
      const time = isTaken ? undefined : read(parts, clock, day);
      if (time !== undefined && !found.some(({ at }) => at === time.at))
        found.push({ ...time, hasDate, text: whole.trim(), index });
    }
  }
  return found.sort((a, b) => a.index - b.index);
}

function wall(day: string, time: string | undefined, zone: string | undefined, clock: PasteClock) {
  const local = `${day}T${clockText(time)}`;
  if (zone === undefined) {
    const at = clock.inZone(local);
    return at === undefined ? undefined : { at, hasZone: false };
  }
  const offset = /^(?:Z|UTC|GMT)$/i.test(zone) ? 'Z' : zone.replace(/^(.\d{2}):?(\d{2})$/, '$1:$2');
  const at = Date.parse(`${local}${offset}`);
  return Number.isNaN(at) ? undefined : { at, hasZone: true };
}

function withoutYear(month: string | undefined, day: string | undefined, time: string | undefined, clock: PasteClock) {
  const year = new Date(clock.now).getUTCFullYear();
  const days = [year + 1, year, year - 1].map((candidate) => `${candidate}-${month}-${day}`);
  return lastOf(days, time, undefined, clock, DAY_MS);
}

/** Of several days, the latest first, the last that has been: a log is of the past. `slackMs`: clocks differ. */
function lastOf(
  days: readonly string[],
  time: string | undefined,
  zone: string | undefined,
  clock: PasteClock,
  slackMs: number,
) {
  return days.map((day) => wall(day, time, zone, clock)).find((found) => found && found.at <= clock.now + slackMs);
}

function epoch(number: string, { now }: PasteClock) {
  const digits = number.split('.')[0]?.length ?? 0;
  const value = Number(number);
  const at = Math.trunc(
    digits === 10 ? value * 1000 : digits === 13 ? value : digits === 16 ? value / 1e3 : value / 1e6,
  );
  return at >= EARLIEST && at <= now + DAY_MS ? { at, hasZone: true } : undefined;
}

/** Milliseconds, whatever the log has; a comma is a point. */
function clockText(time = ''): string {
  const [seconds = '', fraction = ''] = time.split(/[.,]/);
  return `${seconds.padEnd(8, ':00')}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}

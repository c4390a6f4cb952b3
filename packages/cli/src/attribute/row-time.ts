// The time of a row of a flow log. The same times as on the command line, but no ages: a log does not know when it is
// read. Besides, what logs write and people do not: epochs in microseconds and nanoseconds, `+0000`, ` UTC`. RFC 3339
// and epoch times, which logs mostly have, are read from the bytes; all else goes through parse-time.ts.
import { type EpochMillis, epochMillis } from '@podtrail/history/wire';
import { ageOf, parseTime } from '../times/parse-time.ts';
import { UTC, type Zone } from '../times/zone.ts';

const MINUS = 45;
const COLON = 58;
const NO_DIGITS = 100;
/** As in parse-time.ts. */
const LEAST_SECONDS = 100_000_000;
const LEAST_MILLISECONDS = 100_000_000_000;
const LEAST_MICROSECONDS = 100_000_000_000_000;
const MOST_FRACTION_DIGITS = 9;
const LONGEST_FAST = 64;
const NOT_ASCII = /[^\u0000-\u007f]/;
/** Epochs finer than milliseconds: 15 to 17 digits are microseconds until the year 5138, 18 and 19 nanoseconds. */
const FINE_EPOCH = /^([1-9]\d{14,18})(?:\.\d*)?$/;
const WITHOUT_COLON = /([T \d:.,][+-]\d{2})(\d{2})$/;
const UTC_WORD = /\s?(?:UTC|GMT)$/i;
const HAS_ZONE = /(?:[zZ]|[+-]\d{2}:\d{2})$/;
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** How the problem of a time without a zone ends. */
export const NO_ZONE = 'has no time zone';

export class RowTimes {
  /** Of times that say none; undefined: such a time could mean several instants, and is none. */
  readonly #zone: Zone | undefined;
  readonly #scratch = Buffer.alloc(LONGEST_FAST);
  /** The last date as a number (20261115), and when it began in UTC. */
  #day = -1;
  #dayStart = 0;
  /** Why the last one was no time. */
  problem = '';

  constructor(zone: Zone | undefined) {
    this.#zone = zone;
  }

  parse(text: string): EpochMillis | undefined {
    if (text.length > LONGEST_FAST || NOT_ASCII.test(text)) return this.#slow(text);
    const at = this.#fast(this.#scratch, 0, this.#scratch.write(text, 0, 'latin1'));
    return Number.isNaN(at) ? this.#slow(text) : epochMillis(at);
  }

  /** The same for the bytes [start, end). NaN when they are no time. */
  parseBytes(bytes: Buffer, start: number, end: number): number {
    const at = this.#fast(bytes, start, end);
    return Number.isNaN(at) ? (this.#slow(bytes.toString('latin1', start, end)) ?? Number.NaN) : at;
  }

  /** NaN sends it the slow way. */
  #fast(bytes: Buffer, start: number, end: number): number {
    return end - start >= 16 && bytes[start + 4] === MINUS
      ? this.#dateTime(bytes, start, end)
      : epochNumber(bytes, start, end);
  }

  /** `2026-11-15T10:05[:00[.000]](Z|+02:00)`; without an offset only where the zone has none either. */
  #dateTime(bytes: Buffer, start: number, end: number): number {
    const separator = bytes[start + 10];
    if (bytes[start + 7] !== MINUS || bytes[start + 13] !== COLON) return Number.NaN;
    if (separator !== 84 && separator !== 116 && separator !== 32) return Number.NaN;
    const hour = twoDigits(bytes, start + 11);
    const minute = twoDigits(bytes, start + 14);
    let at = start + 16;
    let second = 0;
    let fraction = 0;
    if (at + 3 <= end && bytes[at] === COLON) {
      second = twoDigits(bytes, at + 1);
      at += 3;
      if (bytes[at] === 46 || bytes[at] === 44) {
        const digits = digitsFrom(bytes, at + 1, end);
        if (digits === 0 || digits > MOST_FRACTION_DIGITS) return Number.NaN;
        fraction = milliseconds(bytes, at + 1, digits);
        at += 1 + digits;
      }
    }
    if (hour > 23 || minute > 59 || second > 59) return Number.NaN;
    const offset = this.#offset(bytes, at, end);
    const clock = (hour * 60 + minute - offset) * 60_000 + second * 1000 + fraction;
    return this.#dayOf(bytes, start) + clock;
  }

  /** Minutes east of UTC; NaN when the text does not end with an offset that we know. */
  #offset(bytes: Buffer, at: number, end: number): number {
    if (at === end) return this.#zone === UTC ? 0 : Number.NaN;
    const sign = bytes[at];
    if (sign === 90 || sign === 122) return at + 1 === end ? 0 : Number.NaN;
    if (sign !== 43 && sign !== MINUS) return Number.NaN;
    const hasColon = bytes[at + 3] === COLON;
    if (at + (hasColon ? 6 : 5) !== end) return Number.NaN;
    const hours = twoDigits(bytes, at + 1);
    const minutes = twoDigits(bytes, at + (hasColon ? 4 : 3));
    if (hours > 23 || minutes > 59) return Number.NaN;
    return (hours * 60 + minutes) * (sign === MINUS ? -1 : 1);
  }

  /** NaN when there is no such day. */
  #dayOf(bytes: Buffer, start: number): number {
    const century = twoDigits(bytes, start);
    const year = twoDigits(bytes, start + 2);
    const month = twoDigits(bytes, start + 5);
    const date = twoDigits(bytes, start + 8);
    if (century === NO_DIGITS || year === NO_DIGITS || month === NO_DIGITS || date === NO_DIGITS) return Number.NaN;
    const day = ((century * 100 + year) * 100 + month) * 100 + date;
    if (day !== this.#day) {
      const parsed = parseTime(`${bytes.toString('latin1', start, start + 10)}T00:00:00Z`, 0, UTC);
      if (!parsed.ok) return Number.NaN;
      this.#day = day;
      this.#dayStart = parsed.at;
    }
    return this.#dayStart;
  }

  #slow(text: string): EpochMillis | undefined {
    const trimmed = text.trim();
    if (trimmed.length > LONGEST_FAST) {
      this.problem = `"${trimmed.slice(0, LONGEST_FAST)}…" is not a time`;
      return undefined;
    }
    if (trimmed.endsWith('ago') || ageOf(trimmed) !== undefined) {
      this.problem = `"${trimmed}" is an age, not a time`;
      return undefined;
    }
    const fine = FINE_EPOCH.exec(trimmed)?.[1];
    if (fine !== undefined) return epochMillis(Number(fine.slice(0, fine.length <= 17 ? -3 : -6)));
    const plain = plainTime(trimmed);
    const parsed = parseTime(plain, 0, this.#zone ?? UTC);
    if (parsed.ok && this.#zone === undefined && DATE.test(plain) && !HAS_ZONE.test(plain)) {
      this.problem = `"${trimmed}" ${NO_ZONE}`;
      return undefined;
    }
    if (parsed.ok) return parsed.at;
    // The list of times that the command line takes is too long for every row, and has ages in it.
    this.problem = parsed.problem.split('; use now')[0] ?? '';
    return undefined;
  }
}

/** `+0000` gets its colon, and ` UTC` becomes Z: both are common in logs, and mean one thing only. */
function plainTime(text: string): string {
  if (!DATE.test(text)) return text;
  return text.replace(UTC_WORD, 'Z').replace(WITHOUT_COLON, '$1:$2');
}

/** `1794737100`, `1794737100.25`, `1794737100250`. */
function epochNumber(bytes: Buffer, start: number, end: number): number {
  const digits = digitsFrom(bytes, start, end);
  if (digits < 9 || digits > 14) return Number.NaN;
  let whole = 0;
  for (let i = start; i < start + digits; i++) whole = whole * 10 + (bytes[i] as number) - 48;
  if (whole < LEAST_SECONDS || whole >= LEAST_MICROSECONDS) return Number.NaN;
  let fraction = 0;
  if (start + digits < end) {
    const behind = digitsFrom(bytes, start + digits + 1, end);
    if (bytes[start + digits] !== 46 || behind === 0 || behind > MOST_FRACTION_DIGITS) return Number.NaN;
    if (start + digits + 1 + behind !== end) return Number.NaN;
    fraction = milliseconds(bytes, start + digits + 1, behind);
  }
  return whole < LEAST_MILLISECONDS ? whole * 1000 + fraction : whole;
}

/** Cut, not rounded: an instant is never moved into the future. */
function milliseconds(bytes: Buffer, start: number, digits: number): number {
  let value = 0;
  for (let i = 0; i < 3; i++) value = value * 10 + (i < digits ? (bytes[start + i] as number) - 48 : 0);
  return value;
}

function digitsFrom(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(bytes[at] as number)) at++;
  return at - start;
}

/** More than any clock shows when they are none. */
function twoDigits(bytes: Buffer, at: number): number {
  const tens = bytes[at] as number;
  const ones = bytes[at + 1] as number;
  return isDigit(tens) && isDigit(ones) ? (tens - 48) * 10 + ones - 48 : NO_DIGITS;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

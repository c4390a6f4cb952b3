// The time of a row of a flow log. The same times as on the command line, but no ages: a log does not know when it is
// read. RFC 3339 in UTC, which logs mostly have, is read without a regular expression.
import { type EpochMillis, epochMillis } from '@podtrail/history';
import { parseDuration } from '../times/duration.ts';
import { parseTime } from '../times/parse-time.ts';
import type { Zone } from '../times/zone.ts';

export class RowTimes {
  readonly #zone: Zone;
  #day = '';
  #dayStart = 0;
  /** Why the last one was no time. */
  problem = '';

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  parse(text: string): EpochMillis | undefined {
    return this.#fast(text) ?? this.#slow(text);
  }

  /** `2026-11-15T10:05:00Z` with up to three digits of a fraction; undefined sends it the slow way. */
  #fast(text: string): EpochMillis | undefined {
    const { length } = text;
    if (length < 20 || length > 24 || length === 21 || text.charCodeAt(length - 1) !== 90) return undefined;
    const separator = text.charCodeAt(10);
    if ((separator !== 84 && separator !== 32) || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58)
      return undefined;
    const hour = twoDigits(text, 11);
    const minute = twoDigits(text, 14);
    const second = twoDigits(text, 17);
    if (!(hour < 24 && minute < 60 && second < 60)) return undefined;
    let fraction = 0;
    if (length > 20) {
      if (text.charCodeAt(19) !== 46) return undefined;
      let unit = 100;
      for (let i = 20; i < length - 1; i++, unit /= 10) {
        const digit = text.charCodeAt(i) - 48;
        if (digit < 0 || digit > 9) return undefined;
        fraction += digit * unit;
      }
    }
    const day = text.slice(0, 10);
    if (day !== this.#day) {
      const parsed = parseTime(`${day}T00:00:00Z`, 0, this.#zone);
      if (!parsed.ok) return undefined;
      this.#day = day;
      this.#dayStart = parsed.at;
    }
    return epochMillis(this.#dayStart + ((hour * 60 + minute) * 60 + second) * 1000 + fraction);
  }

  #slow(text: string): EpochMillis | undefined {
    const trimmed = text.trim();
    if (trimmed.endsWith('ago') || parseDuration(trimmed) !== undefined) {
      this.problem = `"${trimmed}" is an age, not a time`;
      return undefined;
    }
    const parsed = parseTime(trimmed, 0, this.#zone);
    if (parsed.ok) return parsed.at;
    // The list of times that the command line takes is too long for every row, and has ages in it.
    this.problem = parsed.problem.split('; use an age')[0] ?? '';
    return undefined;
  }
}

/** NaN when they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? Number.NaN : tens * 10 + ones;
}

// A time zone: from wall-clock time to instants and back. IANA names through Intl, fixed offsets by hand. A wall-clock
// time that a clock change skipped or repeated has no single instant, and is not guessed.

export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

export interface Zone {
  readonly name: string;
  /** Minutes east of UTC at an instant. */
  offsetAt(instant: number): number;
}

export const UTC: Zone = { name: 'UTC', offsetAt: () => 0 };

/** Undefined when there is no such zone. `Z` and `UTC` are UTC; `+02:00` is a fixed offset. */
export function parseZone(name: string): Zone | undefined {
  if (/^(?:utc|z|gmt)$/i.test(name)) return UTC;
  const fixed = /^([+-])(\d{2}):?(\d{2})$/.exec(name);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    if (Number(fixed[2]) > 23 || Number(fixed[3]) > 59) return undefined;
    const east = fixed[1] === '-' ? -minutes : minutes;
    return { name, offsetAt: () => east };
  }
  try {
    return ianaZone(name);
  } catch {
    return undefined;
  }
}

/** The instants at which a clock in the zone shows this time: one, or none or two around a clock change. */
export function instantsOf(wall: WallTime, zone: Zone): number[] {
  const asUtc = utcOf(wall);
  const candidates = new Set<number>();
  // No zone's offset changes by more than a day within a day.
  for (const around of [asUtc - 86_400_000, asUtc, asUtc + 86_400_000]) {
    candidates.add(asUtc - zone.offsetAt(around) * 60_000);
  }
  return [...candidates].filter((i) => i + zone.offsetAt(i) * 60_000 === asUtc).sort((a, b) => a - b);
}

export function utcOf({ year, month, day, hour, minute, second, millisecond }: WallTime): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

function ianaZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  let last: { readonly hour: number; readonly offset: number } | undefined;
  return {
    name,
    offsetAt(instant) {
      // Offsets change on the hour or half of it; asking Intl for every row of a flow log would be slow.
      const hour = Math.floor(instant / 900_000);
      if (last?.hour === hour) return last.offset;
      const parts: Record<string, number> = {};
      for (const { type, value } of format.formatToParts(instant)) parts[type] = Number(value);
      const { year = 0, month = 0, day = 0, minute = 0, second = 0 } = parts;
      const shown = utcOf({ year, month, day, hour: parts['hour'] ?? 0, minute, second, millisecond: 0 });
      const offset = Math.round((shown - Math.floor(instant / 1000) * 1000) / 60_000);
      last = { hour, offset };
      return offset;
    },
  };
}

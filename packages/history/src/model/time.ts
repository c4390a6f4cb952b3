// Instants as the ledger keeps them: whole milliseconds since the epoch, UTC. Durations are plain numbers of them.

declare const brand: unique symbol;
export type EpochMillis = number & { readonly [brand]: 'EpochMillis' };

/** What a kubelet reports may have happened this much before it is written. */
export const REPORTING_LAG_MS = 5000;

export function epochMillis(value: number): EpochMillis {
  return Math.trunc(value) as EpochMillis;
}

export function latest(...instants: (EpochMillis | undefined)[]): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const instant of instants)
    if (instant !== undefined && (found === undefined || instant > found)) found = instant;
  return found;
}

export function earliest(...instants: (EpochMillis | undefined)[]): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const instant of instants)
    if (instant !== undefined && (found === undefined || instant < found)) found = instant;
  return found;
}

export function clamp(instant: EpochMillis, least: EpochMillis, most: EpochMillis): EpochMillis {
  return instant < least ? least : instant > most ? most : instant;
}

/** RFC 3339 with milliseconds, as every answer prints it. */
export function toText(instant: EpochMillis): string {
  const inDay = instant % DAY_MS;
  if (!(inDay >= 0 && instant <= LAST && Number.isInteger(instant))) return new Date(instant).toISOString();
  const day = (instant - inDay) / DAY_MS;
  // Instants of one answer are of a few days, and their dates are what takes longest.
  const place = day % DATES_KEPT;
  if (KEPT_DAYS[place] !== day) {
    KEPT_DATES[place] = new Date(instant).toISOString().slice(0, -13);
    KEPT_DAYS[place] = day;
  }
  const seconds = Math.floor(inDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const millis = inDay % 1000;
  const clock = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
  return `${KEPT_DATES[place]}${clock}.${millis < 100 ? `0${TWO[millis]}` : millis}Z`;
}

const DAY_MS = 86_400_000;
/** Of a Date. */
const LAST = 8.64e15;
/** 00 to 99. */
const TWO = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
/** A year and more: of days that share a place, the last one. */
const DATES_KEPT = 512;
const KEPT_DAYS = new Float64Array(DATES_KEPT).fill(Number.NaN);
const KEPT_DATES: string[] = Array.from({ length: DATES_KEPT }, () => '');

/** The latest time of a boundary that is in doubt: as long as nothing bounds it, no instant is certain. */
export const NOT_KNOWN_YET = epochMillis(Date.UTC(9999, 11, 31));

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
  return new Date(instant).toISOString();
}

/** The latest time of a boundary that is in doubt: as long as nothing bounds it, no instant is certain. */
export const NOT_KNOWN_YET = epochMillis(Date.UTC(9999, 11, 31));

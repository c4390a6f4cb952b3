// A ledger among several of one cluster: each was recorded by a collector of its own, with outages of its own.
import type { Expired, Snapshot } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';

export interface Part {
  readonly snapshot: Snapshot;
  /** What it still knows of what it watched: without times whose records were removed. */
  readonly coverage: readonly Coverage[];
  readonly expired: readonly Expired[];
}

export async function partOf(snapshot: Snapshot): Promise<Part> {
  const [coverage, expired] = await Promise.all([snapshot.coverage(), snapshot.expired()]);
  return { snapshot, coverage: coverage.flatMap((one) => keptOf(one, expired)), expired };
}

/** Until when it watched; undefined where it never did. */
export function lastOf({ coverage }: Pick<Part, 'coverage'>): EpochMillis | undefined {
  let last: EpochMillis | undefined;
  for (const { scope, to } of coverage) if (scope.kind !== 'pods' && (last === undefined || to > last)) last = to;
  return last;
}

/** Retention removes from the beginning on. */
function keptOf(one: Coverage, expired: readonly Expired[]): Coverage[] {
  const end = expired.reduce((latest, { to }) => (to > latest ? to : latest), Number.NEGATIVE_INFINITY) as EpochMillis;
  if (one.from >= end) return [one];
  if (one.to <= end) return [];
  return [{ ...one, from: end, confirmed: one.confirmed > end ? one.confirmed : end }];
}

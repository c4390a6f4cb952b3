// Builds the indexes of hours that are over (hour-index.ts): of each that has none, or that was changed since. Part of a
// store's maintenance. An hour that is damaged stays without one.
import type { OccurrenceKind } from '../../../model/occurrence.ts';
import { occurrenceKinds, typeOf } from '../../occurrences/registry.ts';
import { isDamage } from '../faults.ts';
import type { Head } from './head.ts';
import type { HeadReader } from './head-read.ts';
import { leastRows, TALLY_MS, tallyPlace } from './tallies.ts';

/** Reading fewer than these costs no more than their index. */
export const WORTH_INDEXING = 64;

export interface HoursToIndex {
  readonly head: Head;
  readonly reader: HeadReader;
  readonly cluster: number;
  readonly now: number;
  /** An hour is indexed when it has this many rows at least. */
  readonly worth: number;
}

export function* indexHours(hours: HoursToIndex): Generator<undefined, void> {
  const { head, reader, cluster } = hours;
  for (const kind of occurrenceKinds()) {
    for (const [hour, sum] of withoutIndex(hours, kind)) {
      indexHour(head, reader, cluster, kind, hour, sum);
      yield;
    }
  }
}

function withoutIndex({ head, reader, cluster, now, worth }: HoursToIndex, kind: OccurrenceKind) {
  const { number } = typeOf(kind);
  return head.read(() =>
    [...reader.occurrences.tallied(kind, cluster)].filter(
      ([hour, sum]) =>
        hour + TALLY_MS <= now &&
        leastRows(sum) >= worth / 2 &&
        !head.hours.isCurrent(tallyPlace(cluster, number, hour), sum),
    ),
  );
}

function indexHour(
  head: Head,
  reader: HeadReader,
  cluster: number,
  kind: OccurrenceKind,
  hour: number,
  sum: number,
): void {
  const { number } = typeOf(kind);
  try {
    head.write(() => {
      // Changed meanwhile: the next time.
      if (reader.occurrences.tallied(kind, cluster).get(hour) !== sum) return;
      head.hours.build(tallyPlace(cluster, number, hour), hour, sum, reader.occurrences.hour(kind, cluster, hour, sum));
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

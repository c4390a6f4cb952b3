// Which rows of an hour its tally counts, by their checksums, for a writer that writes records again and again: an hour is
// read through once, not at every new version of one of its records.
import type { OccurrenceKind } from '../../../model/occurrence.ts';
import { typeOf } from '../../occurrences/registry.ts';
import { checksumOf } from '../format/checksum.ts';
import type { OccurrenceReader } from './occurrence-read.ts';
import { type Tallies, tallyTime } from './tallies.ts';

/** Beyond this many rows, all is forgotten and read again where it is needed. */
const MOST_KEPT = 200_000;

export class CountedRows {
  readonly #reader: Pick<OccurrenceReader, 'hour'>;
  readonly #tallies: Tallies;
  readonly #hours = new Map<string, Set<number>>();
  #kept = 0;

  constructor(reader: Pick<OccurrenceReader, 'hour'>, tallies: Tallies) {
    this.#reader = reader;
    this.#tallies = tallies;
  }

  /** Within a write transaction. A row that its hour does not count must not be taken from the count: throws `damaged`. */
  remove(cluster: number, kind: OccurrenceKind, time: number, row: Uint8Array): void {
    const { number } = typeOf(kind);
    const checksum = checksumOf(row);
    const known = this.#hours.get(keyOf(cluster, number, time));
    if (known?.delete(checksum) !== true) this.#read(cluster, kind, time).delete(checksum);
    this.#tallies.remove(cluster, number, time, checksum);
  }

  add(cluster: number, kind: OccurrenceKind, time: number, row: Uint8Array): void {
    const { number } = typeOf(kind);
    const checksum = checksumOf(row);
    this.#hours.get(keyOf(cluster, number, time))?.add(checksum);
    this.#tallies.add(cluster, number, time, checksum);
  }

  /** After a rollback, and when rows were removed in another way. */
  forget(): void {
    this.#hours.clear();
    this.#kept = 0;
  }

  #read(cluster: number, kind: OccurrenceKind, time: number): Set<number> {
    const { number } = typeOf(kind);
    const rows = this.#reader.hour(kind, cluster, tallyTime(time), this.#tallies.sumOf(cluster, number, time));
    if (this.#kept + rows.length > MOST_KEPT) this.forget();
    this.#kept += rows.length;
    const counted = new Set(rows.map(({ checksum }) => checksum));
    this.#hours.set(keyOf(cluster, number, time), counted);
    return counted;
  }
}

function keyOf(cluster: number, kind: number, time: number): string {
  return `${cluster} ${kind} ${tallyTime(time)}`;
}

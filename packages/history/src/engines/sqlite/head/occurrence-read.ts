// Reads occurrences out of the head: one by its key, and those of a span hour by hour. HeadReader has one; called inside a
// transaction. An hour of which anything is missing is `damaged`; it is never answered in part.
import type { OccurrenceKind, OccurrenceRecords } from '../../../model/occurrence.ts';
import { typeOf } from '../../occurrences/registry.ts';
import type { ListOrder, Span, Subject } from '../../snapshot.ts';
import { agrees, checksumOf, damaged, withMember } from '../format/checksum.ts';
import { HeadRow } from '../format/head-row.ts';
import type { Head } from './head.ts';
import type { HourEntry } from './hour-index.ts';
import { KnownHours } from './known-hours.ts';
import { lookupOf } from './lookup.ts';
import type { RowReader } from './row-reader.ts';
import { TALLY_MS, tallyPlace } from './tallies.ts';

export class OccurrenceReader {
  readonly #head: Head;
  readonly #rows: RowReader;
  readonly #hours = new KnownHours();

  constructor(head: Head, rows: RowReader) {
    this.#head = head;
    this.#rows = rows;
  }

  /** The stored version of an occurrence. */
  stored<K extends OccurrenceKind>(kind: K, key: string, body: Uint8Array): OccurrenceRecords[K] {
    return this.#occurrence(kind, new HeadRow(body, () => `head, ${kind} ${key}`));
  }

  /** Undefined: there is none, or it is lost; only its hour can tell. */
  byKey<K extends OccurrenceKind>(cluster: number, kind: K, key: string): OccurrenceRecords[K] | undefined {
    const sql = 'SELECT body, at FROM occurrence WHERE cluster = ? AND kind = ? AND key = ?';
    const [found] = this.#rows.all(sql, cluster, typeOf(kind).number, key);
    if (found === undefined) return undefined;
    const record = this.stored(kind, key, found[0]);
    if (typeOf(kind).place(record).key !== key) throw damaged(`head, ${kind} ${key}`);
    return record;
  }

  /** In the order of their times, or in the opposite one. With a subject, some that are not about it may be among them. */
  *within<K extends OccurrenceKind>(
    cluster: number,
    kind: K,
    span: Span,
    subject?: Subject,
    order: ListOrder = 'oldest',
  ): Generator<OccurrenceRecords[K]> {
    if (span.to <= span.from) return;
    const handle = subject === undefined ? undefined : lookupOf(subject).handle;
    const hours = this.#head.tallies.within(cluster, typeOf(kind).number, span.from, span.to);
    for (const [hour, sum] of order === 'oldest' ? hours : [...hours].reverse()) {
      const rows = this.#ofHour(kind, cluster, hour, sum, span, handle);
      for (const row of order === 'oldest' ? rows : rows.toReversed()) {
        if (row.start >= span.from && row.start < span.to) yield this.#occurrence(kind, row);
      }
    }
  }

  /** The hours that have records of a kind, and what each must sum up to. */
  tallied(kind: OccurrenceKind, cluster: number): Map<number, number> {
    return this.#head.tallies.within(cluster, typeOf(kind).number, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  }

  /** All rows of an hour, in the order of their times, and then of their keys. */
  hour(kind: OccurrenceKind, cluster: number, hour: number, expected: number): HeadRow[] {
    const sql =
      'SELECT body, at FROM occurrence WHERE cluster = ? AND kind = ? AND at >= ? AND at < ? ORDER BY at, key';
    const where = (): string => `head, ${kind} records of the hour from ${new Date(hour).toISOString()}`;
    const rows: HeadRow[] = [];
    let sum = 0;
    for (const [body] of this.#rows.all(sql, cluster, typeOf(kind).number, hour, hour + TALLY_MS)) {
      const row = new HeadRow(body, where);
      if (!agrees(row.cluster, cluster)) throw damaged(where());
      sum = withMember(sum, row.checksum);
      rows.push(row);
    }
    if (!agrees(sum, expected)) throw damaged(where());
    return rows.sort((a, b) => a.start - b.start);
  }

  /** An hour is shown to be complete before any of it is given: by its sum, or by an index that is bound to it. */
  #ofHour(
    kind: OccurrenceKind,
    cluster: number,
    hour: number,
    sum: number,
    span: Span,
    handle: number | undefined,
  ): readonly HeadRow[] {
    const indexed = handle === undefined ? undefined : this.#indexedRows(kind, cluster, hour, sum, span, handle);
    if (indexed !== undefined) return indexed;
    const known = this.#hours.get(kind, cluster, hour, sum, () => this.hour(kind, cluster, hour, sum));
    return handle === undefined ? known.rows : known.about(handle);
  }

  /** Undefined: the hour has no index, or the index leads to what is not there; then the hour itself says what is wrong. */
  #indexedRows(
    kind: OccurrenceKind,
    cluster: number,
    hour: number,
    sum: number,
    span: Span,
    handle: number,
  ): HeadRow[] | undefined {
    const { number } = typeOf(kind);
    const entries = this.#head.hours.find(tallyPlace(cluster, number, hour), hour, sum, handle);
    const rows: HeadRow[] = [];
    for (const entry of entries ?? []) {
      if (entry.at < span.from || entry.at >= span.to) continue;
      const row = this.#occurrenceAt(cluster, number, entry);
      if (row === undefined) return undefined;
      rows.push(row);
    }
    return entries === undefined ? undefined : rows;
  }

  /** Undefined: it is not there. */
  #occurrenceAt(cluster: number, kind: number, { at, rank, checksum }: HourEntry): HeadRow | undefined {
    // By the key that is found in the index of times alone: rows of the same time are passed by unread.
    const sql = `SELECT body, at FROM occurrence WHERE cluster = ? AND kind = ? AND key =
      (SELECT key FROM occurrence INDEXED BY occurrence_at WHERE cluster = ? AND kind = ? AND at = ?
        ORDER BY key LIMIT 1 OFFSET ?)`;
    const [found] = this.#rows.all(sql, cluster, kind, cluster, kind, at, rank);
    if (found === undefined || checksumOf(found[0]) !== checksum) return undefined;
    try {
      return new HeadRow(found[0], () => '');
    } catch {
      return undefined;
    }
  }

  #occurrence<K extends OccurrenceKind>(kind: K, row: HeadRow): OccurrenceRecords[K] {
    return this.#rows.record(row, kind, (reader) => typeOf(kind).read(reader));
  }
}

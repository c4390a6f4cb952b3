// Reads tenures, placements and live states out of the head's tables; beside it rows, occurrences and coverage have files
// of their own. Called inside a transaction. A row that cannot be read, that is not the one that was meant, or that should
// be there and is not, is `damaged`.
import { type LiveState, possibleKey, tenureKey } from '../../../model/fact.ts';
import type { IpAddress } from '../../../model/ip-address.ts';
import type { Placement, PossibleTenure, Tenure } from '../../../model/records.ts';
import { compareTexts } from '../../order.ts';
import type { Span } from '../../snapshot.ts';
import { damaged, handleOf } from '../format/checksum.ts';
import { type HeadRow, OPAQUE, type RowKey } from '../format/head-row.ts';
import { ipHandle } from '../format/ip-key.ts';
import { oldLiveState } from '../format/old-live-state.ts';
import { CoverageReader } from './coverage-read.ts';
import type { Head } from './head.ts';
import { tenureHandle } from './head-append.ts';
import type { Lookup } from './lookup.ts';
import { OccurrenceReader } from './occurrence-read.ts';
import type { RowEntry } from './primary-index.ts';
import { RowReader } from './row-reader.ts';
import { type HeadTable, type IndexEntry, SecondaryIndex } from './secondary-index.ts';

const NOTHING: { readonly tenures: Tenure[]; hasVersion(tenure: Tenure): boolean } = {
  tenures: [],
  hasVersion: () => false,
};

interface Found<T> {
  readonly number: number;
  readonly record: T;
}

export class HeadReader {
  readonly rows: RowReader;
  readonly occurrences: OccurrenceReader;
  readonly coverage: CoverageReader;
  readonly #head: Head;
  readonly #indexes = new Map<string, SecondaryIndex>();

  constructor(head: Head) {
    this.#head = head;
    this.rows = new RowReader(head);
    this.occurrences = new OccurrenceReader(head, this.rows);
    this.coverage = new CoverageReader(head, this.rows);
  }

  /** Those of an address at an instant, and whether the head has a version of a tenure of the address. */
  tenuresAt(cluster: number, ip: IpAddress, at: number): typeof NOTHING {
    const handle = ipHandle(ip);
    const entries = this.#head.index.find(cluster, 'tenure', handle);
    if (entries.length === 0) return { ...NOTHING, tenures: [] };
    const tenures: Tenure[] = [];
    for (const entry of entries) {
      if (entry.start > at || entry.until <= at) continue;
      const tenure = this.#tenure(this.rows.row('tenure', entry));
      if (tenure.ip === ip && mayHold(tenure, at)) tenures.push(tenure);
    }
    return { tenures, hasVersion: (tenure) => this.findTenure(cluster, handle, tenure, entries) !== undefined };
  }

  /** The head's row of the same tenure. */
  findTenure(
    cluster: number,
    handle: number,
    tenure: Tenure,
    entries: readonly RowEntry[] = this.#head.index.find(cluster, 'tenure', handle),
  ): Found<Tenure> | undefined {
    if (entries.length === 0) return undefined;
    const key = tenureHandle(tenure);
    const wanted = tenureKey(tenure);
    for (const entry of entries) {
      if (entry.other !== key) continue;
      const record = this.#tenure(this.rows.row('tenure', entry));
      if (tenureKey(record) === wanted) return { number: entry.number, record };
    }
    return undefined;
  }

  hasTenure(cluster: number, tenure: Tenure): boolean {
    return this.findTenure(cluster, ipHandle(tenure.ip), tenure) !== undefined;
  }

  findPlacement(cluster: number, uid: string, handle = handleOf(uid)): Found<Placement> | undefined {
    for (const entry of this.#head.index.find(cluster, 'placement', handle)) {
      const record = this.#placement(this.rows.row('placement', entry));
      if (record.pod.uid === uid) return { number: entry.number, record };
    }
    return undefined;
  }

  /** Within this transaction, whether the head has a version of a tenure: for asking about many. */
  tenuresKnown(cluster: number): (tenure: Tenure) => boolean {
    const mayHave = this.#index('tenure', cluster).mayHaveUid();
    if (mayHave === undefined) return () => false;
    return (tenure) => mayHave(handleOf(tenure.holder.uid)) && this.hasTenure(cluster, tenure);
  }

  /** The same of placements. */
  placementsKnown(cluster: number): (placement: Placement) => boolean {
    const mayHave = this.#index('placement', cluster).mayHaveUid();
    if (mayHave === undefined) return () => false;
    return ({ pod }) => {
      const handle = handleOf(pod.uid);
      return mayHave(handle) && this.findPlacement(cluster, pod.uid, handle) !== undefined;
    };
  }

  findPossible(cluster: number, key: string): Found<PossibleTenure> | undefined {
    for (const entry of this.#head.index.find(cluster, 'possible', handleOf(key))) {
      const record = this.#possible(this.rows.row('possible', entry));
      if (possibleKey(record) === key) return { number: entry.number, record };
    }
    return undefined;
  }

  findLive(
    cluster: number,
    uid: string,
    handle = handleOf(uid),
  ): Pick<RowKey, 'cluster' | 'handle' | 'number'> | undefined {
    const entries = this.#head.index.find(cluster, 'live', handle);
    const entry = entries.find((found) => this.rows.uidOf(this.rows.row('live', found), 'live') === uid);
    return entry === undefined ? undefined : { cluster, handle, number: entry.number };
  }

  /** In the order of their beginnings. */
  *tenures(cluster: number, by: Lookup, span: Span): Generator<Tenure> {
    if (by.column !== 'ip') {
      for (const row of this.#indexed('tenure', cluster, by, span)) yield this.#tenure(row);
      return;
    }
    let entries = this.#head.index.find(cluster, 'tenure', ipHandle(by.ip));
    entries = entries.filter(({ start, until }) => start < span.to && until > span.from);
    if (entries.length > 1) entries.sort((a, b) => a.start - b.start);
    for (const entry of entries) {
      const tenure = this.#tenure(this.rows.row('tenure', entry));
      if (tenure.ip === by.ip) yield tenure;
    }
  }

  *placements(cluster: number, by: Lookup, span: Span): Generator<Placement> {
    if (by.column === 'ip') return;
    for (const row of this.#indexed('placement', cluster, by, span)) yield this.#placement(row);
  }

  /** Rows of all stays that may touch the span, the newest first. */
  staysWithin(table: 'tenure' | 'placement', cluster: number, span: Span): IndexEntry[] {
    const entries = this.#index(table, cluster).within(span.from, span.to);
    return entries.sort((a, b) => b.number - a.number);
  }

  possible(cluster: number, span: Span): PossibleTenure[] {
    const entries = this.#index('possible', cluster).within(span.from, span.to);
    return entries.map((entry) => this.#possible(this.rows.row('possible', entry)));
  }

  /** In the order of their UIDs. */
  live(cluster: number): LiveState[] {
    const found: LiveState[] = [];
    for (const entry of this.#head.index.all(cluster, 'live')) found.push(this.liveState(this.rows.row('live', entry)));
    return found.sort((a, b) => compareTexts(a.uid, b.uid));
  }

  liveState(row: HeadRow): LiveState {
    return this.rows.record(row, 'live', (reader) =>
      row.other === OPAQUE ? reader.liveState() : oldLiveState(reader),
    );
  }

  /** After a rollback. */
  forget(): void {
    for (const index of this.#indexes.values()) index.forget();
    this.coverage.forget();
  }

  *#indexed(
    table: HeadTable,
    cluster: number,
    by: Exclude<Lookup, { readonly column: 'ip' }>,
    span: Span,
  ): Generator<HeadRow> {
    for (const entry of this.#index(table, cluster).entries(by.column, by.handle, span.from, span.to)) {
      yield this.rows.row(table, entry);
    }
  }

  #index(table: HeadTable, cluster: number): SecondaryIndex {
    const key = `${table} ${cluster}`;
    let index = this.#indexes.get(key);
    if (index === undefined)
      this.#indexes.set(key, (index = new SecondaryIndex(this.#head, this.rows, table, cluster)));
    return index;
  }

  #tenure(row: HeadRow): Tenure {
    const [tenure] = this.rows.life(row).tenures;
    if (tenure === undefined) throw damaged(`head, tenure ${row.number}`);
    return tenure;
  }

  #possible(row: HeadRow): PossibleTenure {
    return this.rows.record(row, 'possible', (reader) => reader.possible());
  }

  #placement(row: HeadRow): Placement {
    const { placement } = this.rows.life(row);
    if (placement === undefined) throw damaged(`head, placement ${row.number}`);
    return placement;
  }
}

function mayHold({ start, end }: Tenure, at: number): boolean {
  return start.notBefore <= at && (end === undefined || end.notAfter > at);
}

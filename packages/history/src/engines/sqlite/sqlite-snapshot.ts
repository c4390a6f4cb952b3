// A snapshot on the caller's side: hands its reads over to the thread, where a read transaction holds the state.
import type { LiveState } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../../model/occurrence.ts';
import type { Coverage, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { snapshotClosed } from '../refusals.ts';
import type {
  Expired,
  IpSpan,
  Moment,
  OccurrenceQuestion,
  Page,
  Paged,
  RecordsChunk,
  Snapshot,
  Span,
  Subject,
} from '../snapshot.ts';
import type { StayKind, StaysChunk } from '../stay-columns.ts';
import { packMoments, unpackAnswers } from './bulk.ts';
import { packSpans, unpackTenures } from './bulk-spans.ts';
import type { Questions } from './questions.ts';
import type { SnapshotReadName } from './thread/messages.ts';

/** One state of the store, for `Questions` of it. */
export interface QuestionLine {
  read<K extends SnapshotReadName>(
    operation: K,
    ...parameters: Parameters<Questions[K]>
  ): Promise<ReturnType<Questions[K]>>;
  end(): void;
}

export class SqliteSnapshot implements Snapshot {
  readonly cluster: string;
  readonly #line: QuestionLine;
  #isClosed = false;

  constructor(cluster: string, line: QuestionLine) {
    this.cluster = cluster;
    this.#line = line;
  }

  tenuresAt(ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    return this.#read('tenuresAt', this.cluster, ip, at);
  }

  async tenuresAtMany(moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    return unpackAnswers(await this.#read('tenuresAtMany', this.cluster, packMoments(moments)));
  }

  tenuresOfIp(ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    return this.#read('tenuresOfIp', this.cluster, ip, span, page);
  }

  async tenuresOfIps(asked: readonly IpSpan[], most: number): Promise<readonly (readonly Tenure[] | undefined)[]> {
    return unpackTenures(asked, await this.#read('tenuresOfIps', this.cluster, packSpans(asked), most));
  }

  tenuresOf(subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    return this.#read('tenuresOf', this.cluster, subject, span, page);
  }

  placementsOf(subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#read('placementsOf', this.cluster, subject, span, page);
  }

  placementsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#read('placementsOn', this.cluster, node, span, page);
  }

  hostNetworkPodsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#read('hostNetworkPodsOn', this.cluster, node, span, page);
  }

  staysWithin(kind: StayKind, span: Span, after: string | undefined): Promise<StaysChunk> {
    return this.#read('staysWithin', this.cluster, kind, span, after);
  }

  possibleTenures(span: Span): Promise<readonly PossibleTenure[]> {
    return this.#read('possibleTenures', this.cluster, span);
  }

  occurrences<K extends OccurrenceKind>(question: OccurrenceQuestion<K>): Promise<Paged<OccurrenceRecords[K]>> {
    return this.#read('occurrences', this.cluster, question) as Promise<Paged<OccurrenceRecords[K]>>;
  }

  coverage(): Promise<readonly Coverage[]> {
    return this.#read('coverage', this.cluster);
  }

  expired(kind?: OccurrenceKind): Promise<readonly Expired[]> {
    return this.#read('expired', this.cluster, kind);
  }

  liveStates(): Promise<readonly LiveState[]> {
    return this.#read('liveStates', this.cluster);
  }

  records(after: string | undefined): Promise<RecordsChunk> {
    return this.#read('records', this.cluster, after);
  }

  async close(): Promise<void> {
    if (!this.#isClosed) this.#line.end();
    this.#isClosed = true;
  }

  #read<K extends SnapshotReadName>(
    operation: K,
    ...parameters: Parameters<Questions[K]>
  ): Promise<ReturnType<Questions[K]>> {
    return this.#isClosed ? Promise.reject(snapshotClosed()) : this.#line.read(operation, ...parameters);
  }
}

// The SQLite store as an engine without its thread: everything is done when a call returns. For property tests, which
// open stores by the thousand; what the thread adds (order, batching, patience) is tested with the real engine.
import type { Fact } from '../../../model/fact.ts';
import type { IpAddress } from '../../../model/ip-address.ts';
import type { Anomaly, Change, Conflict, Coverage, Placement, PossibleTenure, Tenure } from '../../../model/records.ts';
import type { EpochMillis } from '../../../model/time.ts';
import type {
  Batch,
  Cluster,
  Engine,
  Expired,
  IpSpan,
  Migration,
  Moment,
  Page,
  Paged,
  Patrol,
  Patrolled,
  Resumption,
  Room,
  RoomKept,
  Span,
  StoreStatus,
  Subject,
  Verification,
  Writer,
} from '../../engine.ts';
import type { SizeLimit } from '../../size-limit.ts';
import { packMoments, unpackAnswers } from '../bulk.ts';
import { packSpans, unpackTenures } from '../bulk-spans.ts';
import type { Questions } from '../questions.ts';
import type { RecordsChunk } from '../records.ts';
import { type Seams, Store, type StoreOptions } from '../store.ts';

export class InThreadEngine implements Engine {
  readonly #store: Store;

  constructor(options: StoreOptions, seams?: Seams) {
    this.#store = new Store(options, seams);
  }

  async clusters(): Promise<readonly Cluster[]> {
    return this.#read((questions) => questions.clusters());
  }

  async takeOver(cluster: Cluster): Promise<Writer> {
    const fence = this.#store.takeOver(cluster);
    return {
      cluster,
      fence,
      append: async (batch: Batch): Promise<void> => {
        const [refused] = this.#store.append([{ cluster, fence, batch }]);
        if (refused !== undefined) throw refused;
      },
    };
  }

  async resumption(cluster: string): Promise<Resumption> {
    return this.#read((questions) => questions.resumption(cluster));
  }

  async tenuresAt(cluster: string, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    return this.#read((questions) => questions.tenuresAt(cluster, ip, at));
  }

  async tenuresAtMany(cluster: string, moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    return unpackAnswers(this.#read((questions) => questions.tenuresAtMany(cluster, packMoments(moments))));
  }

  async tenuresOfIp(cluster: string, ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    return this.#read((questions) => questions.tenuresOfIp(cluster, ip, span, page));
  }

  async tenuresOfIps(
    cluster: string,
    asked: readonly IpSpan[],
    most: number,
  ): Promise<readonly (readonly Tenure[] | undefined)[]> {
    return unpackTenures(
      asked,
      this.#read((questions) => questions.tenuresOfIps(cluster, packSpans(asked), most)),
    );
  }

  async tenuresOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    return this.#read((questions) => questions.tenuresOf(cluster, subject, span, page));
  }

  async placementsOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#read((questions) => questions.placementsOf(cluster, subject, span, page));
  }

  async placementsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#read((questions) => questions.placementsOn(cluster, node, span, page));
  }

  async hostNetworkPodsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#read((questions) => questions.hostNetworkPodsOn(cluster, node, span, page));
  }

  async possibleTenures(cluster: string, span: Span): Promise<readonly PossibleTenure[]> {
    return this.#read((questions) => questions.possibleTenures(cluster, span));
  }

  async changesOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Change>> {
    return this.#read((questions) => questions.changesOf(cluster, subject, span, page));
  }

  async conflicts(cluster: string, ip: IpAddress, span: Span): Promise<readonly Conflict[]> {
    return this.#read((questions) => questions.conflicts(cluster, ip, span));
  }

  async anomalies(cluster: string, span: Span, page: Page): Promise<Paged<Anomaly>> {
    return this.#read((questions) => questions.anomalies(cluster, span, page));
  }

  async coverage(cluster: string): Promise<readonly Coverage[]> {
    return this.#read((questions) => questions.coverage(cluster));
  }

  async expired(cluster: string): Promise<readonly Expired[]> {
    return this.#read((questions) => questions.expired(cluster));
  }

  async expiredChanges(cluster: string): Promise<readonly Expired[]> {
    return this.#read((questions) => questions.expiredChanges(cluster));
  }

  async *records(cluster: string): AsyncIterable<Fact> {
    let after: string | undefined;
    do {
      const chunk: RecordsChunk = this.#read((questions) => questions.records(cluster, after));
      yield* chunk.facts;
      after = chunk.next;
    } while (after !== undefined);
  }

  async retain(cluster: string, before: EpochMillis): Promise<number> {
    return finished(this.#store.retain(cluster, before));
  }

  async retainChanges(cluster: string, before: EpochMillis): Promise<number> {
    return finished(this.#store.retainChanges(cluster, before));
  }

  async room(limit: SizeLimit): Promise<Room> {
    return this.#read((questions) => questions.room(limit));
  }

  async keepRoom(limit: SizeLimit, now: EpochMillis): Promise<RoomKept> {
    return finished(this.#store.keepRoom(limit, now));
  }

  async maintain(now: EpochMillis): Promise<void> {
    finished(this.#store.maintain(now));
  }

  async migrate(): Promise<Migration> {
    return finished(this.#store.migrate());
  }

  async verify(): Promise<Verification> {
    return finished(this.#store.verify());
  }

  async patrolled(): Promise<Patrolled | undefined> {
    return this.#read((questions) => questions.patrolled());
  }

  async patrol(slices: number, now: EpochMillis): Promise<Patrol> {
    return finished(this.#store.patrol(slices, now));
  }

  async status(): Promise<StoreStatus> {
    return this.#read((questions) => questions.status());
  }

  async backup(path: string): Promise<void> {
    finished(this.#store.backup(path));
  }

  async close(): Promise<void> {
    this.#store.close();
  }

  #read<T>(body: (questions: Questions) => T): T {
    return this.#store.read(() => body(this.#store.questions));
  }
}

/** All slices of long work, one after the other. */
function finished<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value as T;
  }
}

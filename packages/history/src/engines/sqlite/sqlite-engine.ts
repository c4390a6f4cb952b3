// The default engine: one SQLite file and its week files, owned by a thread of its own, so that the caller's event loop
// never waits for a disk. This file only hands requests over; store.ts does the work.
import type { Fact } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { Anomaly, Change, Conflict, Coverage, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
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
} from '../engine.ts';
import type { SizeLimit } from '../size-limit.ts';
import { type PackedAnswers, packMoments, unpackAnswers } from './bulk.ts';
import { type PackedTenures, packSpans, unpackTenures } from './bulk-spans.ts';
import type { Death } from './failpoints.ts';
import type { RecordsChunk } from './records.ts';
import { ThreadClient } from './thread-client.ts';

export interface SqliteOptions {
  readonly path: string;
  /** `write` creates what is missing, migrates, and keeps other writers out. */
  readonly access: 'read' | 'write';
  /** How long a write waits for another program's lock before it is refused; 30 s unless told. */
  readonly lockPatienceMs?: number;
  /** For tests: fewer records make a week file. */
  readonly sealAt?: number;
  /** For tests: where the process is to die. */
  readonly death?: Death | undefined;
}

const LOCK_PATIENCE_MS = 30_000;

export class SqliteEngine implements Engine {
  readonly #thread: ThreadClient;

  private constructor(thread: ThreadClient) {
    this.#thread = thread;
  }

  static async open(options: SqliteOptions): Promise<SqliteEngine> {
    return new SqliteEngine(await ThreadClient.start({ lockPatienceMs: LOCK_PATIENCE_MS, ...options }));
  }

  clusters(): Promise<readonly Cluster[]> {
    return this.#thread.call('clusters');
  }

  async takeOver({ id, name }: Cluster): Promise<Writer> {
    const cluster = { id, name };
    const fence: number = await this.#thread.call('takeOver', cluster);
    return {
      cluster,
      fence,
      append: (batch: Batch): Promise<void> => this.#thread.call('append', { cluster, fence, batch }),
    };
  }

  resumption(cluster: string): Promise<Resumption> {
    return this.#thread.call('resumption', cluster);
  }

  tenuresAt(cluster: string, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    return this.#thread.call('tenuresAt', cluster, ip, at);
  }

  async tenuresAtMany(cluster: string, moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    const answers: PackedAnswers = await this.#thread.call('tenuresAtMany', cluster, packMoments(moments));
    return unpackAnswers(answers);
  }

  tenuresOfIp(cluster: string, ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    return this.#thread.call('tenuresOfIp', cluster, ip, span, page);
  }

  async tenuresOfIps(
    cluster: string,
    asked: readonly IpSpan[],
    most: number,
  ): Promise<readonly (readonly Tenure[] | undefined)[]> {
    const answers: PackedTenures = await this.#thread.call('tenuresOfIps', cluster, packSpans(asked), most);
    return unpackTenures(asked, answers);
  }

  tenuresOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    return this.#thread.call('tenuresOf', cluster, subject, span, page);
  }

  placementsOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#thread.call('placementsOf', cluster, subject, span, page);
  }

  placementsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#thread.call('placementsOn', cluster, node, span, page);
  }

  hostNetworkPodsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#thread.call('hostNetworkPodsOn', cluster, node, span, page);
  }

  possibleTenures(cluster: string, span: Span): Promise<readonly PossibleTenure[]> {
    return this.#thread.call('possibleTenures', cluster, span);
  }

  changesOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Change>> {
    return this.#thread.call('changesOf', cluster, subject, span, page);
  }

  conflicts(cluster: string, ip: IpAddress, span: Span): Promise<readonly Conflict[]> {
    return this.#thread.call('conflicts', cluster, ip, span);
  }

  anomalies(cluster: string, span: Span, page: Page): Promise<Paged<Anomaly>> {
    return this.#thread.call('anomalies', cluster, span, page);
  }

  coverage(cluster: string): Promise<readonly Coverage[]> {
    return this.#thread.call('coverage', cluster);
  }

  expired(cluster: string): Promise<readonly Expired[]> {
    return this.#thread.call('expired', cluster);
  }

  expiredChanges(cluster: string): Promise<readonly Expired[]> {
    return this.#thread.call('expiredChanges', cluster);
  }

  async *records(cluster: string): AsyncIterable<Fact> {
    let after: string | undefined;
    do {
      const chunk: RecordsChunk = await this.#thread.call('records', cluster, after);
      yield* chunk.facts;
      after = chunk.next;
    } while (after !== undefined);
  }

  retain(cluster: string, before: EpochMillis): Promise<number> {
    return this.#thread.call('retain', cluster, before);
  }

  retainChanges(cluster: string, before: EpochMillis): Promise<number> {
    return this.#thread.call('retainChanges', cluster, before);
  }

  room(limit: SizeLimit): Promise<Room> {
    return this.#thread.call('room', limit);
  }

  keepRoom(limit: SizeLimit, now: EpochMillis): Promise<RoomKept> {
    return this.#thread.call('keepRoom', limit, now);
  }

  maintain(now: EpochMillis): Promise<void> {
    return this.#thread.call('maintain', now);
  }

  migrate(): Promise<Migration> {
    return this.#thread.call('migrate');
  }

  verify(): Promise<Verification> {
    return this.#thread.call('verify');
  }

  patrol(slices: number, now: EpochMillis): Promise<Patrol> {
    return this.#thread.call('patrol', slices, now);
  }

  patrolled(): Promise<Patrolled | undefined> {
    return this.#thread.call('patrolled');
  }

  status(): Promise<StoreStatus> {
    return this.#thread.call('status');
  }

  backup(path: string): Promise<void> {
    return this.#thread.call('backup', path);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

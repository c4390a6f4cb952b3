// The ledger in this process's memory: the reference for every other engine, and the store of demos and tests. Plain
// maps and scans; whoever needs speed or durability uses another one.
import { HistoryError } from '../../errors.ts';
import { type Fact, isVoid, presentCoverage } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { Anomaly, Change, Conflict, Coverage, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import { budgetStart, changeUses } from '../../observe/change-budget.ts';
import { canonicalOrder } from '../canonical.ts';
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
  Resumption,
  Room,
  RoomKept,
  Span,
  StoreStatus,
  Subject,
  Verification,
  Writer,
} from '../engine.ts';
import { concerns, isWithin, touches } from '../matching.ts';
import {
  anomalyPlace,
  changePlace,
  compareTexts,
  conflictPlace,
  coveragePlace,
  cutPage,
  placementPlace,
  possiblePlace,
  sortedBy,
  tenurePlace,
} from '../order.ts';
import { nameTaken, staleWriter, storeClosed, unknownCluster } from '../refusals.ts';
import { Ledger } from './ledger.ts';

export class MemoryEngine implements Engine {
  readonly #ledgers = new Map<string, Ledger>();
  #closed = false;

  async clusters(): Promise<readonly Cluster[]> {
    return this.#sortedLedgers().map(({ cluster }) => cluster);
  }

  async takeOver(cluster: Cluster): Promise<Writer> {
    if (this.#closed) throw storeClosed();
    for (const { cluster: other } of this.#ledgers.values()) {
      if (other.name === cluster.name && other.id !== cluster.id) throw nameTaken(cluster.name, other.id);
    }
    const ledger = this.#ledgers.get(cluster.id) ?? new Ledger(cluster);
    this.#ledgers.set(cluster.id, ledger);
    ledger.cluster = cluster;
    const fence = ++ledger.fence;
    return {
      cluster,
      fence,
      append: async (batch: Batch) => {
        if (this.#closed) throw storeClosed();
        if (ledger.fence !== fence) throw staleWriter(cluster.name);
        for (const fact of batch.facts) ledger.store(fact);
        if (batch.checkpoint !== undefined) ledger.checkpoint = batch.checkpoint;
      },
    };
  }

  async resumption(cluster: string): Promise<Resumption> {
    const { checkpoint, coverage, live, changes } = this.#ledger(cluster);
    const latest = presentCoverage(sortedBy(coverage.values(), coveragePlace));
    const epoch = checkpoint?.epoch ?? latest?.epoch ?? 1;
    const holders = [...live.values()].sort((a, b) => compareTexts(a.holder.uid, b.holder.uid));
    const since = budgetStart(latest?.to);
    const recent = sortedBy(changes.values(), changePlace).filter(({ observedAt }) => observedAt >= since);
    return { state: { epoch, live: holders, coverage: latest, changeUses: changeUses(recent) }, checkpoint };
  }

  async tenuresAt(cluster: string, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    const span = { from: at, to: epochMillis(at + 1) };
    const ofIp = this.#ledger(cluster).byIp.get(ip)?.values() ?? [];
    return sortedBy(ofIp, tenurePlace).filter((tenure) => touches(tenure, span));
  }

  tenuresAtMany(cluster: string, moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    return Promise.all(moments.map(({ ip, at }) => this.tenuresAt(cluster, ip, at)));
  }

  async tenuresOfIp(cluster: string, ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    const ofIp = [...(this.#ledger(cluster).byIp.get(ip)?.values() ?? [])];
    return cutPage(
      ofIp.filter((tenure) => touches(tenure, span)),
      tenurePlace,
      page,
    );
  }

  async tenuresOfIps(
    cluster: string,
    asked: readonly IpSpan[],
    most: number,
  ): Promise<readonly (readonly Tenure[] | undefined)[]> {
    const pages = asked.map(({ ip, ...span }) => this.tenuresOfIp(cluster, ip, span, { limit: most }));
    return (await Promise.all(pages)).map(({ items, cursor }) => (cursor === undefined ? items : undefined));
  }

  async tenuresOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    const found = this.#ledger(cluster).tenures.values();
    return cutPage(
      found.filter((tenure) => concerns(subject, tenure.holder) && touches(tenure, span)),
      tenurePlace,
      page,
    );
  }

  async placementsOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    const found = this.#ledger(cluster).placements.values();
    return cutPage(
      found.filter((placement) => concerns(subject, placement.pod) && touches(placement, span)),
      placementPlace,
      page,
    );
  }

  async placementsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    const found = this.#ledger(cluster).placements.values();
    return cutPage(
      found.filter((placement) => placement.pod.node === node && touches(placement, span)),
      placementPlace,
      page,
    );
  }

  async hostNetworkPodsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    const found = this.#ledger(cluster).placements.values();
    const isWanted = ({ pod }: Placement) => pod.node === node && pod.hostNetwork;
    return cutPage(
      found.filter((placement) => isWanted(placement) && touches(placement, span)),
      placementPlace,
      page,
    );
  }

  async possibleTenures(cluster: string, span: Span): Promise<readonly PossibleTenure[]> {
    const found = this.#ledger(cluster).possible.values();
    return sortedBy(
      found.filter((possible) => touches(possible, span)),
      possiblePlace,
    );
  }

  async changesOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Change>> {
    const found = this.#ledger(cluster).changes.values();
    return cutPage(
      found.filter((change) => concerns(subject, change.pod) && isWithin(change, span)),
      changePlace,
      page,
    );
  }

  async conflicts(cluster: string, ip: IpAddress, span: Span): Promise<readonly Conflict[]> {
    const found = this.#ledger(cluster).conflicts.values();
    return sortedBy(
      found.filter((conflict) => conflict.ip === ip && isWithin(conflict, span)),
      conflictPlace,
    );
  }

  async anomalies(cluster: string, span: Span, page: Page): Promise<Paged<Anomaly>> {
    const found = this.#ledger(cluster).anomalies.values();
    return cutPage(
      found.filter((anomaly) => isWithin(anomaly, span)),
      anomalyPlace,
      page,
    );
  }

  async coverage(cluster: string): Promise<readonly Coverage[]> {
    return sortedBy(this.#ledger(cluster).coverage.values(), coveragePlace).filter((one) => !isVoid(one));
  }

  async expired(cluster: string): Promise<readonly Expired[]> {
    const { expired } = this.#ledger(cluster);
    return expired === undefined ? [] : [expired];
  }

  async expiredChanges(cluster: string): Promise<readonly Expired[]> {
    const { expiredChanges } = this.#ledger(cluster);
    return expiredChanges === undefined ? [] : [expiredChanges];
  }

  async *records(cluster: string): AsyncIterable<Fact> {
    const { coverage, tenures, placements, changes, conflicts, anomalies, possible, live } = this.#ledger(cluster);
    const facts: Fact[] = [];
    for (const record of coverage.values()) facts.push({ kind: 'coverage', coverage: record });
    for (const tenure of tenures.values()) facts.push({ kind: 'tenure', tenure });
    for (const placement of placements.values()) facts.push({ kind: 'placement', placement });
    for (const change of changes.values()) facts.push({ kind: 'change', change });
    for (const conflict of conflicts.values()) facts.push({ kind: 'conflict', conflict });
    for (const anomaly of anomalies.values()) facts.push({ kind: 'anomaly', anomaly });
    for (const [key, record] of possible) facts.push({ kind: 'possible', key, possible: record });
    for (const [uid, holder] of live) facts.push({ kind: 'live', uid, live: holder });
    yield* canonicalOrder(facts);
  }

  async retain(cluster: string, before: EpochMillis): Promise<number> {
    return this.#ledger(cluster).retain(before);
  }

  async retainChanges(cluster: string, before: EpochMillis): Promise<number> {
    return this.#ledger(cluster).retainChanges(before);
  }

  async room(): Promise<Room> {
    return { bytes: 0, limitBytes: undefined, volume: undefined, ballastBytes: 0 };
  }

  /** It lies on no disk: who bounds its memory bounds it. */
  async keepRoom(): Promise<RoomKept> {
    return { ...(await this.room()), removedChanges: 0, removedRecords: 0 };
  }

  /** Nothing piles up here. */
  async maintain(): Promise<void> {}

  /** Nothing here outlives the version that wrote it. */
  async migrate(): Promise<Migration> {
    return { from: 1, to: 1, steps: [], files: 0 };
  }

  async verify(): Promise<Verification> {
    let records = 0;
    for (const ledger of this.#ledgers.values()) records += ledger.tenures.size + ledger.placements.size;
    return { records, damages: [], unlisted: [] };
  }

  async patrolled(): Promise<undefined> {
    return undefined;
  }

  async patrol(): Promise<Patrol> {
    return { isFinished: true, damages: [] };
  }

  async status(): Promise<StoreStatus> {
    const clusters = this.#sortedLedgers().map(({ cluster, tenures, placements, changes, live, checkpoint }) => {
      const counts = { tenures: tenures.size, placements: placements.size, changes: changes.size, live: live.size };
      return { ...cluster, ...counts, checkpoint };
    });
    return { version: 1, bytes: 0, clusters };
  }

  async backup(): Promise<void> {
    throw new HistoryError('no-backup', 'a store in memory cannot be backed up', {
      hint: 'export it, or record into sqlite:PATH.',
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ledgers.clear();
  }

  #sortedLedgers(): Ledger[] {
    return [...this.#ledgers.values()].sort((a, b) => compareTexts(a.cluster.name, b.cluster.name));
  }

  #ledger(cluster: string): Ledger {
    if (this.#closed) throw storeClosed();
    const ledger = this.#ledgers.get(cluster);
    if (ledger === undefined) throw unknownCluster(cluster);
    return ledger;
  }
}

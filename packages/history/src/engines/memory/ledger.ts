// One cluster's records in maps. memory-engine.ts writes to it, memory-snapshot.ts reads it. Copied before it is written to
// while a snapshot of it is open: records never change, so a copy only copies the maps.
import { newerChange, newerCoverage, type StoredFact, tenureKey } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type {
  Anomaly,
  Change,
  Checkpoint,
  Conflict,
  Coverage,
  Placement,
  PossibleTenure,
  Tenure,
} from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { isExpired, newer } from '../matching.ts';
import { anomalyPlace, changePlace, conflictPlace, sortedBy } from '../order.ts';
import type { Cluster, Expired } from '../snapshot.ts';

export class Ledger {
  cluster: Cluster;
  fence = 0;
  checkpoint: Checkpoint | undefined;
  expired: Expired | undefined;
  expiredChanges: Expired | undefined;
  readonly tenures: Map<string, Tenure>;
  readonly byIp: Map<IpAddress, ReadonlyMap<string, Tenure>>;
  readonly placements: Map<string, Placement>;
  readonly possible: Map<string, PossibleTenure>;
  readonly changes: Map<string, Change>;
  readonly conflicts: Map<string, Conflict>;
  readonly anomalies: Map<string, Anomaly>;
  readonly coverage: Map<string, Coverage>;
  readonly live: Map<string, string>;
  /** How many snapshots read it: while there are any, nothing here changes. */
  openSnapshots = 0;
  /** The maps of `byIp` that no other ledger shares. */
  readonly #own = new Map<IpAddress, Map<string, Tenure>>();

  constructor(cluster: Cluster, from?: Ledger) {
    this.cluster = cluster;
    this.fence = from?.fence ?? 0;
    this.checkpoint = from?.checkpoint;
    this.expired = from?.expired;
    this.expiredChanges = from?.expiredChanges;
    this.tenures = new Map(from?.tenures);
    this.byIp = new Map(from?.byIp);
    this.placements = new Map(from?.placements);
    this.possible = new Map(from?.possible);
    this.changes = new Map(from?.changes);
    this.conflicts = new Map(from?.conflicts);
    this.anomalies = new Map(from?.anomalies);
    this.coverage = new Map(from?.coverage);
    this.live = new Map(from?.live);
  }

  /** What has expired before it came is not kept: an earlier pruning left its range. */
  store(fact: StoredFact): void {
    if (this.#isOld(fact)) {
      this.#forget(fact);
      return;
    }
    switch (fact.kind) {
      case 'tenure': {
        const key = tenureKey(fact.tenure);
        const kept = newer(this.tenures.get(key), fact.tenure);
        this.tenures.set(key, kept);
        this.#ofIp(kept.ip).set(key, kept);
        return;
      }
      case 'placement': {
        const { uid } = fact.placement.pod;
        this.placements.set(uid, newer(this.placements.get(uid), fact.placement));
        return;
      }
      case 'possible':
        if (fact.possible === undefined) this.possible.delete(fact.key);
        else this.possible.set(fact.key, newer(this.possible.get(fact.key), fact.possible));
        return;
      case 'change': {
        const { key } = changePlace(fact.change);
        this.changes.set(key, newerChange(this.changes.get(key), fact.change));
        return;
      }
      case 'coverage': {
        const key = `${fact.coverage.from}|${fact.coverage.collector}`;
        this.coverage.set(key, newerCoverage(this.coverage.get(key), fact.coverage));
        return;
      }
      case 'conflict':
        this.conflicts.set(conflictPlace(fact.conflict).key, fact.conflict);
        return;
      case 'anomaly':
        this.anomalies.set(anomalyPlace(fact.anomaly).key, fact.anomaly);
        return;
      case 'live':
        if (fact.state === undefined) this.live.delete(fact.uid);
        else this.live.set(fact.uid, fact.state);
    }
  }

  #isOld(fact: StoredFact): boolean {
    const before = (this.expired?.to ?? Number.NEGATIVE_INFINITY) as EpochMillis;
    const changesBefore = this.expiredChanges?.to ?? before;
    switch (fact.kind) {
      case 'tenure':
        return isExpired(fact.tenure, before);
      case 'placement':
        return isExpired(fact.placement, before);
      case 'possible':
        return fact.possible !== undefined && isExpired(fact.possible, before);
      case 'change':
        return fact.change.observedAt < Math.max(before, changesBefore);
      case 'conflict':
        return fact.conflict.observedAt < before;
      case 'anomaly':
        return fact.anomaly.observedAt < before;
      default:
        return false;
    }
  }

  /** The open version that it ends. */
  #forget(fact: StoredFact): void {
    if (fact.kind === 'possible') this.possible.delete(fact.key);
    if (fact.kind === 'placement') this.placements.delete(fact.placement.pod.uid);
    if (fact.kind !== 'tenure') return;
    const key = tenureKey(fact.tenure);
    this.tenures.delete(key);
    if (this.byIp.has(fact.tenure.ip)) this.#ofIp(fact.tenure.ip).delete(key);
  }

  /** To be written to. */
  #ofIp(ip: IpAddress): Map<string, Tenure> {
    let own = this.#own.get(ip);
    if (own !== undefined) return own;
    own = new Map(this.byIp.get(ip));
    this.#own.set(ip, own);
    this.byIp.set(ip, own);
    return own;
  }

  pruneChanges(before: EpochMillis): number {
    this.expiredChanges = this.#grown(this.expiredChanges, before);
    return sweep(this.changes, (change) => change.observedAt < before);
  }

  /** A range reaches from the first record to the latest time before which records were removed. */
  #grown(range: Expired | undefined, before: EpochMillis): Expired | undefined {
    const first = sortedBy(this.coverage.values(), (c) => ({ time: c.from, key: '' }))[0]?.from;
    const from = range?.from ?? first;
    return from !== undefined && from < before && before > (range?.to ?? 0) ? { from, to: before } : range;
  }

  prune(before: EpochMillis): number {
    this.expired = this.#grown(this.expired, before);
    for (const [key, { ip, end }] of this.tenures) {
      if (isExpired({ end } as Tenure, before)) this.#ofIp(ip).delete(key);
    }
    return (
      sweep(this.tenures, (tenure) => isExpired(tenure, before)) +
      sweep(this.placements, (placement) => isExpired(placement, before)) +
      sweep(this.possible, (possible) => isExpired(possible, before)) +
      sweep(this.changes, (change) => change.observedAt < before) +
      sweep(this.conflicts, (conflict) => conflict.observedAt < before) +
      sweep(this.anomalies, (anomaly) => anomaly.observedAt < before)
    );
  }
}

function sweep<T>(records: Map<string, T>, isOld: (record: T) => boolean): number {
  let removed = 0;
  for (const [key, record] of records) if (isOld(record) && records.delete(key)) removed++;
  return removed;
}

// One cluster's records in maps. memory-engine.ts writes to it, memory-snapshot.ts reads it. Copied before it is written to
// while a snapshot of it is open: records never change, so a copy only copies the maps.
import { newerCoverage, type StoredFact, tenureKey } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import { type OccurrenceKind, type OccurrenceRecords, recordOf } from '../../model/occurrence.ts';
import type { Checkpoint, Coverage, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { isExpired, newer } from '../matching.ts';
import type { Named } from '../occurrences/occurrence-type.ts';
import { isOccurrence, type OccurrenceRecord, occurrenceKinds, typeOf } from '../occurrences/registry.ts';
import { sortedBy } from '../order.ts';
import type { Cluster, Expired, Subject } from '../snapshot.ts';

export class Ledger {
  cluster: Cluster;
  fence = 0;
  checkpoint: Checkpoint | undefined;
  expired: Expired | undefined;
  /** Of kinds that were pruned alone. */
  readonly expiredKinds: Map<OccurrenceKind, Expired>;
  readonly tenures: Map<string, Tenure>;
  readonly byIp: Map<IpAddress, ReadonlyMap<string, Tenure>>;
  readonly placements: Map<string, Placement>;
  readonly possible: Map<string, PossibleTenure>;
  /** By kind and key. */
  readonly #occurrences: Map<OccurrenceKind, Map<string, OccurrenceRecord>>;
  readonly #bySubject = new Map<OccurrenceKind, ReadonlyMap<string, readonly OccurrenceRecord[]>>();
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
    this.expiredKinds = new Map(from?.expiredKinds);
    this.tenures = new Map(from?.tenures);
    this.byIp = new Map(from?.byIp);
    this.placements = new Map(from?.placements);
    this.possible = new Map(from?.possible);
    const occurrences = from === undefined ? [] : [...from.#occurrences];
    this.#occurrences = new Map(occurrences.map(([kind, records]) => [kind, new Map(records)]));
    this.coverage = new Map(from?.coverage);
    this.live = new Map(from?.live);
  }

  /** What has expired before it came is not kept: an earlier pruning left its range. */
  store(fact: StoredFact): void {
    if (this.#isOld(fact)) {
      this.#forget(fact);
      return;
    }
    if (isOccurrence(fact)) {
      this.#storeOccurrence(fact.kind, recordOf(fact));
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
      case 'coverage': {
        const key = `${fact.coverage.from}|${fact.coverage.collector}`;
        this.coverage.set(key, newerCoverage(this.coverage.get(key), fact.coverage));
        return;
      }
      case 'live':
        if (fact.state === undefined) this.live.delete(fact.uid);
        else this.live.set(fact.uid, fact.state);
    }
  }

  #isOld(fact: StoredFact): boolean {
    const before = (this.expired?.to ?? Number.NEGATIVE_INFINITY) as EpochMillis;
    if (isOccurrence(fact)) return this.#timeOf(fact.kind, recordOf(fact)) < this.keptSince(fact.kind);
    switch (fact.kind) {
      case 'tenure':
        return isExpired(fact.tenure, before);
      case 'placement':
        return isExpired(fact.placement, before);
      case 'possible':
        return fact.possible !== undefined && isExpired(fact.possible, before);
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

  occurrences<K extends OccurrenceKind>(kind: K): ReadonlyMap<string, OccurrenceRecords[K]> {
    return this.#ofKind(kind) as unknown as ReadonlyMap<string, OccurrenceRecords[K]>;
  }

  /** Those that may be about a subject, found by an index that is made when it is first asked for after a change. */
  occurrencesAbout<K extends OccurrenceKind>(kind: K, subject: Subject): readonly OccurrenceRecords[K][] {
    let index = this.#bySubject.get(kind);
    if (index === undefined) this.#bySubject.set(kind, (index = indexed(kind, this.#ofKind(kind).values())));
    return (index.get(subjectKey(subject)) ?? []) as OccurrenceRecords[K][];
  }

  /** What was before it has been removed. */
  keptSince(kind: OccurrenceKind): number {
    const since = (range: Expired | undefined) => range?.to ?? Number.NEGATIVE_INFINITY;
    return Math.max(since(this.expired), since(this.expiredKinds.get(kind)));
  }

  #storeOccurrence(kind: OccurrenceKind, record: OccurrenceRecord): void {
    const type = typeOf(kind);
    const records = this.#ofKind(kind);
    const { key } = type.place(record as never);
    const stored = records.get(key);
    const kept = stored === undefined ? record : (type.newer?.(stored as never, record as never) ?? record);
    records.set(key, kept);
    this.#bySubject.delete(kind);
  }

  #ofKind(kind: OccurrenceKind): Map<string, OccurrenceRecord> {
    let records = this.#occurrences.get(kind);
    if (records === undefined) this.#occurrences.set(kind, (records = new Map()));
    return records;
  }

  #timeOf(kind: OccurrenceKind, record: OccurrenceRecord): number {
    return typeOf(kind).place(record as never).time;
  }

  pruneKind(kind: OccurrenceKind, before: EpochMillis): number {
    const range = this.#grown(this.expiredKinds.get(kind), before);
    if (range !== undefined) this.expiredKinds.set(kind, range);
    return this.#sweepKind(kind, before);
  }

  #sweepKind(kind: OccurrenceKind, before: EpochMillis): number {
    this.#bySubject.delete(kind);
    return sweep(this.#ofKind(kind), (record) => this.#timeOf(kind, record) < before);
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
      occurrenceKinds().reduce((removed, kind) => removed + this.#sweepKind(kind, before), 0)
    );
  }
}

function indexed(kind: OccurrenceKind, records: Iterable<OccurrenceRecord>): Map<string, OccurrenceRecord[]> {
  const index = new Map<string, OccurrenceRecord[]>();
  for (const record of records) {
    const keys = typeOf(kind)
      .about(record as never)
      .holders.flatMap((holder) => subjectsOf(holder).map(subjectKey));
    for (const key of new Set(keys)) {
      const found = index.get(key);
      if (found === undefined) index.set(key, [record]);
      else found.push(record);
    }
  }
  return index;
}

/** Everything that `concerns` takes for this holder. */
function subjectsOf({ uid, namespace, name, workload }: Named): Subject[] {
  const subjects: Subject[] = [{ by: 'uid', uid }];
  if (namespace !== undefined && name !== undefined) subjects.push({ by: 'name', namespace, name });
  if (namespace !== undefined && workload !== undefined)
    subjects.push({ by: 'workload', namespace, kind: workload.kind, name: workload.name });
  return subjects;
}

function subjectKey(subject: Subject): string {
  if (subject.by === 'uid') return `uid ${subject.uid}`;
  const { by, namespace, name } = subject;
  return JSON.stringify(by === 'name' ? [by, namespace, name] : [by, namespace, subject.kind, name]);
}

function sweep<T>(records: Map<string, T>, isOld: (record: T) => boolean): number {
  let removed = 0;
  for (const [key, record] of records) if (isOld(record) && records.delete(key)) removed++;
  return removed;
}

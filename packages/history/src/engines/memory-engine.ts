// The ledger in this process's memory: the reference for every other engine, and the store of demos and tests. Plain
// maps and scans; whoever needs speed or durability uses another one.
import { HistoryError } from '../errors.ts';
import { type Fact, type LiveHolder, tenureKey } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Anomaly, Change, Checkpoint, Conflict, Coverage, Holder, Placement, Tenure } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Batch, Cluster, Engine, Expired, Page, Paged, Resumption, Span, Subject, Writer } from './engine.ts';

class Ledger {
  readonly tenures = new Map<string, Tenure>();
  readonly byIp = new Map<IpAddress, Map<string, Tenure>>();
  readonly placements = new Map<string, Placement>();
  readonly changes = new Map<string, Change>();
  readonly conflicts = new Map<string, Conflict>();
  readonly anomalies = new Map<string, Anomaly>();
  readonly coverage = new Map<string, Coverage>();
  readonly live = new Map<string, LiveHolder>();
  readonly expired: Expired[] = [];
  checkpoint: Checkpoint | undefined;
  fence = 0;
}

export class MemoryEngine implements Engine {
  readonly #clusters = new Map<string, Cluster>();
  readonly #ledgers = new Map<string, Ledger>();

  async clusters(): Promise<readonly Cluster[]> {
    return [...this.#clusters.values()];
  }

  async takeOver(cluster: Cluster): Promise<Writer> {
    this.#clusters.set(cluster.id, cluster);
    const ledger = this.#ledgers.get(cluster.id) ?? new Ledger();
    this.#ledgers.set(cluster.id, ledger);
    const fence = ++ledger.fence;
    return {
      cluster,
      fence,
      append: async (batch: Batch) => {
        if (ledger.fence !== fence) {
          throw new HistoryError('stale-writer', `another recorder has taken over the ledger of ${cluster.name}`, {
            hint: 'stop this one; only one recorder writes to a ledger at a time.',
          });
        }
        for (const fact of batch.facts) store(ledger, fact);
        if (batch.checkpoint !== undefined) ledger.checkpoint = batch.checkpoint;
      },
    };
  }

  async resumption(cluster: string): Promise<Resumption> {
    const ledger = this.#ledger(cluster);
    const coverage = sorted(ledger.coverage.values(), (c) => c.from).at(-1);
    const epoch = ledger.checkpoint?.epoch ?? coverage?.epoch ?? 1;
    return { state: { epoch, live: [...ledger.live.values()], coverage }, checkpoint: ledger.checkpoint };
  }

  async tenuresAt(cluster: string, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    const span = { from: at, to: (at + 1) as EpochMillis };
    return sorted(this.#ledger(cluster).byIp.get(ip)?.values() ?? [], startOf).filter((t) => touches(t, span));
  }

  async tenuresOfIp(cluster: string, ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    return paged(this.#ledger(cluster).byIp.get(ip)?.values() ?? [], startOf, (t) => touches(t, span), page);
  }

  async tenuresOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    const { tenures } = this.#ledger(cluster);
    return paged(tenures.values(), startOf, (t) => concerns(subject, t.holder) && touches(t, span), page);
  }

  async placementsOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    const { placements } = this.#ledger(cluster);
    return paged(placements.values(), startOf, (p) => concerns(subject, p.pod) && touches(p, span), page);
  }

  async placementsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    const { placements } = this.#ledger(cluster);
    return paged(placements.values(), startOf, (p) => p.pod.node === node && touches(p, span), page);
  }

  async changesOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Change>> {
    const { changes } = this.#ledger(cluster);
    const wanted = (c: Change) => concerns(subject, c.pod) && c.observedAt >= span.from && c.observedAt < span.to;
    return paged(changes.values(), (c) => c.observedAt, wanted, page);
  }

  async conflicts(cluster: string, ip: IpAddress, span: Span): Promise<readonly Conflict[]> {
    const all = sorted(this.#ledger(cluster).conflicts.values(), (c) => c.observedAt);
    return all.filter((c) => c.ip === ip && c.observedAt >= span.from && c.observedAt < span.to);
  }

  async anomalies(cluster: string, span: Span, page: Page): Promise<Paged<Anomaly>> {
    const { anomalies } = this.#ledger(cluster);
    const wanted = (a: Anomaly) => a.observedAt >= span.from && a.observedAt < span.to;
    return paged(anomalies.values(), (a) => a.observedAt, wanted, page);
  }

  async coverage(cluster: string): Promise<readonly Coverage[]> {
    return sorted(this.#ledger(cluster).coverage.values(), (c) => c.from);
  }

  async expired(cluster: string): Promise<readonly Expired[]> {
    return this.#ledger(cluster).expired;
  }

  async retain(cluster: string, before: EpochMillis): Promise<number> {
    const ledger = this.#ledger(cluster);
    const old = <T extends { readonly end: Tenure['end'] }>(record: T) =>
      record.end !== undefined && record.end.notAfter < before;
    let removed = 0;
    for (const [key, tenure] of ledger.tenures) {
      if (!old(tenure)) continue;
      ledger.tenures.delete(key);
      ledger.byIp.get(tenure.ip)?.delete(key);
      removed++;
    }
    for (const [key, placement] of ledger.placements) if (old(placement)) ledger.placements.delete(key) && removed++;
    for (const [key, change] of ledger.changes) if (change.observedAt < before) ledger.changes.delete(key) && removed++;
    const first = sorted(ledger.coverage.values(), (c) => c.from)[0]?.from;
    if (first !== undefined && first < before) ledger.expired.splice(0, 1, { from: first, to: before });
    return removed;
  }

  async close(): Promise<void> {
    this.#ledgers.clear();
  }

  #ledger(cluster: string): Ledger {
    const ledger = this.#ledgers.get(cluster);
    if (ledger !== undefined) return ledger;
    throw new HistoryError('unknown-cluster', `the store has no cluster ${cluster}`, {
      hint: 'record it first, or name one of those that `podtrail store status` lists.',
    });
  }
}

function store(ledger: Ledger, fact: Fact): void {
  switch (fact.kind) {
    case 'tenure': {
      const key = tenureKey(fact.tenure);
      ledger.tenures.set(key, fact.tenure);
      const ofIp = ledger.byIp.get(fact.tenure.ip) ?? new Map<string, Tenure>();
      ofIp.set(key, fact.tenure);
      ledger.byIp.set(fact.tenure.ip, ofIp);
      return;
    }
    case 'placement':
      ledger.placements.set(fact.placement.pod.uid, fact.placement);
      return;
    case 'change':
      ledger.changes.set(`${fact.change.pod.uid}|${fact.change.key}|${versionKey(fact.change)}`, fact.change);
      return;
    case 'coverage':
      ledger.coverage.set(`${fact.coverage.collector}|${fact.coverage.from}`, fact.coverage);
      return;
    case 'conflict': {
      const uids = fact.conflict.holders.map((h) => h.uid).join('|');
      ledger.conflicts.set(`${fact.conflict.ip}|${uids}|${versionKey(fact.conflict)}`, fact.conflict);
      return;
    }
    case 'anomaly':
      ledger.anomalies.set(`${fact.anomaly.what}|${fact.anomaly.uid}|${versionKey(fact.anomaly)}`, fact.anomaly);
      return;
    case 'live':
      if (fact.live === undefined) ledger.live.delete(fact.uid);
      else ledger.live.set(fact.uid, fact.live);
  }
}

function versionKey(of: { readonly epoch: number; readonly resourceVersion: string }): string {
  return `${of.epoch}|${of.resourceVersion}`;
}

function startOf(record: Pick<Tenure, 'start'>): number {
  return record.start.notBefore;
}

/** Bounds included: whatever may have been so within the span. */
function touches(record: Pick<Tenure, 'start' | 'end'>, span: Span): boolean {
  return record.start.notBefore < span.to && (record.end === undefined || record.end.notAfter > span.from);
}

function concerns(subject: Subject, holder: Holder): boolean {
  switch (subject.by) {
    case 'uid':
      return holder.uid === subject.uid;
    case 'name':
      return holder.namespace === subject.namespace && holder.name === subject.name;
    case 'workload':
      return (
        holder.namespace === subject.namespace &&
        holder.workload?.kind === subject.kind &&
        holder.workload.name === subject.name
      );
  }
}

function sorted<T>(items: Iterable<T>, order: (item: T) => number): T[] {
  return [...items].sort((a, b) => order(a) - order(b));
}

function paged<T>(items: Iterable<T>, order: (item: T) => number, wanted: (item: T) => boolean, page: Page): Paged<T> {
  const all = sorted(items, order).filter(wanted);
  const from = page.cursor === undefined ? 0 : Number(page.cursor);
  const next = from + page.limit;
  return { items: all.slice(from, next), cursor: next < all.length ? String(next) : undefined };
}

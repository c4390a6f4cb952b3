// Where Kubernetes ends and history begins: observations in, facts out. Deterministic and without a clock; the same log
// gives the same facts, and an observation that tells nothing new gives none. A recorder feeds it and stores what it
// returns; nothing here does I/O.
import type { Fact, LiveHolder } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Coverage, Scope } from '../model/records.ts';
import { type EpochMillis, latest } from '../model/time.ts';
import type { Sighting } from './boundaries.ts';
import { TOLERATED_SKEW_MS, writtenNotBefore } from './evidence.ts';
import { gone, type LifeStep, present } from './holder-life.ts';
import type { Observation, Observed } from './observation.ts';
import { compareVersions } from './version-order.ts';

export interface ObserverOptions {
  readonly collector: string;
  readonly scope: Scope;
  /** What an earlier run left behind. */
  readonly resume?: ObserverState;
}

export interface ObserverState {
  readonly epoch: number;
  readonly live: readonly LiveHolder[];
  readonly coverage: Coverage | undefined;
}

type Kind = Observed['kind'];

export class Observer {
  readonly #options: ObserverOptions;
  readonly #live = new Map<string, LiveHolder>();
  /** Who shows an address now; more than one is a conflict. */
  readonly #holding = new Map<IpAddress, Set<string>>();
  /** The latest time that any event of this kind mentioned: later events happened no earlier. */
  readonly #watermarks = new Map<Kind, EpochMillis>();
  #epoch: number;
  #coverage: Coverage | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#epoch = options.resume?.epoch ?? 1;
    this.#coverage = options.resume?.coverage;
    for (const live of options.resume?.live ?? []) this.#remember(live);
    // Everything that is replayed happened after the last instant of the watch before.
    const last = this.#coverage?.to;
    if (last !== undefined) for (const kind of ['Pod', 'Node', 'Service'] as const) this.#watermarks.set(kind, last);
  }

  get epoch(): number {
    return this.#epoch;
  }

  get coverage(): Coverage | undefined {
    return this.#coverage;
  }

  observe(observation: Observation): Fact[] {
    switch (observation.kind) {
      case 'event':
        return this.#event(observation.type, observation.seen, observation.at);
      case 'corrected':
        return this.#corrected(observation.type, observation.seen, observation.at);
      case 'listed':
        return this.#listed(observation);
      case 'progress':
      case 'alive':
        return this.#extend(observation.at, observation.at);
    }
  }

  #event(type: 'present' | 'deleted', seen: Observed, at: EpochMillis): Fact[] {
    const before = this.#live.get(seen.object.metadata.uid);
    if (this.#isOld(before, seen)) return [];
    const sighting = this.#sighting(seen, at, this.#watermarks.get(seen.kind));
    this.#raiseWatermark(seen, at);
    const facts = [...this.#skew(seen, sighting), ...this.#step(type, before, seen, sighting)];
    // Not to `at`: after a broken connection more events of the past may be on their way.
    return [...facts, ...this.#extend(latest(this.#coverage?.to, this.#watermarks.get(seen.kind)), at)];
  }

  #corrected(type: 'present' | 'deleted', seen: Observed, at: EpochMillis): Fact[] {
    const before = this.#live.get(seen.object.metadata.uid);
    if (type === 'present' && this.#isOld(before, seen)) return [];
    const sighting: Sighting = { ...this.#sighting(seen, at, before?.seenAt), source: 'list' };
    if (type === 'present') return this.#step('present', before, seen, sighting);
    return before === undefined ? [] : this.#apply(before.holder.uid, gone(before, undefined, sighting), sighting);
  }

  #listed(listing: Extract<Observation, { kind: 'listed' }>): Fact[] {
    if (listing.reason === 'rewound' && listing.resource === 'Pod') this.#epoch++;
    const facts: Fact[] = this.#takeBack(listing.since);
    const floor = this.#coverage?.to;
    const mentioned = new Set<string>();
    const missing = (uid: string): void => {
      const before = this.#live.get(uid);
      if (before === undefined || before.holder.kind !== listing.resource) return;
      const sighting: Sighting = {
        source: 'inferred',
        epoch: this.#epoch,
        resourceVersion: listing.resourceVersion,
        collector: this.#options.collector,
        at: listing.at,
        floor: latest(floor, before.seenAt),
      };
      facts.push(...this.#apply(uid, gone(before, undefined, sighting), sighting));
    };
    for (const seen of listing.present) mentioned.add(seen.object.metadata.uid);
    // Ends first: an address that moved within the gap is never held twice on the way.
    for (const uid of listing.goneUids) missing(uid);
    if (listing.whole) for (const uid of [...this.#live.keys()]) if (!mentioned.has(uid)) missing(uid);
    for (const seen of listing.present) {
      const before = this.#live.get(seen.object.metadata.uid);
      if (listing.reason !== 'rewound' && this.#isOld(before, seen)) continue;
      const sighting: Sighting = { ...this.#sighting(seen, listing.at, floor), source: 'list' };
      this.#raiseWatermark(seen, listing.at);
      facts.push(...this.#step('present', before, seen, sighting));
    }
    if (listing.resource === 'Pod') facts.push(...this.#openCoverage(listing.reason, listing.at));
    return facts;
  }

  #step(type: 'present' | 'deleted', before: LiveHolder | undefined, seen: Observed, sighting: Sighting): Fact[] {
    const { uid } = seen.object.metadata;
    if (type === 'present') return this.#apply(uid, present(before, seen, sighting), sighting);
    return before === undefined ? [] : this.#apply(uid, gone(before, seen, sighting), sighting);
  }

  #apply(uid: string, step: LifeStep, sighting: Sighting): Fact[] {
    const before = this.#live.get(uid);
    for (const tenure of before?.tenures ?? []) this.#release(tenure.ip, uid);
    this.#live.delete(uid);
    if (step.live === undefined) return [...step.facts];
    const conflicts = this.#conflicts(step.live, sighting);
    this.#remember(step.live);
    return [...step.facts, ...conflicts];
  }

  /** Invariant: an address has at most one non-terminal holder; a violation is a stored conflict, never an overwrite. */
  #conflicts(live: LiveHolder, { source, epoch, resourceVersion, collector, at }: Sighting): Fact[] {
    const facts: Fact[] = [];
    for (const { ip, start } of live.tenures) {
      if (start.observedAt !== at || start.resourceVersion !== resourceVersion) continue;
      for (const uid of this.#holding.get(ip) ?? []) {
        const other = this.#live.get(uid)?.holder;
        if (other === undefined || uid === live.holder.uid) continue;
        const provenance = { source, epoch, resourceVersion, collector, observedAt: at };
        facts.push({ kind: 'conflict', conflict: { ...provenance, ip, holders: [other, live.holder] } });
      }
    }
    return facts;
  }

  #remember(live: LiveHolder): void {
    this.#live.set(live.holder.uid, live);
    for (const { ip } of live.tenures) {
      const holders = this.#holding.get(ip);
      if (holders === undefined) this.#holding.set(ip, new Set([live.holder.uid]));
      else holders.add(live.holder.uid);
    }
  }

  #release(ip: IpAddress, uid: string): void {
    const holders = this.#holding.get(ip);
    holders?.delete(uid);
    if (holders?.size === 0) this.#holding.delete(ip);
  }

  /** Order is by (epoch, resourceVersion), never by time. */
  #isOld(before: LiveHolder | undefined, seen: Observed): boolean {
    if (before === undefined || before.epoch !== this.#epoch) return false;
    return compareVersions(seen.object.metadata.resourceVersion, before.resourceVersion) <= 0;
  }

  #sighting(seen: Observed, at: EpochMillis, floor: EpochMillis | undefined): Sighting {
    return {
      source: 'watch',
      epoch: this.#epoch,
      resourceVersion: seen.object.metadata.resourceVersion,
      collector: this.#options.collector,
      at,
      floor: floor !== undefined && floor > at ? at : floor,
    };
  }

  #raiseWatermark(seen: Observed, at: EpochMillis): void {
    const written = seen.kind === 'Pod' ? writtenNotBefore(seen.object, at) : undefined;
    const raised = latest(this.#watermarks.get(seen.kind), written);
    if (raised !== undefined) this.#watermarks.set(seen.kind, raised);
  }

  #skew(seen: Observed, { source, epoch, resourceVersion, collector, at }: Sighting): Fact[] {
    const created = seen.object.metadata.creationTimestamp;
    if (created === undefined || created <= at + TOLERATED_SKEW_MS) return [];
    const detail = `created ${created - at} ms after it was seen`;
    const { uid } = seen.object.metadata;
    const provenance = { source, epoch, resourceVersion, collector, observedAt: at };
    return [{ kind: 'anomaly', anomaly: { ...provenance, what: 'clock-skew', uid, detail } }];
  }

  #extend(to: EpochMillis | undefined, now: EpochMillis): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined || to === undefined || to <= coverage.to || to > now) return [];
    this.#coverage = { ...coverage, to };
    return [{ kind: 'coverage', coverage: this.#coverage }];
  }

  /** A watch that had fallen silent was believed alive for a while: what was claimed in that time was not watched. */
  #takeBack(since: EpochMillis | undefined): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined || since === undefined || since >= coverage.to) return [];
    this.#coverage = { ...coverage, to: since < coverage.from ? coverage.from : since };
    return [{ kind: 'coverage', coverage: this.#coverage }];
  }

  #openCoverage(opened: Coverage['opened'], at: EpochMillis): Fact[] {
    const { collector, scope } = this.#options;
    this.#coverage = { scope, epoch: this.#epoch, collector, from: at, to: at, confirmed: at, opened };
    return [{ kind: 'coverage', coverage: this.#coverage }];
  }
}

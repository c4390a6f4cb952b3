// The traces of causes: lives of pods, their departures, evidence. Sees the same observations as `Observer`, and those of
// the streams of evidence; deterministic, without a clock and without I/O. It reads what the observer remembers, before
// that takes the same observation in, and changes nothing of it: who held an address does not depend on causes.
import type { Provenance, Source } from '../../model/boundary.ts';
import { cut, type Evidence } from '../../model/evidence.ts';
import type { LiveHolder, StoredFact } from '../../model/fact.ts';
import { occurrenceFact } from '../../model/occurrence.ts';
import { type EpochMillis, latest } from '../../model/time.ts';
import { compareVersions } from '../../model/version-order.ts';
import { TOLERATED_SKEW_MS } from '../../observe/evidence.ts';
import { mirrorOf } from '../../observe/mirror.ts';
import type { Observation, Observed, ReportedEvidence } from '../../observe/observation.ts';
import type { Observer } from '../../observe/observer.ts';
import { EvidenceBudget } from './evidence-budget.ts';
import { NodeTraces } from './node-traces.ts';
import { PodLives } from './pod-lives.ts';

/** What is read of the observer beside it. */
export type RememberedLedger = Pick<Observer, 'epoch' | 'isOld' | 'live' | 'liveOf' | 'positionOf' | 'resumedAt'>;

export interface CauseObserverOptions {
  readonly collector: string;
  readonly ledger: RememberedLedger;
}

type Kind = Observed['kind'];
type Listing = Extract<Observation, { kind: 'listed' }>;
type Check = Extract<Observation, { kind: 'checked' }>;

export class CauseObserver {
  readonly #collector: string;
  readonly #ledger: RememberedLedger;
  readonly #pods = new PodLives();
  readonly #nodes = new NodeTraces();
  readonly #budget = new EvidenceBudget();
  /** Never goes back, except by an observation that the clock was wrong. */
  #now: EpochMillis | undefined;

  constructor({ collector, ledger }: CauseObserverOptions) {
    this.#collector = collector;
    this.#ledger = ledger;
  }

  /** Facts of lives, departures and evidence. Call it before the observer takes the same observation in. */
  observe(observation: Observation): StoredFact[] {
    this.#now = observation.kind === 'clock' ? observation.at : latest(this.#now, observation.at);
    const at = this.#now ?? observation.at;
    switch (observation.kind) {
      case 'evidence':
        return this.#storeReported(this.#reported(observation.evidence, at));
      case 'event':
      case 'corrected': {
        const { type, seen } = observation;
        const source = observation.kind === 'event' ? 'watch' : 'list';
        if (this.#ledger.isOld(observation)) {
          this.#recognise(seen, at);
          return [];
        }
        const { metadata } = seen.object;
        const provenance = this.#provenance(seen.kind, metadata.namespace, source, metadata.resourceVersion, at);
        if (type === 'present') return this.#present(seen, provenance);
        return this.#gone(seen, source === 'list' ? { ...provenance, source: 'inferred' } : provenance);
      }
      case 'listed':
        return this.#ledger.isOld(observation) ? [] : this.#listed(observation, at);
      case 'checked':
        return this.#checked(observation, at);
      default:
        return [];
    }
  }

  #present(seen: Observed, provenance: Provenance): StoredFact[] {
    const { metadata } = seen.object;
    const live = this.#ledger.live(metadata.uid);
    if (seen.kind === 'Pod') return this.#pods.present(seen.object, live, provenance);
    if (seen.kind !== 'Node') return [];
    return this.#store(this.#nodes.present(seen.object, live, this.#isNew(seen, live, provenance), provenance));
  }

  /** A node that an event shows first is new; in a listing, one that was created after the recorder before. */
  #isNew({ object }: Observed, live: LiveHolder | undefined, { source }: Provenance): boolean {
    if (live !== undefined || source === 'watch') return live === undefined;
    const { resumedAt } = this.#ledger;
    return resumedAt !== undefined && (object.metadata.creationTimestamp ?? 0) > resumedAt;
  }

  #gone(seen: Observed, provenance: Provenance): StoredFact[] {
    const { name, uid } = seen.object.metadata;
    if (seen.kind === 'Pod') return this.#pods.gone(seen.object, this.#ledger.live(uid), provenance);
    return seen.kind === 'Node' ? this.#store(this.#nodes.gone(name, uid, provenance)) : [];
  }

  #listed(listing: Listing, at: EpochMillis): StoredFact[] {
    const { resource, namespace, resourceVersion, reason, whole, present } = listing;
    if (resource === 'Service') return [];
    const before = this.#provenance(resource, namespace, 'list', resourceVersion, at);
    // After a rewind the listing is the first of another history, of which the ledger does not know yet.
    const provenance = reason === 'rewound' ? { ...before, epoch: before.epoch + 1 } : before;
    const gone = new Set(listing.goneUids);
    const missing = this.#ledger.liveOf(resource, namespace).filter(({ holder }) => whole || gone.has(holder.uid));
    const facts = this.#missing(missing, present, provenance);
    for (const seen of present) {
      const { uid, resourceVersion: version } = seen.object.metadata;
      const live = this.#ledger.live(uid);
      const isRecorded = live?.epoch === provenance.epoch && compareVersions(version, live.resourceVersion) <= 0;
      if (isRecorded) this.#recognise(seen, at);
      else facts.push(...this.#present(seen, { ...provenance, resourceVersion: version }));
    }
    return facts;
  }

  /** Beside a catch-up: who is remembered from before this version and was not listed is gone. */
  #checked({ resource, namespace, resourceVersion, uids }: Check, at: EpochMillis): StoredFact[] {
    if (resource === 'Service') return [];
    const listed = new Set(uids);
    const provenance = this.#provenance(resource, namespace, 'inferred', resourceVersion, at);
    const missing = this.#ledger.liveOf(resource, namespace).filter((live) => {
      const isOlder = compareVersions(live.resourceVersion, resourceVersion) <= 0;
      // A mirror pod is remembered by the first of its UIDs.
      return (
        isOlder && live.epoch === provenance.epoch && live.more?.mirror === undefined && !listed.has(live.holder.uid)
      );
    });
    return this.#missing(missing, [], provenance);
  }

  #missing(candidates: readonly LiveHolder[], present: readonly Observed[], provenance: Provenance): StoredFact[] {
    const facts: StoredFact[] = [];
    const listed = new Set<string>();
    for (const seen of present) {
      listed.add(seen.object.metadata.uid);
      const mirror = seen.kind === 'Pod' ? mirrorOf(seen.object) : undefined;
      if (mirror !== undefined) listed.add(mirror);
    }
    for (const live of candidates) {
      const { holder, more } = live;
      if (listed.has(holder.uid) || listed.has(more?.mirror ?? holder.uid)) continue;
      const { watermark } = this.#ledger.positionOf(holder.kind, holder.namespace);
      if (holder.kind === 'Pod') facts.push(...this.#pods.missing(live, watermark, provenance));
      else facts.push(...this.#store(this.#nodes.gone(holder.name, holder.uid, { ...provenance, source: 'inferred' })));
    }
    return facts;
  }

  /** What is not newer than the ledger is stored: after a restart, that is where the comparison begins. */
  #recognise(seen: Observed, at: EpochMillis): void {
    const { uid, resourceVersion } = seen.object.metadata;
    const live = this.#ledger.live(uid);
    if (live?.resourceVersion !== resourceVersion) return;
    if (seen.kind === 'Pod') this.#pods.recognise(seen.object, live, at);
    if (seen.kind === 'Node') this.#nodes.recognise(seen.object, at);
  }

  #reported(evidence: ReportedEvidence, at: EpochMillis): Evidence {
    const { epoch } = this.#ledger;
    const isPast = Number.isFinite(evidence.at) && evidence.at <= at + TOLERATED_SKEW_MS;
    const known = { epoch, collector: this.#collector, observedAt: at };
    return { ...evidence, ...known, message: cut(evidence.message), at: isPast ? evidence.at : at };
  }

  /** Whoever reads the audit log has a budget of its own: who deleted a pod must not be hidden behind many Events. */
  #storeReported(evidence: Evidence): StoredFact[] {
    return evidence.source === 'audit' ? [occurrenceFact('evidence', evidence)] : this.#store([evidence]);
  }

  #store(evidence: readonly Evidence[]): StoredFact[] {
    return evidence.flatMap((one) => {
      const stored = this.#budget.apply(one, one.observedAt);
      return stored === undefined ? [] : occurrenceFact('evidence', stored);
    });
  }

  #provenance(
    kind: Kind,
    namespace: string | undefined,
    source: Source,
    resourceVersion: string,
    observedAt: EpochMillis,
  ): Provenance {
    const { epoch } = this.#ledger.positionOf(kind, namespace);
    return { source, epoch, resourceVersion, observedAt, collector: this.#collector };
  }
}

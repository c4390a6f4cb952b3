// Where Kubernetes ends and history begins: observations in, facts out. Deterministic and without a clock; the same log
// gives the same facts, and an observation that says nothing new gives none. A recorder feeds it and stores what it
// returns; nothing here does I/O.
import type { Fact, LiveHolder, LiveState, StoredFact } from '../model/fact.ts';
import type { Checkpoint, Coverage, Scope, StreamPosition } from '../model/records.ts';
import { type EpochMillis, earliest, epochMillis, latest } from '../model/time.ts';
import { compareVersions, isRecorded } from '../model/version-order.ts';
import { Anomalies } from './anomalies.ts';
import { ChangeBudget, type ChangeBudgets, type ChangeUse, DEFAULT_CHANGE_BUDGETS } from './change-budget.ts';
import type { WrongTime } from './clock-correction.ts';
import { CurrentCoverage } from './current-coverage.ts';
import { writtenNotBefore } from './evidence.ts';
import { gone, type LifeStep, present, returned } from './holder-life.ts';
import { type ConsistentListing, type Correction, type ListedStep, type Listing, Listings } from './listings.ts';
import { LiveHolders } from './live-holders.ts';
import { deserializeLive, storedFact } from './live-state.ts';
import { mirrorOf } from './mirror.ts';
import { MirrorIdentities } from './mirror-identities.ts';
import { NodeBook } from './node-book.ts';
import { NodeNews } from './node-news.ts';
import type { Observation, Observed } from './observation.ts';
import {
  CONTINUED,
  ContextFactory,
  type Continuity,
  type ObservationContext,
  provenanceOf,
} from './observation-context.ts';
import { RecentEnds } from './recent-ends.ts';
import { Releases } from './releases.ts';
import { RewindDoubts } from './rewind-doubts.ts';
import { LONGEST_DELIVERY_MS } from './stream.ts';
import { Streams } from './streams.ts';

export interface ObserverOptions {
  readonly collector: string;
  readonly scope: Scope;
  /**
   * The kinds that are followed besides pods. Then coverage begins when each of them has been listed, only `alive`, which
   * is for all of them, extends it, and where one of them was lost nothing is free.
   */
  readonly alsoFollows?: readonly StreamPosition['kind'][];
  /** How much of annotation changes is recorded; the default is that of change-budget.ts. */
  readonly changeBudgets?: ChangeBudgets | undefined;
  /** What an earlier run left behind. */
  readonly resume?: ObserverState;
  /** Where it had come to: events up to these versions are in `resume` and are not taken in twice. */
  readonly checkpoint?: Checkpoint | undefined;
}

export interface ObserverState {
  readonly epoch: number;
  /** As engines keep it (live-state.ts). */
  readonly live: readonly LiveState[];
  readonly coverage: Coverage | undefined;
  /** What changes used of their budgets in the hour of its end, and later. */
  readonly changeUses?: readonly ChangeUse[];
}

type Check = Extract<Observation, { kind: 'checked' }>;

export class Observer {
  readonly #live: LiveHolders;
  readonly #streams: Streams;
  readonly #contexts: ContextFactory;
  readonly #listings: Listings;
  readonly #doubts = new RewindDoubts();
  #ends = new RecentEnds();
  readonly #anomalies = new Anomalies();
  readonly #nodes: NodeBook;
  readonly #releases: Releases;
  readonly #news: NodeNews;
  readonly #coverage: CurrentCoverage;
  readonly #identities = new MirrorIdentities();
  readonly #changes: ChangeBudget;
  /** Invariant: never goes back, whatever the collector's clock does, except by an observation that it was wrong. */
  #now: EpochMillis | undefined;

  constructor({ collector, scope, alsoFollows = [], changeBudgets, resume, checkpoint }: ObserverOptions) {
    const resumed = resume?.coverage;
    this.#now = resumed?.to;
    this.#streams = new Streams({ scope, alsoFollows, checkpoint, epoch: resume?.epoch ?? 1, resumed });
    this.#coverage = new CurrentCoverage(collector, scope, resumed);
    const live = (resume?.live ?? []).map(deserializeLive);
    this.#live = new LiveHolders(live);
    this.#nodes = new NodeBook(live);
    this.#releases = new Releases(this.#live, this.#nodes);
    this.#news = new NodeNews(collector, this.#live, this.#nodes, this.#releases);
    this.#contexts = new ContextFactory(collector, (node) =>
      this.#followsNodes ? this.#news.evidenceOf(node) : undefined,
    );
    this.#listings = new Listings(this.#live, this.#streams, this.#doubts, this.#contexts);
    this.#changes = new ChangeBudget(changeBudgets ?? DEFAULT_CHANGE_BUDGETS, resume?.changeUses);
  }

  get epoch(): number {
    return this.#streams.epoch;
  }

  /** That of the pods' stream, which may not have noticed yet what another one did. */
  get podEpoch(): number {
    return this.#streams.podEpoch;
  }

  get coverage(): Coverage | undefined {
    return this.#coverage.value;
  }

  /** Until when the recorder before watched. */
  get resumedAt(): EpochMillis | undefined {
    return this.#streams.resumedAt;
  }

  /** How many annotation changes were not recorded since this observer began. */
  get suppressedChanges(): number {
    return this.#changes.suppressed;
  }

  /** Nodes whose Lease would help now: a collector that may read it reports it as `renewed`. */
  get nodesInQuestion(): readonly string[] {
    return this.#followsNodes ? this.#releases.nodesInQuestion : [];
  }

  /** Where the streams besides the pods' have come to, for the checkpoint; those that can resume from there. */
  get otherPositions(): StreamPosition[] {
    return this.#streams.otherPositions;
  }

  get #followsNodes(): boolean {
    return this.#streams.others.includes('Node');
  }

  /** What is remembered of the holder with this UID, while it is there. */
  live(uid: string): LiveHolder | undefined {
    return this.#live.get(uid);
  }

  /** Of all holders of a kind that are there. */
  liveOf(kind: Observed['kind'], namespace: string | undefined): readonly LiveHolder[] {
    return this.#live.of(kind, namespace);
  }

  /** How far the stream of a kind has come. */
  positionOf(
    kind: Observed['kind'],
    namespace: string | undefined,
  ): { readonly epoch: number; readonly watermark: EpochMillis | undefined } {
    return this.#streams.of(kind, namespace);
  }

  /** Whether `observe` would not take it in: it is not newer than what is recorded. */
  isOld(observed: Observation): boolean {
    return this.#isOld(this.#identities.known(observed, this.#live));
  }

  /**
   * Whether a consistent listing cannot follow what is recorded. Changes nothing; a collector asks where it resumes from a
   * checkpoint, and then reports the listing as one after a rewind.
   */
  contradicts(listing: ConsistentListing): boolean {
    return this.#listings.contradicts(listing, this.#identities);
  }

  /** As engines store it. */
  observe(observed: Observation): StoredFact[] {
    const observation = this.#identities.known(observed, this.#live);
    // What is not taken in says nothing of nodes, either.
    if (this.#isOld(observation)) {
      this.#now = latest(this.#now, observation.at);
      return [];
    }
    const facts = this.#changes.apply([...this.#facts(observation), ...this.#ofNodes(observation)]);
    this.#ends.remember(facts);
    return facts.map(storedFact);
  }

  #ofNodes(observation: Observation): Fact[] {
    if (!this.#followsNodes) return [];
    return this.#news.of(observation, this.#streams.of('Node', undefined), this.#now ?? observation.at);
  }

  #facts(observation: Observation): Fact[] {
    if (observation.kind === 'clock') return this.#clockWasWrong(observation);
    const at = latest(this.#now, observation.at) ?? observation.at;
    this.#now = at;
    switch (observation.kind) {
      case 'event':
        return this.#event(observation.type, observation.seen, at);
      case 'corrected':
        return this.#corrected(observation, at);
      case 'listed':
        return this.#listed(observation, at);
      case 'checked':
        return this.#checked(observation, at);
      case 'progress':
        this.#streams
          .of(observation.resource, observation.namespace)
          .delivered(observation.resourceVersion, observation.at, false);
        // With several streams one alone proves nothing: `alive` does.
        return this.#extendCoverage(this.#streams.others.length > 0 ? this.#coverage.value?.to : observation.at);
      case 'probed':
        this.#streams.probed(observation.resourceVersion, observation.at);
        return this.#extendCoverage(this.#coverage.value?.to);
      case 'renewed':
      case 'evidence':
        return [];
      case 'alive':
        return this.#reopenCoverage() ?? this.#extendCoverage(observation.at);
    }
  }

  /** After a withdrawal the watch goes on, and everything from now on is delivered. */
  #reopenCoverage(): Fact[] | undefined {
    if (!this.#coverage.isWithdrawn || this.#now === undefined || !this.#streams.areListed) return undefined;
    return this.#coverage.open('clock', this.#streams.epoch, this.#now);
  }

  /** There is no coverage from then until the next `alive`, which opens another: in between is a gap. */
  #clockWasWrong(wrong: WrongTime): Fact[] {
    const facts: Fact[] = this.#live.correct(wrong);
    this.#nodes.correct(wrong);
    this.#releases.correct();
    this.#now = wrong.at;
    this.#ends = new RecentEnds();
    this.#streams.correct(wrong);
    return [...this.#coverage.correct(wrong), ...facts];
  }

  #isOld(observation: Observation): boolean {
    switch (observation.kind) {
      case 'event':
        return this.#isOldEvent(observation.seen);
      case 'listed':
        return this.#listings.isOldListing(observation);
      case 'corrected':
        return this.#listings.isOldCorrection(observation);
      default:
        return false;
    }
  }

  /** It was delivered before; or a listing or a correction knows this object better than an event that was on its way. */
  #isOldEvent(seen: Observed): boolean {
    const { namespace, resourceVersion, uid } = seen.object.metadata;
    const stream = this.#streams.of(seen.kind, namespace);
    return stream.isOld(resourceVersion) || isRecorded(this.#live.get(uid), stream.epoch, resourceVersion);
  }

  #event(type: 'present' | 'deleted', seen: Observed, at: EpochMillis): Fact[] {
    const { metadata } = seen.object;
    const stream = this.#streams.of(seen.kind, metadata.namespace);
    const watermark = stream.delivered(metadata.resourceVersion, at, true);
    const context = this.#contexts.of(seen, stream, watermark, at);
    const back = type === 'present' ? this.#broughtBack(seen, context) : [];
    const doubt = seen.kind === 'Pod' ? this.#doubts.of(seen.object, type, watermark) : CONTINUED;
    const isBackAfterEnd = type === 'present' && back.length === 0 && this.#live.hasEnded(metadata.uid);
    const continuity: Continuity = isBackAfterEnd ? { kind: 'reappeared' } : doubt;
    const facts = [...back, ...this.#take(type, seen, { ...context, continuity })];
    stream.mentioned(writtenNotBefore(seen, at));
    // Not to `at`: after a broken connection more events of the past may be on their way.
    const known = this.#streams.others.length > 0 ? undefined : this.#streams.podWatermark;
    return [...facts, ...this.#extendCoverage(latest(this.#coverage.value?.to, known))];
  }

  #corrected(correction: Correction, at: EpochMillis): Fact[] {
    const { type, seen } = correction;
    const { uid, namespace } = seen.object.metadata;
    const stream = this.#streams.of(seen.kind, namespace);
    const missed = this.#live.missed(uid);
    if (missed !== undefined)
      return this.#take('present', seen, this.#listings.returnedContext(missed, seen, stream, at));
    const before = this.#live.get(uid);
    const context = this.#listings.correctedContext(correction, before, stream, at);
    if (type === 'present' || before === undefined) return this.#take('present', seen, context);
    return this.#apply(uid, gone(before, undefined, context), context);
  }

  #listed(listing: Listing, at: EpochMillis): Fact[] {
    const stream = this.#streams.of(listing.resource, listing.namespace);
    if (listing.reason === 'rewound') this.#streams.rewind(stream);
    const ended = [...this.#endCoverage(listing, stream.watermark, at), ...this.#doubtEnds(listing)];
    // After a rewind: what was delivered since the last certain instant was perhaps not all of it.
    const watermark = listing.reason === 'rewound' ? earliest(stream.watermark, listing.since) : stream.watermark;
    const arrival = { listing, stream, watermark, at };
    const listed = this.#applyListed([...this.#listings.missingFrom(arrival), ...this.#listings.presentIn(arrival)]);
    stream.restart(listing.resourceVersion, at);
    // Facts of every pod of a cluster: as arguments of one call, as of `push`, they would overflow the stack.
    return [...ended, ...listed, ...this.#openCoverage(listing, at)];
  }

  /** Ends that were recorded since the last certain instant before a rewind may be earlier than was believed. */
  #doubtEnds({ reason, since, resource }: Listing): Fact[] {
    if (reason !== 'rewound' || since === undefined) return [];
    return this.#ends.doubtedSince(since, resource).map((tenure) => ({ kind: 'tenure', tenure }));
  }

  #applyListed(steps: readonly ListedStep[]): Fact[] {
    const facts: Fact[] = [];
    for (const { before, seen, context } of steps)
      if (seen !== undefined) facts.push(...this.#anomalous(before, seen, context));
    // All ends before any beginning: an address that moved within the gap is never held twice on the way.
    for (const { uid, step } of steps) facts.push(...this.#live.replace(uid, step.live, step.facts));
    for (const { uid, context } of steps) facts.push(...this.#live.conflicts(uid, context));
    return facts;
  }

  #checked({ resource, namespace, resourceVersion, uids }: Check, at: EpochMillis): Fact[] {
    const stream = this.#streams.of(resource, namespace);
    const listed = new Set(uids);
    const facts: Fact[] = [];
    for (const live of this.#live.of(resource, namespace)) {
      const isNewer = compareVersions(live.resourceVersion, resourceVersion) > 0;
      if (listed.has(live.holder.uid) || live.epoch !== stream.epoch || isNewer) continue;
      const watermark = epochMillis(live.seenAt - LONGEST_DELIVERY_MS);
      const context = this.#contexts.ofMissing(live, stream, resourceVersion, watermark, at);
      facts.push(...this.#apply(live.holder.uid, gone(live, undefined, context), context));
    }
    return facts;
  }

  #take(type: 'present' | 'deleted', seen: Observed, context: ObservationContext): Fact[] {
    const { uid } = seen.object.metadata;
    const before = this.#live.get(uid) ?? this.#live.missed(uid);
    if (type === 'deleted' && before === undefined) return [];
    const step =
      type === 'present' || before === undefined ? present(before, seen, context) : gone(before, seen, context);
    return [...this.#anomalous(before, seen, context), ...this.#apply(uid, step, context)];
  }

  #apply(uid: string, step: LifeStep, context: ObservationContext): Fact[] {
    return [...this.#live.replace(uid, step.live, step.facts), ...this.#live.conflicts(uid, context)];
  }

  #anomalous(before: LiveHolder | undefined, seen: Observed, context: ObservationContext): Fact[] {
    const found = this.#anomalies.of(before, seen, context.at);
    return found.map((anomaly) => ({ kind: 'anomaly', anomaly: { ...provenanceOf(context), ...anomaly } }));
  }

  /** A mirror pod that was deleted is made again: its sandbox ran on. */
  #broughtBack(seen: Observed, context: ObservationContext): readonly Fact[] {
    const mirror = seen.kind === 'Pod' ? mirrorOf(seen.object) : undefined;
    const going = mirror === undefined ? undefined : this.#live.going.mirror(mirror);
    if (going === undefined) return [];
    const { facts, live } = returned(going, context);
    if (live !== undefined) this.#live.keep(live);
    return facts;
  }

  #extendCoverage(wanted: EpochMillis | undefined): Fact[] {
    return this.#coverage.extend(wanted, this.#streams.podWatermark, this.#now);
  }

  /** A listing follows a watch that was lost: the coverage ends where that was last certainly alive. */
  #endCoverage({ resource, since, reason }: Listing, watermark: EpochMillis | undefined, at: EpochMillis): Fact[] {
    if (resource === 'Pod')
      return this.#coverage.takeBack([watermark, since], (to) => this.#live.addressesKnownUntil(to));
    if (this.#streams.others.length === 0) return [];
    return this.#coverage.podsOnly({ watermark, since }, { opened: reason, epoch: this.#streams.epoch, at });
  }

  #openCoverage({ resource, reason }: Listing, at: EpochMillis): Fact[] {
    const opens = resource === 'Pod' || !this.#coverage.isOpen;
    return opens && this.#streams.areListed ? this.#coverage.open(reason, this.#streams.epoch, at) : [];
  }
}

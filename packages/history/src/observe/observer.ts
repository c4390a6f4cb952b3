// Where Kubernetes ends and history begins: observations in, facts out. Deterministic and without a clock; the same log
// gives the same facts, and an observation that tells nothing new gives none. A recorder feeds it and stores what it
// returns; nothing here does I/O.
import type { Fact, LiveHolder, LiveState, StoredFact } from '../model/fact.ts';
import { type Checkpoint, type Coverage, type Scope, type StreamPosition, sees } from '../model/records.ts';
import { type EpochMillis, earliest, epochMillis, latest } from '../model/time.ts';
import { Anomalies } from './anomalies.ts';
import { undoneSince } from './boundaries.ts';
import { ChangeBudget, type ChangeBudgets, type ChangeUse, DEFAULT_CHANGE_BUDGETS } from './change-budget.ts';
import { correctedCoverage, type WrongTime } from './clock-correction.ts';
import { CoverageClaim } from './coverage-claim.ts';
import { RESOLUTION_MS, writtenNotBefore } from './evidence.ts';
import { gone, type LifeStep, present, returned } from './holder-life.ts';
import { LiveHolders } from './live-holders.ts';
import { deserializeLive, storedFact } from './live-state.ts';
import { mirrorOf } from './mirror.ts';
import { MirrorIdentities } from './mirror-identities.ts';
import { NodeBook } from './node-book.ts';
import { NodeNews } from './node-news.ts';
import type { Observation, Observed } from './observation.ts';
import { CONTINUED, type Continuity, type NodeEvidence, type ObservationContext } from './observation-context.ts';
import { RecentEnds } from './recent-ends.ts';
import { Releases } from './releases.ts';
import { RewindDoubts } from './rewind-doubts.ts';
import { LONGEST_DELIVERY_MS, Stream } from './stream.ts';
import { compareVersions } from './version-order.ts';

export interface ObserverOptions {
  readonly collector: string;
  readonly scope: Scope;
  /**
   * The kinds whose streams are told of besides the pods'. Then nothing is claimed before each of them has been listed,
   * only `alive` (which speaks for all of them) extends the claim, and where one of them was lost nothing is free.
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

type Kind = Observed['kind'];

/** All objects of one stream, by a consistent read. */
export interface Claim {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly present: readonly Observed[];
  /** Everything up to the listing has been told: who is remembered and not among them is missing. */
  readonly isWhole: boolean;
}

type Listing = Extract<Observation, { kind: 'listed' }>;
/** What a listing changes of one holder; `seen` is undefined for one that is missing. */
interface ListedStep {
  readonly uid: string;
  readonly before: LiveHolder | undefined;
  readonly seen: Observed | undefined;
  readonly context: ObservationContext;
  readonly step: LifeStep;
}

type Check = Extract<Observation, { kind: 'checked' }>;
type Correction = Extract<Observation, { kind: 'corrected' }>;

export class Observer {
  readonly #options: ObserverOptions;
  readonly #live: LiveHolders;
  readonly #streams = new Map<string, Stream>();
  readonly #doubts = new RewindDoubts();
  #ends = new RecentEnds();
  readonly #anomalies = new Anomalies();
  readonly #nodes: NodeBook;
  readonly #releases: Releases;
  readonly #news: NodeNews;
  readonly #claim: CoverageClaim;
  readonly #identities = new MirrorIdentities();
  readonly #changes: ChangeBudget;
  #epoch: number;
  /** Of the recorder before. */
  #earlier: Coverage | undefined;
  /** Invariant: never goes back, whatever the collector's clock does, except where it is told that it was wrong. */
  #now: EpochMillis | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#epoch = options.resume?.epoch ?? 1;
    this.#earlier = options.resume?.coverage;
    this.#now = this.#earlier?.to;
    this.#claim = new CoverageClaim(options.collector, options.scope, this.#earlier);
    const live = (options.resume?.live ?? []).map(deserializeLive);
    this.#live = new LiveHolders(live);
    this.#nodes = new NodeBook(live);
    this.#releases = new Releases(this.#live, this.#nodes);
    this.#news = new NodeNews(options.collector, this.#live, this.#nodes, this.#releases);
    this.#changes = new ChangeBudget(options.changeBudgets ?? DEFAULT_CHANGE_BUDGETS, options.resume?.changeUses);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** That of the pods' stream, which may not have noticed yet what another one did. */
  get podEpoch(): number {
    return this.#options.scope.kind === 'cluster' ? this.#stream('Pod', undefined).epoch : this.#epoch;
  }

  get coverage(): Coverage | undefined {
    return this.#claim.present;
  }

  /** Until when the recorder before watched. */
  get resumedAt(): EpochMillis | undefined {
    return this.#earlier?.to;
  }

  /** How many annotation changes were not recorded since this observer began. */
  get suppressedChanges(): number {
    return this.#changes.suppressed;
  }

  /** Nodes whose Lease would help now: a collector that may read it reports it as `renewed`. */
  get nodesInQuestion(): readonly string[] {
    if (!this.#others.includes('Node')) return [];
    return this.#releases.nodesInQuestion;
  }

  /** Where the streams besides the pods' have come to, for the checkpoint; those that can go on from there. */
  get otherPositions(): StreamPosition[] {
    return this.#others.flatMap((kind) => {
      const { epoch, version, watermark } = this.#stream(kind, undefined);
      const canGoOn = epoch === this.#epoch && version !== undefined && watermark !== undefined;
      return canGoOn ? [{ kind, resourceVersion: version, watermark }] : [];
    });
  }

  /** Recorders of some namespaces never say free: to them services and nodes make no difference. */
  get #others(): readonly StreamPosition['kind'][] {
    return this.#options.scope.kind === 'cluster' ? (this.#options.alsoFollows ?? []) : [];
  }

  /** As engines store it. */
  observe(told: Observation): StoredFact[] {
    const observation = this.#identities.known(told, this.#live);
    // An event that is not taken in says nothing of nodes, either.
    if (observation.kind === 'event' && this.#isOld(observation.seen)) {
      this.#now = latest(this.#now, observation.at);
      return [];
    }
    const facts = this.#changes.apply([...this.#facts(observation), ...this.#ofNodes(observation)]);
    this.#ends.remember(facts);
    return facts.map(storedFact);
  }

  #ofNodes(observation: Observation): Fact[] {
    if (!this.#others.includes('Node')) return [];
    return this.#news.of(observation, this.#stream('Node', undefined), this.#now ?? observation.at);
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
        this.#stream(observation.resource, observation.namespace).heard(
          observation.resourceVersion,
          observation.at,
          false,
        );
        // With several streams one alone proves nothing: `alive` does.
        return this.#extend(this.#others.length > 0 ? this.#claim.present?.to : observation.at);
      case 'probed':
        for (const stream of this.#streams.values()) stream.probed(observation.resourceVersion, observation.at);
        return this.#extend(this.#claim.present?.to);
      case 'renewed':
        return [];
      case 'alive':
        return this.#resumed() ?? this.#extend(observation.at);
    }
  }

  /** After a withdrawal the watch goes on, and everything from now on is told. */
  #resumed(): Fact[] | undefined {
    if (!this.#claim.isWithdrawn || this.#now === undefined || !this.#allListed()) return undefined;
    return this.#claim.open('clock', this.#epoch, this.#now);
  }

  /** Nothing is claimed since then until the next `alive`, which opens a new stretch: in between is a gap. */
  #clockWasWrong(wrong: WrongTime): Fact[] {
    const facts: Fact[] = this.#live.correct(wrong);
    this.#nodes.correct(wrong);
    this.#releases.correct();
    this.#now = wrong.at;
    this.#ends = new RecentEnds();
    for (const stream of this.#streams.values()) stream.correct(wrong);
    this.#earlier = this.#earlier && correctedCoverage(this.#earlier, wrong);
    return [...this.#claim.correct(wrong), ...facts];
  }

  /**
   * Whether a consistent listing cannot be of the history that has been told: it shows something as it was before what is
   * remembered of it, or something that should have been told and was not. Tells nothing; a collector asks where it
   * goes on from a checkpoint, and then tells the listing as one after a rewind. (Events that were lost look the same.)
   */
  contradicts({ kind, namespace, present, isWhole }: Claim): boolean {
    const stream = this.#stream(kind, namespace);
    const uids = new Set<string>();
    for (const { object } of present) {
      const { resourceVersion } = object.metadata;
      const uid = this.#identities.uidOf(object.metadata.uid);
      uids.add(uid);
      const before = this.#live.get(uid);
      if (before !== undefined && before.epoch !== stream.epoch) continue;
      const order = before === undefined ? 1 : compareVersions(resourceVersion, before.resourceVersion);
      if (order < 0 || (order > 0 && (isWhole || stream.isOld(resourceVersion)))) return true;
    }
    if (!isWhole) return false;
    return this.#live.of(kind, namespace).some(({ holder, epoch }) => epoch === stream.epoch && !uids.has(holder.uid));
  }

  /** It was delivered before; or a listing or a correction knows this object better than an event that was on its way. */
  #isOld(seen: Observed): boolean {
    const { namespace, resourceVersion, uid } = seen.object.metadata;
    const stream = this.#stream(seen.kind, namespace);
    return stream.isOld(resourceVersion) || isOld(this.#live.get(uid), seen, stream);
  }

  #event(type: 'present' | 'deleted', seen: Observed, at: EpochMillis): Fact[] {
    const { metadata } = seen.object;
    const stream = this.#stream(seen.kind, metadata.namespace);
    const watermark = stream.heard(metadata.resourceVersion, at, true);
    const context = this.#context(seen, stream, at, watermark);
    const back = type === 'present' ? this.#broughtBack(seen, context) : [];
    const doubt = seen.kind === 'Pod' ? this.#doubts.of(seen.object, type, watermark) : CONTINUED;
    const isBackAfterEnd = type === 'present' && back.length === 0 && this.#live.hasEnded(metadata.uid);
    const continuity: Continuity = isBackAfterEnd ? { kind: 'reappeared' } : doubt;
    const facts = [...back, ...this.#take(type, seen, { ...context, continuity })];
    stream.mentioned(writtenNotBefore(seen, at));
    // Not to `at`: after a broken connection more events of the past may be on their way.
    const known = this.#others.length > 0 ? undefined : this.#confirmed();
    return [...facts, ...this.#extend(latest(this.#claim.present?.to, known))];
  }

  #corrected({ type, seen, at: told }: Correction, at: EpochMillis): Fact[] {
    const { metadata } = seen.object;
    const stream = this.#stream(seen.kind, metadata.namespace);
    const missed = this.#live.missed(metadata.uid);
    if (missed !== undefined) {
      // One that was told before the listing which lacked it says nothing new.
      if (type === 'deleted' || told <= missed.seenAt) return [];
      return this.#take('present', seen, this.#returned(missed, stream, this.#context(seen, stream, at, undefined)));
    }
    const before = this.#live.get(metadata.uid);
    if (this.#live.hasEnded(metadata.uid) || (type === 'present' && isOld(before, seen, stream))) return [];
    const watermark = before === undefined ? undefined : epochMillis(before.seenAt - LONGEST_DELIVERY_MS);
    const found: ObservationContext = { ...this.#context(seen, stream, at, watermark), source: 'list' };
    const context = this.#isOverlooked(before, seen)
      ? {
          ...found,
          resourceVersion: stream.version ?? found.resourceVersion,
          continuity: { kind: 'overlooked' } as const,
        }
      : found;
    if (type === 'present') return this.#take('present', seen, context);
    return before === undefined ? [] : this.#apply(metadata.uid, gone(before, undefined, context), context);
  }

  /**
   * Everything about that time had been told to the recorder before this one, and it does not remember this: a listing
   * had lacked it. Within one recorder's life `missed` knows such ones.
   */
  #isOverlooked(before: LiveHolder | undefined, { kind, object: { metadata } }: Observed): boolean {
    const earlier = this.#earlier;
    if (before !== undefined || earlier === undefined || metadata.creationTimestamp === undefined) return false;
    const isOlder = metadata.creationTimestamp + RESOLUTION_MS < earlier.confirmed;
    return isOlder && wasWatched(earlier.scope, kind, metadata.namespace);
  }

  /** Nothing about it has changed, perhaps not even its version: what begins anew begins with what is known now. */
  #returned(missed: LiveHolder, stream: Stream, context: ObservationContext): ObservationContext {
    const resourceVersion = stream.version ?? context.resourceVersion;
    return { ...context, source: 'list', resourceVersion, watermark: missed.networkLostAt };
  }

  #listed(listing: Listing, at: EpochMillis): Fact[] {
    const stream = this.#stream(listing.resource, listing.namespace);
    if (isRepeated(listing, stream)) return [];
    const isRewound = listing.reason === 'rewound';
    if (isRewound) this.#rewind(stream);
    const facts = this.#lost(listing, stream.watermark, at);
    // What was told after the last certain moment was perhaps not all of it.
    const watermark = isRewound ? earliest(stream.watermark, listing.since) : stream.watermark;
    if (isRewound && listing.since !== undefined) {
      const doubted = this.#ends.doubtedSince(listing.since, listing.resource);
      facts.push(...doubted.map((tenure): Fact => ({ kind: 'tenure', tenure })));
    }
    const steps = [
      ...this.#missingFrom(listing, stream, watermark, at),
      ...this.#presentIn(listing, stream, watermark, at),
    ];
    for (const { before, seen, context } of steps)
      if (seen !== undefined) facts.push(...this.#anomalous(before, seen, context));
    // All ends before any beginning: an address that moved within the gap is never held twice on the way.
    for (const { uid, step } of steps) facts.push(...this.#live.replace(uid, step.live, step.facts));
    for (const { uid, context } of steps) facts.push(...this.#live.conflicts(uid, context));
    stream.restart(listing.resourceVersion, at);
    const opens = listing.resource === 'Pod' || !this.#claim.isOpen;
    if (opens && this.#allListed()) facts.push(...this.#claim.open(listing.reason, this.#epoch, at));
    return facts;
  }

  /** Who is remembered and not in the listing has gone. */
  #missingFrom(listing: Listing, stream: Stream, watermark: EpochMillis | undefined, at: EpochMillis): ListedStep[] {
    const mentioned = new Set(listing.present.map((seen) => seen.object.metadata.uid));
    const missing = new Set(listing.goneUids);
    if (listing.whole)
      for (const live of this.#live.of(listing.resource, listing.namespace)) missing.add(live.holder.uid);
    const steps: ListedStep[] = [];
    for (const uid of missing) {
      const before = this.#live.get(uid);
      if (before === undefined || before.holder.kind !== listing.resource || mentioned.has(uid)) continue;
      const context = this.#missing(listing, stream, at, watermark, before.holder.node);
      steps.push({ uid, before, seen: undefined, context, step: gone(before, undefined, context) });
    }
    return steps;
  }

  /** Who is in the listing, as it is shown there. */
  #presentIn(listing: Listing, stream: Stream, watermark: EpochMillis | undefined, at: EpochMillis): ListedStep[] {
    const isRewound = listing.reason === 'rewound';
    const steps: ListedStep[] = [];
    for (const seen of listing.present) {
      const { uid } = seen.object.metadata;
      const missed = this.#live.missed(uid);
      const before = this.#live.get(uid) ?? missed;
      if (missed === undefined && !isRewound && isOld(before, seen, stream)) continue;
      const context = this.#listedContext(listing, seen, before, missed, stream, watermark, at);
      steps.push({ uid, before, seen, context, step: present(before, seen, context) });
      if (isRewound && seen.kind === 'Pod') this.#doubts.begin(seen.object, undoneSince(context), at);
      stream.mentioned(writtenNotBefore(seen, at));
    }
    return steps;
  }

  #listedContext(
    listing: Listing,
    seen: Observed,
    before: LiveHolder | undefined,
    missed: LiveHolder | undefined,
    stream: Stream,
    watermark: EpochMillis | undefined,
    at: EpochMillis,
  ): ObservationContext {
    const { uid, creationTimestamp: created = Number.NEGATIVE_INFINITY } = seen.object.metadata;
    const isRewound = listing.reason === 'rewound';
    // Whom nobody remembers, though the backup is from a time that was watched, has ended since.
    const isForgotten = isRewound && before === undefined && watermark !== undefined && created < watermark;
    const hasEnded = isForgotten || before?.terminal === true || this.#live.hasEnded(uid);
    const isOverlooked = !hasEnded && this.#isOverlooked(before, seen);
    // When nothing is known of the time before, it was so when it was last seen, however late that arrived.
    const known = watermark ?? (before === undefined ? undefined : epochMillis(before.seenAt - LONGEST_DELIVERY_MS));
    const found: ObservationContext = { ...this.#context(seen, stream, at, known), source: 'list' };
    const kind = hasEnded ? 'reappeared' : isOverlooked ? 'overlooked' : isRewound ? 'restored' : 'continued';
    const listed: ObservationContext = { ...found, continuity: { kind } };
    if (missed === undefined && !isOverlooked) return listed;
    // Its own version may be that of a record which has ended.
    const anew = { ...listed, resourceVersion: listing.resourceVersion };
    return missed === undefined ? anew : { ...anew, watermark: missed.networkLostAt };
  }

  #checked({ resource, namespace, resourceVersion, uids }: Check, at: EpochMillis): Fact[] {
    const stream = this.#stream(resource, namespace);
    const there = new Set(uids);
    const facts: Fact[] = [];
    for (const live of this.#live.of(resource, namespace)) {
      const isNewer = compareVersions(live.resourceVersion, resourceVersion) > 0;
      if (there.has(live.holder.uid) || live.epoch !== stream.epoch || isNewer) continue;
      const { collector } = this.#options;
      const watermark = epochMillis(live.seenAt - LONGEST_DELIVERY_MS);
      const context: ObservationContext = {
        source: 'inferred',
        epoch: stream.epoch,
        resourceVersion,
        collector,
        at,
        watermark,
        continuity: CONTINUED,
        node: this.#nodeEvidence(live.holder.node),
      };
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
    const { source, epoch, resourceVersion, collector, at } = context;
    const provenance = { source, epoch, resourceVersion, collector, observedAt: at };
    const found = this.#anomalies.of(before, seen, at);
    return found.map((anomaly) => ({ kind: 'anomaly', anomaly: { ...provenance, ...anomaly } }));
  }

  #context(seen: Observed, stream: Stream, at: EpochMillis, watermark: EpochMillis | undefined): ObservationContext {
    const node = seen.kind === 'Pod' ? seen.object.spec.nodeName : '';
    return {
      source: 'watch',
      epoch: stream.epoch,
      resourceVersion: seen.object.metadata.resourceVersion,
      collector: this.#options.collector,
      at,
      watermark: watermark !== undefined && watermark > at ? at : watermark,
      continuity: CONTINUED,
      node: this.#nodeEvidence(node),
    };
  }

  #missing(
    listing: Listing,
    stream: Stream,
    at: EpochMillis,
    watermark: EpochMillis | undefined,
    node: string,
  ): ObservationContext {
    const { collector } = this.#options;
    const { resourceVersion, reason } = listing;
    return {
      source: 'inferred',
      epoch: stream.epoch,
      resourceVersion,
      collector,
      at,
      watermark,
      continuity: reason === 'rewound' ? { kind: 'restored' } : CONTINUED,
      node: this.#nodeEvidence(node),
    };
  }

  /** Undefined where nodes are not watched. */
  #nodeEvidence(node: string): NodeEvidence | undefined {
    return this.#others.includes('Node') ? this.#news.evidenceOf(node) : undefined;
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

  #stream(kind: Kind, namespace: string | undefined): Stream {
    const { scope, checkpoint } = this.#options;
    const name = scope.kind === 'cluster' || kind === 'Node' ? kind : `${kind}/${namespace ?? ''}`;
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const before = this.#earlier;
    // The last recorder may have watched less than this one: then each holder was last seen when it was last seen.
    const whose = scope.kind === 'cluster' ? undefined : namespace;
    const resumed = before !== undefined && wasWatched(before.scope, kind, whose) ? before.confirmed : undefined;
    const position = this.#others.length > 0 ? checkpoint?.others?.find((other) => other.kind === name) : undefined;
    // One that begins with a listing: nobody noted how far it was.
    const unnoted = resumed === undefined || kind === 'Pod' ? resumed : epochMillis(resumed - LONGEST_DELIVERY_MS);
    const version = name === 'Pod' ? checkpoint?.resourceVersion : position?.resourceVersion;
    const stream = new Stream(this.#epoch, version, position?.watermark ?? unnoted);
    this.#streams.set(name, stream);
    return stream;
  }

  /** Every stream notices by itself that etcd has begun another life; the first to do so counts. */
  #rewind(stream: Stream): void {
    stream.epoch++;
    if (stream.epoch > this.#epoch) this.#epoch = stream.epoch;
  }

  /** Every stream that must be has been listed, or goes on from a checkpoint. */
  #allListed(): boolean {
    const { scope } = this.#options;
    if (scope.kind === 'namespaces')
      return scope.namespaces.every((n) => this.#streams.get(`Pod/${n}`)?.version !== undefined);
    return (['Pod', ...this.#others] as const).every((kind) => this.#stream(kind, undefined).version !== undefined);
  }

  /** Until when everything about pods has been told. */
  #confirmed(): EpochMillis | undefined {
    const { scope } = this.#options;
    if (scope.kind === 'cluster') return this.#streams.get('Pod')?.watermark;
    let least: EpochMillis | undefined;
    for (const namespace of scope.namespaces) {
      const watermark = this.#streams.get(`Pod/${namespace}`)?.watermark;
      if (watermark === undefined) return undefined;
      if (least === undefined || watermark < least) least = watermark;
    }
    return least;
  }

  #extend(wanted: EpochMillis | undefined): Fact[] {
    return this.#claim.extend(wanted, this.#confirmed(), this.#now);
  }

  /** What a listing after a loss takes back of what was claimed. */
  #lost(listing: Listing, watermark: EpochMillis | undefined, at: EpochMillis): Fact[] {
    if (listing.resource === 'Pod')
      return this.#claim.takeBack([watermark, listing.since], (to) => this.#live.addressesToldUntil(to));
    if (this.#others.length === 0) return [];
    const { since, reason: opened } = listing;
    return this.#claim.podsOnly({ watermark, since }, { opened, epoch: this.#epoch, at });
  }
}

function wasWatched(scope: Coverage['scope'], kind: Kind, namespace: string | undefined): boolean {
  return scope.kind === 'cluster' || (namespace !== undefined && sees(scope, { kind, namespace }));
}

/** Order is by (epoch, resourceVersion), never by time. */
function isOld(before: LiveHolder | undefined, seen: Observed, stream: Stream): boolean {
  if (before === undefined || before.epoch !== stream.epoch) return false;
  return compareVersions(seen.object.metadata.resourceVersion, before.resourceVersion) <= 0;
}

/** A listing that was told already, or that is older than what was told since. */
function isRepeated({ reason, resourceVersion, at }: Listing, { listed, version }: Stream): boolean {
  if (listed !== undefined && listed.version === resourceVersion && at <= listed.at) return true;
  return reason !== 'rewound' && version !== undefined && compareVersions(resourceVersion, version) < 0;
}

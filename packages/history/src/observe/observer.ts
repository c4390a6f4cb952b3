// Where Kubernetes ends and history begins: observations in, facts out. Deterministic and without a clock; the same log
// gives the same facts, and an observation that tells nothing new gives none. A recorder feeds it and stores what it
// returns; nothing here does I/O.
import {
  type Fact,
  type LiveHolder,
  type LiveState,
  type Machine,
  possibleFact,
  type StoredFact,
} from '../model/fact.ts';
import { type Checkpoint, type Coverage, type Scope, type StreamPosition, sees } from '../model/records.ts';
import { clamp, type EpochMillis, earliest, epochMillis, latest, REPORTING_LAG_MS } from '../model/time.ts';
import { Anomalies } from './anomalies.ts';
import { awaitedSince, waiting } from './awaited-address.ts';
import { type Sighting, undoneSince } from './boundaries.ts';
import { ChangeBudget, type ChangeBudgets, type ChangeUse, DEFAULT_CHANGE_BUDGETS } from './change-budget.ts';
import { correctedCoverage, type WrongTime } from './clock-correction.ts';
import { isTerminal, kubeletTimeOf, networkReadyAt, RESOLUTION_MS, writtenNotBefore } from './evidence.ts';
import { gone, type LifeStep, lostWithNode, present, restored, returned } from './holder-life.ts';
import { LiveHolders } from './live-holders.ts';
import { deserializeLive, storedFact } from './live-state.ts';
import { READY_PROVES_MS } from './measured-limits.ts';
import { mirrorOf } from './mirror.ts';
import { MirrorIdentities } from './mirror-identities.ts';
import { heartbeatOf, NodeBook } from './node-book.ts';
import type { Observation, Observed, ObservedNode, ObservedPod } from './observation.ts';
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
  readonly #identities = new MirrorIdentities();
  readonly #changes: ChangeBudget;
  #epoch: number;
  #coverage: Coverage | undefined;
  /** Of the recorder before. */
  #earlier: Coverage | undefined;
  /** Invariant: never goes back, whatever the collector's clock does, except where it is told that it was wrong. */
  #now: EpochMillis | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#epoch = options.resume?.epoch ?? 1;
    this.#coverage = options.resume?.coverage;
    this.#earlier = options.resume?.coverage;
    this.#now = this.#coverage?.to;
    const live = (options.resume?.live ?? []).map(deserializeLive);
    this.#live = new LiveHolders(live);
    this.#nodes = new NodeBook(live);
    this.#releases = new Releases(this.#live, this.#nodes);
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
    return this.#coverage;
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
      const { epoch, version, settled } = this.#stream(kind, undefined);
      const canGoOn = epoch === this.#epoch && version !== undefined && settled !== undefined;
      return canGoOn ? [{ kind, resourceVersion: version, settled }] : [];
    });
  }

  /** Recorders of some namespaces never say free: to them services and nodes make no difference. */
  get #others(): readonly StreamPosition['kind'][] {
    return this.#options.scope.kind === 'cluster' ? (this.#options.alsoFollows ?? []) : [];
  }

  /** As engines store it. */
  observe(told: Observation): StoredFact[] {
    const observation = this.#identities.known(told, this.#live);
    const facts = this.#changes.apply([...this.#facts(observation), ...this.#nodeNews(observation)]);
    this.#ends.remember(facts);
    return facts.map(storedFact);
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
        return this.#extend(this.#others.length > 0 ? this.#coverage?.to : observation.at);
      case 'probed':
        for (const stream of this.#streams.values()) stream.probed(observation.resourceVersion, observation.at);
        return this.#extend(this.#coverage?.to);
      case 'renewed':
        return [];
      case 'alive':
        return this.#resumed() ?? this.#extend(observation.at);
    }
  }

  /** After a withdrawal the watch goes on, and everything from now on is told. */
  #resumed(): Fact[] | undefined {
    if (this.#coverage?.withdrawn === undefined || this.#now === undefined || !this.#allListed()) return undefined;
    return this.#openCoverage('clock', this.#now);
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
    if (this.#coverage === undefined) return facts;
    const cut = correctedCoverage(this.#coverage, wrong);
    // Also where the clock only went ahead, and nothing of it is wrong: it must not go on into a time that never was.
    this.#coverage = cut.ended ? cut : { ...cut, ended: true, withdrawn: wrong.since };
    return [{ kind: 'coverage', coverage: this.#coverage }, ...facts];
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

  #event(type: 'present' | 'deleted', seen: Observed, at: EpochMillis): Fact[] {
    const { metadata } = seen.object;
    const stream = this.#stream(seen.kind, metadata.namespace);
    if (stream.isOld(metadata.resourceVersion)) return [];
    // A listing or a correction may know this object better than an event that is still to come.
    if (isOld(this.#live.get(metadata.uid), seen, stream)) return [];
    const floor = stream.heard(metadata.resourceVersion, at, true);
    // How far the streams of nodes and services are says nothing about what kubelets told of pods.
    const doubtedSince = seen.kind === 'Pod' ? this.#doubts.since(metadata.uid, floor) : undefined;
    const isRisen = type === 'present' && this.#live.hasEnded(metadata.uid);
    const isSilent = type === 'present' && seen.kind === 'Pod' && this.#doubts.isSilent(seen.object);
    const sighting = { ...this.#sighting(seen, stream, at, floor), doubtedSince, isRisen, isSilent };
    const back = type === 'present' ? this.#broughtBack(seen, sighting) : [];
    const facts = [...back, ...this.#take(type, seen, back.length > 0 ? { ...sighting, isRisen: false } : sighting)];
    stream.mentioned(writtenNotBefore(seen, at));
    // Not to `at`: after a broken connection more events of the past may be on their way.
    const known = this.#others.length > 0 ? undefined : this.#confirmed();
    return [...facts, ...this.#extend(latest(this.#coverage?.to, known))];
  }

  #corrected({ type, seen, at: told }: Correction, at: EpochMillis): Fact[] {
    const { metadata } = seen.object;
    const stream = this.#stream(seen.kind, metadata.namespace);
    const missed = this.#live.missed(metadata.uid);
    if (missed !== undefined) {
      // One that was told before the listing which lacked it says nothing new.
      if (type === 'deleted' || told <= missed.seenAt) return [];
      return this.#take('present', seen, this.#returned(missed, stream, this.#sighting(seen, stream, at, undefined)));
    }
    const before = this.#live.get(metadata.uid);
    if (this.#live.hasEnded(metadata.uid) || (type === 'present' && isOld(before, seen, stream))) return [];
    const floor = before === undefined ? undefined : epochMillis(before.seenAt - LONGEST_DELIVERY_MS);
    const found: Sighting = { ...this.#sighting(seen, stream, at, floor), source: 'list' };
    const sighting = this.#isOverlooked(before, seen)
      ? { ...found, resourceVersion: stream.version ?? found.resourceVersion, isOverlooked: true }
      : found;
    if (type === 'present') return this.#take('present', seen, sighting);
    return before === undefined ? [] : this.#apply(metadata.uid, gone(before, undefined, sighting), sighting);
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
  #returned(missed: LiveHolder, stream: Stream, sighting: Sighting): Sighting {
    const resourceVersion = stream.version ?? sighting.resourceVersion;
    return { ...sighting, source: 'list', resourceVersion, floor: missed.networkLostAt };
  }

  #listed(listing: Listing, at: EpochMillis): Fact[] {
    const stream = this.#stream(listing.resource, listing.namespace);
    if (isRepeated(listing, stream)) return [];
    if (listing.reason === 'rewound') this.#rewind(stream);
    const facts: Fact[] =
      listing.resource === 'Pod'
        ? this.#takeBack(stream.settled, listing.since)
        : this.#partial(listing, stream.settled, at);
    const isRewound = listing.reason === 'rewound';
    // What was told after the last certain moment was perhaps not all of it.
    const floor = isRewound ? earliest(stream.settled, listing.since) : stream.settled;
    if (isRewound && listing.since !== undefined) {
      const doubted = this.#ends.doubtedSince(listing.since, listing.resource);
      facts.push(...doubted.map((tenure): Fact => ({ kind: 'tenure', tenure })));
    }
    const mentioned = new Set(listing.present.map((seen) => seen.object.metadata.uid));
    const missing = new Set(listing.goneUids);
    if (listing.whole)
      for (const live of this.#live.of(listing.resource, listing.namespace)) missing.add(live.holder.uid);
    const steps: (readonly [uid: string, step: LifeStep, sighting: Sighting])[] = [];
    for (const uid of missing) {
      const before = this.#live.get(uid);
      if (before === undefined || before.holder.kind !== listing.resource || mentioned.has(uid)) continue;
      const sighting = this.#missing(listing, stream, at, floor, before.holder.node);
      steps.push([uid, gone(before, undefined, sighting), sighting]);
    }
    for (const seen of listing.present) {
      const { uid } = seen.object.metadata;
      const missed = this.#live.missed(uid);
      const before = this.#live.get(uid) ?? missed;
      if (missed === undefined && listing.reason !== 'rewound' && isOld(before, seen, stream)) continue;
      // Whom nobody remembers, though the backup is from a time that was watched, has ended since.
      const created = seen.object.metadata.creationTimestamp ?? Number.NEGATIVE_INFINITY;
      const isForgotten =
        listing.reason === 'rewound' && before === undefined && floor !== undefined && created < floor;
      const isRisen = isForgotten || before?.terminal === true || this.#live.hasEnded(uid);
      const isOverlooked = !isRisen && this.#isOverlooked(before, seen);
      // When nothing is known of the time before, it was so when it was last seen, however late that arrived.
      const known = floor ?? (before === undefined ? undefined : epochMillis(before.seenAt - LONGEST_DELIVERY_MS));
      const found: Sighting = { ...this.#sighting(seen, stream, at, known), source: 'list' };
      const listed: Sighting = { ...found, isRisen, isOverlooked, isRewound };
      // Its own version may be that of a record which has ended.
      const anew = { ...listed, resourceVersion: listing.resourceVersion };
      const sighting = missed === undefined ? (isOverlooked ? anew : listed) : { ...anew, floor: missed.networkLostAt };
      facts.push(...this.#anomalous(before, seen, sighting));
      steps.push([uid, (isRewound ? restored : present)(before, seen, sighting), sighting]);
      if (isRewound && seen.kind === 'Pod') this.#doubts.begin(seen.object, undoneSince(sighting), at);
      stream.mentioned(writtenNotBefore(seen, at));
    }
    // All ends before any beginning: an address that moved within the gap is never held twice on the way.
    for (const [uid, step] of steps) facts.push(...this.#live.replace(uid, step.live, step.facts));
    for (const [uid, , sighting] of steps) facts.push(...this.#live.conflicts(uid, sighting));
    stream.restart(listing.resourceVersion, at);
    const opens = listing.resource === 'Pod' || this.#coverage?.ended !== false;
    if (opens && this.#allListed()) facts.push(...this.#openCoverage(listing.reason, at));
    return facts;
  }

  #checked({ resource, namespace, resourceVersion, uids }: Check, at: EpochMillis): Fact[] {
    const stream = this.#stream(resource, namespace);
    const there = new Set(uids);
    const facts: Fact[] = [];
    for (const live of this.#live.of(resource, namespace)) {
      const isNewer = compareVersions(live.resourceVersion, resourceVersion) > 0;
      if (there.has(live.holder.uid) || live.epoch !== stream.epoch || isNewer) continue;
      const { collector } = this.#options;
      const floor = epochMillis(live.seenAt - LONGEST_DELIVERY_MS);
      const of = this.#ofNode(live.holder.node);
      const sighting: Sighting = {
        source: 'inferred',
        epoch: stream.epoch,
        resourceVersion,
        collector,
        at,
        floor,
        ...of,
      };
      facts.push(...this.#apply(live.holder.uid, gone(live, undefined, sighting), sighting));
    }
    return facts;
  }

  #take(type: 'present' | 'deleted', seen: Observed, sighting: Sighting): Fact[] {
    const { uid } = seen.object.metadata;
    const before = this.#live.get(uid) ?? this.#live.missed(uid);
    if (type === 'deleted' && before === undefined) return [];
    const step =
      type === 'present' || before === undefined ? present(before, seen, sighting) : gone(before, seen, sighting);
    return [...this.#anomalous(before, seen, sighting), ...this.#apply(uid, step, sighting)];
  }

  #apply(uid: string, step: LifeStep, sighting: Sighting): Fact[] {
    return [...this.#live.replace(uid, step.live, step.facts), ...this.#live.conflicts(uid, sighting)];
  }

  #anomalous(before: LiveHolder | undefined, seen: Observed, sighting: Sighting): Fact[] {
    const { source, epoch, resourceVersion, collector, at } = sighting;
    const provenance = { source, epoch, resourceVersion, collector, observedAt: at };
    const found = this.#anomalies.of(before, seen, at);
    return found.map((anomaly) => ({ kind: 'anomaly', anomaly: { ...provenance, ...anomaly } }));
  }

  #sighting(seen: Observed, stream: Stream, at: EpochMillis, floor: EpochMillis | undefined): Sighting {
    const node = seen.kind === 'Pod' ? seen.object.spec.nodeName : '';
    return {
      ...this.#ofNode(node),
      source: 'watch',
      epoch: stream.epoch,
      resourceVersion: seen.object.metadata.resourceVersion,
      collector: this.#options.collector,
      at,
      floor: floor !== undefined && floor > at ? at : floor,
    };
  }

  #missing(listing: Listing, stream: Stream, at: EpochMillis, floor: EpochMillis | undefined, node: string): Sighting {
    const { collector } = this.#options;
    const { resourceVersion, reason } = listing;
    const isRewound = reason === 'rewound';
    return {
      source: 'inferred',
      epoch: stream.epoch,
      resourceVersion,
      collector,
      at,
      floor,
      isRewound,
      ...this.#ofNode(node),
    };
  }

  /** What is known of a pod's node, for a sighting of it. */
  #ofNode(node: string): Pick<Sighting, 'kubelet' | 'knowsNodes' | 'networks'> {
    if (!this.#others.includes('Node')) return {};
    return { kubelet: this.#nodes.evidence(node), knowsNodes: true, networks: () => this.#nodes.networksOf(node) };
  }

  /** A mirror pod that was deleted is made again: its sandbox ran on. */
  #broughtBack(seen: Observed, sighting: Sighting): readonly Fact[] {
    const mirror = seen.kind === 'Pod' ? mirrorOf(seen.object) : undefined;
    const going = mirror === undefined ? undefined : this.#live.going.mirror(mirror);
    if (going === undefined) return [];
    const { facts, live } = returned(going, sighting);
    if (live !== undefined) this.#live.keep(live);
    return facts;
  }

  /** What an observation says of nodes and their kubelets, and what of others' ends and waiting that settles. */
  #nodeNews(observation: Observation): Fact[] {
    if (!this.#others.includes('Node')) return [];
    const at = this.#now ?? observation.at;
    switch (observation.kind) {
      case 'event':
        return this.#eventNews(observation.type, observation.seen, at);
      case 'listed':
        for (const { kind, object } of observation.present) {
          if (kind !== 'Node') continue;
          this.#sawNode(object);
          this.#nodes.posted(object, undefined);
        }
        return [];
      case 'renewed':
        this.#nodes.renewals(observation.node).read(epochMillis(observation.renewTime), at);
        return this.#releases.renewed(observation.node, at);
      case 'alive':
        return [...this.#releases.passed(at, this.#stream('Node', undefined).settled ?? at), ...this.#waited(at)];
      default:
        return [];
    }
  }

  #eventNews(type: 'present' | 'deleted', seen: Observed, at: EpochMillis): Fact[] {
    const { name, resourceVersion } = seen.object.metadata;
    if (seen.kind === 'Node' && type === 'deleted') this.#nodes.gone(name, at);
    if (seen.kind === 'Pod') this.#paced(type, seen.object, at);
    if (type === 'deleted' || seen.kind === 'Service') return [];
    if (seen.kind === 'Node') {
      const before = this.#sawNode(seen.object);
      const { bootID } = seen.object.status.nodeInfo ?? { bootID: '' };
      const isRebooted = before !== undefined && before.bootId !== '' && bootID !== '' && bootID !== before.bootId;
      const facts = isRebooted ? this.#rebooted(seen, at) : [];
      this.#nodes.posted(seen.object, at);
      return [...facts, ...this.#sign(name, heartbeatOf(seen.object), resourceVersion, at)];
    }
    const live = this.#live.get(seen.object.metadata.uid);
    for (const { ip } of live?.tenures ?? []) if (live !== undefined) this.#nodes.learn(live.holder, ip);
    return this.#sign(seen.object.spec.nodeName, kubeletTimeOf(seen.object), resourceVersion, at);
  }

  /** How long pods wait for their network says how slow their kubelet is; which run, what images it has. */
  #paced(type: 'present' | 'deleted', pod: ObservedPod, at: EpochMillis): void {
    const { nodeName, hostNetwork } = pod.spec;
    if (nodeName === '' || hostNetwork) return;
    const pace = this.#nodes.pace(nodeName);
    const { uid } = pod.metadata;
    const { creating, images, runningSince } = pod.status;
    if (images !== undefined && creating !== true && runningSince !== undefined) this.#nodes.ran(nodeName, images);
    if (networkReadyAt(pod) !== undefined || pod.status.podIP !== '') pace.isUp(uid, at);
    else if (type === 'deleted' || isTerminal(pod)) pace.isGone(uid);
    else pace.waits(uid, at);
  }

  #sawNode(node: ObservedNode): Machine | undefined {
    const { uid, name } = node.metadata;
    return this.#nodes.saw(name, this.#live.get(uid)?.more?.machine);
  }

  /** The kubelet wrote something new: it lives, and ends what was to end. */
  #sign(node: string, time: number | undefined, resourceVersion: string, at: EpochMillis): Fact[] {
    return this.#nodes.sign(node, time, at) ? this.#releases.sign(node, resourceVersion, at) : [];
  }

  /** All sandboxes of before are gone; when they went, nobody says: since its kubelet last wrote. */
  #rebooted(seen: Observed, at: EpochMillis): Fact[] {
    const node = seen.object.metadata.name;
    const stream = this.#stream('Node', undefined);
    const since = this.#nodes.lastSignBefore(node, at) ?? epochMillis(at - READY_PROVES_MS);
    const sighting: Sighting = { ...this.#sighting(seen, stream, at, undefined), source: 'inferred' };
    return this.#live.of('Pod', undefined).flatMap((live) => {
      if (live.holder.node !== node || live.holder.hostNetwork || live.terminal) return [];
      const step = lostWithNode(live, since, sighting);
      if (step?.live !== undefined) this.#live.keep(step.live);
      return step?.facts ?? [];
    });
  }

  /** Who waits for an address for so long that readers must know. */
  #waited(at: EpochMillis): Fact[] {
    return this.#live.awaiting().flatMap((live): Fact[] => {
      const of = this.#ofNode(live.holder.node);
      const since = awaitedSince(live, of.kubelet, at);
      if (since === undefined || since > at - REPORTING_LAG_MS) return [];
      const { epoch, resourceVersion } = live;
      const { collector } = this.#options;
      const possible = waiting(live, since, {
        source: 'watch',
        epoch,
        resourceVersion,
        collector,
        at,
        floor: undefined,
        ...of,
      });
      const known = { ...live, more: { ...live.more, possible } };
      this.#live.keep(known);
      return [possibleFact(possible), { kind: 'live', uid: live.holder.uid, live: known }];
    });
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
    const stream = new Stream(this.#epoch, version, position?.settled ?? unnoted);
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
    if (scope.kind === 'cluster') return this.#streams.get('Pod')?.settled;
    let least: EpochMillis | undefined;
    for (const namespace of scope.namespaces) {
      const settled = this.#streams.get(`Pod/${namespace}`)?.settled;
      if (settled === undefined) return undefined;
      if (least === undefined || settled < least) least = settled;
    }
    return least;
  }

  #extend(wanted: EpochMillis | undefined): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined || coverage.ended || this.#now === undefined) return [];
    const to = clamp(wanted ?? coverage.to, coverage.to, this.#now);
    const confirmed = clamp(this.#confirmed() ?? coverage.confirmed, coverage.confirmed, to);
    if (to === coverage.to && confirmed === coverage.confirmed) return [];
    this.#coverage = { ...coverage, to, confirmed };
    return [{ kind: 'coverage', coverage: this.#coverage }];
  }

  /** A watch that had fallen silent was believed alive for a while: what was claimed in that time was not watched. */
  #takeBack(settled: EpochMillis | undefined, since: EpochMillis | undefined): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined) return [];
    let to = coverage.to;
    for (const limit of [settled, since]) if (limit !== undefined && limit < to) to = limit;
    to = to < coverage.from ? coverage.from : to;
    const confirmed = clamp(this.#live.addressesToldUntil(to), coverage.from, to);
    this.#coverage = { ...coverage, to, confirmed, ended: true };
    return [{ kind: 'coverage', coverage: this.#coverage }];
  }

  /** Services or nodes were lost sight of: what came and went there meanwhile is not known, and nothing was free. */
  #partial(listing: Listing, settled: EpochMillis | undefined, at: EpochMillis): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined || this.#others.length === 0) return [];
    let from = settled ?? coverage.from;
    if (listing.since !== undefined && listing.since < from) from = listing.since;
    // Coverage is kept by where it begins: this must not take the place of what it lies over.
    if (from === coverage.from) from = epochMillis(from - 1);
    const { collector } = this.#options;
    const partial: Coverage = {
      scope: { kind: 'pods' },
      epoch: this.#epoch,
      collector,
      from,
      to: at,
      confirmed: from,
      ended: true,
      opened: listing.reason,
    };
    return [{ kind: 'coverage', coverage: partial }];
  }

  #openCoverage(opened: Coverage['opened'], at: EpochMillis): Fact[] {
    const { collector, scope } = this.#options;
    this.#coverage = { scope, epoch: this.#epoch, collector, from: at, to: at, confirmed: at, ended: false, opened };
    return [{ kind: 'coverage', coverage: this.#coverage }];
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

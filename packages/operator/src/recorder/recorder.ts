// Fills the ledger of one cluster: informers on pods, nodes and services, observed in order, stored with the version
// up to which that is true. It may be killed at any time; the next one goes on where the store says.
import {
  type ChangeBudgets,
  type Checkpoint,
  type Cluster,
  diagnoseClock,
  type Engine,
  type EpochMillis,
  epochMillis,
  type Observation,
  type Observed,
  Observer,
  type ObserverState,
  repairClock,
  type Scope,
  type SizeLimit,
  toText,
  type Writer,
} from '@podtrail/history';
import {
  type Cacheable,
  Client,
  type Clock,
  ConnectionError,
  compareResourceVersions,
  DatedTransport,
  type Delta,
  type HandlerFailure,
  Informer,
  isComparable,
  LEASES,
  type Lease,
  NODES,
  type NodeView,
  nodeCodec,
  PODS,
  type PodView,
  podCodec,
  type Random,
  type ReflectorState,
  SERVICES,
  type ServiceView,
  serviceCodec,
  systemClock,
  systemRandom,
} from '@podtrail/machinery';
import { OperatorError } from '../errors.ts';
import { CommitQueue, type StoredBatch } from './commit-queue.ts';
import { DeltaLog, type DeltaLogOptions } from './delta-log.ts';
import { FollowedStream, type Problem, type StreamStatus } from './followed-stream.ts';
import { keepHouse } from './housekeeping.ts';
import { LeaseReader, NODE_LEASES } from './lease-reader.ts';
import type { Step } from './ledger-clock.ts';
import type { FollowedResource, RecorderListener } from './recorder-listener.ts';
import { keepRoom } from './room-keeping.ts';
import { patrolStore } from './store-patrol.ts';
import { TimeKeeper } from './time-keeper.ts';

export interface RecorderOptions {
  readonly client: Client;
  readonly engine: Engine;
  readonly cluster: Cluster;
  /** Who is recording, for the provenance of facts: a host or pod name. */
  readonly collector: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Record only these namespaces, for those without rights on the whole cluster. Then no answer is ever "free", nodes
   * are not followed, and every restart makes a gap.
   */
  readonly namespaces?: readonly string[] | undefined;
  /** Compare the cache with a consistent listing this often. Default ten minutes. */
  readonly consistencyMs?: number;
  /** Forget closed records this long after their end. Default: never. */
  readonly retentionMs?: number | undefined;
  /** Keep the store within this size. Default: it is not looked at. */
  readonly storeLimit?: SizeLimit | undefined;
  /** How much of annotation changes is recorded; history has a default. */
  readonly changeBudgets?: ChangeBudgets | undefined;
  readonly listeners?: readonly RecorderListener[];
}

export interface RecorderStatus {
  /** Every first listing or catch-up is in the store's hands. */
  readonly synced: boolean;
  /** Every watch is open and caught up. */
  readonly current: boolean;
  /** Consecutive failures of the store; 0 is well. */
  readonly storeFailures: number;
  readonly waitingFacts: number;
  readonly committedFacts: number;
  /** Annotation changes that were counted and not recorded, since this process began. */
  readonly suppressedChanges: number;
  readonly pods: number;
  /** From an observation to its being durable: of the last batch, in milliseconds. */
  readonly lagMs: number;
  /** As they are in the store, since this process began; undefined before. */
  readonly coverageTo: EpochMillis | undefined;
  readonly checkpointAt: EpochMillis | undefined;
  readonly clock: ClockStatus;
  readonly streams: readonly StreamStatus[];
  /** Empty when all is well. */
  readonly problems: readonly Problem[];
}

export interface ClockStatus {
  /** How far the machine's clock is ahead of the ledger's time, which is the server's as far as that is known. */
  readonly skewMs: number;
  /** How far the machine's clock is ahead of the server's; undefined when that is not known. */
  readonly aheadMs: number | undefined;
  /** A sentence while the machine's clock is wrong; recording goes on by the server's. */
  readonly warning: string | undefined;
}

interface Known {
  readonly stream: FollowedStream;
  readonly rewinds: number;
}

/** Readers in other processes may speak as far as the store says that somebody watched: at least every second. */
const HEARTBEAT_MS = 500;
const PROBE_MS = 2_000;
const ASK_TIMEOUT_MS = 10_000;
const DEFAULT_CONSISTENCY_MS = 600_000;

export class Recorder {
  readonly #client: Client;
  readonly #namespaces: readonly string[] | undefined;
  /** The ledger's: the server's time, as far as it is known. */
  readonly #clock: Clock;
  readonly #machineClock: Clock;
  readonly #random: Random;
  readonly #consistencyMs: number;
  readonly #observer: Observer;
  readonly #commits: CommitQueue;
  readonly #writer: Writer;
  readonly #time: TimeKeeper;
  #clockProblem: Problem | undefined;
  #clockWarning: string | undefined;
  readonly #engine: Engine;
  readonly #cluster: Cluster;
  readonly #retentionMs: number | undefined;
  readonly #storeLimit: SizeLimit | undefined;
  readonly #listeners: readonly RecorderListener[];
  /** One of each kind for the cluster, or two for each namespace. */
  readonly #streams: FollowedStream[] = [];
  /** Of the pods' stream, as told so far; undefined while there is nothing to go on from. */
  #podVersion: string | undefined;
  /** The server's version when it was last asked, and how many rewinds each stream had seen then. */
  #probed: { readonly version: string; readonly known: readonly Known[] } | undefined;
  /** Of the last observation. */
  #stampedAt = epochMillis(0);
  #coverageTo: EpochMillis | undefined;
  #checkpointAt: EpochMillis | undefined;
  #beatAt: number | undefined;
  #pods: Informer<PodView> | undefined;
  #nodes: Informer<NodeView> | undefined;
  /** Undefined with namespaces: then nodes are not known. */
  #leases: LeaseReader | undefined;
  readonly #failed = Promise.withResolvers<never>();

  /** Takes the cluster's ledger over and reads from it where to go on. */
  static async open(options: RecorderOptions): Promise<Recorder> {
    const writer = await options.engine.takeOver(options.cluster);
    const { state, checkpoint } = await options.engine.resume(options.cluster.id);
    // Whoever recorded only some namespaces since has moved no checkpoint: what happened elsewhere was not watched.
    const goesOn = state.coverage === undefined || state.coverage.scope.kind === 'cluster';
    return new Recorder(options, writer, state, goesOn ? checkpoint : undefined);
  }

  private constructor(
    options: RecorderOptions,
    writer: Writer,
    state: ObserverState,
    checkpoint: Checkpoint | undefined,
  ) {
    const { namespaces, collector } = options;
    this.#machineClock = options.clock ?? systemClock;
    const dated = new DatedTransport(options.client.transport, this.#machineClock, (seen) => this.#time.dated(seen));
    this.#client = new Client(dated, { clock: this.#machineClock });
    this.#writer = writer;
    this.#engine = options.engine;
    this.#cluster = options.cluster;
    this.#retentionMs = options.retentionMs;
    this.#storeLimit = options.storeLimit;
    this.#listeners = options.listeners ?? [];
    this.#namespaces = namespaces;
    this.#time = new TimeKeeper({
      clock: this.#machineClock,
      notBefore: state.coverage?.to ?? 0,
      ask: () => this.#askVersion(AbortSignal.timeout(ASK_TIMEOUT_MS)),
      correct: (step) => this.#correctClock(step),
      onFailure: (error) => this.#failed.reject(error),
    });
    this.#clock = this.#time.clock;
    this.#random = options.random ?? systemRandom;
    this.#consistencyMs = options.consistencyMs ?? DEFAULT_CONSISTENCY_MS;
    const scope: Scope = namespaces === undefined ? { kind: 'cluster' } : { kind: 'namespaces', namespaces };
    const alsoFollows = ['Service', 'Node'] as const;
    const { changeBudgets } = options;
    this.#observer = new Observer({ collector, scope, alsoFollows, changeBudgets, resume: state, checkpoint });
    this.#commits = new CommitQueue({
      append: (batch) => writer.append(batch),
      clock: this.#clock,
      random: this.#random,
      isFatal: (error) => (error as { code?: unknown }).code === 'stale-writer',
      onFailure: (error, attempt) => this.#tell((listener) => listener.storeFailed?.(error, attempt)),
      onStored: (stored) => this.#stored(stored),
    });
    if (namespaces === undefined) {
      const from = (kind: 'Service' | 'Node') =>
        checkpoint?.others?.find((other) => other.kind === kind)?.resourceVersion;
      this.#podVersion = checkpoint?.resourceVersion;
      this.#followPods(undefined, checkpoint?.resourceVersion);
      this.#followServices(undefined, from('Service'));
      this.#followNodes(from('Node'));
      this.#leases = this.#leaseReader();
      return;
    }
    for (const namespace of namespaces) {
      this.#followPods(namespace, undefined);
      this.#followServices(namespace, undefined);
    }
  }

  get status(): RecorderStatus {
    const streams = this.#streams.map((stream) => stream.status);
    const pods = streams.filter(({ resource }) => resource === 'pods');
    return {
      synced: streams.every(({ synced }) => synced),
      current: this.#isCurrent,
      storeFailures: this.#commits.failing,
      waitingFacts: this.#commits.waiting,
      committedFacts: this.#commits.committedFacts,
      suppressedChanges: this.#observer.suppressedChanges,
      pods: pods.reduce((sum, { objects }) => sum + objects, 0),
      lagMs: this.#commits.lastLagMs,
      coverageTo: this.#coverageTo,
      clock: this.#clockStatus,
      checkpointAt: this.#checkpointAt,
      streams,
      problems: this.#problems(),
    };
  }

  get #clockStatus(): ClockStatus {
    const { clock } = this.#time;
    const skewMs = this.#machineClock.now() - clock.now();
    return { skewMs, aheadMs: clock.aheadMs, warning: clock.warning };
  }

  /** Since the recorder last looked after itself; a large value means that it hangs. Undefined before it runs. */
  get beatAgeMs(): number | undefined {
    return this.#beatAt === undefined ? undefined : this.#clock.monotonic() - this.#beatAt;
  }

  /**
   * The caches of the whole cluster, for others in this process to follow; they live from `run` to its end. Undefined
   * when only some namespaces are recorded.
   */
  get caches(): { readonly pods: Informer<PodView>; readonly nodes: Informer<NodeView> } | undefined {
    const [pods, nodes] = [this.#pods, this.#nodes];
    return pods === undefined || nodes === undefined ? undefined : { pods, nodes };
  }

  #problems(): Problem[] {
    const problems = this.#streams.flatMap((stream) => stream.problem ?? []);
    if (this.#clockProblem !== undefined) problems.unshift(this.#clockProblem);
    const { refusal } = this.#commits;
    if (refusal === undefined) return problems;
    const { since, error } = refusal;
    const sentence = error instanceof Error ? error.message : String(error);
    return [{ what: 'store', since: epochMillis(since), error: sentence }, ...problems];
  }

  get #isCurrent(): boolean {
    return this.#streams.every((stream) => stream.current);
  }

  /** Records until the signal aborts; then what was seen is stored. Rejects when another recorder has taken over. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) stop.abort();
    const running = Promise.all(this.#streams.map(({ informer }) => informer.start(stop.signal)));
    const houseKept = keepHouse(
      {
        ...{ engine: this.#engine, cluster: this.#cluster.id, clock: this.#clock, retentionMs: this.#retentionMs },
        doubt: () => this.#time.clock.ageDoubt,
        onDone: (done) => this.#tell((listener) => listener.housekept?.(done)),
      },
      stop.signal,
    );
    const patrolled = patrolStore(
      {
        ...{ engine: this.#engine, clock: this.#clock },
        onPatrolled: (patrol) => this.#tell((listener) => listener.patrolled?.(patrol)),
        onFailure: (failure) => this.#tell((listener) => listener.housekept?.(failure)),
      },
      stop.signal,
    );
    const limit = this.#storeLimit;
    const roomKept =
      limit &&
      // Not before it is known what is old.
      Promise.resolve(this.#time.certain()).then(
        () =>
          keepRoom(
            {
              ...{ engine: this.#engine, clock: this.#clock, limit },
              now: () => this.#time.clock.certain(),
              onKept: (kept) => this.#tell((listener) => listener.roomKept?.(kept)),
              onFailure: (failure) => this.#tell((listener) => listener.housekept?.(failure)),
            },
            stop.signal,
          ),
        () => undefined,
      );
    const beats = [
      this.#every(HEARTBEAT_MS, () => this.#beat()),
      this.#every(PROBE_MS, () => this.#probe(stop.signal)),
    ];
    try {
      await Promise.race([running, this.#failed.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      stop.abort();
      for (const beat of beats) beat.cancel();
      this.#time.stop();
      await this.#leases?.stop();
      await running;
      await this.#commits.close();
      await houseKept;
      await roomKept;
      await patrolled;
    }
  }

  #followPods(namespace: string | undefined, startFrom: string | undefined): void {
    const informer = new Informer({ ...this.#common('pods', namespace), resource: PODS, codec: podCodec, startFrom });
    if (namespace === undefined) this.#pods = informer;
    const wrap = (object: PodView): Observed => ({ kind: 'Pod', object });
    const log = new DeltaLog('Pod', wrap, this.#logOptions('Pod', namespace, startFrom));
    this.#follow('pods', informer, log, namespace);
  }

  #followServices(namespace: string | undefined, startFrom: string | undefined): void {
    const common = this.#common('services', namespace);
    const informer = new Informer({ ...common, resource: SERVICES, codec: serviceCodec, startFrom });
    const wrap = (object: ServiceView): Observed => ({ kind: 'Service', object });
    const log = new DeltaLog('Service', wrap, this.#logOptions('Service', namespace, startFrom));
    this.#follow('services', informer, log, namespace);
  }

  #followNodes(startFrom: string | undefined): void {
    const informer = new Informer({
      ...this.#common('nodes', undefined),
      resource: NODES,
      codec: nodeCodec,
      startFrom,
    });
    this.#nodes = informer;
    const wrap = (object: NodeView): Observed => ({ kind: 'Node', object });
    const log = new DeltaLog('Node', wrap, this.#logOptions('Node', undefined, startFrom));
    this.#follow('nodes', informer, log, undefined);
  }

  #logOptions(kind: Observed['kind'], namespace: string | undefined, startFrom: string | undefined): DeltaLogOptions {
    const contradicts = (present: readonly Observed[], isWhole: boolean) =>
      this.#observer.contradicts({ kind, namespace, present, isWhole });
    const resumedAt = () => this.#observer.resumedAt;
    return { catchesUp: startFrom !== undefined, namespace, contradicts, resumedAt };
  }

  #common(resource: FollowedResource, namespace: string | undefined) {
    const { transport } = this.#client;
    const onState = (state: ReflectorState): void => {
      for (const stream of this.#streams) {
        if (stream.resource === resource) stream.look();
        else if (state.kind === 'waiting' && state.error instanceof ConnectionError) stream.informer.suspect();
      }
      this.#tell((listener) => listener.watchChanged?.(resource, state));
    };
    const onHandlerFailure = (failure: HandlerFailure<Cacheable>): void =>
      this.#tell((listener) => listener.handlerFailed?.(resource, failure));
    const { clock, random, consistencyMs } = {
      clock: this.#clock,
      random: this.#random,
      consistencyMs: this.#consistencyMs,
    };
    return { transport, namespace, clock, random, consistencyMs, onState, onHandlerFailure };
  }

  #follow<T extends Cacheable>(
    resource: FollowedResource,
    informer: Informer<T>,
    log: DeltaLog<T>,
    namespace: string | undefined,
  ): void {
    const stream = new FollowedStream(resource, namespace, informer, log, this.#clock);
    this.#streams.push(stream);
    const checkpoints = resource === 'pods' && namespace === undefined;
    informer.addHandler({
      name: 'recorder',
      marks: true,
      // Skipping a delta would be a lie in the ledger: it is tried until it is in.
      attempts: Number.POSITIVE_INFINITY,
      onDelta: (delta: Delta<T>) => {
        const at = this.#time.certain();
        return at instanceof Promise ? at.then((known) => take(delta, known)) : take(delta, at);
      },
    });
    const take = (delta: Delta<T>, at: EpochMillis): void | Promise<void> => {
      const { observations, resourceVersion } = log.tell(delta, at);
      for (const told of observations) {
        if (told.kind === 'event') this.#time.clock.created(told.seen.object.metadata.creationTimestamp ?? 0);
      }
      this.#tellLosses(resource, observations);
      const rewind = observations.find((told) => told.kind === 'listed' && told.reason === 'rewound');
      if (rewind?.kind === 'listed') {
        stream.toldRewind(delta.kind === 'listed' && delta.relist.reason === 'rewound');
        this.#tellOthers(stream, rewind.since);
      }
      if (checkpoints) this.#podVersion = resourceVersion ?? this.#podVersion;
      return this.#record(observations, delta.observedAt);
    };
  }

  /** Versions are the cluster's: where one stream found that they went back, the others' are of another life, too. */
  #tellOthers(known: FollowedStream, since: EpochMillis | undefined): void {
    for (const stream of this.#streams) if (stream.rewinds < known.rewinds) stream.informer.rewound(since);
  }

  #tellLosses(resource: FollowedResource, observations: readonly Observation[]): void {
    for (const observation of observations) {
      if (observation.kind !== 'listed' || (observation.reason === 'start' && this.#observer.coverage === undefined))
        continue;
      this.#tell((listener) => listener.lost?.(resource, observation.reason));
    }
  }

  /** `observedAt`: when the informer heard of it, by the wall clock. */
  #record(observations: readonly Observation[], observedAt: number | undefined): void | Promise<void> {
    if (observations.length === 0) return;
    this.#stampedAt = observations.at(-1)?.at ?? this.#stampedAt;
    const facts = observations.flatMap((observation) => this.#observer.observe(observation));
    this.#leases?.wake();
    const ageMs = observedAt === undefined ? undefined : Math.max(0, this.#clock.now() - observedAt);
    const since = ageMs === undefined ? undefined : this.#clock.monotonic() - ageMs;
    const pushed = this.#commits.push(facts, this.#checkpoint(), since);
    return pushed?.catch((error) => {
      this.#failed.reject(error);
      throw error;
    });
  }

  #checkpoint(): Checkpoint | undefined {
    const { epoch, otherPositions: others, podEpoch } = this.#observer;
    // Another stream knew first that etcd began another life: the pods' version is still one of the life before.
    if (this.#podVersion === undefined || podEpoch !== epoch) return undefined;
    const checkpoint = { epoch, resourceVersion: this.#podVersion, at: this.#stampedAt };
    return others.length === 0 ? checkpoint : { ...checkpoint, others };
  }

  #stored(stored: StoredBatch): void {
    const { facts, checkpoint } = stored.batch;
    const last = facts.findLast((fact) => fact.kind === 'coverage' && fact.coverage.scope.kind !== 'pods');
    if (last?.kind === 'coverage') this.#coverageTo = last.coverage.to;
    this.#checkpointAt = checkpoint?.at ?? this.#checkpointAt;
    this.#tell((listener) => listener.stored?.(stored));
  }

  #tell(say: (listener: RecorderListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        say(listener);
      } catch {
        // A count or a log line that fails must not stop the recording.
      }
    }
  }

  /** While the watch is current, the store is told so: that is how far readers may speak. */
  #beat(): void {
    this.#beatAt = this.#clock.monotonic();
    for (const stream of this.#streams) stream.look();
    const at = this.#time.clock.certain();
    this.#doubtClock();
    this.#warnOfClock();
    // Unless the time is known, what was watched could lie in the future.
    if (at === undefined || this.#clockProblem !== undefined) {
      // Somebody has to ask, also while nothing happens.
      Promise.resolve(this.#time.certain()).catch(() => undefined);
      return;
    }
    if (!this.#isCurrent || this.#commits.failing > 0) return;
    // A failure is told by `run`; the heart need not hear of it.
    void this.#record([{ kind: 'alive', at }], undefined)?.catch(() => undefined);
  }

  /** The sentence counts seconds: what is news is that there is one. */
  #warnOfClock(): void {
    const { warning } = this.#time.clock;
    if ((warning === undefined) === (this.#clockWarning === undefined)) return;
    this.#clockWarning = warning;
    this.#tell((listener) => listener.clockDiffers?.(warning));
  }

  #doubtClock(): void {
    const error = this.#time.clock.doubt;
    const since = this.#clockProblem?.since ?? epochMillis(this.#clock.now());
    this.#clockProblem = error === undefined ? undefined : { what: 'clock', since, error };
  }

  /** What was written by a wrong time is taken back, first in the store and then in what is remembered. */
  async #correctClock({ since, isAgreed, isBack }: Step): Promise<void> {
    const cluster = this.#cluster.id;
    const ledger = this.#time.clock;
    if (since === undefined && !isAgreed)
      throw storeAhead(this.#cluster.name, this.#observer.coverage?.to, ledger.now());
    await this.#commits.flush();
    const question = { cluster, now: epochMillis(ledger.now()), since };
    const diagnosis = isBack ? await diagnoseClock(this.#engine, question) : undefined;
    const records = diagnosis === undefined ? 0 : await repairClock(this.#engine, this.#writer, diagnosis);
    const correction = { since: diagnosis?.since ?? since ?? question.now, at: ledger.corrected(), records };
    this.#tell((listener) => listener.clockCorrected?.(correction));
    const { since: from, at } = correction;
    await this.#record([{ kind: 'clock', since: from, at }], undefined);
  }

  /** Leases of single nodes, read while the ledger asks about them: they show whether a kubelet was there all the time. */
  #leaseReader(): LeaseReader {
    const leases = this.#client.resource<Lease>(LEASES, NODE_LEASES);
    const isSynced = () => this.#streams.every(({ synced }) => synced);
    return new LeaseReader({
      ...{ clock: this.#clock, random: this.#random },
      // Not while it catches up: who is in question then may be settled a moment later.
      nodes: () => (isSynced() ? this.#observer.nodesInQuestion : []),
      get: (node, signal) => leases.get(node, { signal, timeoutMs: ASK_TIMEOUT_MS }),
      onRenewed: async (node, renewTime) => {
        const at = this.#time.clock.certain();
        if (at === undefined) return false;
        await this.#record([{ kind: 'renewed', node, renewTime, at }], undefined);
        return true;
      },
      onRead: (result) => this.#tell((listener) => listener.leaseRead?.(result)),
      onForbidden: (refusal) => this.#tell((listener) => listener.leasesForbidden?.(refusal)),
    });
  }

  /** Asks the server how far it is, aside of the watch: that keeps bounds narrow where events are rare. */
  async #probe(signal: AbortSignal): Promise<void> {
    const at = this.#time.clock.certain();
    const known = this.#streams.map((stream) => {
      return { stream, version: stream.informer.lastVersion, rewinds: stream.rewinds };
    });
    const resourceVersion = await this.#askVersion(signal);
    if (resourceVersion === '' || at === undefined) return;
    // A consistent read is never older than what was told before, unless etcd was restored from a backup.
    const before = this.#probed;
    this.#probed = { version: resourceVersion, known };
    if (before !== undefined && isOlder(resourceVersion, before.version)) {
      for (const { stream, rewinds } of before.known) if (stream.rewinds === rewinds) stream.informer.rewound();
      return;
    }
    const ahead = known.filter(({ version }) => version !== undefined && isOlder(resourceVersion, version));
    for (const { stream, rewinds } of ahead) if (stream.rewinds === rewinds) stream.informer.doubt();
    if (ahead.length > 0 || !this.#streams.some(({ informer }) => informer.isCurrent)) return;
    void this.#record([{ kind: 'probed', resourceVersion, at }], undefined)?.catch(() => undefined);
  }

  /** The server's newest version; its answer also says what time it is. */
  async #askVersion(signal: AbortSignal): Promise<string> {
    const one = this.#client.metadata(PODS, this.#namespaces?.[0]);
    const { metadata } = await one.list({ limit: 1, resourceVersion: '', signal });
    return metadata.resourceVersion ?? '';
  }

  #every(ms: number, act: () => void | Promise<void>): { cancel(): void } {
    let cancelled = false;
    let timer = { cancel: () => {} };
    const again = () => {
      if (!cancelled) timer = this.#clock.setTimer(ms, tick);
    };
    // A probe that fails is no news: the watch notices by itself when the server is away.
    const tick = () =>
      void Promise.resolve(act())
        .catch(() => undefined)
        .finally(again);
    tick();
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }
}

function storeAhead(cluster: string, to: EpochMillis | undefined, now: number): OperatorError {
  const reached = to === undefined ? 'the future' : toText(to);
  return new OperatorError(
    'store-ahead',
    `the ledger of ${cluster} reaches to ${reached}, and by the API server it is ${toText(epochMillis(now))}; the clock of this machine does not agree with the server`,
    {
      hint: 'set the clock of this machine and start again; if the server is right and the clock cannot be set, `podtrail store repair --now TIME` takes back what lies in the future.',
    },
  );
}

function isOlder(a: string, b: string): boolean {
  return isComparable(a) && isComparable(b) && compareResourceVersions(a, b) < 0;
}

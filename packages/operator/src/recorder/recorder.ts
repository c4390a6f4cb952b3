// Fills the ledger of one cluster: informers on pods, nodes and services, observed in order, stored with the version
// up to which that is true. It may be killed at any time; the next one goes on where the store says.
import {
  type Checkpoint,
  type Cluster,
  type Engine,
  type Observation,
  type Observed,
  Observer,
  type ObserverState,
  type Scope,
  type Writer,
} from '@podtrail/history';
import {
  type Cacheable,
  type Client,
  type Clock,
  type Delta,
  Informer,
  NODES,
  type NodeView,
  nodeCodec,
  PODS,
  type PodView,
  podCodec,
  type Random,
  SERVICES,
  type ServiceView,
  serviceCodec,
  systemClock,
  systemRandom,
} from '@podtrail/machinery';
import { CommitQueue } from './commit-queue.ts';
import { DeltaLog } from './delta-log.ts';
import { SteadyClock } from './steady-clock.ts';

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
  readonly onStoreFailure?: (error: unknown, attempt: number) => void;
}

export interface RecorderStatus {
  /** The first listing or the catch-up is in the store's hands. */
  readonly synced: boolean;
  /** The watch is open and caught up. */
  readonly current: boolean;
  /** Consecutive failures of the store; 0 is well. */
  readonly storeFailures: number;
  readonly waitingFacts: number;
  readonly committedFacts: number;
  readonly pods: number;
}

/** Readers in other processes may speak as far as the store says that somebody watched: at least every second. */
const HEARTBEAT_MS = 500;
const PROBE_MS = 2_000;
const DEFAULT_CONSISTENCY_MS = 600_000;

export class Recorder {
  readonly #client: Client;
  readonly #namespaces: readonly string[] | undefined;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #consistencyMs: number;
  readonly #observer: Observer;
  readonly #commits: CommitQueue;
  readonly #now: SteadyClock;
  /** One for the cluster, or one for each namespace. */
  readonly #pods: { readonly informer: Informer<PodView>; readonly log: DeltaLog<PodView> }[] = [];
  readonly #informers: { start(signal: AbortSignal): Promise<void> }[] = [];
  readonly #failed = Promise.withResolvers<never>();

  /** Takes the cluster's ledger over and reads from it where to go on. */
  static async open(options: RecorderOptions): Promise<Recorder> {
    const writer = await options.engine.takeOver(options.cluster);
    const { state, checkpoint } = await options.engine.resumption(options.cluster.id);
    return new Recorder(options, writer, state, checkpoint);
  }

  private constructor(
    options: RecorderOptions,
    writer: Writer,
    state: ObserverState,
    checkpoint: Checkpoint | undefined,
  ) {
    const { namespaces, collector } = options;
    this.#client = options.client;
    this.#namespaces = namespaces;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#consistencyMs = options.consistencyMs ?? DEFAULT_CONSISTENCY_MS;
    const scope: Scope = namespaces === undefined ? { kind: 'cluster' } : { kind: 'namespaces', namespaces };
    this.#observer = new Observer({ collector, scope, resume: state, checkpoint });
    this.#now = new SteadyClock(this.#clock, state.coverage?.to ?? 0);
    this.#commits = new CommitQueue({
      append: (batch) => writer.append(batch),
      clock: this.#clock,
      random: this.#random,
      isFatal: (error) => (error as { code?: unknown }).code === 'stale-writer',
      onFailure: options.onStoreFailure,
    });
    if (namespaces === undefined) {
      this.#followPods(undefined, checkpoint?.resourceVersion);
      this.#followServices(undefined);
      this.#followNodes();
      return;
    }
    for (const namespace of namespaces) {
      this.#followPods(namespace, undefined);
      this.#followServices(namespace);
    }
  }

  get status(): RecorderStatus {
    return {
      synced: this.#pods.every(({ informer, log }) => informer.synced && !log.catchingUp),
      current: this.#isCurrent,
      storeFailures: this.#commits.failing,
      waitingFacts: this.#commits.waiting,
      committedFacts: this.#commits.committedFacts,
      pods: this.#pods.reduce((sum, { informer }) => sum + informer.lister.size, 0),
    };
  }

  get #isCurrent(): boolean {
    return this.#pods.every(({ informer }) => informer.isCurrent);
  }

  /** Records until the signal aborts; then what was seen is stored. Rejects when another recorder has taken over. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) stop.abort();
    const running = Promise.all(this.#informers.map((informer) => informer.start(stop.signal)));
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
      await running;
      await this.#commits.close();
    }
  }

  #followPods(namespace: string | undefined, startFrom: string | undefined): void {
    const informer = new Informer({ ...this.#common(namespace), resource: PODS, codec: podCodec, startFrom });
    const wrap = (object: PodView): Observed => ({ kind: 'Pod', object });
    const log = new DeltaLog('Pod', wrap, { catchesUp: startFrom !== undefined, namespace });
    this.#pods.push({ informer, log });
    this.#follow(informer, log, namespace === undefined);
  }

  #followServices(namespace: string | undefined): void {
    const informer = new Informer({ ...this.#common(namespace), resource: SERVICES, codec: serviceCodec });
    const wrap = (object: ServiceView): Observed => ({ kind: 'Service', object });
    this.#follow(informer, new DeltaLog('Service', wrap, { namespace }), false);
  }

  #followNodes(): void {
    const informer = new Informer({ ...this.#common(undefined), resource: NODES, codec: nodeCodec });
    const wrap = (object: NodeView): Observed => ({ kind: 'Node', object });
    this.#follow(informer, new DeltaLog('Node', wrap), false);
  }

  #common(namespace: string | undefined) {
    const { transport } = this.#client;
    return { transport, namespace, clock: this.#clock, random: this.#random, consistencyMs: this.#consistencyMs };
  }

  #follow<T extends Cacheable>(informer: Informer<T>, log: DeltaLog<T>, checkpoints: boolean): void {
    this.#informers.push(informer);
    informer.addHandler({
      name: 'recorder',
      marks: true,
      // Skipping a delta would be a lie in the ledger: it is tried until it is in.
      attempts: Number.POSITIVE_INFINITY,
      onDelta: (delta: Delta<T>) => {
        const { observations, resourceVersion } = log.tell(delta, this.#now.now());
        return this.#record(observations, checkpoints ? resourceVersion : undefined);
      },
    });
  }

  #record(observations: readonly Observation[], resourceVersion: string | undefined): void | Promise<void> {
    const facts = observations.flatMap((observation) => this.#observer.observe(observation));
    const checkpoint =
      resourceVersion === undefined ? undefined : { epoch: this.#observer.epoch, resourceVersion, at: this.#now.now() };
    const pushed = this.#commits.push(facts, checkpoint);
    return pushed?.catch((error) => {
      this.#failed.reject(error);
      throw error;
    });
  }

  /** While the watch is current, the store is told so: that is how far readers may speak. */
  #beat(): void {
    if (!this.#isCurrent || this.#commits.failing > 0) return;
    // A failure is told by `run`; the heart need not hear of it.
    void this.#record([{ kind: 'alive', at: this.#now.now() }], undefined)?.catch(() => undefined);
  }

  /** Asks the server how far it is, aside of the watch: that keeps bounds narrow where events are rare. */
  async #probe(signal: AbortSignal): Promise<void> {
    if (!this.#isCurrent) return;
    const at = this.#now.now();
    const one = this.#client.metadata(PODS, this.#namespaces?.[0]);
    const { metadata } = await one.list({ limit: 1, resourceVersion: '', signal });
    const resourceVersion = metadata.resourceVersion ?? '';
    if (resourceVersion === '') return;
    void this.#record([{ kind: 'probed', resourceVersion, at }], undefined)?.catch(() => undefined);
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

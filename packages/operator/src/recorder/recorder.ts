// Fills the ledger of one cluster: informers on pods, nodes and services, observed in order, stored with the version
// up to which that is true. It may be killed at any time; the next one goes on where the store says.
import { type Cluster, type Engine, type Observation, Observer, type Writer } from '@podtrail/history';
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
const DEFAULT_CONSISTENCY_MS = 600_000;

export class Recorder {
  readonly #clock: Clock;
  readonly #observer: Observer;
  readonly #commits: CommitQueue;
  readonly #now: SteadyClock;
  readonly #pods: Informer<PodView>;
  readonly #podLog: DeltaLog<PodView>;
  readonly #nodes: Informer<NodeView>;
  readonly #services: Informer<ServiceView>;
  readonly #failed = Promise.withResolvers<never>();

  /** Takes the cluster's ledger over and reads from it where to go on. */
  static async open(options: RecorderOptions): Promise<Recorder> {
    const writer = await options.engine.takeOver(options.cluster);
    const { state, checkpoint } = await options.engine.resumption(options.cluster.id);
    const observer = new Observer({ collector: options.collector, scope: { kind: 'cluster' }, resume: state });
    return new Recorder(options, writer, observer, checkpoint?.resourceVersion, state.coverage?.to ?? 0);
  }

  private constructor(
    options: RecorderOptions,
    writer: Writer,
    observer: Observer,
    startFrom: string | undefined,
    since: number,
  ) {
    this.#clock = options.clock ?? systemClock;
    const random = options.random ?? systemRandom;
    this.#observer = observer;
    this.#now = new SteadyClock(this.#clock, since);
    this.#commits = new CommitQueue({
      append: (batch) => writer.append(batch),
      clock: this.#clock,
      random,
      isFatal: (error) => (error as { code?: unknown }).code === 'stale-writer',
      onFailure: options.onStoreFailure,
    });
    const common = {
      transport: options.client.transport,
      clock: this.#clock,
      random,
      consistencyMs: options.consistencyMs ?? DEFAULT_CONSISTENCY_MS,
    };
    this.#podLog = new DeltaLog('Pod', (object) => ({ kind: 'Pod', object }), startFrom !== undefined);
    this.#pods = new Informer({ ...common, resource: PODS, codec: podCodec, startFrom });
    this.#nodes = new Informer({ ...common, resource: NODES, codec: nodeCodec });
    this.#services = new Informer({ ...common, resource: SERVICES, codec: serviceCodec });
    this.#follow(this.#pods, this.#podLog, true);
    this.#follow(this.#nodes, new DeltaLog<NodeView>('Node', (object) => ({ kind: 'Node', object }), false), false);
    this.#follow(
      this.#services,
      new DeltaLog<ServiceView>('Service', (object) => ({ kind: 'Service', object }), false),
      false,
    );
  }

  get status(): RecorderStatus {
    return {
      synced: this.#pods.synced && !this.#podLog.catchingUp,
      current: this.#pods.isCurrent,
      storeFailures: this.#commits.failing,
      waitingFacts: this.#commits.waiting,
      committedFacts: this.#commits.committedFacts,
      pods: this.#pods.lister.size,
    };
  }

  /** Records until the signal aborts; then what was seen is stored. Rejects when another recorder has taken over. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) stop.abort();
    const running = Promise.all(
      [this.#pods, this.#nodes, this.#services].map((informer) => informer.start(stop.signal)),
    );
    const beat = this.#heartbeat(stop.signal);
    try {
      await Promise.race([running, this.#failed.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      stop.abort();
      beat.cancel();
      await running;
      await this.#commits.close();
    }
  }

  #follow<T extends Cacheable>(informer: Informer<T>, log: DeltaLog<T>, checkpoints: boolean): void {
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
  #heartbeat(signal: AbortSignal): { cancel(): void } {
    let timer = { cancel: () => {} };
    const beat = () => {
      if (signal.aborted) return;
      if (this.#pods.isCurrent && this.#commits.failing === 0) {
        // A failure is told by `run`; the heart need not hear of it.
        void this.#record([{ kind: 'alive', at: this.#now.now() }], undefined)?.catch(() => undefined);
      }
      timer = this.#clock.setTimer(HEARTBEAT_MS, beat);
    };
    beat();
    return { cancel: () => timer.cancel() };
  }
}

// Fills the ledger of one cluster: the streams of recorded-streams.ts, observed in order, stored with the version up to
// which that is true. It may be killed at any time; the next one resumes where the store says.
import {
  type Checkpoint,
  type Cluster,
  type Engine,
  type EpochMillis,
  epochMillis,
  type Observation,
  type ObserverState,
  type ReportedEvidence,
  type Scope,
  type SizeLimit,
  type StoredFact,
  type Writer,
} from '@podtrail/history';
import {
  Client,
  type Clock,
  DatedTransport,
  type Informer,
  LEASES,
  type Lease,
  NODES,
  type NodeView,
  PODS,
  type PodView,
  type Random,
  systemClock,
  systemRandom,
} from '@podtrail/machinery';
import { ClockCorrector } from './clock-corrector.ts';
import { ClockReport } from './clock-report.ts';
import { CommitQueue, type StoredBatch } from './commit-queue.ts';
import { evidenceStreams } from './evidence/evidence-streams.ts';
import type { Problem } from './followed-stream.ts';
import { LeaseReader, NODE_LEASES } from './lease-reader.ts';
import { Observers } from './observers.ts';
import { RECORDED_STREAMS } from './recorded-streams.ts';
import type { ClockCorrection, RecorderListener } from './recorder-listener.ts';
import type { RecorderOptions } from './recorder-options.ts';
import type { ClockStatus, RecorderStatus } from './recorder-status.ts';
import { every } from './repeat.ts';
import { ServerVersion } from './server-version.ts';
import { keepStore } from './store-upkeep.ts';
import { StreamSet } from './stream-set.ts';
import { TimeKeeper } from './time-keeper.ts';

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
  readonly #observers: Observers;
  readonly #corrector: ClockCorrector;
  readonly #commits: CommitQueue;
  readonly #time: TimeKeeper;
  readonly #engine: Engine;
  readonly #cluster: Cluster;
  readonly #retentionMs: number | undefined;
  readonly #evidenceRetentionMs: number | undefined;
  readonly #storeLimit: SizeLimit | undefined;
  readonly #listeners: readonly RecorderListener[];
  readonly #streams: StreamSet;
  readonly #version: ServerVersion;
  readonly #clockReport: ClockReport;
  /** Of the last observation. */
  #stampedAt = epochMillis(0);
  #coverageTo: EpochMillis | undefined;
  #checkpointAt: EpochMillis | undefined;
  #beatAt: number | undefined;
  /** Undefined with namespaces: then nodes are not known. */
  #leases: LeaseReader | undefined;
  readonly #failed = Promise.withResolvers<never>();

  /** Takes the cluster's ledger over and reads from it where to go on. */
  static async open(options: RecorderOptions): Promise<Recorder> {
    const writer = await options.engine.takeOver(options.cluster);
    const { state, checkpoint } = await options.engine.resume(options.cluster.id);
    // A recorder of some namespaces moves no checkpoint: what happened elsewhere since was not watched.
    const goesOn = state.coverage === undefined || state.coverage.scope.kind === 'cluster';
    return new Recorder(options, writer, state, goesOn ? checkpoint : undefined);
  }

  private constructor(
    options: RecorderOptions,
    writer: Writer,
    state: ObserverState,
    checkpoint: Checkpoint | undefined,
  ) {
    const { namespaces, collector, causes = false } = options;
    const { streams = causes ? [...RECORDED_STREAMS, ...evidenceStreams()] : RECORDED_STREAMS } = options;
    this.#machineClock = options.clock ?? systemClock;
    const dated = new DatedTransport(options.client.transport, this.#machineClock, (seen) => this.#time.dated(seen));
    this.#client = new Client(dated, { clock: this.#machineClock });
    this.#engine = options.engine;
    this.#cluster = options.cluster;
    this.#retentionMs = options.retentionMs;
    this.#evidenceRetentionMs = options.evidenceRetentionMs;
    this.#storeLimit = options.storeLimit;
    this.#listeners = options.listeners ?? [];
    this.#namespaces = namespaces;
    this.#time = new TimeKeeper({
      clock: this.#machineClock,
      notBefore: state.coverage?.to ?? 0,
      ask: () => this.#askVersion(AbortSignal.timeout(ASK_TIMEOUT_MS)),
      correct: (step) => this.#corrector.correct(step),
      onFailure: (error) => this.#failed.reject(error),
    });
    this.#clock = this.#time.clock;
    this.#random = options.random ?? systemRandom;
    const scope: Scope = namespaces === undefined ? { kind: 'cluster' } : { kind: 'namespaces', namespaces };
    const alsoFollows = streams.flatMap((each) => (each.role === 'claims' && each.kind !== 'Pod' ? each.kind : []));
    const { changeBudgets } = options;
    this.#observers = new Observers({
      ledger: { collector, scope, alsoFollows, changeBudgets, resume: state, checkpoint },
      causes,
      onCausesFailed: (problem) => {
        const change = { resource: 'causes', namespace: undefined, problem };
        this.#notify((listener) => listener.evidenceChanged?.(change));
      },
    });
    this.#commits = new CommitQueue({
      append: (batch) => writer.append(batch),
      clock: this.#clock,
      random: this.#random,
      isFatal: (error) => (error as { code?: unknown }).code === 'stale-writer',
      onFailure: (error, attempt) => this.#notify((listener) => listener.storeFailed?.(error, attempt)),
      onStored: (stored) => this.#stored(stored),
    });
    this.#corrector = new ClockCorrector({
      ...{ engine: options.engine, writer, cluster: options.cluster, clock: this.#time.clock },
      coverageTo: () => this.#observers.ledger.coverage?.to,
      flush: () => this.#commits.flush(),
      onCorrected: (correction) => this.#clockCorrected(correction),
    });
    this.#streams = new StreamSet({
      ...{ streams, namespaces, checkpoint, transport: this.#client.transport, clock: this.#clock },
      ...{ random: this.#random, observer: this.#observers.ledger, watchedUntil: state.coverage?.to },
      consistencyMs: options.consistencyMs ?? DEFAULT_CONSISTENCY_MS,
      now: () => this.#time.certain(),
      record: (observations, observedAt) => this.#record(observations, observedAt),
      notify: (call) => this.#notify(call),
    });
    this.#version = new ServerVersion({
      ask: (signal) => this.#askVersion(signal),
      streams: () => this.#streams.claims,
      now: () => this.#time.clock.certain(),
      onProbed: (resourceVersion, at) =>
        void this.#record([{ kind: 'probed', resourceVersion, at }], undefined)?.catch(() => undefined),
    });
    this.#clockReport = new ClockReport(this.#time.clock, (warning) =>
      this.#notify((listener) => listener.clockDiffers?.(warning)),
    );
    if (namespaces === undefined) this.#leases = this.#leaseReader();
  }

  get status(): RecorderStatus {
    const { statuses: streams, synced, current } = this.#streams;
    const pods = streams.filter(({ resource }) => resource === 'pods');
    return {
      synced,
      current,
      storeFailures: this.#commits.failing,
      waitingFacts: this.#commits.waiting,
      committedFacts: this.#commits.committedFacts,
      suppressedChanges: this.#observers.ledger.suppressedChanges,
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
    const [pods, nodes] = [this.#streams.informer<PodView>(PODS), this.#streams.informer<NodeView>(NODES)];
    return pods === undefined || nodes === undefined ? undefined : { pods, nodes };
  }

  #problems(): Problem[] {
    const { problems } = this.#streams;
    if (this.#clockReport.problem !== undefined) problems.unshift(this.#clockReport.problem);
    const { refusal } = this.#commits;
    if (refusal === undefined) return problems;
    const { since, error } = refusal;
    const sentence = error instanceof Error ? error.message : String(error);
    return [{ what: 'store', since: epochMillis(since), error: sentence }, ...problems];
  }

  /** Records until the signal aborts; then what was seen is stored. Rejects when another recorder has taken over. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) stop.abort();
    const running = this.#streams.run(stop.signal);
    const upkeep = keepStore(
      {
        ...{ engine: this.#engine, cluster: this.#cluster.id, clock: this.#clock, time: this.#time },
        ...{ retentionMs: this.#retentionMs, evidenceRetentionMs: this.#evidenceRetentionMs },
        limit: this.#storeLimit,
        notify: (call) => this.#notify(call),
      },
      stop.signal,
    );
    const beats = [
      every(this.#clock, HEARTBEAT_MS, () => this.#beat()),
      // A probe that fails is ignored: the watch notices by itself when the server is away.
      every(this.#clock, PROBE_MS, () => this.#version.probe(stop.signal)),
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
      await upkeep;
    }
  }

  /**
   * Evidence that comes from elsewhere than a stream of the API. Resolves when there is room for more; false where it is not
   * recorded: causes are not, or it is not certain what time it is.
   */
  async recordEvidence(evidence: readonly ReportedEvidence[]): Promise<boolean> {
    const at = this.#time.clock.certain();
    if (at === undefined || this.#observers.causes === undefined) return false;
    await this.#record(
      evidence.map((one) => ({ kind: 'evidence', evidence: one, at }) as const),
      undefined,
    );
    return true;
  }

  /** `observedAt`: when the informer received it, by the wall clock. */
  #record(observations: readonly Observation[], observedAt: number | undefined): void | Promise<void> {
    if (observations.length === 0) return;
    this.#stampedAt = observations.at(-1)?.at ?? this.#stampedAt;
    for (const observation of observations) {
      if (observation.kind !== 'event') continue;
      this.#time.clock.created(observation.seen.object.metadata.creationTimestamp ?? 0);
    }
    let facts: StoredFact[];
    try {
      facts = this.#observers.observe(observations);
    } catch (error) {
      this.#failed.reject(error);
      throw error;
    }
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
    const { epoch, otherPositions: others, podEpoch } = this.#observers.ledger;
    const { podVersion: resourceVersion } = this.#streams;
    // Another stream knew first that etcd was restored: the pods' version is still one of the history before.
    if (resourceVersion === undefined || podEpoch !== epoch) return undefined;
    const checkpoint = { epoch, resourceVersion, at: this.#stampedAt };
    return others.length === 0 ? checkpoint : { ...checkpoint, others };
  }

  #stored(stored: StoredBatch): void {
    const { facts, checkpoint } = stored.batch;
    const last = facts.findLast((fact) => fact.kind === 'coverage' && fact.coverage.scope.kind !== 'pods');
    if (last?.kind === 'coverage') this.#coverageTo = last.coverage.to;
    this.#checkpointAt = checkpoint?.at ?? this.#checkpointAt;
    this.#notify((listener) => listener.stored?.(stored));
  }

  #notify(call: (listener: RecorderListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch {
        // A count or a log line that fails must not stop the recording.
      }
    }
  }

  /** While the watch is current, the store records it: readers may answer up to that instant. */
  #beat(): void {
    this.#beatAt = this.#clock.monotonic();
    this.#streams.look();
    const at = this.#time.clock.certain();
    this.#clockReport.look();
    // Unless the time is known, what was watched could lie in the future.
    if (at === undefined || this.#clockReport.problem !== undefined) {
      // Somebody has to ask, also while nothing happens.
      Promise.resolve(this.#time.certain()).catch(() => undefined);
      return;
    }
    if (!this.#streams.current || this.#commits.failing > 0) return;
    // `run` reports a failure.
    void this.#record([{ kind: 'alive', at }], undefined)?.catch(() => undefined);
  }

  /** The store has taken back what was written by a wrong time; now what is remembered does. */
  async #clockCorrected(correction: ClockCorrection): Promise<void> {
    this.#notify((listener) => listener.clockCorrected?.(correction));
    const { since, at } = correction;
    await this.#record([{ kind: 'clock', since, at }], undefined);
  }

  /** Leases of single nodes, read while the ledger asks about them: they show whether a kubelet was there all the time. */
  #leaseReader(): LeaseReader {
    const leases = this.#client.resource<Lease>(LEASES, NODE_LEASES);
    return new LeaseReader({
      ...{ clock: this.#clock, random: this.#random },
      // Not while it catches up: who is in question then may be settled a moment later.
      nodes: () => (this.#streams.synced ? this.#observers.ledger.nodesInQuestion : []),
      get: (node, signal) => leases.get(node, { signal, timeoutMs: ASK_TIMEOUT_MS }),
      onRenewed: async (node, renewTime) => {
        const at = this.#time.clock.certain();
        if (at === undefined) return false;
        await this.#record([{ kind: 'renewed', node, renewTime, at }], undefined);
        return true;
      },
      onRead: (result) => this.#notify((listener) => listener.leaseRead?.(result)),
      onForbidden: (refusal) => this.#notify((listener) => listener.leasesForbidden?.(refusal)),
    });
  }

  /** The server's newest version; its answer also says what time it is. */
  async #askVersion(signal: AbortSignal): Promise<string> {
    const one = this.#client.metadata(PODS, this.#namespaces?.[0]);
    const { metadata } = await one.list({ limit: 1, resourceVersion: '', signal });
    return metadata.resourceVersion ?? '';
  }
}

// The operator: the recorder and all controllers in one process, on the same caches. The recorder runs on every replica
// all the time, into its own store; the lease decides only who writes to the Kubernetes API. Called by `podtrail
// operator`; never ends the process itself: `run` says why it ended.
import type { ChangeBudgets, Cluster, Engine, SizeLimit } from '@podtrail/history';
import {
  type Cacheable,
  type Client,
  type Clock,
  EVENTS,
  EventRecorder,
  electionHealthCheck,
  fencedClient,
  type HandlerFailure,
  Informer,
  type KubeEvent,
  LEASES,
  LeaderElector,
  type Lease,
  Manager,
  type ManagerOutcome,
  type MetadataOnlyView,
  metadataCodec,
  NAMESPACES,
  type NodeView,
  type PodView,
  type Random,
  type ReflectorState,
  sleep,
} from '@podtrail/machinery';
import { AuditWebhook, type AuditWebhookOptions } from '../audit/audit-webhook.ts';
import type { ConversionAddress } from '../conversion/conversion-endpoint.ts';
import { OperatorError } from '../errors.ts';
import { electionMetrics, passMetrics, queueMetrics, watchControllers } from '../metrics/controller-metrics.ts';
import { FootprintReports } from '../podtracker/footprint-reports.ts';
import { PodTrackerController } from '../podtracker/podtracker-controller.ts';
import { Recorder } from '../recorder/recorder.ts';
import { RoomReport } from '../recorder/room-report.ts';
import { collectsSpentListings } from '../recorder/spent-listing.ts';
import { conversionTask } from './conversion-task.ts';
import { type CountedMoves, countedMoves } from './counted-moves.ts';
import { reportDefinitions } from './definitions-log.ts';
import { type HistoryTaskOptions, historyTask } from './history-task.ts';
import { type Log, problemOf } from './log.ts';
import { LogSampler } from './log-sampler.ts';
import { MonitoredLeaseLock } from './monitored-lease-lock.ts';
import type { OperatorMonitoring } from './operator-monitoring.ts';
import { recorderLog } from './recorder-log.ts';
import { TrackerAnnotations } from './tracker-annotations.ts';
import { TrackerFootprints } from './tracker-footprints.ts';
import { WatchHealth } from './watch-health.ts';
import { WatchLog } from './watch-log.ts';

export interface OperatorProcessOptions {
  readonly client: Client;
  readonly engine: Engine;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly monitoring: OperatorMonitoring;
  /** This replica, for people: the name of its pod. Kept as provenance of facts and in events. */
  readonly replica: string;
  readonly lease: { readonly namespace: string; readonly name: string; readonly identity: string };
  /** Undefined: v1alpha1 is not served by this replica. */
  readonly conversion?:
    | { readonly host: string; readonly port: number; readonly address: ConversionAddress }
    | undefined;
  /** Undefined: the history API is not served by this replica. */
  readonly history?:
    | Pick<HistoryTaskOptions, 'host' | 'port' | 'service' | 'isServiceLocal' | 'routes' | 'accessLog'>
    | undefined;
  /** Undefined: audit events are not taken. */
  readonly audit?: Pick<AuditWebhookOptions, 'host' | 'port' | 'files' | 'clientName'> | undefined;
  readonly retentionMs?: number | undefined;
  readonly causes?: boolean | undefined;
  readonly evidenceRetentionMs?: number | undefined;
  readonly storeLimit?: SizeLimit | undefined;
  readonly changeBudgets?: ChangeBudgets | undefined;
  readonly footprintIntervalMs: number;
  /** Takes footprint lines: standard output. */
  readonly write: (lines: string) => Promise<void>;
}

/**
 * Shorter than usual: from the last renewal to a new leader it takes at worst the lease and two looks of 4.4 s, which
 * must be within 20 s.
 */
const TIMING = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 2_000 };
/** Passes and the last flush of ConfigMaps may take this long at the end; all of it together stays below 10 s. */
const DRAIN_MS = 2_000;
const GRACE_MS = 500;
const EVENTS_AT_END_MS = 1_000;
const RECORDER_AT_END_MS = 1_500;
/** How long after the lease ran out the process may take to end before it is called dead. */
const OVERDUE_MS = 20_000;

/** What the controllers have in common. */
interface Shared {
  readonly pods: Informer<PodView>;
  readonly nodes: Informer<NodeView>;
  readonly namespaces: Informer<MetadataOnlyView>;
  readonly events: EventRecorder;
  readonly isLeader: () => boolean;
}

/** The caches that are not the recorder's, by their resources. */
type OwnCaches = Readonly<Record<string, Pick<Informer<Cacheable>, 'silentMs'>>>;

type WatchReports = (resource: string) => {
  onState(state: ReflectorState): void;
  onHandlerFailure(failure: HandlerFailure<Cacheable>): void;
};

export class OperatorProcess {
  readonly manager: Manager;
  readonly recorder: Recorder;
  readonly #options: OperatorProcessOptions;

  /** Takes the cluster's ledger over. */
  static async open(options: OperatorProcessOptions): Promise<OperatorProcess> {
    const { client, engine, cluster, clock, random, monitoring, log, replica } = options;
    const watches = new WatchLog(log);
    const room = new RoomReport(clock, (message, fields) => log.warn(message, fields));
    const moves = options.causes === true ? countedMoves(options) : undefined;
    const recorder = await Recorder.open({
      ...{ client, engine, cluster, collector: replica, clock, random, retentionMs: options.retentionMs },
      ...{ causes: options.causes, evidenceRetentionMs: options.evidenceRetentionMs },
      ...{ storeLimit: options.storeLimit, changeBudgets: options.changeBudgets },
      listeners: [
        ...[monitoring.recorderMetrics, recorderLog(log, watches), room, collectsSpentListings()],
        ...(moves === undefined ? [] : [moves.follower]),
      ],
    });
    await moves?.follower.resume();
    const audit = await openAudit(options, recorder);
    return new OperatorProcess(options, recorder, watches, moves, audit);
  }

  private constructor(
    options: OperatorProcessOptions,
    recorder: Recorder,
    watches: WatchLog,
    moves: CountedMoves | undefined,
    audit: AuditWebhook | undefined,
  ) {
    this.#options = options;
    this.recorder = recorder;
    const { client, clock, random, monitoring } = options;
    const { caches } = recorder;
    if (caches === undefined) throw new OperatorError('no-caches', 'the operator needs the pods of the whole cluster');
    const lock = this.#lock();
    const elector = this.#elector(lock);
    const isLeader = () => elector.isLeader();
    this.manager = this.#electedManager(elector);
    const events = this.#eventRecorder(isLeader);
    const health = new WatchHealth(clock);
    const reports = this.#watchReports(health, watches);
    const namespaces = new Informer<MetadataOnlyView>({
      ...{ transport: client.transport, resource: NAMESPACES, codec: metadataCodec, clock, random },
      ...reports('namespaces'),
    });
    const shared: Shared = { ...caches, namespaces, events, isLeader };
    const { trackers, footprints, annotations } = this.#trackerParts(shared, reports);
    const own = { namespaces, podtrackers: trackers.trackers, podtrackerslices: trackers.slices };
    this.#addCaches(shared, own, health, lock);
    this.#addTrackers(trackers, isLeader);
    if (moves !== undefined) this.#addMoves(moves, trackers);
    this.manager.addTask({ name: 'annotations', run: (signal) => annotations.run(signal) });
    this.manager.addTask({ name: 'footprints', needsLeadership: true, run: (signal) => footprints.run(signal) });
    this.#addEvents(events);
    this.#addServers(shared, trackers, audit);
    watchControllers(monitoring.registry, {
      caches: () =>
        Object.entries(own).map(([resource, { synced, isCurrent: current, lister }]) => ({
          ...{ resource, synced, current, objects: lister.size },
        })),
      writes: () => ({ ...trackers.writes }),
      events: () => events.counts,
    });
    monitoring.watch(recorder, this.manager);
  }

  /** Until the signal aborts, the leadership is lost or something fails; then within ten seconds everything has ended. */
  async run(signal: AbortSignal): Promise<ManagerOutcome> {
    const { clock, log } = this.#options;
    const stopRecorder = new AbortController();
    const ended = new AbortController();
    let failure: unknown;
    // First, so that the caches are the recorder's: they end with it, after the controllers.
    const recording = this.recorder.run(stopRecorder.signal).catch((error: unknown) => {
      failure = error;
      ended.abort();
    });
    const outcome = await this.manager.run(AbortSignal.any([signal, ended.signal]));
    log.info('the controllers have ended', { why: outcome.kind, leftQueued: outcome.leftQueued });
    for (const { name, keys } of outcome.cutOff) log.warn('cut off', { name, keys });
    stopRecorder.abort();
    const patience = new AbortController();
    const late = sleep(clock, RECORDER_AT_END_MS, patience.signal).catch(() => undefined);
    await Promise.race([recording, late]);
    patience.abort();
    if (failure === undefined) return outcome;
    return { kind: 'failed', step: 'recorder', error: failure, cutOff: outcome.cutOff, leftQueued: outcome.leftQueued };
  }

  #electedManager(elector: LeaderElector): Manager {
    const { clock, log } = this.#options;
    const manager = new Manager({
      ...{ clock, election: elector, shutdownDeadlineMs: DRAIN_MS, abortGraceMs: GRACE_MS },
      onNewLeader: (leader) => {
        if (leader !== '') log.info('the leader is', { leader, self: leader === elector.identity });
      },
      onSyncTimeout: (source) => log.warn('a cache is not in sync yet; what needs it waits', { source }),
    });
    manager.live.add(
      'election',
      electionHealthCheck(() => elector, OVERDUE_MS),
    );
    return manager;
  }

  #eventRecorder(isLeader: () => boolean): EventRecorder {
    const { client, clock, random, log, replica } = this.#options;
    return new EventRecorder({
      events: (namespace) => fencedClient(client.resource<KubeEvent>(EVENTS, namespace), isLeader),
      ...{ clock, random, reportingController: 'podtrail.dev/operator', reportingInstance: replica },
      onError: (error, { reason }) => log.warn('an event was not written', { reason, problem: problemOf(error) }),
    });
  }

  /** For the watches that are not the recorder's; of its own it reports both by itself. */
  #watchReports(health: WatchHealth, watches: WatchLog): WatchReports {
    const { recorderMetrics } = this.#options.monitoring;
    return (resource) => ({
      onState: (state) => {
        recorderMetrics.watchChanged(resource, state);
        health.watchChanged(resource, state);
        watches.watchChanged(resource, state);
      },
      onHandlerFailure: (failure) => {
        recorderMetrics.handlerFailed(resource, failure);
        watches.handlerFailed(resource, failure);
      },
    });
  }

  /** Everything that follows PodTrackers. */
  #trackerParts({ pods, nodes, namespaces, events, isLeader }: Shared, reports: WatchReports) {
    const { client, clock, random, log, monitoring, lease, footprintIntervalMs: intervalMs, write } = this.#options;
    const passes = passMetrics(monitoring.registry);
    const queues = queueMetrics(monitoring.registry);
    const footprintReports = new FootprintReports();
    const home = lease.namespace;
    const trackers = new PodTrackerController({
      ...{ home, client, pods, nodes, namespaces, clock, events, isLeader, reports, footprints: footprintReports },
      metrics: passes('podtracker'),
      queueMetrics: queues,
      onFailure: ({ key, error, attempt, bug }) => {
        const fields = { tracker: key, attempt, problem: problemOf(error), ...(bug ? { stack: stackOf(error) } : {}) };
        log.warn('a PodTracker could not be brought up to date; trying again', fields);
      },
      onTrackerFailure: ({ tracker, error }) => {
        const fields = { tracker, problem: problemOf(error), stack: stackOf(error) };
        log.error('a PodTracker cannot be worked with; the others go on', fields);
      },
    });
    const shared = { pods, namespaces, trackers: trackers.trackers, clock, random, isLeader, log };
    const footprints = new TrackerFootprints({
      ...{ ...shared, home, client, events, intervalMs, write, reports: footprintReports },
    });
    const annotations = new TrackerAnnotations({ ...shared, metrics: passes('annotations'), queueMetrics: queues });
    return { trackers, footprints, annotations };
  }

  #addCaches({ pods, nodes, namespaces }: Shared, own: OwnCaches, health: WatchHealth, lock: MonitoredLeaseLock): void {
    for (const source of [pods, nodes, namespaces]) this.manager.addSource(source);
    for (const [resource, informer] of Object.entries(own)) {
      // Recording goes on without the definitions.
      const mayBeAbsent = resource !== 'namespaces';
      this.manager.ready.add(`watch-${resource}`, () => health.check(resource, informer.silentMs, mayBeAbsent));
    }
    this.manager.ready.add('election', () => lock.check());
  }

  #addTrackers(trackers: PodTrackerController, isLeader: () => boolean): void {
    const { clock, log } = this.#options;
    this.manager.addController(trackers.controller);
    this.manager.addTask({ name: 'podtracker resources', run: (signal) => trackers.followResources(signal) });
    const states = () => [trackers.trackers.state, trackers.slices.state];
    const isRecording = () => this.recorder.status.problems.length === 0;
    this.manager.addTask({
      name: 'definitions',
      run: (signal) => reportDefinitions({ states, isLeader, isRecording, clock, log }, signal),
    });
  }

  #addMoves(moves: CountedMoves, trackers: PodTrackerController): void {
    moves.listen({ placed: (move) => trackers.podMoved(move) });
    this.manager.addTask({ name: 'moves', run: (signal) => moves.follower.run(signal) });
  }

  #addEvents(events: EventRecorder): void {
    this.manager.addTask({
      name: 'events',
      needsLeadership: true,
      run: async (signal) => {
        await aborted(signal);
        await events.shutDown(EVENTS_AT_END_MS);
      },
    });
  }

  /** What others call: API servers with audit events and objects to convert, and people with questions. */
  #addServers({ pods, namespaces }: Shared, { trackers }: PodTrackerController, audit: AuditWebhook | undefined): void {
    const { client, clock, random, log, replica, conversion, history, engine, cluster, monitoring } = this.#options;
    if (audit !== undefined) this.manager.addTask({ name: 'audit webhook', run: (signal) => audit.run(signal) });
    const convert = conversion && conversionTask({ client, clock, log, identity: replica, ...conversion });
    if (convert !== undefined) this.manager.addTask({ name: 'conversion', run: convert });
    const served = { client, reader: engine, cluster, clock, random, log, identity: replica, pods, namespaces };
    const serve = history && historyTask({ ...served, ...history, registry: monitoring.registry, trackers });
    if (serve !== undefined) this.manager.addTask({ name: 'history API', run: serve });
  }

  #lock(): MonitoredLeaseLock {
    const { client, clock, lease } = this.#options;
    const labels = { 'app.kubernetes.io/name': 'podtrail', 'app.kubernetes.io/component': 'operator' };
    return new MonitoredLeaseLock({ client: client.resource<Lease>(LEASES, lease.namespace), ...lease, labels }, clock);
  }

  #elector(lock: MonitoredLeaseLock): LeaderElector {
    const { clock, random, log, monitoring } = this.#options;
    const failures = new LogSampler();
    return new LeaderElector({
      ...{ ...TIMING, lock, clock, random, metrics: electionMetrics(monitoring.registry) },
      onError: (error) => {
        const problem = problemOf(error);
        if (lock.isAnswering) failures.over('lease');
        lock.failed(problem);
        const times = failures.again('lease');
        if (times !== undefined) log.warn('the lease could not be taken or renewed', { times, problem });
      },
    });
  }
}

async function openAudit(options: OperatorProcessOptions, recorder: Recorder): Promise<AuditWebhook | undefined> {
  const { audit, engine, cluster, clock, log, monitoring } = options;
  if (audit === undefined) return undefined;
  return await AuditWebhook.open({
    ...{ ...audit, engine, cluster, clock, log, registry: monitoring.registry },
    record: (evidence) => recorder.recordEvidence(evidence),
  });
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// The PodTracker controller: informers on trackers and slices, handlers on the shared ones of pods, nodes and
// namespaces, and a queue of trackers that need a pass. Handlers run on every replica, so that a standby is warm;
// passes run where `isLeader` says so. Reads from caches only; writes carry preconditions.
import type { Move } from '@podtrail/history';
import {
  type Cacheable,
  type Client,
  type Clock,
  Controller,
  type ControllerMetrics,
  type Delta,
  DONE,
  type EventRecorder,
  exponentialLimiter,
  fencedClient,
  Informer,
  type InformerOptions,
  isConflict,
  isObjectDelta,
  jsonCodec,
  keyOf,
  MachineryError,
  type MetadataOnlyView,
  type NodeView,
  type Outcome,
  type PassReport,
  type PodView,
  type QueueMetricsProvider,
  type ReconcileContext,
  requeueAfter,
  retry,
  systemClock,
} from '@podtrail/machinery';
import { PODTRACKER_SLICES, PODTRACKERS } from '../crds/manifests.ts';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import { configMapMetadata } from '../footprints/config-map-names.ts';
import { Collector } from './collector.ts';
import type { FootprintReports } from './footprint-reports.ts';
import { sameNodeListing } from './packed-entry.ts';
import { type SliceView, sliceCodec } from './slice-view.ts';
import { Tracked, type TrackerEnv, withoutManagedFields } from './tracked.ts';
import { TrackerEvents } from './tracker-events.ts';
import { TrackerIndex } from './tracker-index.ts';
import { LEAST_BETWEEN_MS, TrackerPass, type WriteCounts } from './tracker-pass.ts';

/** One tracker could not take in what was delivered; it is degraded, and the others are not affected. */
export interface TrackerFailure {
  readonly tracker: string;
  readonly error: unknown;
}

export interface PodTrackerControllerOptions {
  readonly client: Client;
  /** Shared with whoever else follows them; started and stopped by the caller. */
  readonly pods: Informer<PodView>;
  readonly nodes: Informer<NodeView>;
  readonly namespaces: Informer<MetadataOnlyView>;
  readonly clock?: Clock;
  /** The operator's own namespace: where the ConfigMaps of a spec without a namespace are. */
  readonly home: string;
  /** Asked before each pass and each write. Default: always. */
  readonly isLeader?: () => boolean;
  readonly events?: Pick<EventRecorder, 'record'>;
  /** Where footprints are written beside: what they have to say goes into status. */
  readonly footprints?: FootprintReports;
  readonly metrics?: ControllerMetrics;
  readonly queueMetrics?: QueueMetricsProvider;
  readonly onFailure?: (report: PassReport<string>) => void;
  /** For the log; reported once until the tracker could be worked with again. */
  readonly onTrackerFailure?: (failure: TrackerFailure) => void;
  /** Called with the states of the watches on `podtrackers` and `podtrackerslices`, and of handlers on them that threw. */
  readonly reports?: (resource: string) => Pick<InformerOptions<Cacheable>, 'onState' | 'onHandlerFailure'>;
  /** Failures in a row before a tracker is called degraded. Default 5. */
  readonly degradedAfter?: number;
}

/** A burst is gathered this long before its first pass. */
const GATHER_MS = 50;
const FIRST_RETRY_MS = 500;
const SLOW_RETRY_MS = 60_000;
const CONCURRENT_PASSES = 4;

export class PodTrackerController {
  /** For a manager: passes only. The caller gives `followResources` to it as a task beside. */
  readonly controller: Controller;
  readonly trackers: Informer<PodTracker>;
  readonly slices: Informer<SliceView>;
  readonly #options: PodTrackerControllerOptions;
  readonly #clock: Clock;
  readonly #pass: TrackerPass;
  readonly #collector: Collector;
  readonly #tracked = new TrackerIndex();
  readonly #events: TrackerEvents;
  readonly #trackerEnv: TrackerEnv;

  constructor(options: PodTrackerControllerOptions) {
    const { client, pods, nodes, namespaces } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { transport } = client;
    const clock = this.#clock;
    this.trackers = new Informer<PodTracker>({
      transport,
      resource: PODTRACKERS,
      codec: jsonCodec<PodTracker>('podtrail.dev/v1', 'PodTracker'),
      transform: withoutManagedFields,
      ...options.reports?.(PODTRACKERS.resource),
      clock,
    });
    this.slices = new Informer<SliceView>({
      transport,
      resource: PODTRACKER_SLICES,
      codec: sliceCodec,
      indexes: { tracker: ({ tracker }) => [tracker] },
      ...options.reports?.(PODTRACKER_SLICES.resource),
      clock,
    });
    this.#trackerEnv = {
      home: options.home,
      pods: () => pods.lister,
      node: (name) => nodes.lister.get(name),
      namespaceLabels: (name) => namespaces.lister.get(name)?.metadata.labels,
      monotonic: () => clock.monotonic(),
      footprintsIn: (namespace) => options.footprints?.stateIn(namespace) ?? { kind: 'unknown' },
      isEmptied: ({ uid }, namespace) => options.footprints?.isEmptied(uid, namespace) ?? false,
      selectionChanged: (tracked) => this.#tracked.list(tracked),
      addressReused: (tracked, reuse) => this.#events.addressReused(tracked, reuse),
      failed: (tracked, error) => this.#onTrackerFailure(tracked, error),
    };
    const isLeader = () => this.#isLeader();
    this.#events = new TrackerEvents({ trackers: this.#tracked, pods, namespaces, events: options.events, isLeader });
    const shared = {
      clock,
      trackers: fencedClient(client.resource<PodTracker>(PODTRACKERS), isLeader),
      slices: fencedClient(client.resource<PodTrackerSlice>(PODTRACKER_SLICES), isLeader),
      events: options.events,
    };
    this.#pass = new TrackerPass({ ...shared, degradedAfter: options.degradedAfter });
    this.#collector = new Collector({
      home: options.home,
      ...shared,
      configMaps: (namespace) => ({
        client: fencedClient(client.configMaps(namespace), isLeader),
        list: configMapMetadata(client, namespace),
      }),
    });
    this.controller = new Controller({
      name: 'podtracker',
      clock,
      concurrency: CONCURRENT_PASSES,
      limiter: exponentialLimiter(FIRST_RETRY_MS, SLOW_RETRY_MS),
      reconcile: (name, context) => this.#reconcile(name, context),
      ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
      ...(options.queueMetrics === undefined ? {} : { queueMetrics: options.queueMetrics }),
      ...(options.onFailure === undefined ? {} : { onFailure: options.onFailure }),
    });
    this.#follow();
  }

  /** Writes so far. */
  get writes(): Readonly<WriteCounts> {
    return this.#pass.counts;
  }

  /**
   * Keeps the caches of trackers and slices until the signal aborts. They are no sources of the manager: while the
   * definitions are not installed they are never in sync, and the rest of the process must not wait for them.
   */
  async followResources(signal: AbortSignal): Promise<void> {
    await Promise.all([this.trackers.start(signal), this.slices.start(signal)]);
  }

  /** Everything but the shared informers, without a manager: until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const resources = this.followResources(signal);
    await this.controller.run({ stop: signal, abort: signal });
    await resources;
  }

  #isLeader(): boolean {
    return this.#options.isLeader?.() ?? true;
  }

  #follow(): void {
    const { pods, nodes, namespaces, footprints } = this.#options;
    footprints?.onChange((tracker) => this.#enqueue(tracker));
    this.trackers.addHandler({ name: 'podtracker', marks: true, onDelta: (delta) => this.#onTracker(delta) });
    this.slices.addHandler({ name: 'podtracker', marks: true, onDelta: (delta) => this.#onSlice(delta) });
    pods.addHandler({ name: 'podtracker', marks: true, onDelta: (delta) => this.#onPod(delta) });
    nodes.addHandler({ name: 'podtracker', onDelta: (delta) => this.#onNode(delta) });
    namespaces.addHandler({ name: 'podtracker', onDelta: (delta) => this.#onNamespace(delta) });
  }

  #enqueue(name: string): void {
    this.controller.enqueue(name, { afterMs: GATHER_MS });
  }

  #onTracker(delta: Delta<PodTracker>): void {
    if (!isObjectDelta(delta)) {
      if (!isRewound(delta)) return;
      // Versions of before would outrank everything that is delivered from now on.
      for (const name of this.#tracked.names()) this.#tracked.remove(name);
      this.#collector.forget();
      return;
    }
    const { name = '', uid } = delta.object.metadata;
    const known = this.#tracked.get(name);
    if (delta.kind === 'deleted') {
      this.#collector.note(delta.object);
      if (known?.uid === uid) this.#tracked.remove(name);
      this.#enqueue(name);
      return;
    }
    if (known === undefined || known.uid !== uid) this.#adopt(delta.object);
    else known.learnTracker(delta.object);
    this.#enqueue(name);
  }

  #adopt(tracker: PodTracker): void {
    const name = tracker.metadata.name ?? '';
    this.#tracked.remove(name);
    const tracked = new Tracked(tracker, this.#trackerEnv);
    this.#tracked.add(tracked);
    for (const slice of this.slices.lister.byIndex('tracker', name)) tracked.learnSlice(slice);
  }

  #onPod(delta: Delta<PodView>): void {
    if (!isObjectDelta(delta)) {
      if (delta.kind === 'relist-began') this.#events.watchGap(delta.relist);
      return;
    }
    const { uid, namespace } = delta.object.metadata;
    // The cache rather than the delta: a handler that joined late gets the past.
    const now = delta.kind === 'deleted' ? undefined : this.#options.pods.lister.get(keyOf(delta.object));
    for (const tracked of this.#tracked.interestedIn(namespace)) {
      this.#turn(tracked, () => (now?.metadata.uid === uid ? tracked.see(now) : tracked.lose(uid)));
    }
  }

  #onNode(delta: Delta<NodeView>): void {
    if (!isObjectDelta(delta)) return;
    if (delta.kind === 'updated' && sameNodeListing(delta.previous, delta.object)) return;
    for (const tracked of this.#tracked.all()) {
      this.#turn(tracked, () => tracked.seeNode(delta.object.metadata.name));
    }
  }

  #onNamespace(delta: Delta<MetadataOnlyView>): void {
    if (!isObjectDelta(delta)) return;
    const { name, labels } = delta.object.metadata;
    if (delta.kind === 'updated' && delta.previous.metadata.labels.equals(labels)) return;
    for (const tracked of this.#tracked.all()) {
      if (tracked.selection.dependsOnNamespaceLabels) this.#turn(tracked, () => tracked.seeNamespace(name));
    }
  }

  /**
   * Invariant: what one tracker cannot take in does not keep another from its turn. Nothing more is
   * delivered to one that failed: its next pass begins from the caches.
   */
  #turn(tracked: Tracked, act: () => boolean): void {
    if (tracked.problem !== undefined) return;
    try {
      if (act()) this.#enqueue(tracked.name);
    } catch (error) {
      tracked.fail(error);
    }
  }

  #onTrackerFailure(tracked: Tracked, error: unknown): void {
    this.#pass.counts.failures++;
    this.#enqueue(tracked.name);
    try {
      this.#options.onTrackerFailure?.({ tracker: tracked.name, error });
    } catch {
      // Whoever reports failures must not cause one.
    }
  }

  #onSlice(delta: Delta<SliceView>): void {
    if (!isObjectDelta(delta)) {
      if (isRewound(delta)) for (const tracked of this.#tracked.all()) tracked.forgetSlices();
      return;
    }
    const { object } = delta;
    // Somebody gave it to another tracker, or to none.
    if (delta.kind === 'updated' && isElsewhere(delta.previous, object)) this.#loseSlice(delta.previous);
    if (delta.kind === 'deleted') this.#loseSlice(object);
    else if (this.#tracked.get(object.tracker)?.learnSlice(object) ?? object.tracker !== '') {
      this.#enqueue(object.tracker);
    }
  }

  #loseSlice(slice: SliceView): void {
    if (this.#tracked.get(slice.tracker)?.loseSlice(slice, false)) this.#enqueue(slice.tracker);
  }

  async #reconcile(name: string, context: ReconcileContext): Promise<Outcome> {
    if (!context.isLeader() || !this.#isLeader()) return requeueAfter(LEAST_BETWEEN_MS);
    const { pods, nodes, namespaces } = this.#options;
    const caches = [this.trackers, this.slices, pods, nodes, namespaces];
    if (!caches.every((cache) => cache.synced)) {
      await Promise.all(caches.map((cache) => cache.waitForSync(context.signal)));
    }
    const { signal } = context;
    const tracked = this.#tracked.get(name);
    if (tracked === undefined) return await this.#collect(name, this.slices.lister.byIndex('tracker', name), signal);
    const outcome = await this.#pass.run(tracked, signal);
    // One of the same name may have gone before it: of that, slices are taken over, ConfigMaps are removed.
    const collected = await this.#collect(name, [], signal);
    return outcome.kind === 'done' ? collected : outcome;
  }

  async #collect(name: string, slices: Iterable<SliceView>, signal: AbortSignal): Promise<Outcome> {
    try {
      await this.#collector.collect(name, [...slices], signal);
      return DONE;
    } catch (error) {
      const isOld = isConflict(error) || (error instanceof MachineryError && error.code === 'not-leader');
      return isOld ? requeueAfter(LEAST_BETWEEN_MS) : retry(error);
    }
  }

  /** A pod moved to another node: reported on the trackers that ask for that and select it. */
  podMoved(move: Move): void {
    this.#events.podMoved(move);
  }
}

/** etcd was restored from a snapshot. */
function isRewound(delta: Delta<PodTracker> | Delta<SliceView>): boolean {
  return delta.kind === 'relist-began' && delta.relist.reason === 'rewound';
}

function isElsewhere(before: SliceView, now: SliceView): boolean {
  return before.tracker !== now.tracker || before.holds !== now.holds;
}

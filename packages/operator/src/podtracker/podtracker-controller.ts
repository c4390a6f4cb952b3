// The PodTracker controller: informers on trackers and slices, handlers on the shared ones of pods, nodes and
// namespaces, and a queue of trackers that need a pass. Handlers run on every replica, so that a standby is warm;
// passes run where `isLeader` says so. Reads from caches only; writes carry preconditions.
import { type Move, moveText } from '@podtrail/history';
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
  type Relist,
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
import type { Reuse } from './released-addresses.ts';
import { type SliceView, sliceCodec } from './slice-view.ts';
import { type CommandEnv, Tracked, withoutManagedFields } from './tracked.ts';
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
  /** Asked before each pass and each write. Default: always. */
  /** The operator's own namespace: where the ConfigMaps of a spec without a namespace are. */
  readonly home: string;
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
  readonly #tracked = new Map<string, Tracked>();
  /** Trackers by the namespaces that they name; those that name none are asked about every pod. */
  readonly #byNamespace = new Map<string, Set<Tracked>>();
  readonly #anyNamespace = new Set<Tracked>();
  readonly #listedUnder = new WeakMap<Tracked, ReadonlySet<string> | undefined>();
  readonly #commandEnv: CommandEnv;

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
    this.#commandEnv = {
      home: options.home,
      pods: () => pods.lister,
      node: (name) => nodes.lister.get(name),
      namespaceLabels: (name) => namespaces.lister.get(name)?.metadata.labels,
      monotonic: () => clock.monotonic(),
      footprintsIn: (namespace) => options.footprints?.stateIn(namespace) ?? { kind: 'unknown' },
      isEmptied: ({ uid }, namespace) => options.footprints?.isEmptied(uid, namespace) ?? false,
      selectionChanged: (tracked) => this.#list(tracked),
      addressReused: (tracked, reuse) => this.#recordReuse(tracked, reuse),
      failed: (tracked, error) => this.#onTrackerFailure(tracked, error),
    };
    const isLeader = () => this.#isLeader();
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
      for (const name of [...this.#tracked.keys()]) this.#drop(name);
      this.#collector.forget();
      return;
    }
    const { name = '', uid } = delta.object.metadata;
    const known = this.#tracked.get(name);
    if (delta.kind === 'deleted') {
      this.#collector.note(delta.object);
      if (known?.uid === uid) this.#drop(name);
      this.#enqueue(name);
      return;
    }
    if (known === undefined || known.uid !== uid) this.#adopt(delta.object);
    else known.learnTracker(delta.object);
    this.#enqueue(name);
  }

  #adopt(tracker: PodTracker): void {
    const name = tracker.metadata.name ?? '';
    this.#drop(name);
    const tracked = new Tracked(tracker, this.#commandEnv);
    this.#tracked.set(name, tracked);
    this.#list(tracked);
    for (const slice of this.slices.lister.byIndex('tracker', name)) tracked.learnSlice(slice);
  }

  #drop(name: string): void {
    const known = this.#tracked.get(name);
    if (known === undefined) return;
    this.#unlist(known);
    this.#tracked.delete(name);
  }

  /** Under the namespaces that it selects by now. */
  #list(tracked: Tracked): void {
    this.#unlist(tracked);
    const { namespaces } = tracked.selection;
    this.#listedUnder.set(tracked, namespaces);
    if (namespaces === undefined) this.#anyNamespace.add(tracked);
    for (const namespace of namespaces ?? []) {
      const listed = this.#byNamespace.get(namespace);
      if (listed === undefined) this.#byNamespace.set(namespace, new Set([tracked]));
      else listed.add(tracked);
    }
  }

  #unlist(tracked: Tracked): void {
    this.#anyNamespace.delete(tracked);
    for (const namespace of this.#listedUnder.get(tracked) ?? []) {
      const listed = this.#byNamespace.get(namespace);
      listed?.delete(tracked);
      if (listed?.size === 0) this.#byNamespace.delete(namespace);
    }
  }

  *#interestedIn(namespace: string): Iterable<Tracked> {
    yield* this.#byNamespace.get(namespace) ?? [];
    yield* this.#anyNamespace;
  }

  #onPod(delta: Delta<PodView>): void {
    if (!isObjectDelta(delta)) {
      if (delta.kind === 'relist-began') this.#recordGap(delta.relist);
      return;
    }
    const { uid, namespace } = delta.object.metadata;
    // The cache rather than the delta: a handler that joined late gets the past.
    const now = delta.kind === 'deleted' ? undefined : this.#options.pods.lister.get(keyOf(delta.object));
    for (const tracked of this.#interestedIn(namespace)) {
      this.#turn(tracked, () => (now?.metadata.uid === uid ? tracked.see(now) : tracked.lose(uid)));
    }
  }

  #onNode(delta: Delta<NodeView>): void {
    if (!isObjectDelta(delta)) return;
    if (delta.kind === 'updated' && sameNodeListing(delta.previous, delta.object)) return;
    for (const tracked of this.#tracked.values()) {
      this.#turn(tracked, () => tracked.seeNode(delta.object.metadata.name));
    }
  }

  #onNamespace(delta: Delta<MetadataOnlyView>): void {
    if (!isObjectDelta(delta)) return;
    const { name, labels } = delta.object.metadata;
    if (delta.kind === 'updated' && delta.previous.metadata.labels.equals(labels)) return;
    for (const tracked of this.#tracked.values()) {
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
      if (isRewound(delta)) for (const tracked of this.#tracked.values()) tracked.forgetSlices();
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

  #recordReuse(tracked: Tracked, { address, pod, from, afterMs }: Reuse): void {
    const { namespace, name, uid } = pod.metadata;
    const seconds = (afterMs / 1000).toFixed(1);
    this.#recordEvent(tracked, {
      type: 'Normal',
      reason: 'IPReused',
      note: `${address} went from ${from.namespace}/${from.podName} to ${namespace}/${name} within ${seconds} s`,
      related: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    });
  }

  /**
   * A pod moved to another node: reported on the trackers that ask for that and select it. Who moved is gone by now; who
   * took its place has its labels, and is asked for on both nodes.
   */
  podMoved(move: Move): void {
    const { from, to } = move;
    const node = from.pod.node;
    if (!this.#isLeader() || to === undefined || node === '' || to.life.pod.node === node) return;
    const { namespace, name, uid } = to.life.pod;
    const pod = this.#options.pods.lister.get(`${namespace}/${name}`);
    if (pod?.metadata.uid !== uid) return;
    const before = { metadata: pod.metadata, spec: { nodeName: node } };
    const labels = this.#options.namespaces.lister.get(namespace)?.metadata.labels;
    for (const tracked of this.#interestedIn(namespace)) {
      const { tracker, selection, problem } = tracked;
      if (tracker.spec.events?.podMoved !== true || problem !== undefined) continue;
      if (!selection.selects(pod, labels) && !selection.selects(before, labels)) continue;
      const related = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
      this.#recordEvent(tracked, { type: 'Normal', reason: 'PodMoved', note: moveText(move), related });
    }
  }

  #recordGap({ reason, from, to }: Relist): void {
    if (reason === 'start' || from === undefined) return;
    const span = `from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
    for (const tracked of this.#tracked.values()) {
      const note = `Pods were not watched ${span} (${reason}): what came and went in between was not seen`;
      this.#recordEvent(tracked, { type: 'Warning', reason: 'WatchGap', note });
    }
  }

  #recordEvent({ name, uid }: Tracked, event: Omit<Parameters<EventRecorder['record']>[0], 'regarding'>): void {
    if (!this.#isLeader()) return;
    const regarding = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid };
    this.#options.events?.record({ regarding, ...event });
  }
}

/** etcd was restored from a snapshot. */
function isRewound(delta: Delta<PodTracker> | Delta<SliceView>): boolean {
  return delta.kind === 'relist-began' && delta.relist.reason === 'rewound';
}

function isElsewhere(before: SliceView, now: SliceView): boolean {
  return before.tracker !== now.tracker || before.holds !== now.holds;
}

// Controllers in numbers: work queues and passes by the name of the controller, the election, caches that are not the
// recorder's, what was written. Labels are kinds and outcomes: never an address, a name or a UID.
import type {
  ControllerMetrics,
  ElectionMetrics,
  EventCounts,
  PassKind,
  QueueMetrics,
  QueueMetricsProvider,
} from '@podtrail/machinery';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 60];

/** What is read of an informer. */
export interface WatchedCache {
  readonly resource: string;
  readonly synced: boolean;
  readonly current: boolean;
  readonly objects: number;
}

/** For a controller's `queueMetrics`. */
export function queueMetrics(registry: Registry): QueueMetricsProvider {
  const labelNames = ['queue'] as const;
  const common = { labelNames, registers: [registry] };
  const named = (name: string, help: string) => ({ name: `podtrail_workqueue_${name}`, help, ...common });
  const depth = new Gauge(named('depth', 'Keys that wait for a pass.'));
  const adds = new Counter(named('adds_total', 'Keys that were added.'));
  const retries = new Counter(named('retries_total', 'Keys that were added with a delay, or again after a failure.'));
  const unfinished = new Gauge(named('unfinished_work_seconds', 'Ages of all running passes together.'));
  const longest = new Gauge(named('longest_running_seconds', 'Age of the oldest running pass.'));
  const latency = new Histogram({ ...named('queue_seconds', 'How long a key waited for its pass.'), buckets: SECONDS });
  const work = new Histogram({ ...named('work_seconds', 'How long a key was worked on.'), buckets: SECONDS });
  return (queue): QueueMetrics => ({
    depth: (items) => depth.set({ queue }, items),
    added: () => adds.inc({ queue }),
    retried: () => retries.inc({ queue }),
    latency: (seconds) => latency.observe({ queue }, seconds),
    workDuration: (seconds) => work.observe({ queue }, seconds),
    unfinishedWork: (seconds) => unfinished.set({ queue }, seconds),
    longestRunning: (seconds) => longest.set({ queue }, seconds),
  });
}

/** For the `metrics` of one controller or of several. */
export function passMetrics(registry: Registry): (controller: string) => ControllerMetrics {
  const registers = [registry];
  const passes = new Counter({
    name: 'podtrail_controller_passes_total',
    help: 'Passes over a key, by how they ended.',
    labelNames: ['controller', 'outcome'],
    registers,
  });
  const panics = new Counter({
    name: 'podtrail_controller_panics_total',
    help: 'Passes that ended in a fault of the program.',
    labelNames: ['controller'],
    registers,
  });
  const active = new Gauge({
    name: 'podtrail_controller_active_workers',
    help: 'Passes that are running.',
    labelNames: ['controller'],
    registers,
  });
  return (controller) => {
    for (const outcome of ['done', 'retry'] satisfies PassKind[]) passes.inc({ controller, outcome }, 0);
    panics.inc({ controller }, 0);
    active.set({ controller }, 0);
    return {
      reconciled: (outcome) => passes.inc({ controller, outcome }),
      panicked: () => panics.inc({ controller }),
      activeWorkers: (count) => active.set({ controller }, count),
    };
  };
}

/** For an elector's `metrics`. */
export function electionMetrics(registry: Registry): ElectionMetrics {
  const registers = [registry];
  const leader = new Gauge({ name: 'podtrail_leader', help: '1 while this replica leads.', registers });
  const slow = new Counter({
    name: 'podtrail_leader_slow_renewals_total',
    help: 'Renewals of the lease that had to read it again.',
    registers,
  });
  return { leading: (isLeader) => leader.set(Number(isLeader)), slowPath: () => slow.inc() };
}

export interface ControllerState {
  caches(): readonly WatchedCache[];
  writes(): Readonly<Record<string, number>>;
  events(): Readonly<EventCounts>;
}

/** From now on the page also shows how the controllers stand. */
export function watchControllers(registry: Registry, state: ControllerState): void {
  const registers = [registry];
  const cacheGauge = (name: string, help: string, read: (cache: WatchedCache) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['resource'], registers },
      collect() {
        for (const cache of state.caches()) this.set({ resource: cache.resource }, read(cache));
      },
    });
  cacheGauge('podtrail_controller_cache_synced', 'Listed at least once.', ({ synced }) => Number(synced));
  cacheGauge('podtrail_controller_cache_current', 'The watch is open and in step.', ({ current }) => Number(current));
  cacheGauge('podtrail_controller_cache_objects', 'Objects in the cache.', ({ objects }) => objects);
  const counts = (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
    new Counter({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  counts(
    'podtrail_podtracker_writes_total',
    'Writes for PodTrackers, conflicts, and trackers that cannot be worked with.',
    'what',
    () => state.writes(),
  );
  counts('podtrail_events_total', 'Events on PodTrackers, by what became of them.', 'outcome', () => ({
    ...state.events(),
  }));
}

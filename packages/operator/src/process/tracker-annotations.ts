// Changes of annotations, reported in the log for the PodTrackers that ask for it. One watcher for all of them, and none
// while nobody asks. Every replica follows, only the leader reports. Never calls the API.
import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  type ControllerMetrics,
  type Informer,
  isObjectDelta,
  type MetadataOnlyView,
  type PodView,
  type QueueMetricsProvider,
  type Random,
} from '@podtrail/machinery';
import type { AnnotationChange, AnnotationReport } from '../annotations/annotation-report.ts';
import { AnnotationWatcher } from '../annotations/annotation-watcher.ts';
import { type KeyFilter, keyFilter } from '../annotations/key-glob.ts';
import type { PodTracker } from '../crds/podtracker.ts';
import { Selection } from '../podtracker/selection.ts';
import { type Log, problemOf } from './log.ts';

export interface TrackerAnnotationsOptions {
  readonly pods: Informer<PodView>;
  readonly namespaces: Informer<MetadataOnlyView>;
  readonly trackers: Informer<PodTracker>;
  readonly clock: Clock;
  readonly random: Random;
  readonly isLeader: () => boolean;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly queueMetrics?: QueueMetricsProvider;
}

interface Asker {
  readonly spec: PodTracker['spec'];
  readonly selection: Selection;
  readonly keeps: KeyFilter;
  /** Pods that come or go without such an annotation are not reported. */
  readonly only: boolean;
}

/** A value may be 256 KiB; a log is for people. The ledger has all of it. */
const LONGEST_VALUE = 80;

export class TrackerAnnotations {
  readonly #options: TrackerAnnotationsOptions;
  readonly #askers = new Map<string, Asker>();
  #isAsked = false;
  /** Resolves when the first tracker asks. */
  #asked = Promise.withResolvers<void>();
  #unasked = new AbortController();

  constructor(options: TrackerAnnotationsOptions) {
    this.#options = options;
    options.trackers.addHandler({
      name: 'annotations',
      onDelta: (delta) => {
        if (isObjectDelta(delta)) this.#onTracker(delta.object, delta.kind === 'deleted');
      },
    });
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      await Promise.race([this.#asked.promise, stopped]);
      if (signal.aborted) return;
      await this.#watch(AbortSignal.any([signal, this.#unasked.signal]));
    }
  }

  async #watch(stop: AbortSignal): Promise<void> {
    const { pods, clock, random, log, metrics, queueMetrics } = this.#options;
    const watcher = new AnnotationWatcher({
      ...{ pods, clock, random, metrics, queueMetrics, everyKey: true },
      emit: (report) => this.#emit(report),
      onFailure: ({ key, error, retryInMs }) => {
        if (retryInMs === undefined)
          log.error('a change of annotations was not reported', { pod: key, problem: problemOf(error) });
      },
    });
    await watcher.run(stop).catch((error) => {
      if (!stop.aborted) throw error;
    });
  }

  #onTracker({ metadata, spec }: PodTracker, isGone: boolean): void {
    const { name = '' } = metadata;
    const known = this.#askers.get(name);
    // Status changes far more often than what was asked for. The generation does not show it: through v1alpha1 a spec may
    // change without it.
    if (!isGone && known !== undefined && isDeepStrictEqual(known.spec, spec)) return;
    const { enabled = false, keys = [] } = spec.annotations ?? {};
    if (isGone || !enabled) this.#askers.delete(name);
    else {
      const asker = { spec, selection: new Selection(spec), keeps: keyFilter(keys), only: keys.length > 0 };
      this.#askers.set(name, asker);
    }
    this.#changeMind(this.#askers.size > 0);
  }

  /** Only at a change: whoever waits for `#asked` must not be left with a promise that nobody keeps. */
  #changeMind(isAsked: boolean): void {
    if (isAsked === this.#isAsked) return;
    this.#isAsked = isAsked;
    if (isAsked) {
      this.#unasked = new AbortController();
      this.#asked.resolve();
    } else {
      this.#asked = Promise.withResolvers<void>();
      this.#unasked.abort();
    }
  }

  #emit({ event, pod, changes }: AnnotationReport): void {
    const { isLeader, log, namespaces } = this.#options;
    if (!isLeader()) return;
    const { namespace, name, uid } = pod.metadata;
    for (const [tracker, { selection, keeps, only }] of this.#askers) {
      if (!selection.selects(pod, namespaces.lister.get(namespace)?.metadata.labels)) continue;
      const kept = changes.filter(({ key }) => keeps(key));
      if (kept.length === 0 && (only || event === 'UPDATED')) continue;
      const about = { tracker, event, namespace, pod: name, uid, node: pod.spec.nodeName, phase: pod.status.phase };
      log.info('annotations', { ...about, changes: kept.map(shorten) });
    }
  }
}

function shorten(change: AnnotationChange): Record<string, string> {
  const cut = (text: string) => (text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`);
  return {
    ...change,
    ...('before' in change ? { before: cut(change.before) } : {}),
    ...('after' in change ? { after: cut(change.after) } : {}),
  };
}

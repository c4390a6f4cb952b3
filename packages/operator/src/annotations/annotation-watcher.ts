// Tells how the annotations of pods change. Handlers only put keys into a queue; workers compare the cache with what
// they reported last and hand reports on. Never calls the API. A report that cannot be handed on is tried again, then
// given up and said, and the others go on.
import {
  type Clock,
  Controller,
  type ControllerMetrics,
  DONE,
  exponentialLimiter,
  type Informer,
  isObjectDelta,
  keyOf,
  type PodView,
  type QueueMetricsProvider,
  type Random,
  retry,
  systemClock,
  systemRandom,
  terminal,
  withJitter,
} from '@podtrail/machinery';
import { type AnnotationReport, reportsOf } from './annotation-report.ts';
import { keyFilter } from './key-glob.ts';

export interface AnnotationWatcherOptions {
  readonly pods: Pick<Informer<PodView>, 'addHandler' | 'lister' | 'waitForSync'>;
  /** Takes a report; the worker's next one comes when it has resolved. */
  readonly emit: (report: AnnotationReport) => void | Promise<void>;
  /** Before the first report, from the cache. */
  readonly onStart?: (summary: AnnotationSummary) => void | Promise<void>;
  /** Globs; only these keys. Default all but what kubectl last applied, as in the ledger. */
  readonly keys?: readonly string[];
  /** That one too: the receiver chooses. */
  readonly everyKey?: boolean;
  /** Tell the pods that are there at the start too, as ADDED. */
  readonly initial?: boolean;
  /** Keys that are worked on at once. With more than one, reports of different pods may overtake each other. */
  readonly workers?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly onFailure?: (failure: AnnotationFailure) => void;
  readonly metrics?: ControllerMetrics | undefined;
  readonly queueMetrics?: QueueMetricsProvider | undefined;
}

export interface AnnotationSummary {
  readonly pods: number;
  /** With at least one annotation that is reported. */
  readonly annotated: number;
}

export interface AnnotationFailure {
  /** `namespace/name` of the pod. */
  readonly key: string;
  readonly error: unknown;
  /** Undefined: given up, and what it would have reported is not reported again. */
  readonly retryInMs: number | undefined;
}

const RETRIES = 3;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

export class AnnotationWatcher {
  readonly #options: AnnotationWatcherOptions;
  readonly #controller: Controller;
  readonly #reports: (before: PodView | undefined, after: PodView | undefined) => AnnotationReport[];
  readonly #keep: (key: string) => boolean;
  /** How each pod was at its last report; the objects are the cache's own until they change. */
  readonly #reported = new Map<string, PodView>();
  #started = false;

  constructor(options: AnnotationWatcherOptions) {
    const { clock = systemClock, random = systemRandom, keys = [] } = options;
    this.#options = options;
    this.#keep = options.everyKey === true ? () => true : keyFilter(keys);
    this.#reports = (before, after) => reportsOf(before, after, this.#keep, keys.length > 0);
    this.#controller = new Controller({
      name: 'annotations',
      reconcile: (key, { attempt }) => this.#reconcile(key, attempt),
      concurrency: options.workers ?? 1,
      needsLeadership: false,
      limiter: withJitter(exponentialLimiter(FIRST_RETRY_MS, LONGEST_RETRY_MS), random),
      onFailure: ({ key, error, retryInMs }) => options.onFailure?.({ key, error, retryInMs }),
      ...{ clock, random },
      ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
      ...(options.queueMetrics === undefined ? {} : { queueMetrics: options.queueMetrics }),
    });
  }

  /** Until `stop` aborts and everything that was seen by then has been reported; `abort` gives up on that. */
  async run(stop: AbortSignal, abort: AbortSignal = new AbortController().signal): Promise<void> {
    const { pods, onStart, initial = false } = this.#options;
    await pods.waitForSync(stop);
    const summary = this.#summary();
    if (!initial) for (const pod of pods.lister) this.#reported.set(keyOf(pod), pod);
    await onStart?.(summary);
    this.#started = true;
    const registration = pods.addHandler({
      name: 'annotations',
      onDelta: (delta) => {
        if (isObjectDelta(delta)) this.#controller.enqueue(keyOf(delta.object));
      },
    });
    const onStop = () => {
      registration.remove();
      // Takes no more keys; those that are ready are still worked off, and then the workers end.
      this.#controller.shutDown();
    };
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    await this.#controller.run({ stop: abort, abort });
  }

  /** Keys that wait to be reported. */
  get waiting(): number {
    return this.#started ? this.#controller.queued + this.#controller.inFlight.length : 0;
  }

  async #reconcile(key: string, attempt: number) {
    const before = this.#reported.get(key);
    const after = this.#options.pods.lister.get(key);
    try {
      for (const report of this.#reports(before, after)) {
        await this.#options.emit(report);
        // Of two reports the first is not reported again when the second fails.
        if (report.event === 'DELETED') this.#reported.delete(key);
      }
    } catch (error) {
      if (attempt < RETRIES) return retry(error);
      this.#remember(key, after);
      return terminal(error);
    }
    this.#remember(key, after);
    return DONE;
  }

  #remember(key: string, pod: PodView | undefined): void {
    if (pod === undefined) this.#reported.delete(key);
    else this.#reported.set(key, pod);
  }

  #summary(): AnnotationSummary {
    let pods = 0;
    let annotated = 0;
    for (const { metadata } of this.#options.pods.lister) {
      pods++;
      for (const key of metadata.annotations.keys()) {
        if (!this.#keep(key)) continue;
        annotated++;
        break;
      }
    }
    return { pods, annotated };
  }
}

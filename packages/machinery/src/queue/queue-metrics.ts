// The metrics of a work queue. A provider is called once per queue with its name; the operator joins it to
// its metrics registry. Names and meanings follow client-go's workqueue metrics. All times are seconds.
import type { Clock } from '../clock.ts';

export interface QueueMetrics {
  /** Items that wait to be processed, including those that wait for their own running pass to end. */
  depth(items: number): void;
  added(): void;
  /** How long an item waited before it was taken. */
  latency(seconds: number): void;
  /** How long an item was worked on. */
  workDuration(seconds: number): void;
  /** Sum of the ages of all passes that are still running: grows steadily when something hangs. */
  unfinishedWork(seconds: number): void;
  longestRunning(seconds: number): void;
  /** A delayed or rate-limited add. */
  retried(): void;
}

export type QueueMetricsProvider = (queueName: string) => QueueMetrics;

/** How often running work is summed up, milliseconds. */
export const UNFINISHED_WORK_PERIOD_MS = 500;

/** Keeps the times that the metrics need. Only made when there is a provider. */
export class QueueTimes<T> {
  readonly #metrics: QueueMetrics;
  readonly #clock: Clock;
  readonly #addedAt = new Map<T, number>();
  readonly #startedAt = new Map<T, number>();

  constructor(metrics: QueueMetrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  added(item: T, depth: number): void {
    this.#metrics.added();
    this.#metrics.depth(depth);
    if (!this.#addedAt.has(item)) this.#addedAt.set(item, this.#clock.monotonic());
  }

  taken(item: T, depth: number): void {
    this.#metrics.depth(depth);
    this.#startedAt.set(item, this.#clock.monotonic());
    const added = this.#addedAt.get(item);
    if (added === undefined) return;
    this.#metrics.latency(this.#since(added));
    this.#addedAt.delete(item);
  }

  finished(item: T): void {
    const started = this.#startedAt.get(item);
    if (started === undefined) return;
    this.#metrics.workDuration(this.#since(started));
    this.#startedAt.delete(item);
  }

  retried(): void {
    this.#metrics.retried();
  }

  reportUnfinished(): void {
    let total = 0;
    let longest = 0;
    for (const started of this.#startedAt.values()) {
      const age = this.#since(started);
      total += age;
      if (age > longest) longest = age;
    }
    this.#metrics.unfinishedWork(total);
    this.#metrics.longestRunning(longest);
  }

  #since(monotonic: number): number {
    return (this.#clock.monotonic() - monotonic) / 1000;
  }
}

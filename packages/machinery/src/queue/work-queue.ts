// The queue between informers and reconcilers: keys go in as often as they like, each comes out once, and never while
// it is still being worked on. Informer handlers and controllers call it; it never runs the work and never drops a key
// before shutdown.
import { type Clock, systemClock, type Timer } from '../clock.ts';
import { MachineryError } from '../errors.ts';
import { DelayedAdds } from './delayed-adds.ts';
import { type QueueMetricsProvider, QueueTimes, UNFINISHED_WORK_PERIOD_MS } from './queue-metrics.ts';
import { controllerRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { FifoOrder, type ReadyOrder } from './ready-order.ts';

export interface WorkQueueOptions<T> {
  readonly clock?: Clock;
  /** For metrics; a queue without a name has none. */
  readonly name?: string;
  readonly metrics?: QueueMetricsProvider;
  /** First in, first out if absent. */
  readonly order?: ReadyOrder<T>;
  /** For `addRateLimited`; `controllerRateLimiter` if absent. */
  readonly limiter?: RateLimiter<T>;
}

export type Work<T> =
  | { readonly kind: 'item'; readonly item: T; readonly priority: number }
  /** Shut down and empty, or the caller's signal aborted. */
  | { readonly kind: 'closed' };

type Phase =
  /** Left by `shutDown` or `shutDownWithDrain`. */
  | 'open'
  /** Takes no more adds; left by `shutDown`, which ends the wait of the drainers. */
  | 'draining'
  /** Takes no more adds; what is ready is still handed out. Final. */
  | 'shut';

const CLOSED: Work<never> = { kind: 'closed' };

export class WorkQueue<T> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<T>;
  readonly #delayed: DelayedAdds<T>;
  readonly #times: QueueTimes<T> | undefined;
  /** Invariant: holds exactly the items that are dirty and not processing. */
  readonly #ready: ReadyOrder<T>;
  /** Items that need (another) pass, with the highest priority they were added with. */
  readonly #dirty = new Map<T, number>();
  /** Invariant: an item is in here from `get` to `done`, and is not handed out in between. */
  readonly #processing = new Set<T>();
  /** Callers of `get` that wait, first come first served. Invariant: empty while something is ready. */
  readonly #waiters = new Set<(work: Work<T>) => void>();
  readonly #drainers = new Set<() => void>();
  #phase: Phase = 'open';
  #reporter: Timer | undefined;

  constructor(options: WorkQueueOptions<T> = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#ready = options.order ?? new FifoOrder<T>();
    this.#limiter = options.limiter ?? controllerRateLimiter<T>(this.#clock);
    this.#delayed = new DelayedAdds<T>(this.#clock, (item, priority) => this.add(item, priority));
    if (options.name !== undefined && options.name !== '' && options.metrics !== undefined) {
      this.#times = new QueueTimes<T>(options.metrics(options.name), this.#clock);
      this.#scheduleReport(this.#times);
    }
  }

  /** Items that `get` could hand out now. */
  get length(): number {
    return this.#ready.length;
  }

  /** Items that wait for their time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  get processing(): ReadonlySet<T> {
    return this.#processing;
  }

  get shuttingDown(): boolean {
    return this.#phase !== 'open';
  }

  /** Marks `item` as needing a pass. Ignored after shutdown. */
  add(item: T, priority = 0): void {
    if (this.#phase !== 'open') return;
    const known = this.#dirty.get(item);
    if (known !== undefined) {
      if (priority > known) this.#dirty.set(item, priority);
      if (!this.#processing.has(item)) this.#ready.touch(item, priority);
      return;
    }
    this.#dirty.set(item, priority);
    this.#times?.added(item, this.#dirty.size);
    if (!this.#processing.has(item)) this.#makeReady(item, priority);
  }

  /**
   * Adds `item` in `ms` from now, or earlier if it is already due earlier. Does not hold back a plain `add`. Without a
   * delay it is one, and counts as no retry.
   */
  addAfter(item: T, ms: number, priority = 0): void {
    this.#addIn(item, ms, priority, ms > 0);
  }

  /** Adds `item` when the rate limiter allows, but not before `atLeastMs`. Returns the delay. */
  addRateLimited(item: T, priority = 0, atLeastMs = 0): number {
    const ms = Math.max(atLeastMs, this.#limiter.delayFor(item));
    // Also where the limiter lets it pass at once: it is tried again.
    this.#addIn(item, ms, priority, true);
    return ms;
  }

  /** Ends the item's backoff. `done` is still needed. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  requeues(item: T): number {
    return this.#limiter.requeues(item);
  }

  /** The next item, as soon as there is one. Every item must be given back with `done`. */
  get(signal?: AbortSignal): Promise<Work<T>> {
    if (signal?.aborted) return Promise.resolve(CLOSED);
    const work = this.#take();
    if (work !== undefined) return Promise.resolve(work);
    if (this.#phase !== 'open') return Promise.resolve(CLOSED);
    return new Promise((resolve) => {
      const waiter = (work: Work<T>) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(work);
      };
      const onAbort = () => {
        this.#waiters.delete(waiter);
        resolve(CLOSED);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** The pass over `item` has ended. If it was added meanwhile, it becomes ready again. */
  done(item: T): void {
    if (!this.#processing.delete(item)) return;
    this.#times?.finished(item);
    const priority = this.#dirty.get(item);
    if (priority !== undefined) this.#makeReady(item, priority);
    if (this.#idle) this.#releaseDrainers();
  }

  /** No more adds, delayed ones are dropped. What is ready is still handed out; nobody is waited for. */
  shutDown(): void {
    this.#close('shut');
    this.#releaseDrainers();
  }

  /**
   * As `shutDown`, and resolves once everything that was ready or running has been done, including items that became
   * dirty while running. Ends early on `shutDown` or when `signal` aborts. Needs somebody who keeps calling `get`.
   */
  shutDownWithDrain(signal?: AbortSignal): Promise<void> {
    if (this.#phase === 'open') this.#close('draining');
    if (this.#phase === 'shut' || this.#idle || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        signal?.removeEventListener('abort', release);
        this.#drainers.delete(release);
        resolve();
      };
      signal?.addEventListener('abort', release, { once: true });
      this.#drainers.add(release);
    });
  }

  #addIn(item: T, ms: number, priority: number, isRetry: boolean): void {
    if (Number.isNaN(ms)) {
      throw new MachineryError('bad-delay', 'an item was added with a delay that is not a number', {
        hint: 'Pass milliseconds, zero or more; a rate limiter of your own must return them, too.',
      });
    }
    if (this.#phase !== 'open') return;
    if (isRetry) this.#times?.retried();
    if (ms <= 0) this.add(item, priority);
    else this.#delayed.add(item, ms, priority);
  }

  get #idle(): boolean {
    return this.#processing.size === 0 && this.#ready.length === 0;
  }

  #makeReady(item: T, priority: number): void {
    this.#ready.push(item, priority);
    const [waiter] = this.#waiters;
    if (waiter === undefined) return;
    const work = this.#take();
    if (work === undefined) return;
    this.#waiters.delete(waiter);
    waiter(work);
  }

  #take(): Work<T> | undefined {
    const next = this.#ready.pop();
    if (next === undefined) return undefined;
    this.#processing.add(next.item);
    this.#dirty.delete(next.item);
    this.#times?.taken(next.item, this.#dirty.size);
    return { kind: 'item', item: next.item, priority: next.priority };
  }

  #close(phase: 'draining' | 'shut'): void {
    this.#phase = phase;
    this.#reporter?.cancel();
    this.#delayed.clear();
    for (const waiter of this.#waiters) waiter(CLOSED);
    this.#waiters.clear();
  }

  #releaseDrainers(): void {
    for (const release of this.#drainers) release();
  }

  #scheduleReport(times: QueueTimes<T>): void {
    const report = () => {
      times.reportUnfinished();
      this.#scheduleReport(times);
    };
    this.#reporter = this.#clock.setTimer(UNFINISHED_WORK_PERIOD_MS, report, false);
  }
}

// Runs a reconciler over the keys of a work queue: N at a time, never two passes over one key, never an end because a
// pass failed. The manager starts and stops it; informer handlers call `enqueue`, also before it runs.
import { type Clock, systemClock, type Timer } from '../clock.ts';
import { ApiError, MachineryError } from '../errors.ts';
import { isObjectDelta } from '../informer/delta.ts';
import type { Informer } from '../informer/informer.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { QueueMetricsProvider } from '../queue/queue-metrics.ts';
import { controllerRateLimiter, type RateLimiter, slowAfter, withJitter } from '../queue/rate-limiter.ts';
import { LOW_PRIORITY, PriorityOrder } from '../queue/ready-order.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { type Random, systemRandom } from '../random.ts';
import type { ManagedSource } from './managed-source.ts';
import { isBug, isOutcome, type Outcome } from './outcome.ts';
import type { Predicate } from './predicate.ts';

export interface ReconcileContext {
  /** Aborts when the leadership is lost, the shutdown deadline has passed or the pass takes too long. */
  readonly signal: AbortSignal;
  /** How often this key has failed since it last succeeded. */
  readonly attempt: number;
  readonly priority: number;
  /** To be asked before each write: a monotonic deadline, not a memory of having been elected. */
  isLeader(): boolean;
}

export type Reconciler<K> = (key: K, context: ReconcileContext) => Outcome | Promise<Outcome>;

/** Which keys an object is about: one, several or, with an empty array, none. */
export type KeysOf<T, K> = (object: T) => K | readonly K[];

export type PassKind = Outcome['kind'] | 'aborted';

export interface ControllerMetrics {
  reconciled(kind: PassKind, seconds: number): void;
  panicked(): void;
  activeWorkers(count: number): void;
}

/** A pass that failed, for the log. `retryInMs` is undefined if it is not retried. */
export interface PassReport<K> {
  readonly controller: string;
  readonly key: K;
  readonly error: unknown;
  readonly attempt: number;
  readonly bug: boolean;
  readonly retryInMs: number | undefined;
}

export interface ControllerOptions<K> {
  readonly name: string;
  readonly reconcile: Reconciler<K>;
  readonly clock?: Clock;
  readonly random?: Random;
  /** What must be in sync before the first pass; may be shared with other controllers. */
  readonly sources?: readonly ManagedSource[];
  /** Passes at once, all over different keys. Default 1. */
  readonly concurrency?: number;
  /** Whether passes wait for leadership. Default true. */
  readonly needsLeadership?: boolean;
  /** Failures of a key that are retried with backoff, before the slow interval. Default 12 (the last waits 10 s). */
  readonly maxFastRetries?: number;
  /** Default five minutes. */
  readonly slowRetryMs?: number;
  /** Aborts a pass that takes longer; it is retried once it has ended. Default: none. */
  readonly passTimeoutMs?: number;
  /** Hand out keys by priority (see LOW_PRIORITY). Default false: first in, first out. */
  readonly prioritized?: boolean;
  /** Instead of the default backoff; maxFastRetries and slowRetryMs then have no effect. */
  readonly limiter?: RateLimiter<K>;
  readonly queueMetrics?: QueueMetricsProvider;
  readonly metrics?: ControllerMetrics;
  readonly onFailure?: (report: PassReport<K>) => void;
}

export interface StopSignals {
  /** No new pass begins. */
  readonly stop: AbortSignal;
  /** Running passes are asked to end. */
  readonly abort: AbortSignal;
}

export interface TerminalFailure {
  readonly error: unknown;
  /** Wall clock. */
  readonly at: number;
}

/** Terminal failures that are remembered; the oldest is forgotten first. */
const REMEMBERED_FAILURES = 1000;

export class Controller<K extends string | number = string> {
  readonly name: string;
  readonly needsLeadership: boolean;
  readonly #sources: ManagedSource[];
  readonly #options: ControllerOptions<K>;
  readonly #clock: Clock;
  readonly #queue: WorkQueue<K>;
  readonly #terminal = new Map<K, TerminalFailure>();
  readonly #counts: Record<PassKind | 'panics', number> = {
    done: 0,
    requeue: 0,
    retry: 0,
    terminal: 0,
    aborted: 0,
    panics: 0,
  };
  #started = false;
  #active = 0;

  constructor(options: ControllerOptions<K>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.name = options.name;
    this.#sources = [...(options.sources ?? [])];
    this.needsLeadership = options.needsLeadership ?? true;
    this.#queue = new WorkQueue<K>({
      clock: this.#clock,
      name: options.name,
      limiter: options.limiter ?? defaultLimiter(options),
      ...(options.prioritized === true ? { order: new PriorityOrder<K>() } : {}),
      ...(options.queueMetrics === undefined ? {} : { metrics: options.queueMetrics }),
    });
  }

  /** Asks for a pass over `key`, soon or in `afterMs`. Never blocks; deduplicated until the pass begins. */
  enqueue(key: K, options: { readonly priority?: number; readonly afterMs?: number } = {}): void {
    this.#queue.addAfter(key, options.afterMs ?? 0, options.priority ?? 0);
  }

  /**
   * Asks for a pass over the keys that `keysOf` names of every object that is added, changed (of the object before and
   * after) or deleted, and makes `informer` a source. `when`: only for deltas that it accepts. To be called before the
   * manager is given this controller.
   */
  follow<T extends Cacheable>(
    informer: Pick<Informer<T>, 'addHandler'> & ManagedSource,
    keysOf: KeysOf<T, K>,
    options: { readonly when?: Predicate<T> } = {},
  ): void {
    this.#sources.push(informer);
    const keysIn = (object: T): readonly K[] => {
      const keys = keysOf(object);
      return typeof keys === 'object' ? keys : [keys];
    };
    informer.addHandler({
      name: this.name,
      onDelta: (delta) => {
        if (!isObjectDelta(delta) || options.when?.(delta) === false) return;
        const priority = delta.kind === 'added' && delta.initial ? LOW_PRIORITY : 0;
        const before = delta.kind === 'updated' ? keysIn(delta.previous) : [];
        // Each key once: an idle worker takes the first at once, and the second would be another pass.
        for (const key of new Set([...before, ...keysIn(delta.object)])) this.enqueue(key, { priority });
      },
    });
  }

  get sources(): readonly ManagedSource[] {
    return this.#sources;
  }

  /** Keys with a pass under way. */
  get inFlight(): readonly K[] {
    return [...this.#queue.processing];
  }

  /** Keys that are ready for a pass. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Passes so far by how they ended; `panics` are the retries that were bugs. */
  get counts(): Readonly<Record<PassKind | 'panics', number>> {
    return this.#counts;
  }

  /** Keys whose last pass ended terminally. */
  get terminalFailures(): ReadonlyMap<K, TerminalFailure> {
    return this.#terminal;
  }

  /** Takes no more keys, drops the delayed ones. Passes under way go on. */
  shutDown(): void {
    this.#queue.shutDown();
  }

  /** Works until `stop` and until the passes then running have ended. Never rejects because of a pass. */
  async run(signals: StopSignals, isLeader: () => boolean = () => true): Promise<void> {
    if (this.#started) throw new MachineryError('already-started', `controller ${this.name} was started twice`);
    this.#started = true;
    if (signals.stop.aborted) this.shutDown();
    else signals.stop.addEventListener('abort', () => this.shutDown(), { once: true });
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 1 }, () => this.#work(signals, isLeader)));
  }

  async #work({ stop, abort }: StopSignals, isLeader: () => boolean): Promise<void> {
    for (let work = await this.#queue.get(stop); work.kind === 'item'; work = await this.#queue.get(stop)) {
      const { item: key, priority } = work;
      this.#active++;
      this.#measure((metrics) => metrics.activeWorkers(this.#active));
      const started = this.#clock.monotonic();
      const attempt = this.#queue.requeues(key);
      const outcome = await this.#reconcile(key, { attempt, priority, isLeader }, abort);
      const kind = this.#apply(key, outcome, attempt, priority, abort.aborted);
      this.#counts[kind]++;
      this.#active--;
      this.#measure((metrics) => metrics.reconciled(kind, (this.#clock.monotonic() - started) / 1000));
      this.#measure((metrics) => metrics.activeWorkers(this.#active));
      this.#queue.done(key);
    }
  }

  /** One pass. Never throws. */
  async #reconcile(key: K, context: Omit<ReconcileContext, 'signal'>, abort: AbortSignal): Promise<Outcome> {
    const limit = this.#limitPass(abort);
    try {
      const outcome: unknown = await this.#options.reconcile(key, { ...context, signal: limit.signal });
      if (isOutcome(outcome)) return outcome;
      return { kind: 'retry', error: new TypeError(`the reconciler of ${this.name} returned no outcome`) };
    } catch (error) {
      return { kind: 'retry', error };
    } finally {
      limit.end();
    }
  }

  #apply(key: K, outcome: Outcome, attempt: number, priority: number, aborted: boolean): PassKind {
    if (outcome.kind !== 'terminal') this.#terminal.delete(key);
    switch (outcome.kind) {
      case 'done':
        this.#queue.forget(key);
        break;
      case 'requeue':
        this.#queue.forget(key);
        this.#queue.addAfter(key, outcome.afterMs, priority);
        break;
      case 'terminal':
        this.#queue.forget(key);
        this.#remember(key, outcome.error);
        this.#report({ key, error: outcome.error, attempt, retryInMs: undefined });
        break;
      case 'retry': {
        // What a pass throws because it was asked to end is no failure of its key.
        if (aborted) return 'aborted';
        const least = outcome.error instanceof ApiError ? (outcome.error.retryAfterMs ?? 0) : 0;
        const retryInMs = this.#queue.addRateLimited(key, priority, least);
        this.#report({ key, error: outcome.error, attempt, retryInMs });
        break;
      }
    }
    return outcome.kind;
  }

  #remember(key: K, error: unknown): void {
    this.#terminal.delete(key);
    this.#terminal.set(key, { error, at: this.#clock.now() });
    if (this.#terminal.size <= REMEMBERED_FAILURES) return;
    const [oldest] = this.#terminal.keys();
    if (oldest !== undefined) this.#terminal.delete(oldest);
  }

  #report(report: Omit<PassReport<K>, 'controller' | 'bug'>): void {
    const bug = isBug(report.error);
    if (bug) this.#panic();
    try {
      this.#options.onFailure?.({ ...report, controller: this.name, bug });
    } catch {
      // A log that throws must not stop the worker; it shows as a panic.
      this.#panic();
    }
  }

  /** Metrics that throw must not end a worker. */
  #measure(record: (metrics: ControllerMetrics) => void): void {
    if (this.#options.metrics === undefined) return;
    try {
      record(this.#options.metrics);
    } catch {
      this.#counts.panics++;
    }
  }

  #panic(): void {
    this.#counts.panics++;
    this.#measure((metrics) => metrics.panicked());
  }

  #limitPass(abort: AbortSignal): { signal: AbortSignal; end: () => void } {
    const ms = this.#options.passTimeoutMs;
    if (ms === undefined) return { signal: abort, end: () => {} };
    const pass = new AbortController();
    const onAbort = () => pass.abort(abort.reason);
    if (abort.aborted) onAbort();
    abort.addEventListener('abort', onAbort, { once: true });
    const timer: Timer = this.#clock.setTimer(ms, () =>
      pass.abort(new MachineryError('pass-timeout', `the pass took longer than ${ms} ms`)),
    );
    return {
      signal: pass.signal,
      end: () => {
        timer.cancel();
        abort.removeEventListener('abort', onAbort);
      },
    };
  }
}

function defaultLimiter<K>(options: ControllerOptions<K>): RateLimiter<K> {
  const { clock = systemClock, random = systemRandom, maxFastRetries = 12, slowRetryMs = 300_000 } = options;
  return withJitter(slowAfter(controllerRateLimiter<K>(clock), maxFastRetries, slowRetryMs), random);
}

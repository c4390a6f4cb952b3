// Acquires a Lease, keeps it, and says at any instant whether this process may still write. Expiry of another's lease
// is judged by when we saw its record change, never by the times written in it. The manager runs it; it never ends
// the process: `run` returns when the leadership has ended, and the caller decides.
import { type Clock, sleep, systemClock } from '../clock.ts';
import { isConflict, isNotFound, MachineryError } from '../errors.ts';
import { microTime } from '../objects/micro-time.ts';
import { jitter, type Random, systemRandom } from '../random.ts';
import { within } from '../within.ts';
import { DEFAULT_TIMING, type ElectionTiming, JITTER_FACTOR, validateElection } from './election-timing.ts';
import { type ElectionRecord, type Lease, NO_RECORD, sameRecord } from './lease.ts';
import type { LeaseLock } from './lease-lock.ts';

export interface ElectionMetrics {
  leading(isLeader: boolean): void;
  /** A renewal whose optimistic update failed and had to read the Lease again. */
  slowPath(): void;
}

export interface LeaderElectorOptions extends Partial<ElectionTiming> {
  readonly lock: LeaseLock;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Give the lease up when `run` is cancelled, so that the next leader need not wait. Default true. */
  readonly releaseOnCancel?: boolean;
  readonly metrics?: ElectionMetrics;
  /** "became leader" and "stopped leading", for an event about the Lease. */
  readonly onLeaseEvent?: (lease: Lease | undefined, message: string) => void;
  /** A failed try, or a callback that threw. Tries go on regardless. */
  readonly onError?: (error: unknown) => void;
}

export interface ElectionCallbacks {
  /** The guarded work. The signal aborts when the leadership ends; the lease is released only after this settled. */
  readonly onStartedLeading?: (signal: AbortSignal) => void | Promise<void>;
  /** Only after `onStartedLeading`. */
  readonly onStoppedLeading?: (outcome: ElectionOutcome) => void;
  /** Also for the first leader seen, for ourselves, and with '' when the lease was released. */
  readonly onNewLeader?: (identity: string) => void;
}

export type ElectionOutcome =
  /** The signal aborted. */
  | { readonly kind: 'cancelled'; readonly led: boolean; readonly released: boolean }
  /** No renewal succeeded in time, or somebody else holds the lease. */
  | { readonly kind: 'lost'; readonly reason: 'deadline' | 'taken'; readonly holder: string };

type Attempt =
  | { readonly kind: 'held' }
  | { readonly kind: 'taken'; readonly holder: string }
  | { readonly kind: 'failed'; readonly error: unknown };

const RELEASE_TRIES = 3;

export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #lock: LeaseLock;
  readonly #clock: Clock;
  readonly #random: Random;
  #record: ElectionRecord = NO_RECORD;
  /** Monotonic time at which `#record` was last seen to change. */
  #observedAt = 0;
  /** Monotonic. Invariant: start of the last successful renewal + renewDeadline; nothing is written after it. */
  #deadline = Number.NEGATIVE_INFINITY;
  #leading: AbortController | undefined;
  #reportedLeader: string | undefined;
  #running = false;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...withoutUndefined(options) };
    this.#lock = options.lock;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    validateElection(this.#timing, options.lock.identity);
    options.metrics?.leading(false);
  }

  /**
   * To be asked before each write. A process that was stopped and continued gets `false` here at once, before any
   * timer of it has fired. (A suspended machine stops the monotonic clock too: there the resourceVersion that every
   * write carries is what protects.)
   */
  isLeader(): boolean {
    return (
      this.#leading !== undefined &&
      this.#holdsRecord &&
      !this.#leading.signal.aborted &&
      this.#clock.monotonic() < this.#deadline
    );
  }

  /** The last observed holder, for people; '' if none. */
  get leader(): string {
    return this.#record.holderIdentity;
  }

  get identity(): string {
    return this.#lock.identity;
  }

  /** How often the lease has changed hands, as far as we saw. */
  get transitions(): number {
    return this.#record.leaderTransitions;
  }

  /** By how much our own lease has run out without our having noticed, milliseconds; 0 while all is well. */
  overdueMs(): number {
    if (!this.#holdsRecord) return 0;
    return Math.max(0, this.#clock.monotonic() - this.#observedAt - this.#timing.leaseDurationMs);
  }

  /** Competes until it leads, leads until `signal` aborts or the lease is lost. May be called again afterwards. */
  async run(signal: AbortSignal, callbacks: ElectionCallbacks = {}): Promise<ElectionOutcome> {
    if (this.#running) throw new MachineryError('already-started', 'this elector is already running');
    this.#running = true;
    try {
      if (!(await this.#acquire(signal, callbacks))) return { kind: 'cancelled', led: false, released: false };
      return await this.#lead(signal, callbacks);
    } finally {
      this.#running = false;
    }
  }

  async #acquire(signal: AbortSignal, callbacks: ElectionCallbacks): Promise<boolean> {
    while (!signal.aborted) {
      const attempt = await this.#attempt(signal);
      this.#reportTransition(callbacks);
      // A reply that took longer than the deadline is a lease that we must not use.
      if (attempt.kind === 'held' && this.#clock.monotonic() < this.#deadline) return true;
      if (attempt.kind === 'failed' && !signal.aborted) this.#guard(() => this.#options.onError?.(attempt.error));
      try {
        await sleep(this.#clock, jitter(this.#random, this.#timing.retryPeriodMs, JITTER_FACTOR), signal);
      } catch {
        break;
      }
    }
    return false;
  }

  async #lead(signal: AbortSignal, callbacks: ElectionCallbacks): Promise<ElectionOutcome> {
    const leading = new AbortController();
    this.#leading = leading;
    this.#options.metrics?.leading(true);
    this.#guard(() => this.#options.onLeaseEvent?.(this.#lock.lease, 'became leader'));
    const work = this.#start(leading.signal, callbacks);
    const end = await this.#renew(signal, callbacks);
    leading.abort(
      end.kind === 'lost'
        ? new MachineryError('leadership-lost', `the leadership was lost (${end.reason})`)
        : new MachineryError('election-cancelled', 'the election was cancelled'),
    );
    this.#options.metrics?.leading(false);
    const outcome: ElectionOutcome =
      end.kind === 'lost' ? end : { kind: 'cancelled', led: true, released: await this.#releaseAfter(work, callbacks) };
    this.#leading = undefined;
    this.#guard(() => this.#options.onLeaseEvent?.(this.#lock.lease, 'stopped leading'));
    this.#guard(() => callbacks.onStoppedLeading?.(outcome));
    return outcome;
  }

  /** Renews until cancelled or lost. Every wait in here ends at the deadline. */
  async #renew(
    signal: AbortSignal,
    callbacks: ElectionCallbacks,
  ): Promise<{ kind: 'cancelled' } | (ElectionOutcome & { kind: 'lost' })> {
    for (;;) {
      const remaining = this.#deadline - this.#clock.monotonic();
      if (remaining <= 0) return { kind: 'lost', reason: 'deadline', holder: this.leader };
      try {
        await sleep(this.#clock, Math.min(this.#timing.retryPeriodMs, remaining), signal);
      } catch {
        return { kind: 'cancelled' };
      }
      if (this.#clock.monotonic() >= this.#deadline) continue;
      const attempt = await this.#attempt(signal);
      this.#reportTransition(callbacks);
      if (signal.aborted) return { kind: 'cancelled' };
      if (attempt.kind === 'taken') return { kind: 'lost', reason: 'taken', holder: attempt.holder };
      if (attempt.kind === 'failed') this.#guard(() => this.#options.onError?.(attempt.error));
    }
  }

  /** One try to acquire or renew. Never throws. */
  async #attempt(signal: AbortSignal): Promise<Attempt> {
    const started = this.#clock.monotonic();
    try {
      // The leader first assumes that nobody touched the Lease since: one request instead of two.
      if (this.#holdsRecord && this.#recordValid()) {
        const renewed = this.#mine(this.#record);
        try {
          await this.#call(signal, (o) => this.#lock.update(renewed, o));
          return this.#hold(renewed, started);
        } catch (error) {
          if (signal.aborted) throw error;
          this.#options.metrics?.slowPath();
        }
      }
      let current: ElectionRecord;
      try {
        current = await this.#call(signal, (o) => this.#lock.get(o));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const first = this.#mine({ ...NO_RECORD, acquireTime: microTime(this.#clock.now()) });
        await this.#call(signal, (o) => this.#lock.create(first, o));
        return this.#hold(first, started);
      }
      if (!sameRecord(current, this.#record)) this.#observe(current);
      if (!this.#holdsRecord) {
        // A leader that finds another name, or none, has been deposed: it does not pick the lease up again.
        const held = current.holderIdentity !== '' && this.#recordValid();
        if (held || this.#leading !== undefined) return { kind: 'taken', holder: current.holderIdentity };
      }
      const next = this.#holdsRecord
        ? this.#mine(current)
        : this.#mine({
            ...current,
            acquireTime: microTime(this.#clock.now()),
            leaderTransitions: current.leaderTransitions + 1,
          });
      await this.#call(signal, (o) => this.#lock.update(next, o));
      return this.#hold(next, started);
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  /** `record` with us as its holder, renewed now. */
  #mine(record: ElectionRecord): ElectionRecord {
    return {
      ...record,
      holderIdentity: this.#lock.identity,
      // Rounded up: rounded down, the others might take over before our own deadline.
      leaseDurationSeconds: Math.ceil(this.#timing.leaseDurationMs / 1000),
      renewTime: microTime(this.#clock.now()),
    };
  }

  #hold(record: ElectionRecord, started: number): Attempt {
    this.#observe(record);
    this.#deadline = started + this.#timing.renewDeadlineMs;
    return { kind: 'held' };
  }

  #observe(record: ElectionRecord): void {
    this.#record = record;
    this.#observedAt = this.#clock.monotonic();
  }

  get #holdsRecord(): boolean {
    return this.#record.holderIdentity === this.#lock.identity;
  }

  #recordValid(): boolean {
    return this.#clock.monotonic() < this.#observedAt + this.#record.leaseDurationSeconds * 1000;
  }

  /** A request that ends in time: two of them fit into the deadline, and none outlives it while we lead. */
  #call<R>(signal: AbortSignal | undefined, act: (options: { signal: AbortSignal }) => Promise<R>): Promise<R> {
    const usual = Math.max(1000, this.#timing.renewDeadlineMs / 2);
    const remaining = this.#leading === undefined ? usual : this.#deadline - this.#clock.monotonic();
    if (signal !== undefined && remaining <= 0) {
      return Promise.reject(
        new MachineryError('renew-deadline', 'the deadline for the renewal of the lease has passed'),
      );
    }
    const ms = signal === undefined ? usual : Math.min(usual, remaining);
    return within(this.#clock, ms, signal, (inner) => act({ signal: inner }));
  }

  /** Gives the lease up, if the guarded work has ended while it was still ours. */
  async #releaseAfter(work: Promise<void>, callbacks: ElectionCallbacks): Promise<boolean> {
    if (this.#options.releaseOnCancel === false) return false;
    try {
      await within(this.#clock, Math.max(0, this.#deadline - this.#clock.monotonic()), undefined, () => work);
    } catch {
      return false;
    }
    const released = await this.#release();
    this.#reportTransition(callbacks);
    return released;
  }

  async #release(): Promise<boolean> {
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      try {
        // Read afresh: a renewal may have been under way when we were cancelled.
        const current = await this.#call(undefined, (o) => this.#lock.get(o));
        if (!sameRecord(current, this.#record)) this.#observe(current);
        if (!this.#holdsRecord) return false;
        const now = microTime(this.#clock.now());
        const free = { ...current, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
        await this.#call(undefined, (o) => this.#lock.update(free, o));
        this.#observe(free);
        return true;
      } catch (error) {
        if (isConflict(error)) continue;
        if (!isNotFound(error)) this.#guard(() => this.#options.onError?.(error));
        return false;
      }
    }
    return false;
  }

  async #start(signal: AbortSignal, callbacks: ElectionCallbacks): Promise<void> {
    try {
      await callbacks.onStartedLeading?.(signal);
    } catch (error) {
      this.#guard(() => this.#options.onError?.(error));
    }
  }

  #reportTransition(callbacks: ElectionCallbacks): void {
    if (this.#record === NO_RECORD || this.#record.holderIdentity === this.#reportedLeader) return;
    this.#reportedLeader = this.#record.holderIdentity;
    this.#guard(() => callbacks.onNewLeader?.(this.#record.holderIdentity));
  }

  /** Callbacks are others' code: what they throw must not end the election. */
  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      try {
        this.#options.onError?.(error);
      } catch {
        // onError itself throws: there is no other way to report it.
      }
    }
  }
}

function withoutUndefined(options: Partial<ElectionTiming>): Partial<ElectionTiming> {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  return {
    ...(leaseDurationMs === undefined ? {} : { leaseDurationMs }),
    ...(renewDeadlineMs === undefined ? {} : { renewDeadlineMs }),
    ...(retryPeriodMs === undefined ? {} : { retryPeriodMs }),
  };
}

// The queue of one handler: delivers deltas in order, waits for promises, retries what throws, and shows when it is too
// long. A slow or broken handler never delays another one, nor the cache.
import { exponentialDelay } from '../backoff.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { jitter, type Random } from '../random.ts';
import { type Delta, isObjectDelta } from './delta.ts';

export interface DeltaHandler<T extends Cacheable> {
  /** For errors and metrics. */
  readonly name?: string;
  /** Returning a promise holds back this handler's next delta until it settles. */
  onDelta(delta: Delta<T>): void | Promise<void>;
  /** Also deliver relists, progress and replays (see delta.ts). */
  readonly marks?: boolean;
  /** Calls of `onDelta` per delta before it is given up; Infinity never gives up. Default 3. */
  readonly attempts?: number;
  /** Remind of every object this often (milliseconds). Default: never. */
  readonly resyncMs?: number;
}

export interface HandlerFailure<T extends Cacheable> {
  readonly handler: string;
  readonly delta: Delta<T>;
  readonly error: unknown;
  /** Calls of `onDelta` with this delta; 0 when what decides whether it is wanted threw, so that it is delivered. */
  readonly attempt: number;
  /** False when the delta will be tried again. */
  readonly givenUp: boolean;
}

const DEFAULT_ATTEMPTS = 3;
const RETRY = { firstMs: 50, longestMs: 10_000 };
/** A line longer than this stops the watch; it goes on when the line is down to half. */
export const CONGESTED_AT = 1024;

export interface HandlerQueueOptions<T extends Cacheable> {
  readonly clock: Clock;
  readonly random: Random;
  readonly onFailure: (failure: HandlerFailure<T>) => void;
  readonly onDrained: () => void;
}

export class HandlerQueue<T extends Cacheable> {
  readonly name: string;
  readonly #handler: DeltaHandler<T>;
  readonly #options: HandlerQueueOptions<T>;
  readonly #stop = new AbortController();
  /** Deltas from `#head` on wait; the array is cut when it has been worked off. */
  #waiting: Delta<T>[] = [];
  #head = 0;
  #busy = false;
  #pushed = 0;
  /** Handled, given up or dropped. */
  #handled = 0;
  #waiters: { readonly at: number; readonly resolve: () => void }[] = [];
  failures = 0;
  givenUp = 0;

  constructor(handler: DeltaHandler<T>, options: HandlerQueueOptions<T>) {
    this.#handler = handler;
    this.#options = options;
    this.name = handler.name ?? 'handler';
  }

  /** Deltas that are not handled yet, the running one included. */
  get length(): number {
    return this.#pushed - this.#handled;
  }

  get congested(): boolean {
    return this.length >= CONGESTED_AT;
  }

  /** What waits behind the running call. */
  waiting(): readonly Delta<T>[] {
    return this.#waiting.slice(this.#head);
  }

  push(delta: Delta<T>): void {
    if (this.#stop.signal.aborted || (this.#handler.marks !== true && !isObjectDelta(delta))) return;
    this.#pushed++;
    if (this.#busy) {
      this.#waiting.push(delta);
      return;
    }
    // The common case: nothing waits and the handler only enqueues a key. No promise, no array.
    let pending: void | Promise<void>;
    try {
      pending = this.#handler.onDelta(delta);
    } catch (error) {
      pending = Promise.reject(error);
    }
    if (pending === undefined) this.#handled++;
    else this.#start(this.#settle(pending, delta));
  }

  /** What is pushed from now on is delivered after the present call has returned, not within it. */
  defer(): void {
    if (!this.#busy) this.#start(Promise.resolve());
  }

  /** Resolves when everything pushed so far has been handled, given up or dropped; what comes later does not count. */
  whenHandled(): Promise<void> {
    if (this.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ at: this.#pushed, resolve }));
  }

  /** No further delta is delivered; a running call is not interrupted, its retry is. */
  stop(): void {
    this.#stop.abort(new Error('the handler was removed'));
    this.#handled += this.#waiting.length - this.#head;
    this.#waiting = [];
    this.#head = 0;
  }

  #start(running: Promise<void>): void {
    this.#busy = true;
    void this.#drain(running);
  }

  async #drain(running: Promise<void>): Promise<void> {
    await running;
    while (this.#head < this.#waiting.length) {
      const next = this.#waiting[this.#head++] as Delta<T>;
      if (this.#head === this.#waiting.length || this.#head >= CONGESTED_AT) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      // Half-way down is early enough to ask for more: the socket refills while the rest is worked off.
      if (this.length === CONGESTED_AT >> 1) this.#options.onDrained();
      await this.#settle(undefined, next);
    }
    // In the same step as the last look at the line: what is pushed a tick later must not wait for nobody.
    this.#busy = false;
    this.#options.onDrained();
  }

  /** What decides whether the handler wants this delta threw. It is delivered all the same. */
  undecided(delta: Delta<T>, error: unknown): void {
    this.failures++;
    this.#report({ handler: this.name, delta, error, attempt: 0, givenUp: false });
  }

  /** What fails is tried again or given up, and then counts as handled. */
  #report(failure: HandlerFailure<T>): void {
    try {
      this.#options.onFailure(failure);
    } catch {
      // A report of a failure must not cause another.
    }
  }

  async #settle(running: Promise<void> | undefined, delta: Delta<T>): Promise<void> {
    await this.#untilHandled(running, delta);
    this.#handled++;
    while (this.#waiters[0] !== undefined && this.#waiters[0].at <= this.#handled) this.#waiters.shift()?.resolve();
  }

  async #untilHandled(running: Promise<void> | undefined, delta: Delta<T>): Promise<void> {
    const attempts = this.#handler.attempts ?? DEFAULT_ATTEMPTS;
    for (let attempt = 1; ; attempt++) {
      try {
        await (running ?? this.#handler.onDelta(delta));
        return;
      } catch (error) {
        running = undefined;
        const givenUp = attempt >= attempts || this.#stop.signal.aborted;
        this.failures++;
        if (givenUp) this.givenUp++;
        this.#report({ handler: this.name, delta, error, attempt, givenUp });
        if (givenUp) return;
        const delay = jitter(this.#options.random, exponentialDelay(RETRY, attempt - 1), 0.2);
        // Stopped while waiting: the handler is gone, so is its delta.
        const goOn = await sleep(this.#options.clock, delay, this.#stop.signal).then(
          () => true,
          () => false,
        );
        if (!goOn) return;
      }
    }
  }
}

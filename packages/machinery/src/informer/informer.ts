// A cache of one collection that keeps itself up to date, and the handlers that follow it. The reflector feeds it;
// listers read it; nothing here talks to the network.
import { type Clock, systemClock } from '../clock.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { keyOf } from '../objects/object-key.ts';
import { type Random, systemRandom } from '../random.ts';
import { describeCollection } from '../reflector/collection.ts';
import type { ReflectionTarget } from '../reflector/reflection-target.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorOptions } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { Cache, type InformerCounters } from './cache.ts';
import { type Delta, isObjectDelta, type MarkDelta } from './delta.ts';
import { type DeltaHandler, type HandlerFailure, HandlerQueue } from './handler-queue.ts';
import { type HandlerRegistration, Registration } from './handler-registration.ts';
import { Lister } from './lister.ts';
import type { IndexFunction } from './object-store.ts';

export interface InformerOptions<T extends Cacheable> extends Omit<ReflectorOptions<T>, 'target'> {
  /** Runs once on every object before it is kept; drop what nobody reads. If it throws, the object is kept as it came. */
  readonly transform?: ((object: T) => T) | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  readonly onHandlerFailure?: ((failure: HandlerFailure<T>) => void) | undefined;
}

let reach: <T extends Cacheable>(informer: Informer<T>) => ReflectionTarget<T>;

export class Informer<T extends Cacheable> {
  readonly lister: Lister<T>;
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Private on purpose: only the reflector may change it. */
  readonly #cache: Cache<T>;
  readonly #reflector: Reflector<T>;
  readonly #registrations = new Set<Registration<T>>();
  #syncWaiters: (() => void)[] = [];
  #running: Promise<void> | undefined;

  static {
    reach = (informer) => informer.#cache;
  }

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#cache = new Cache({
      clock: this.#clock,
      transform: options.transform,
      deliver: (delta) => this.#deliver(delta),
      announce: (mark) => this.#announce(mark),
      onSynced: () => this.#onSynced(),
      isCongested: () => this.#isCongested,
    });
    for (const [name, values] of Object.entries(options.indexes ?? {})) this.#cache.store.addIndex(name, values);
    this.lister = new Lister(this.#cache.store);
    this.#reflector = new Reflector({ ...options, target: this.#cache });
  }

  /** For checks and messages: `pods in default`. */
  get name(): string {
    return describeCollection(this.#options);
  }

  get counters(): Readonly<InformerCounters> {
    return this.#cache.counters;
  }

  /** Runs until the signal aborts; a second call while running gives the same promise, never a second watch. */
  start(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    this.#running = this.#reflector.run(signal).finally(() => {
      this.#running = undefined;
      for (const registration of this.#registrations) registration.pauseResync();
    });
    for (const registration of this.#registrations) registration.resumeResync();
    return this.#running;
  }

  /** The first listing is in the cache. */
  get synced(): boolean {
    return this.#cache.synced;
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  /** See `Reflector.isCurrent`. */
  get isCurrent(): boolean {
    return this.#reflector.isCurrent;
  }

  /** See `Reflector.silentMs`. */
  get silentMs(): number | undefined {
    return this.#reflector.silentMs;
  }

  get lastVersion(): string | undefined {
    return this.#reflector.lastVersion;
  }

  /** See `Reflector.doubt`. */
  doubt(): void {
    this.#reflector.doubt();
  }

  /** See `Reflector.suspect`. */
  suspect(): void {
    this.#reflector.suspect();
  }

  /** See `Reflector.rewound`. */
  rewound(since?: number): void {
    this.#reflector.rewound(since);
  }

  /** See `Reflector.rewinds`. */
  get rewinds(): number {
    return this.#reflector.rewinds;
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#cache.synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#syncWaiters.push(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }

  addIndex(name: string, values: IndexFunction<T>): void {
    this.#cache.store.addIndex(name, values);
  }

  /** May be called at any time. What the cache holds already is delivered first, as `added` with `initial`. */
  addHandler(handler: DeltaHandler<T>): HandlerRegistration {
    const queue = new HandlerQueue<T>(handler, {
      clock: this.#clock,
      random: this.#random,
      onFailure: (failure) => this.#options.onHandlerFailure?.(failure),
      onDrained: () => {
        if (!this.#isCongested) this.#cache.onDrained?.();
      },
    });
    const registration = new Registration<T>(queue, this.#cache.changes, () => {
      this.#registrations.delete(registration);
      // Perhaps it was the one that held up the watch, and its running call never ends.
      if (!this.#isCongested) this.#cache.onDrained?.();
    });
    this.#registrations.add(registration);
    if (this.#cache.synced) {
      // The caller holds the registration before its handler is called, so that the handler may remove itself.
      queue.defer();
      const observedAt = this.#clock.now();
      for (const object of [...this.#cache.store.values()]) {
        queue.push({ kind: 'added', object, source: 'list', initial: true, observedAt });
      }
      registration.syncedWhenHandled();
    }
    if (handler.resyncMs !== undefined) {
      registration.resyncEvery(this.#clock, handler.resyncMs, () => this.#resync(queue));
      if (this.#running !== undefined) registration.resumeResync();
    }
    return registration;
  }

  get #isCongested(): boolean {
    for (const registration of this.#registrations) if (registration.queue.congested) return true;
    return false;
  }

  #onSynced(): void {
    for (const registration of this.#registrations) registration.syncedWhenHandled();
    const waiters = this.#syncWaiters;
    this.#syncWaiters = [];
    for (const wake of waiters) wake();
  }

  /** Invariant: a handler that joins during a change does not get that change, because it was given the outcome. */
  #deliver(delta: Delta<T>): void {
    for (const registration of this.#registrations) {
      if (registration.joinedAt !== this.#cache.changes) registration.queue.push(delta);
    }
  }

  /** What changes nothing in the cache. */
  #announce(mark: MarkDelta<T>): void {
    for (const registration of this.#registrations) registration.queue.push(mark);
  }

  /** What still waits in a handler's queue is delivered anyway; so the queue of a slow handler never grows by reminders. */
  #resync(queue: HandlerQueue<T>): void {
    const observedAt = this.#clock.now();
    const waiting = new Set<string>();
    for (const delta of queue.waiting()) if (isObjectDelta(delta)) waiting.add(keyOf(delta.object));
    for (const [key, object] of [...this.#cache.store.entries()]) {
      if (waiting.has(key)) continue;
      queue.push({ kind: 'updated', object, previous: object, source: 'list', resync: true, observedAt });
    }
  }
}

/** What the reflector feeds. For tests that take its place; not part of the public surface. */
export function targetOf<T extends Cacheable>(informer: Informer<T>): ReflectionTarget<T> {
  return reach(informer);
}

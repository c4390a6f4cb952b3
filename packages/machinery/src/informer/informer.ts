// A cache of one collection that keeps itself up to date, and the handlers that follow it. The reflector feeds it;
// listers read it; nothing here talks to the network.
import { type Clock, systemClock, type Timer } from '../clock.ts';
import { MachineryError } from '../errors.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { compareResourceVersions, isComparable } from '../objects/resource-version.ts';
import { type Random, systemRandom } from '../random.ts';
import type { EventType, ReflectionTarget, Replacement } from '../reflector/reflection-target.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorOptions } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { isContradicted } from './contradiction.ts';
import { type Delta, type DeltaSource, isObjectDelta, type MarkDelta, type Relist } from './delta.ts';
import { type DeltaHandler, type HandlerFailure, HandlerQueue } from './handler-queue.ts';
import { Lister } from './lister.ts';
import { type IndexFunction, keyOf, ObjectStore } from './object-store.ts';

export interface InformerOptions<T extends Cacheable> extends Omit<ReflectorOptions<T>, 'target'> {
  /** Runs once on every object before it is kept; drop what nobody reads. If it throws, the object is kept as it came. */
  readonly transform?: ((object: T) => T) | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  readonly onHandlerFailure?: ((failure: HandlerFailure<T>) => void) | undefined;
}

export interface HandlerRegistration {
  /** True once the handler has been given everything that was in the cache when it joined, or at the first sync. */
  readonly synced: boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** No further deltas; a running call ends by itself. */
  remove(): void;
  readonly failures: number;
  readonly waiting: number;
}

/** Counts since the start; for metrics. */
export interface InformerCounters {
  events: number;
  /** Duplicates and events older than what is held: no effect. */
  stale: number;
  relists: number;
  corrections: number;
  transformFailures: number;
  /** Calls of index functions that threw; the object is then left out of that index. */
  indexFailures: number;
}

export class Informer<T extends Cacheable> implements ReflectionTarget<T> {
  readonly lister: Lister<T>;
  readonly counters: InformerCounters = {
    events: 0,
    stale: 0,
    relists: 0,
    corrections: 0,
    transformFailures: 0,
    indexFailures: 0,
  };
  onDrained: (() => void) | undefined;

  readonly #store = new ObjectStore<T>(() => this.counters.indexFailures++);
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #reflector: Reflector<T>;
  readonly #registrations = new Set<Registration<T>>();
  /** Changes of the cache so far: tells a handler that joins from within another one's call what it has got already. */
  #changes = 0;
  #synced = false;
  #syncWaiters: (() => void)[] = [];
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    for (const [name, values] of Object.entries(options.indexes ?? {})) this.#store.addIndex(name, values);
    this.lister = new Lister(this.#store);
    this.#reflector = new Reflector({ ...options, target: this });
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
    return this.#synced;
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
    if (this.#synced) return Promise.resolve();
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
    this.#store.addIndex(name, values);
  }

  /** May be called at any time. What the cache holds already is delivered first, as `added` with `initial`. */
  addHandler(handler: DeltaHandler<T>): HandlerRegistration {
    const queue = new HandlerQueue<T>(handler, {
      clock: this.#clock,
      random: this.#random,
      onFailure: (failure) => this.#options.onHandlerFailure?.(failure),
      onDrained: () => {
        if (!this.congested) this.onDrained?.();
      },
    });
    const registration = new Registration<T>(queue, this.#changes, () => {
      this.#registrations.delete(registration);
      // Perhaps it was the one that held up the watch, and its running call never ends.
      if (!this.congested) this.onDrained?.();
    });
    this.#registrations.add(registration);
    if (this.#synced) {
      // The caller holds the registration before its handler is called, so that the handler may remove itself.
      queue.defer();
      const observedAt = this.#clock.now();
      for (const object of [...this.#store.values()]) {
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

  get congested(): boolean {
    for (const registration of this.#registrations) if (registration.queue.congested) return true;
    return false;
  }

  // What follows is called by the reflector.

  beginReplace(rewound: boolean): Replacement<T> {
    const incoming = new Map<string, T>();
    const keepsNothing = rewound || this.#store.size === 0;
    return {
      get size() {
        return incoming.size;
      },
      add: (raw) => {
        const key = keyOf(raw);
        const held = keepsNothing ? undefined : this.#store.get(key);
        // An unchanged object is kept as it is: a relist then costs no second copy of the cache, and causes no update.
        incoming.set(key, held !== undefined && sameVersion(held, raw) ? held : this.#transform(raw));
      },
      remove: (raw) => {
        incoming.delete(keyOf(raw));
      },
      contradicts: (version) => {
        for (const [key, object] of incoming) {
          if (isContradicted(object, this.#store.get(key), version)) return true;
        }
        return false;
      },
      commit: (relist) => this.#commit(incoming, relist),
    };
  }

  apply(type: EventType, raw: T): void {
    this.counters.events++;
    this.#change(type, raw, 'watch');
  }

  ignoredStale(): void {
    this.counters.stale++;
  }

  replay(type: EventType, object: T): void {
    this.counters.events++;
    const replayed = type === 'ADDED' ? 'added' : type === 'MODIFIED' ? 'updated' : 'deleted';
    this.#announce({
      kind: 'replayed',
      type: replayed,
      object: this.#transform(object),
      observedAt: this.#clock.now(),
    });
  }

  caughtUp(outcome: 'complete' | 'expired', from: string, to: string): void {
    this.#announce({ kind: 'caught-up', outcome, from, to, observedAt: this.#clock.now() });
  }

  progress(resourceVersion: string): void {
    this.#announce({ kind: 'progress', resourceVersion, observedAt: this.#clock.now() });
  }

  held(): Iterable<readonly [key: string, object: T]> {
    return this.#store.entries();
  }

  correct(key: string, truth: T | undefined): void {
    this.counters.corrections++;
    if (truth !== undefined) {
      this.#change('MODIFIED', truth, 'consistency');
      return;
    }
    this.#changes++;
    const held = this.#store.delete(key);
    if (held !== undefined) this.#deliverDeleted(held, 'consistency', true);
  }

  /** The one place where the cache changes by a single object; duplicates and late arrivals end here. */
  #change(type: EventType, raw: T, source: DeltaSource): void {
    const key = keyOf(raw);
    const held = this.#store.get(key);
    if (held !== undefined && !isNewer(raw, held)) {
      this.counters.stale++;
      return;
    }
    this.#changes++;
    const sameUid = held !== undefined && held.metadata.uid === raw.metadata.uid;
    if (type === 'DELETED') {
      // A late delete of an earlier UID must not take its replacement away.
      if (!sameUid) {
        this.counters.stale++;
        return;
      }
      this.#store.delete(key);
      this.#deliverDeleted(this.#transform(raw), source, false);
      return;
    }
    const object = this.#transform(raw);
    this.#store.set(key, object);
    const observedAt = this.#clock.now();
    if (sameUid) {
      this.#deliver({ kind: 'updated', object, previous: held, source, resync: false, observedAt });
      return;
    }
    // Two UIDs are two lives, even under one name.
    if (held !== undefined) this.#deliverDeleted(held, source, true);
    this.#deliver({ kind: 'added', object, source, initial: false, observedAt });
  }

  #commit(incoming: Map<string, T>, relist: Relist): void {
    const first = !this.#synced;
    const observedAt = this.#clock.now();
    // Into an empty cache everything is an add: told one by one, not gathered first.
    const deltas =
      this.#store.size === 0
        ? additions(incoming.values(), first, observedAt)
        : this.#diff(incoming, first, observedAt);
    if (!first) this.counters.relists++;
    this.#changes++;
    this.#store.replace(incoming);
    // Before the first delivery: a handler that joins from within one is given the whole cache.
    this.#synced = true;
    this.#deliver({ kind: 'relisted', relist, observedAt: relist.to });
    for (const delta of deltas) this.#deliver(delta);
    this.#deliver({ kind: 'listed', relist, observedAt: relist.to });
    if (!first) return;
    for (const registration of this.#registrations) registration.syncedWhenHandled();
    const waiters = this.#syncWaiters;
    this.#syncWaiters = [];
    for (const wake of waiters) wake();
  }

  #diff(incoming: Map<string, T>, initial: boolean, observedAt: number): Delta<T>[] {
    const deltas: Delta<T>[] = [];
    // Deletes first: an address that moved from a gone object to a new one is never held twice on the way.
    for (const [key, held] of this.#store.entries()) {
      const next = incoming.get(key);
      if (next === undefined || next.metadata.uid !== held.metadata.uid) {
        deltas.push({ kind: 'deleted', object: held, source: 'list', finalStateUnknown: true, observedAt });
      }
    }
    for (const [key, object] of incoming) {
      const held = this.#store.get(key);
      if (held === undefined || held.metadata.uid !== object.metadata.uid) {
        deltas.push({ kind: 'added', object, source: 'list', initial, observedAt });
      } else if (held !== object) {
        deltas.push({ kind: 'updated', object, previous: held, source: 'list', resync: false, observedAt });
      }
    }
    return deltas;
  }

  #deliverDeleted(object: T, source: DeltaSource, finalStateUnknown: boolean): void {
    this.#deliver({ kind: 'deleted', object, source, finalStateUnknown, observedAt: this.#clock.now() });
  }

  /** Invariant: a handler that joins during a change is not told of that change, because it was given the outcome. */
  #deliver(delta: Delta<T>): void {
    for (const registration of this.#registrations) {
      if (registration.joinedAt !== this.#changes) registration.queue.push(delta);
    }
  }

  /** What changes nothing in the cache. */
  #announce(mark: MarkDelta<T>): void {
    for (const registration of this.#registrations) registration.queue.push(mark);
  }

  /** What still waits in the handler's line will be told anyway; so a slow handler's line never grows by reminders. */
  #resync(queue: HandlerQueue<T>): void {
    const observedAt = this.#clock.now();
    const waiting = new Set<string>();
    for (const delta of queue.waiting()) if (isObjectDelta(delta)) waiting.add(keyOf(delta.object));
    for (const [key, object] of [...this.#store.entries()]) {
      if (waiting.has(key)) continue;
      queue.push({ kind: 'updated', object, previous: object, source: 'list', resync: true, observedAt });
    }
  }

  #transform(raw: T): T {
    const transform = this.#options.transform;
    if (transform === undefined) return raw;
    try {
      return transform(raw);
    } catch {
      this.counters.transformFailures++;
      return raw;
    }
  }
}

function* additions<T extends Cacheable>(
  objects: Iterable<T>,
  initial: boolean,
  observedAt: number,
): Iterable<Delta<T>> {
  for (const object of objects) yield { kind: 'added', object, source: 'list', initial, observedAt };
}

class Registration<T extends Cacheable> implements HandlerRegistration {
  readonly queue: HandlerQueue<T>;
  /** The informer's change that was the last, or under way, when this handler joined. */
  readonly joinedAt: number;
  readonly #onRemove: () => void;
  #synced = false;
  #waiters: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  #removed = false;
  #remind: (() => Timer) | undefined;
  #timer: Timer | undefined;

  constructor(queue: HandlerQueue<T>, joinedAt: number, onRemove: () => void) {
    this.queue = queue;
    this.joinedAt = joinedAt;
    this.#onRemove = onRemove;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get failures(): number {
    return this.queue.failures;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /** What was pushed so far is what it must have handled; what comes later does not put its sync off. */
  syncedWhenHandled(): void {
    void this.queue.whenHandled().then(() => {
      if (this.#removed) return;
      this.#synced = true;
      const waiters = this.#waiters;
      this.#waiters = [];
      for (const { resolve } of waiters) resolve();
    });
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.#removed) {
        reject(removedBeforeSync(this.queue.name));
        return;
      }
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled = <A extends unknown[]>(settle: (...args: A) => void) => {
        return (...args: A) => {
          signal?.removeEventListener('abort', onAbort);
          settle(...args);
        };
      };
      this.#waiters.push({ resolve: settled(resolve), reject: settled(reject) });
    });
  }

  /** Takes effect with `resumeResync`: reminders come only while the informer runs. */
  resyncEvery(clock: Clock, everyMs: number, remind: () => void): void {
    this.#remind = () =>
      clock.setTimer(
        everyMs,
        () => {
          if (this.#synced) remind();
          this.resumeResync();
        },
        false,
      );
  }

  resumeResync(): void {
    this.#timer?.cancel();
    if (!this.#removed) this.#timer = this.#remind?.();
  }

  pauseResync(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    this.pauseResync();
    this.queue.stop();
    for (const { reject } of this.#waiters) reject(removedBeforeSync(this.queue.name));
    this.#waiters = [];
    this.#onRemove();
  }
}

function removedBeforeSync(handler: string): MachineryError {
  return new MachineryError('handler-removed', `the handler "${handler}" was removed before it was synced`);
}

function sameVersion(held: Cacheable, next: Cacheable): boolean {
  return held.metadata.uid === next.metadata.uid && held.metadata.resourceVersion === next.metadata.resourceVersion;
}

/** Servers whose versions are not decimals give no order: every event counts as newer, as the stream delivers it. */
function isNewer(next: Cacheable, held: Cacheable): boolean {
  const a = next.metadata.resourceVersion ?? '';
  const b = held.metadata.resourceVersion ?? '';
  if (!isComparable(a) || !isComparable(b)) return a !== b || next.metadata.uid !== held.metadata.uid;
  return compareResourceVersions(a, b) > 0;
}

// The cache of an informer: what a reflector feeds it becomes objects, and deltas in the order of its changes. Private to
// the informer; it knows nothing of handlers and never talks to the network.
import type { Clock } from '../clock.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { keyOf } from '../objects/object-key.ts';
import { compareResourceVersions, isComparable } from '../objects/resource-version.ts';
import { isContradicted } from '../reflector/contradiction.ts';
import type { EventType, ReflectionTarget, Replacement } from '../reflector/reflection-target.ts';
import type { Relist } from '../reflector/relist.ts';
import { isOlder } from '../reflector/version-order.ts';
import type { Delta, DeltaSource, MarkDelta } from './delta.ts';
import { ObjectStore } from './object-store.ts';

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

export interface CacheOptions<T extends Cacheable> {
  readonly clock: Clock;
  readonly transform: ((object: T) => T) | undefined;
  /** A change of the cache. */
  readonly deliver: (delta: Delta<T>) => void;
  /** What changes nothing in the cache. */
  readonly announce: (mark: MarkDelta<T>) => void;
  /** The first listing has been delivered. */
  readonly onSynced: () => void;
  readonly isCongested: () => boolean;
}

export class Cache<T extends Cacheable> implements ReflectionTarget<T> {
  readonly counters: InformerCounters = {
    events: 0,
    stale: 0,
    relists: 0,
    corrections: 0,
    transformFailures: 0,
    indexFailures: 0,
  };
  readonly store = new ObjectStore<T>(() => this.counters.indexFailures++);
  onDrained: (() => void) | undefined;
  readonly #options: CacheOptions<T>;
  #changes = 0;
  #synced = false;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  /** Changes so far: a handler that joins from within another one's call has been given the last of them already. */
  get changes(): number {
    return this.#changes;
  }

  /** The first listing is in it. */
  get synced(): boolean {
    return this.#synced;
  }

  get congested(): boolean {
    return this.#options.isCongested();
  }

  beginReplace(rewound: boolean): Replacement<T> {
    const incoming = new Map<string, T>();
    const keepsNothing = rewound || this.store.size === 0;
    return {
      get size() {
        return incoming.size;
      },
      // Gathered whole before any of it is delivered: a slow handler need not hold up the cache.
      congested: false,
      add: (raw) => {
        const key = keyOf(raw);
        const held = keepsNothing ? undefined : this.store.get(key);
        // An unchanged object is kept as it is: a relist then costs no second copy of the cache, and causes no update.
        incoming.set(key, held !== undefined && sameVersion(held, raw) ? held : this.#transform(raw));
      },
      remove: (raw) => {
        incoming.delete(keyOf(raw));
      },
      contradicts: (version) => {
        for (const [key, object] of incoming) {
          if (isContradicted(object, this.store.get(key), version)) return true;
        }
        return false;
      },
      commit: (relist) => this.#commit(incoming, relist),
    };
  }

  onEvent(type: EventType, raw: T): void {
    this.counters.events++;
    this.#change(type, raw, 'watch');
  }

  ignoredStale(): void {
    this.counters.stale++;
  }

  replay(type: EventType, object: T): void {
    this.counters.events++;
    const replayed = type === 'ADDED' ? 'added' : type === 'MODIFIED' ? 'updated' : 'deleted';
    this.#options.announce({
      kind: 'replayed',
      type: replayed,
      object: this.#transform(object),
      observedAt: this.#options.clock.now(),
    });
  }

  caughtUp(outcome: 'complete' | 'expired', from: string, to: string): void {
    this.#options.announce({ kind: 'caught-up', outcome, from, to, observedAt: this.#options.clock.now() });
  }

  progress(resourceVersion: string): void {
    this.#options.announce({ kind: 'progress', resourceVersion, observedAt: this.#options.clock.now() });
  }

  held(): Iterable<readonly [key: string, object: T]> {
    return this.store.entries();
  }

  correct(key: string, truth: T | undefined): void {
    this.counters.corrections++;
    if (truth !== undefined) {
      this.#change('MODIFIED', truth, 'consistency');
      return;
    }
    this.#changes++;
    const held = this.store.delete(key);
    if (held !== undefined) this.#deliverDeleted(held, 'consistency', true);
  }

  /** The one place where the cache changes by a single object; duplicates and late arrivals end here. */
  #change(type: EventType, raw: T, source: DeltaSource): void {
    const key = keyOf(raw);
    const held = this.store.get(key);
    if (held !== undefined && !isNewer(raw, held)) {
      this.counters.stale++;
      return;
    }
    this.#changes++;
    const sameUid = held !== undefined && held.metadata.uid === raw.metadata.uid;
    if (type === 'DELETED') {
      // A late delete of an earlier UID must not take its replacement away. One that is certainly newer is not late: it
      // frees the name, and what is held ended before, unseen.
      if (!sameUid && !(held !== undefined && isOlder(versionOf(held), versionOf(raw)))) {
        this.counters.stale++;
        return;
      }
      this.store.delete(key);
      this.#deliverDeleted(sameUid ? this.#transform(raw) : held, source, !sameUid);
      return;
    }
    const object = this.#transform(raw);
    this.store.set(key, object);
    const observedAt = this.#options.clock.now();
    if (sameUid) {
      this.#options.deliver({ kind: 'updated', object, previous: held, source, resync: false, observedAt });
      return;
    }
    // Two UIDs are two lives, even under one name.
    if (held !== undefined) this.#deliverDeleted(held, source, true);
    this.#options.deliver({ kind: 'added', object, source, initial: false, observedAt });
  }

  #commit(incoming: Map<string, T>, relist: Relist): void {
    const first = !this.#synced;
    const observedAt = this.#options.clock.now();
    // Into an empty cache everything is an add: delivered one by one, not gathered first.
    const deltas =
      this.store.size === 0 ? additions(incoming.values(), first, observedAt) : this.#diff(incoming, first, observedAt);
    if (!first) this.counters.relists++;
    this.#changes++;
    this.store.replace(incoming);
    // Before the first delivery: a handler that joins from within one is given the whole cache.
    this.#synced = true;
    this.#options.deliver({ kind: 'relist-began', relist, observedAt: relist.to });
    for (const delta of deltas) this.#options.deliver(delta);
    this.#options.deliver({ kind: 'relist-ended', relist, observedAt: relist.to });
    if (first) this.#options.onSynced();
  }

  #diff(incoming: Map<string, T>, initial: boolean, observedAt: number): Delta<T>[] {
    const deltas: Delta<T>[] = [];
    // Deletes first: an address that moved from a gone object to a new one is never held twice on the way.
    for (const [key, held] of this.store.entries()) {
      const next = incoming.get(key);
      if (next === undefined || next.metadata.uid !== held.metadata.uid) {
        deltas.push({ kind: 'deleted', object: held, source: 'list', finalStateUnknown: true, observedAt });
      }
    }
    for (const [key, object] of incoming) {
      const held = this.store.get(key);
      if (held === undefined || held.metadata.uid !== object.metadata.uid) {
        deltas.push({ kind: 'added', object, source: 'list', initial, observedAt });
      } else if (held !== object) {
        deltas.push({ kind: 'updated', object, previous: held, source: 'list', resync: false, observedAt });
      }
    }
    return deltas;
  }

  #deliverDeleted(object: T, source: DeltaSource, finalStateUnknown: boolean): void {
    this.#options.deliver({
      kind: 'deleted',
      object,
      source,
      finalStateUnknown,
      observedAt: this.#options.clock.now(),
    });
  }

  #transform(raw: T): T {
    const { transform } = this.#options;
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

function sameVersion(held: Cacheable, next: Cacheable): boolean {
  return held.metadata.uid === next.metadata.uid && held.metadata.resourceVersion === next.metadata.resourceVersion;
}

function versionOf(object: Cacheable): string {
  return object.metadata.resourceVersion ?? '';
}

/** Servers whose versions are not decimals give no order: every event counts as newer, as the stream delivers it. */
function isNewer(next: Cacheable, held: Cacheable): boolean {
  const a = versionOf(next);
  const b = versionOf(held);
  if (!isComparable(a) || !isComparable(b)) return a !== b || next.metadata.uid !== held.metadata.uid;
  return compareResourceVersions(a, b) > 0;
}

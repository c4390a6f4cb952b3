// From the informer's deltas to the observation log: gathers listings, keeps replays apart from new events, and knows when a
// listing stands in for events that can no longer be had.
import type { Observation, Observed } from '@podtrail/history';
import { type Cacheable, type Delta, isObjectDelta, type Relist } from '@podtrail/machinery';

type Resource = Observed['kind'];
type At = Observation['at'];

interface Listing {
  readonly relist: Relist;
  readonly present: Observed[];
  readonly goneUids: string[];
}

export interface Translated {
  readonly observations: readonly Observation[];
  /** Everything up to this version is in them or before them. */
  readonly resourceVersion: string | undefined;
}

export interface DeltaLogOptions {
  readonly catchesUp?: boolean;
  readonly namespace?: string | undefined;
  /** True where the ledger contradicts a first listing, or what it holds at the end of a catch-up: etcd was restored meanwhile. */
  readonly contradicts?: (present: readonly Observed[], isWhole: boolean) => boolean;
  /** Until when an earlier recorder watched; that may turn out to have been by a wrong clock. */
  readonly resumedAt?: () => At | undefined;
}

const NOTHING: Translated = { observations: [], resourceVersion: undefined };

export class DeltaLog<T extends Cacheable> {
  readonly #resource: Resource;
  readonly #namespace: string | undefined;
  readonly #wrap: (object: T) => Observed;
  /** While a catch-up runs, the listing waits: it counts only if the events cannot be had. */
  #catchingUp: boolean;
  #listing: Listing | undefined;
  /** While a catch-up runs: what is in the informer's cache, as far as that was delivered, over all listings of that time. */
  readonly #cached = new Map<string, Observed>();
  #first = true;
  readonly #options: DeltaLogOptions;

  constructor(resource: Resource, wrap: (object: T) => Observed, options: DeltaLogOptions = {}) {
    this.#resource = resource;
    this.#wrap = wrap;
    this.#options = options;
    this.#catchingUp = options.catchesUp ?? false;
    this.#namespace = options.namespace;
  }

  get catchingUp(): boolean {
    return this.#catchingUp;
  }

  /** `at` is the recorder's own clock, which never goes back. */
  translate(delta: Delta<T>, at: At): Translated {
    if (isObjectDelta(delta)) return this.#object(delta, at);
    switch (delta.kind) {
      case 'relist-began':
        this.#listing = { relist: delta.relist, present: [], goneUids: [] };
        return NOTHING;
      case 'relist-ended':
        if (!this.#catchingUp) return this.#endListing(at, this.#isRestored() ? 'rewound' : undefined);
        // A rewind ends the hope of a catch-up: the versions of before mean nothing now.
        return delta.relist.reason === 'rewound' || this.#contradicts(false)
          ? this.#endCatchUp(at, 'rewound')
          : NOTHING;
      case 'replayed':
        // Of another history: the listing was observed in its place.
        if (!this.#catchingUp) return NOTHING;
        return this.#event(delta.type === 'deleted' ? 'deleted' : 'present', delta.object, at);
      case 'caught-up':
        return this.#caughtUp(delta.outcome, delta.to, at);
      case 'progress':
        return { observations: [this.#progress(delta.resourceVersion, at)], resourceVersion: delta.resourceVersion };
    }
  }

  #object(delta: Extract<Delta<T>, { kind: 'added' | 'updated' | 'deleted' }>, at: At): Translated {
    if (delta.kind === 'updated' && delta.resync) return NOTHING;
    if (this.#catchingUp) this.#mirror(delta.kind === 'deleted', delta.object);
    if (delta.source === 'list' && this.#listing !== undefined) {
      if (delta.kind === 'deleted') this.#listing.goneUids.push(delta.object.metadata.uid ?? '');
      else this.#listing.present.push(this.#wrap(delta.object));
      return NOTHING;
    }
    const seen = this.#wrap(delta.object);
    if (delta.source === 'consistency' || (delta.kind === 'deleted' && delta.finalStateUnknown)) {
      const type = delta.kind === 'deleted' ? 'deleted' : 'present';
      return { observations: [{ kind: 'corrected', type, seen, at }], resourceVersion: undefined };
    }
    return this.#event(delta.kind === 'deleted' ? 'deleted' : 'present', delta.object, at);
  }

  #event(type: 'present' | 'deleted', object: T, at: At): Translated {
    const observation: Observation = { kind: 'event', type, seen: this.#wrap(object), at };
    return { observations: [observation], resourceVersion: object.metadata.resourceVersion };
  }

  #caughtUp(outcome: 'complete' | 'expired', to: string, at: At): Translated {
    if (!this.#catchingUp) return NOTHING;
    // The events since the stored version are lost: there is a gap, and this listing is its far side.
    if (outcome === 'expired') return this.#endCatchUp(at, 'expired');
    if (this.#contradicts(true)) return this.#endCatchUp(at, 'rewound');
    this.#catchingUp = false;
    const listing = this.#listing;
    this.#listing = undefined;
    this.#first = false;
    // The listing cross-checks the replay: where it differs it is a correction, the rest is known.
    const present = this.#takeCached();
    const checks = present.map((seen): Observation => ({ kind: 'corrected', type: 'present', seen, at }));
    const missing = listing === undefined ? [] : [this.#missing(listing.relist.resourceVersion, present, at)];
    return { observations: [...checks, ...missing, this.#progress(to, at)], resourceVersion: to };
  }

  /** What is in the cache, against what is remembered; `isWhole`: everything up to the listing has been observed. */
  #contradicts(isWhole: boolean): boolean {
    return this.#options.contradicts?.([...this.#cached.values()], isWhole) === true;
  }

  /** The first listing of one that does not catch up shows less than an earlier recorder knew. */
  #isRestored(): boolean {
    const { contradicts } = this.#options;
    return this.#first && this.#listing !== undefined && contradicts?.(this.#listing.present, false) === true;
  }

  /** Who is remembered and was neither listed nor deleted: versions were handed out twice while nobody was watching. */
  #missing(resourceVersion: string, present: readonly Observed[], at: At): Observation {
    const uids = present.map(({ object }) => object.metadata.uid);
    return { kind: 'checked', resource: this.#resource, namespace: this.#namespace, resourceVersion, uids, at };
  }

  /** The cache is observed as one listing: of several during the catch-up, each delivered only what it changed. */
  #endCatchUp(at: At, reason: Relist['reason']): Translated {
    this.#catchingUp = false;
    const present = this.#takeCached();
    if (this.#listing !== undefined) this.#listing = { ...this.#listing, present, goneUids: [] };
    return this.#endListing(at, reason);
  }

  #mirror(isGone: boolean, object: T): void {
    const uid = object.metadata.uid ?? '';
    if (isGone) this.#cached.delete(uid);
    else this.#cached.set(uid, this.#wrap(object));
  }

  #takeCached(): Observed[] {
    const all = [...this.#cached.values()];
    this.#cached.clear();
    return all;
  }

  #progress(resourceVersion: string, at: At): Observation {
    return { kind: 'progress', resource: this.#resource, namespace: this.#namespace, resourceVersion, at };
  }

  #endListing(at: At, reason?: Relist['reason']): Translated {
    const listing = this.#listing;
    if (listing === undefined) return NOTHING;
    this.#listing = undefined;
    const { relist, present, goneUids } = listing;
    const whole = this.#first;
    this.#first = false;
    const given = reason ?? relist.reason;
    const resumedAt = this.#options.resumedAt?.();
    // Where it is not known since when there is doubt, it is since the earlier recorder.
    const from = relist.from as At | undefined;
    const isBefore =
      given === 'rewound' && resumedAt !== undefined && (from === undefined || from < resumedAt || whole);
    return {
      observations: [
        {
          kind: 'listed',
          resource: this.#resource,
          namespace: this.#namespace,
          reason: given,
          resourceVersion: relist.resourceVersion,
          whole,
          present,
          goneUids,
          since: isBefore ? resumedAt : from,
          at,
        },
      ],
      resourceVersion: relist.resourceVersion,
    };
  }
}

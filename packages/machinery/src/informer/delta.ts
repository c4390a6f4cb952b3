// What an informer delivers to its handlers. Deltas of one informer reach every handler in the same order in which the cache
// changed; a handler that asks for marks also sees where the order has seams (relists, progress, replays).
import type { Cacheable } from '../objects/kube-object.ts';

/** How the knowledge arrived. `watch` is an event as it happened; the others were found out later. */
export type DeltaSource = 'watch' | 'list' | 'consistency';

export type ObjectDelta<T extends Cacheable> =
  | {
      readonly kind: 'added';
      readonly object: T;
      readonly source: DeltaSource;
      /** Part of the first listing, or handed to a handler that joined late. */
      readonly initial: boolean;
      readonly observedAt: number;
    }
  | {
      readonly kind: 'updated';
      readonly object: T;
      readonly previous: T;
      readonly source: DeltaSource;
      /** Nothing changed: a periodic reminder, `object === previous`. */
      readonly resync: boolean;
      readonly observedAt: number;
    }
  | {
      readonly kind: 'deleted';
      /** The final state if `finalStateUnknown` is false, else the last state that was seen. */
      readonly object: T;
      readonly source: DeltaSource;
      /** The delete itself was not seen: a listing lacked the object, or another UID took its name. */
      readonly finalStateUnknown: boolean;
      readonly observedAt: number;
    };

/** Why the collection was listed again. */
export type RelistReason =
  /** The first listing of this informer. */
  | 'start'
  /** 410: the server no longer has the events after our version. */
  | 'expired'
  /** The server's versions went backwards: etcd was restored from a snapshot. Versions of before mean nothing now. */
  | 'rewound'
  /** Events could not be decoded: by us again and again, or by the server, whose store holds an object in ruins. */
  | 'undecodable';

export interface Relist {
  readonly reason: RelistReason;
  /** The listing's own version; the watch goes on from here. */
  readonly resourceVersion: string;
  /** The last version before, and when it was still being watched (wall clock); undefined at the first start. */
  readonly previousVersion: string | undefined;
  readonly from: number | undefined;
  readonly to: number;
}

export type MarkDelta<T extends Cacheable> =
  /** A listing follows: what it changed, as deltas of source `list`, then `relist-ended`. What it did not change is not delivered. */
  | { readonly kind: 'relist-began'; readonly relist: Relist; readonly observedAt: number }
  | { readonly kind: 'relist-ended'; readonly relist: Relist; readonly observedAt: number }
  /** Everything up to this version has been delivered. */
  | { readonly kind: 'progress'; readonly resourceVersion: string; readonly observedAt: number }
  /** An event from before the listing (catch-up): it passes the cache by. */
  | {
      readonly kind: 'replayed';
      readonly type: 'added' | 'updated' | 'deleted';
      readonly object: T;
      readonly observedAt: number;
    }
  /** The catch-up from a stored version is over: everything since was replayed, or (`expired`) cannot be had any more. */
  | {
      readonly kind: 'caught-up';
      readonly outcome: 'complete' | 'expired';
      readonly from: string;
      readonly to: string;
      readonly observedAt: number;
    };

export type Delta<T extends Cacheable> = ObjectDelta<T> | MarkDelta<T>;

export function isObjectDelta<T extends Cacheable>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.kind === 'added' || delta.kind === 'updated' || delta.kind === 'deleted';
}

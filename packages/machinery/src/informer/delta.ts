// What an informer delivers to its handlers. Deltas of one informer reach every handler in the same order in which the cache
// changed; a handler that asks for marks also sees where the order has seams (relists, progress, replays).
import type { Cacheable } from '../objects/kube-object.ts';
import type { Relist } from '../reflector/relist.ts';

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

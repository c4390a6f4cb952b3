// The states of a reflector: the private union that its loop runs on, and what others may see of it. Drawn in the README.
import type { Cacheable } from '../objects/kube-object.ts';
import type { WatchStream } from '../watch/watch-stream.ts';
import type { RelistReason } from './relist.ts';
import type { Replay } from './replay.ts';
import type { WatchList } from './watch-list.ts';

/** For health checks, metrics and logs. Times are monotonic milliseconds. */
export type ReflectorState =
  /** Left by `run`. */
  | { readonly kind: 'idle' }
  /** Left when the listing is complete (→ watching) or failed (→ waiting). */
  | { readonly kind: 'listing'; readonly reason: RelistReason; readonly since: number }
  /** After a break the server is asked whether its history goes on. Left by its answer: → watching, listing, waiting. */
  | { readonly kind: 'checking'; readonly since: number }
  /** Left when the stream ends: at once → watching again, after an error → waiting, after 410 → listing, or waiting if it was just listed. */
  | { readonly kind: 'watching'; readonly from: string; readonly since: number }
  /** Left when the time is over: → what `next` says. */
  | { readonly kind: 'waiting'; readonly error: Error; readonly until: number; readonly next: 'list' | 'watch' }
  /** The signal was aborted; final. */
  | { readonly kind: 'stopped' };

/** What to do when a state is left. `replay`: the replay that is still to be made, or that a listing cuts short. */
export type Step =
  | { readonly do: 'list'; readonly reason: RelistReason; readonly replay: Replay | undefined }
  /** Watch on, after a check where one is needed. */
  | { readonly do: 'resume'; readonly replay: Replay | undefined }
  /** Watch on: the check has been made. */
  | { readonly do: 'watch'; readonly replay: Replay | undefined }
  | { readonly do: 'wait'; readonly error: Error; readonly ms: number; readonly next: Step };

export interface ListingByStream<T extends Cacheable> {
  readonly kind: 'listing-by-stream';
  readonly reason: RelistReason;
  readonly replay: Replay | undefined;
  readonly stream: WatchStream<T>;
  readonly list: WatchList<T>;
  readonly startedAt: number;
  readonly view: ReflectorState;
}

export interface ListingByPages {
  readonly kind: 'listing-by-pages';
  readonly reason: RelistReason;
  readonly replay: Replay | undefined;
  readonly view: ReflectorState;
}

export interface Watching<T extends Cacheable> {
  readonly kind: 'watching';
  readonly stream: WatchStream<T>;
  readonly startedAt: number;
  readonly view: ReflectorState;
}

export interface Replaying<T extends Cacheable> extends Omit<Watching<T>, 'kind'> {
  readonly kind: 'replaying';
  readonly replay: Replay;
}

/** Private to the reflector. `view` is what others see; several states may share one. */
export type State<T extends Cacheable> =
  /** Left by `run`: → listing. */
  | { readonly kind: 'idle'; readonly view: ReflectorState }
  /**
   * Left by the marked bookmark: → watching on the same stream, or → listed where a replay has to come first. Left by the
   * end of the stream: → listing by pages where streams are not served, else → backing off. A rewind: → listing.
   */
  | ListingByStream<T>
  /** Left when the last page is in the cache: → replaying, watching. An error: → backing off. A rewind: → listing. */
  | ListingByPages
  /** The listing is in the cache and its stream is being closed. Left by that end: → replaying. */
  | {
      readonly kind: 'listed';
      readonly replay: Replay;
      readonly stream: WatchStream<T>;
      readonly view: ReflectorState;
    }
  /** Left by the server's answer: one history → replaying, watching; another → listing. An error: → backing off. */
  | { readonly kind: 'checking'; readonly replay: Replay | undefined; readonly view: ReflectorState }
  /**
   * Left when the version of the listing is reached: → watching on the same stream. 410: → watching without the rest. Other
   * ends as for watching, with the replay still to be made.
   */
  | Replaying<T>
  /**
   * Left by the end of the stream: in order → watching (checking after a break); 410 → listing, but → backing off where
   * nothing came since the listing or that was for a 410, too; unreadable again and again → listing; another error, or an
   * end within seconds → backing off. A rewind: → listing.
   */
  | Watching<T>
  /** Left when the time is over: → `next`. */
  | { readonly kind: 'backing-off'; readonly ms: number; readonly next: Step; readonly view: ReflectorState }
  /** Final: the signal was aborted. */
  | { readonly kind: 'stopped'; readonly view: ReflectorState };

export const IDLE: State<never> = { kind: 'idle', view: { kind: 'idle' } };
export const STOPPED: State<never> = { kind: 'stopped', view: { kind: 'stopped' } };

/** The stream that is open in this state. */
export function streamOf<T extends Cacheable>(state: State<T>): WatchStream<T> | undefined {
  return 'stream' in state ? state.stream : undefined;
}

/** The replay that is still to be made, or to be given up. */
export function replayOf<T extends Cacheable>(state: State<T>): Replay | undefined {
  return 'replay' in state ? state.replay : undefined;
}

/** What this state was about, to be tried again. */
export function againFrom<T extends Cacheable>(state: State<T>): Step {
  switch (state.kind) {
    case 'idle':
    case 'stopped':
      return { do: 'list', reason: 'start', replay: undefined };
    case 'listing-by-stream':
    case 'listing-by-pages':
      return { do: 'list', reason: state.reason, replay: state.replay };
    case 'backing-off':
      return state.next;
    default:
      return { do: 'resume', replay: replayOf(state) };
  }
}

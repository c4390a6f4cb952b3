// What follows when a listing, a check or a watch of a reflector ends: by the server, by an error, by a rewind. One function
// for each; each returns the next step and how long to back off before. Called by the reflector only.
import type { Clock } from '../clock.ts';
import {
  ApiError,
  ConnectionError,
  DecodeError,
  isExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../errors.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { WatchEnd, WatchStream } from '../watch/watch-stream.ts';
import type { FailureBackoff } from './failure-backoff.ts';
import { isOutage, isRefused, isStoreReadError, mayHideRestart, refusesStreaming } from './failure-meaning.ts';
import type { Negotiation } from './negotiation.ts';
import type { Position } from './position.ts';
import {
  againFrom,
  type ListingByStream,
  type Replaying,
  replayOf,
  type State,
  type Step,
  type Watching,
} from './reflector-state.ts';
import type { RelistReason } from './relist.ts';
import type { Replay } from './replay.ts';
import type { RewindDetector } from './rewind-detector.ts';

export interface EndingsOptions<T extends Cacheable> {
  readonly clock: Clock;
  readonly position: Position;
  readonly negotiation: Negotiation;
  readonly rewinds: RewindDetector<T>;
  readonly backoff: FailureBackoff;
  /** For messages: `pods in default`. */
  readonly collection: string;
  readonly onReplayExpired: (replay: Replay) => void;
}

/** A stream that ends sooner counts as a failure: otherwise a server that hangs up at once would be asked at once. */
const SHORT_WATCH_MS = 5_000;
const HEALTHY_WATCH_MS = 30_000;
/** A reopened watch first delivers what it missed; a loopback or data-centre round trip takes far less than this. */
const BACKLOG_MS = 1_000;

export class Endings<T extends Cacheable> {
  readonly #options: EndingsOptions<T>;
  /** It was listed again for a 410, and no watch has lived long since: the next 410 must not list at once, too. */
  #isExpiryRepeated = false;

  constructor(options: EndingsOptions<T>) {
    this.#options = options;
  }

  /** The stream ended before the listing was complete, or the listing was not taken. */
  afterIncompleteListing(state: ListingByStream<T>, end: WatchEnd): Step {
    state.list.stop();
    if (state.list.failure !== undefined) throw state.list.failure;
    if (this.#options.rewinds.isKnown && state.reason !== 'rewound') return againFrom(state);
    if (end.kind === 'failed') {
      if (!refusesStreaming(end.error)) {
        // A busy server is not helped by a heavier request.
        if (!isTooManyRequests(end.error)) this.#options.negotiation.streamFailed();
        throw end.error;
      }
      this.#options.negotiation.streamingUnserved();
    }
    if (!this.#options.negotiation.streaming) return againFrom(state);
    this.#options.negotiation.streamFailed();
    throw new ConnectionError('reset', `listing ${this.#options.collection}: the stream ended before its end`);
  }

  afterWatch(state: Watching<T> | Replaying<T>, end: WatchEnd): Step {
    if (state.kind === 'watching' && this.#isComplete(state.stream, end)) this.#options.position.completed();
    if (this.#options.rewinds.isKnown) return againFrom(state);
    const livedMs = this.#options.clock.monotonic() - state.startedAt;
    if (livedMs >= HEALTHY_WATCH_MS) {
      this.#options.backoff.reset();
      this.#isExpiryRepeated = false;
    }
    if (end.kind === 'failed') throw end.error;
    if (livedMs >= SHORT_WATCH_MS) return againFrom(state);
    const error = new ConnectionError(
      'reset',
      `watching ${this.#options.collection}: closed after ${Math.round(livedMs)} ms`,
    );
    return { do: 'wait', error, ms: this.#options.backoff.after(error), next: againFrom(state) };
  }

  /** Decides what follows an error, and how long to back off before. */
  afterFailure(error: Error, state: State<T>): Step {
    if (state.kind === 'watching' || state.kind === 'replaying') {
      if (isExpired(error)) return this.#afterExpiry(error, state);
      // An object that etcd holds in ruins was deleted by force: its DELETED cannot be sent, only a listing shows it.
      if (isStoreReadError(error)) return this.#waitAndRelist(error, 'undecodable', replayOf(state));
    }
    const again = againFrom(state);
    const isListing = again.do === 'list';
    if (mayHideRestart(error)) this.#options.rewinds.broke(this.#options.position.seenAt);
    if (isRefused(error) && !isListing && this.#options.negotiation.watchRefused())
      return this.#afterRefusals(error, state);
    if (error instanceof DecodeError && this.#options.negotiation.decodeFailed() && !isListing) {
      return this.#waitAndRelist(error, 'undecodable', replayOf(state));
    }
    const mayBeAnotherServer = error instanceof ConnectionError || isTooLargeResourceVersion(error) || isOutage(error);
    if (mayBeAnotherServer) this.#options.rewinds.mustProbe();
    return { do: 'wait', error, ms: this.#options.backoff.after(error), next: again };
  }

  #afterExpiry(error: Error, state: Watching<T> | Replaying<T>): Step {
    if (state.kind === 'replaying') {
      this.#options.onReplayExpired(state.replay);
      return { do: 'resume', replay: undefined };
    }
    const mustWait = this.#options.position.isFresh || this.#isExpiryRepeated;
    this.#isExpiryRepeated = true;
    if (mustWait) return this.#waitAndRelist(error, 'expired', undefined);
    return { do: 'list', reason: 'expired', replay: undefined };
  }

  /** The same request would be refused for ever: the replay is given up, or the collection listed again. */
  #afterRefusals(error: Error, state: State<T>): Step {
    const replay = replayOf(state);
    if (replay !== undefined) this.#options.onReplayExpired(replay);
    const next: Step =
      replay === undefined ? { do: 'list', reason: 'expired', replay } : { do: 'resume', replay: undefined };
    return { do: 'wait', error, ms: this.#options.backoff.after(error), next };
  }

  #waitAndRelist(error: Error, reason: RelistReason, replay: Replay | undefined): Step {
    return { do: 'wait', error, ms: this.#options.backoff.server(), next: { do: 'list', reason, replay } };
  }

  /**
   * Whether all that happened until the end has been delivered: only an end that the server itself sent proves it. A
   * broken connection may have carried nothing for long, and a stream just opened may not have delivered its backlog.
   */
  #isComplete(stream: WatchStream<T>, end: WatchEnd): boolean {
    if (!hasDeliveredBacklog(stream, this.#options.clock)) return false;
    return end.kind === 'closed' ? end.by === 'server' : end.error instanceof ApiError;
  }
}

export function hasDeliveredBacklog({ openedAt }: { readonly openedAt: number | undefined }, clock: Clock): boolean {
  return openedAt !== undefined && clock.monotonic() - openedAt >= BACKLOG_MS;
}

// A listing that arrives as a stream (WatchList): ADDED events up to a marked bookmark, after which the same stream goes
// on as the watch. The reflector opens the stream; this sorts what arrives on it.
import type { Clock } from '../clock.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { WatchSink } from '../watch/watch-stream.ts';
import type { EventType, Replacement } from './reflection-target.ts';
import { SilenceTimer } from './silence-timer.ts';

/** Old servers ignore `sendInitialEvents` and never close the listing: after this much silence, list by pages. */
const LONGEST_SILENCE_MS = 30_000;

export interface WatchListOptions<T extends Cacheable> {
  readonly clock: Clock;
  readonly incoming: Replacement<T>;
  /** The listing is complete and of this version. What it throws is kept as `failure`. */
  readonly onListed: (version: string) => void;
  /** The server listed something and never said that this was all. */
  readonly onUnclosed: () => void;
  /** Reads no further until the target has drained. */
  readonly pause: () => void;
  /** Ends the stream. */
  readonly close: () => void;
  /** Gets what arrives after the listing. */
  readonly watch: WatchSink<T>;
}

export class WatchList<T extends Cacheable> implements WatchSink<T> {
  readonly #options: WatchListOptions<T>;
  readonly #silence: SilenceTimer;
  #isListed = false;
  /** Why a complete listing was not taken. */
  failure: Error | undefined;

  constructor(options: WatchListOptions<T>) {
    this.#options = options;
    this.#silence = new SilenceTimer(options.clock, LONGEST_SILENCE_MS, () => {
      // Before the first object, the liveness deadline of the stream decides.
      if (options.incoming.size === 0) return;
      options.onUnclosed();
      options.close();
    });
  }

  onEvent(type: EventType, object: T): void {
    if (this.#isListed) {
      this.#options.watch.onEvent(type, object);
      return;
    }
    const { incoming } = this.#options;
    if (type === 'DELETED') incoming.remove(object);
    else incoming.add(object);
    this.#received();
  }

  onBookmark(version: string, endsInitialEvents: boolean): void {
    if (this.#isListed) {
      this.#options.watch.onBookmark(version, endsInitialEvents);
      return;
    }
    this.#received();
    if (!endsInitialEvents) return;
    this.#isListed = true;
    this.stop();
    try {
      this.#options.onListed(version);
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      this.#options.close();
    }
  }

  #received(): void {
    this.#silence.restart();
    if (!this.#options.incoming.congested) return;
    this.#silence.hold();
    this.#options.pause();
  }

  /** The stream is over: no timer stays behind. */
  stop(): void {
    this.#silence.stop();
  }
}

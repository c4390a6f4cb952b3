// Keeps a target in step with one collection of the API: list, watch, and again after every kind of failure, for ever.
// It owns the resourceVersion; the target owns the objects. Order is the stream's; nothing is skipped. The states and how
// each is left: reflector-state.ts.
import { type Clock, sleep, systemClock } from '../clock.ts';
import { acceptHeader, jsonOnly } from '../codec/content-type.ts';
import { ApiError } from '../errors.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { type Random, systemRandom } from '../random.ts';
import { type WatchEnd, type WatchSink, WatchStream } from '../watch/watch-stream.ts';
import { describeCollection, watchListPath, watchPath } from './collection.ts';
import { ConsistencyCheck } from './consistency-check.ts';
import { untilDrained, untilEnded } from './drained.ts';
import { Endings, hasDeliveredBacklog } from './endings.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { Negotiation } from './negotiation.ts';
import { listAll } from './paged-listing.ts';
import { Position } from './position.ts';
import type { EventType, ReflectionTarget, Replacement } from './reflection-target.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import {
  againFrom,
  IDLE,
  type ListingByPages,
  type ListingByStream,
  type ReflectorState,
  type Replaying,
  STOPPED,
  type State,
  type Step,
  streamOf,
} from './reflector-state.ts';
import type { RelistReason } from './relist.ts';
import { Replay } from './replay.ts';
import { RewindDetector } from './rewind-detector.ts';
import { isOlder, isStale } from './version-order.ts';
import { WatchList } from './watch-list.ts';

const DEFAULT_PAGE_SIZE = 500;
/** The server is asked to end each watch after a time drawn from this range, so that clients spread over replicas. */
const WATCH_SECONDS = { least: 300, most: 600 };
/** The server sends a bookmark shortly before a watch ends: a short watch soon shows that the replay is complete. */
const REPLAY_SECONDS = 10;
const WATCH_GRACE_MS = 30_000;

export class Reflector<T extends Cacheable> {
  readonly #options: ReflectorOptions<T>;
  readonly #target: ReflectionTarget<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #position: Position;
  readonly #negotiation: Negotiation;
  readonly #rewinds: RewindDetector<T>;
  readonly #endings: Endings<T>;
  readonly #check: ConsistencyCheck<T> | undefined;
  #state: State<T> = IDLE;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#target = options.target;
    const clock = options.clock ?? systemClock;
    const random = options.random ?? systemRandom;
    this.#clock = clock;
    this.#random = random;
    this.#position = new Position(clock, options.startFrom);
    this.#negotiation = new Negotiation({
      streaming: options.streaming ?? true,
      protobuf: (options.protobuf ?? true) && options.codec.fromProtobuf !== undefined,
    });
    const { consistencyMs: everyMs, transport, target, startFrom } = options;
    const onBroken = (since: number | undefined) => this.rewound(since);
    this.#check =
      everyMs === undefined ? undefined : new ConsistencyCheck({ ...options, clock, random, everyMs, onBroken });
    const resumes = startFrom !== undefined;
    this.#rewinds = new RewindDetector({ transport, collection: options, target, clock, check: this.#check, resumes });
    this.#endings = new Endings({
      ...{ clock, position: this.#position, negotiation: this.#negotiation, rewinds: this.#rewinds },
      backoff: new FailureBackoff(random),
      collection: describeCollection(options),
      onReplayExpired: (replay) => this.#endReplay(replay, 'expired'),
    });
  }

  get state(): ReflectorState {
    return this.#state.view;
  }

  get lastVersion(): string | undefined {
    return this.#position.version;
  }

  /**
   * A read beside the watch showed that the server's newest version is older than ours. A watch from a version
   * that is yet to come is taken and stays silent, so this one is ended, and versions are compared before the next.
   */
  doubt(): void {
    this.#rewinds.mustProbe();
    this.#rewinds.broke(this.#position.seenAt);
    if (this.#state.kind === 'watching' || this.#state.kind === 'replaying') this.#state.stream.close();
  }

  /** Another reflector lost the server. A stream that is open goes on; one that is not may have missed a restart, too. */
  suspect(): void {
    if (streamOf(this.#state) === undefined) this.#rewinds.broke(this.#position.seenAt);
  }

  /**
   * It is known, perhaps from another collection, that etcd was restored from a backup. Versions may have overtaken
   * those of before by now, so they are not compared: everything is listed again. `since`: the last moment, by the wall
   * clock, at which the history was certainly the old one.
   */
  rewound(since?: number): void {
    const isNews = this.#rewinds.report(this.#position.seenAt === undefined ? undefined : since);
    if (isNews) streamOf(this.#state)?.close();
  }

  /** Listings after a rewind, also one that is still to come. */
  get rewinds(): number {
    return this.#rewinds.count;
  }

  /** Since the last event, bookmark or listing; undefined before the first. For metrics and health. */
  get silentMs(): number | undefined {
    return this.#position.silentMs;
  }

  /**
   * The watch is open, inside its liveness deadline, and has had time to deliver what was waiting for it: what has
   * not been delivered has, as far as anybody can know, not happened.
   */
  get isCurrent(): boolean {
    if (this.#state.kind !== 'watching' || this.#target.congested) return false;
    return hasDeliveredBacklog(this.#state.stream, this.#clock);
  }

  /** Resolves when the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    this.#check?.start(signal);
    let step: Step = { do: 'list', reason: 'start', replay: undefined };
    while (!signal.aborted) {
      try {
        this.#enter(this.#begin(step));
        step = await this.#leave(signal);
      } catch (error) {
        if (!signal.aborted) step = this.#endings.afterFailure(asError(error), this.#state);
      }
    }
    this.#enter(STOPPED);
  }

  #begin(step: Step): State<T> {
    if (step.do === 'wait') {
      const { error, ms, next } = step;
      const until = this.#clock.monotonic() + ms;
      const view = { kind: 'waiting', error, until, next: next.do === 'list' ? 'list' : 'watch' } as const;
      return { kind: 'backing-off', ms, next, view };
    }
    const { replay } = step;
    // Whatever is begun: once a rewind is known, versions of before mean nothing.
    if (this.#rewinds.isKnown) return this.#beginListing('rewound', replay);
    if (step.do === 'list') return this.#beginListing(step.reason, replay);
    if (step.do === 'resume' && this.#rewinds.mustVerify(this.#position.isFresh)) {
      return { kind: 'checking', replay, view: { kind: 'checking', since: this.#clock.monotonic() } };
    }
    return this.#beginWatch(replay);
  }

  #beginListing(reason: RelistReason, replay: Replay | undefined): State<T> {
    const since = this.#clock.monotonic();
    const view = { kind: 'listing', reason, since } as const;
    if (this.#negotiation.nextListing() === 'pages') return { kind: 'listing-by-pages', reason, replay, view };
    const incoming = this.#beginReplace(reason);
    const list: WatchList<T> = new WatchList({
      clock: this.#clock,
      incoming,
      onListed: (version) => this.#onListed(state, incoming, version),
      onUnclosed: () => this.#negotiation.streamingUnserved(),
      pause: () => stream.pause(),
      close: () => stream.close(),
      watch: {
        onEvent: (type, object) => this.#onEvent(stream, type, object),
        onBookmark: (version) => this.#onBookmark(stream, version),
      },
    });
    const path = watchListPath(this.#options, this.#watchSeconds());
    const stream = this.#open(path, WATCH_SECONDS.most, list);
    const state: ListingByStream<T> = {
      kind: 'listing-by-stream',
      ...{ reason, replay, stream, list, startedAt: since, view },
    };
    return state;
  }

  #beginWatch(replay: Replay | undefined): State<T> {
    const from = replay?.position ?? this.#position.version ?? '';
    const seconds = replay === undefined ? this.#watchSeconds() : REPLAY_SECONDS;
    const startedAt = this.#clock.monotonic();
    const stream: WatchStream<T> = this.#open(watchPath(this.#options, from, seconds), seconds, {
      onEvent: (type, object) => this.#onEvent(stream, type, object),
      onBookmark: (version) => this.#onBookmark(stream, version),
    });
    const view = { kind: 'watching', from, since: startedAt } as const;
    if (replay === undefined) return { kind: 'watching', stream, startedAt, view };
    return { kind: 'replaying', replay, stream, startedAt, view };
  }

  async #leave(signal: AbortSignal): Promise<Step> {
    const state = this.#state;
    switch (state.kind) {
      case 'listing-by-pages':
        return await this.#listByPages(state, signal);
      case 'listing-by-stream':
      case 'listed':
      case 'replaying':
      case 'watching':
        return this.#afterStream(await untilEnded(state.stream, this.#target, signal));
      case 'checking': {
        const { replay } = state;
        const { version = '', isFresh } = this.#position;
        await this.#rewinds.verify({ version, isFresh, isReplaying: replay !== undefined }, signal);
        return { do: 'watch', replay };
      }
      case 'backing-off':
        await sleep(this.#clock, state.ms, signal).catch(() => undefined);
        return state.next;
      case 'idle':
      case 'stopped':
        return againFrom(state);
    }
  }

  async #listByPages(state: ListingByPages, signal: AbortSignal): Promise<Step> {
    const { transport, codec, pageSize = DEFAULT_PAGE_SIZE } = this.#options;
    let incoming = this.#beginReplace(state.reason);
    const version = await listAll(
      {
        ...{ transport, collection: this.#options, codec, pageSize, signal },
        accept: acceptHeader(this.#negotiation.protobuf ? codec : jsonOnly(codec), 'list'),
        onObject: (object) => {
          incoming.add(object);
          return incoming.congested ? untilDrained(this.#target, signal) : undefined;
        },
      },
      () => {
        incoming = this.#beginReplace(state.reason);
      },
    );
    if (this.#rewinds.supersedes(incoming, state.reason, this.#position.version)) return againFrom(state);
    return { do: 'resume', replay: this.#commit(incoming, state, version) };
  }

  /** The state in which a stream ends says what follows; it may be another than the one in which it was opened. */
  #afterStream(end: WatchEnd): Step {
    const state = this.#state;
    switch (state.kind) {
      case 'listing-by-stream':
        return this.#endings.afterIncompleteListing(state, end);
      case 'replaying':
      case 'watching':
        return this.#endings.afterWatch(state, end);
      default:
        return againFrom(state);
    }
  }

  #beginReplace(reason: RelistReason): Replacement<T> {
    return this.#target.beginReplace(this.#rewinds.distrustsVersions(reason));
  }

  #open(path: string, seconds: number, sink: WatchSink<T>): WatchStream<T> {
    const { transport, codec, liveness } = this.#options;
    return new WatchStream<T>({
      ...{ transport, path, codec, sink, clock: this.#clock },
      protobuf: this.#negotiation.protobuf,
      deadlineMs: seconds * 1000 + WATCH_GRACE_MS,
      ...(liveness === undefined ? {} : { liveness }),
    });
  }

  /** The listing and the watch after it are one stream, unless a replay has to come in between. */
  #onListed(state: ListingByStream<T>, incoming: Replacement<T>, version: string): void {
    const { reason, stream, startedAt, view } = state;
    if (this.#rewinds.supersedes(incoming, reason, this.#position.version)) {
      stream.close();
      return;
    }
    const replay = this.#commit(incoming, state, version);
    if (replay === undefined) {
      const since = this.#clock.monotonic();
      this.#enter({ kind: 'watching', stream, startedAt, view: { kind: 'watching', from: version, since } });
    } else {
      this.#enter({ kind: 'listed', replay, stream, view });
      stream.close();
    }
  }

  #onEvent(stream: WatchStream<T>, type: EventType, object: T): void {
    const version = object.metadata.resourceVersion ?? '';
    const state = this.#state;
    if (state.kind === 'replaying' && isStale(version, state.replay.to)) {
      if (!state.replay.takes(object)) return;
      this.#target.replay(type, object);
    } else {
      if (state.kind === 'replaying') this.#completeReplay(state);
      // Within one watch versions never go back: what is older came too late, and would undo what is known. Of an equal
      // version are duplicates and the other objects of one transaction, which the target tells apart.
      if (isOlder(version, this.#position.version ?? '')) {
        this.#target.ignoredStale();
        return;
      }
      this.#target.onEvent(type, object);
      this.#position.reached(version);
      this.#check?.touched(object);
      this.#check?.reached(version);
    }
    this.#received(stream);
    if (this.#target.congested) stream.pause();
  }

  #onBookmark(stream: WatchStream<T>, version: string): void {
    const state = this.#state;
    if (state.kind === 'replaying') {
      if (isOlder(version, state.replay.to)) {
        state.replay.reached(version);
        this.#received(stream);
        return;
      }
      this.#completeReplay(state);
    }
    if (!isOlder(version, this.#position.version ?? '')) {
      this.#position.reached(version);
      this.#target.progress(version);
      this.#check?.reached(version);
    }
    this.#received(stream);
  }

  #received(stream: WatchStream<T>): void {
    this.#position.received();
    this.#negotiation.received();
    if (this.#rewinds.settle(this.#position.version ?? '', this.#state.kind === 'replaying')) stream.close();
  }

  #completeReplay({ replay, stream, startedAt, view }: Replaying<T>): void {
    this.#enter({ kind: 'watching', stream, startedAt, view });
    this.#endReplay(replay, 'complete');
  }

  #endReplay(replay: Replay, outcome: 'complete' | 'expired'): void {
    this.#rewinds.replayEnded();
    this.#target.caughtUp(outcome, replay.from, replay.to);
  }

  /** Puts a complete listing into the target, or throws where it is older than what is known. Returns what to replay. */
  #commit(incoming: Replacement<T>, listing: Listing, version: string): Replay | undefined {
    const { startFrom } = this.#options;
    const { version: before, seenAt } = this.#position;
    const reason = this.#rewinds.judge(version, listing.reason, before);
    if (reason === undefined) throw staleListing(describeCollection(this.#options), version, before);
    this.#negotiation.listed();
    const to = this.#clock.now();
    // A listing in the middle of a replay ends it: the rest is not asked for again.
    if (listing.replay !== undefined) this.#endReplay(listing.replay, 'expired');
    const replay = reason === 'start' && startFrom !== undefined ? new Replay(startFrom, version) : undefined;
    const from =
      reason === 'rewound' && seenAt !== undefined ? Math.min(seenAt, this.#rewinds.since ?? seenAt) : seenAt;
    this.#rewinds.listed(reason, replay !== undefined);
    this.#position.listed(version, to);
    incoming.commit({ reason, resourceVersion: version, previousVersion: before, from, to });
    // The first listing shows that what is stored is of another history: nothing of it can be replayed.
    if (reason === 'rewound' && startFrom !== undefined && seenAt === undefined) {
      this.#target.caughtUp('expired', startFrom, version);
    }
    this.#check?.relisted(version);
    return replay;
  }

  #enter(state: State<T>): void {
    const { view } = this.#state;
    this.#state = state;
    if (state.view === view) return;
    try {
      this.#options.onState?.(state.view);
    } catch {
      // A log or a metric that throws must not stop the watch.
    }
  }

  #watchSeconds(): number {
    return WATCH_SECONDS.least + Math.floor(this.#random() * (WATCH_SECONDS.most - WATCH_SECONDS.least + 1));
  }
}

interface Listing {
  readonly reason: RelistReason;
  readonly replay: Replay | undefined;
}

function staleListing(what: string, version: string, before: string | undefined): ApiError {
  const message = `the listing of ${what} is older (${version}) than what was seen (${before})`;
  return new ApiError(504, { reason: 'Timeout', message }, undefined);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

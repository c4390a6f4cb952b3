// Keeps a target in step with one collection of the API: list, watch, and again after every kind of failure, for ever.
// It owns the resourceVersion; the target owns the objects. Order is the stream's; nothing is skipped.
import { type Clock, sleep, systemClock } from '../clock.ts';
import type { ObjectCodec } from '../codec/codec.ts';
import { acceptHeader, jsonOnly } from '../codec/content-type.ts';
import {
  ApiError,
  ConnectionError,
  DecodeError,
  isExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../errors.ts';
import type { RelistReason } from '../informer/delta.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { type Random, systemRandom } from '../random.ts';
import type { Transport } from '../transport/transport.ts';
import type { LivenessLimits } from '../watch/liveness.ts';
import { type WatchEnd, type WatchSink, WatchStream } from '../watch/watch-stream.ts';
import { Backoff, CONNECTION_BACKOFF, SERVER_BACKOFF } from './backoff.ts';
import { CatchUp } from './catch-up.ts';
import { type Collection, describeCollection, watchListPath, watchPath } from './collection.ts';
import { type CheckOutcome, type ComparedAside, ConsistencyCheck } from './consistency-check.ts';
import { isAway, isOutage, isRefused, isStoreReadError, mayHideRestart, refusesStreaming } from './failure-meaning.ts';
import { listAll } from './paged-listing.ts';
import type { EventType, ReflectionTarget, Replacement } from './reflection-target.ts';
import type { ReflectorState, Step } from './reflector-state.ts';
import { SilenceWatch } from './silence-watch.ts';
import { isOlder, isStale } from './version-order.ts';
import { probeVersion } from './version-probe.ts';

export type { ReflectorState } from './reflector-state.ts';

export interface ReflectorOptions<T extends Cacheable> extends Collection {
  readonly transport: Transport;
  readonly codec: ObjectCodec<T>;
  readonly target: ReflectionTarget<T>;
  /** Deliver every event since this version besides the listing (the ledger's catch-up after a restart). */
  readonly startFrom?: string | undefined;
  /** False: always list by pages. Default: stream the listing where the server can. */
  readonly streaming?: boolean | undefined;
  /** False: JSON only. Default: protobuf where codec and server can. */
  readonly protobuf?: boolean | undefined;
  readonly pageSize?: number | undefined;
  /** Compare the cache with a consistent listing this often. Default: never. */
  readonly consistencyMs?: number | undefined;
  /** Told of each comparison, also of one that failed or could not be made. */
  readonly onChecked?: ((outcome: CheckOutcome) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly liveness?: LivenessLimits | undefined;
  readonly onState?: ((state: ReflectorState) => void) | undefined;
}

const DEFAULT_PAGE_SIZE = 500;
/** The server is asked to end each watch after a time drawn from this range, so that clients spread over replicas. */
const WATCH_SECONDS = { least: 300, most: 600 };
/** The server sends a bookmark shortly before a watch ends: a short one tells soon that the catch-up is complete. */
const CATCH_UP_SECONDS = 10;
const WATCH_GRACE_MS = 30_000;
/** A stream that ends sooner counts as a failure: otherwise a server that hangs up at once would be asked at once. */
const SHORT_WATCH_MS = 5_000;
const HEALTHY_WATCH_MS = 30_000;
/** A reopened watch first delivers what it missed; a loopback or data-centre round trip takes far less than this. */
const BACKLOG_MS = 1_000;
/** Old servers ignore `sendInitialEvents` and never close the listing: after this much silence, list by pages. */
const INITIAL_EVENTS_SILENCE_MS = 30_000;
/** A server or proxy that cannot carry the stream, for whatever reason, is listed by pages every now and then. */
const FAILED_STREAMS_BEFORE_PAGES = 2;
const STALE_LISTINGS_BEFORE_REWIND = 3;
/** A watch can be away for so long without anybody's noticing. */
const LONGEST_COMPARISON_MS = 3_000;
/** After a comparison there is none for this many times as long as it took. */
const COMPARISON_SHARE = 10;
const DECODE_FAILURES_BEFORE_JSON = 2;
const DECODE_FAILURES_BEFORE_RELIST = 4;
/** A server that cannot do with our version what we ask says so each time: then another version is needed. */
const REFUSALS_BEFORE_RELIST = 3;

export class Reflector<T extends Cacheable> {
  readonly #options: ReflectorOptions<T>;
  readonly #target: ReflectionTarget<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #connectionBackoff: Backoff;
  readonly #serverBackoff: Backoff;
  readonly #check: ConsistencyCheck<T> | undefined;
  #state: ReflectorState = { kind: 'idle' };
  #streaming: boolean;
  #protobuf: boolean;
  /** Invariant: never passes an event that the target has not applied. Undefined before the first listing. */
  #version: string | undefined;
  /** Wall clock of the last frame: until then the watch was certainly alive. */
  #heardAt: number | undefined;
  /** Monotonic, of the last frame or listing. */
  #lastSign: number | undefined;
  #catchUp: CatchUp | undefined;
  #stream: WatchStream<T> | undefined;
  #staleListings = 0;
  /** Streaming listings that failed in a row. */
  #failedStreams = 0;
  #decodeFailures = 0;
  /** Watches refused in a row as requests that cannot be understood. */
  #refusals = 0;
  /** After an outage the server behind the address may be another, with another past. */
  #mustProbe = false;
  /** It is known that etcd began another life: versions need no look, everything is listed anew. */
  #mustRewind = false;
  #rewinds = 0;
  /**
   * Wall clock: the last sign of life before a break, if nobody has shown yet that the watch after it goes on with the
   * same history. A rewind that is noticed late reaches back to here.
   */
  #brokeAt: number | undefined;
  /** What a listing lacked after a break: it must be told as deleted by the time the watch reaches that version. */
  #owed: { readonly version: string; readonly missing: ReadonlyMap<string, string> } | undefined;
  /** Monotonic: comparisons take a small part of the time at most, also where connections break all the time. */
  #noComparisonBefore = 0;
  /** A 410 before anything was applied since the listing must not become a loop. */
  #appliedSinceListing = true;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#target = options.target;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#connectionBackoff = new Backoff(CONNECTION_BACKOFF, this.#random);
    this.#serverBackoff = new Backoff(SERVER_BACKOFF, this.#random);
    this.#streaming = options.streaming ?? true;
    this.#protobuf = (options.protobuf ?? true) && options.codec.fromProtobuf !== undefined;
    this.#version = options.startFrom;
    // Nothing shows that what is watched now goes on with what was stored.
    if (options.startFrom !== undefined) this.#brokeAt = 0;
    this.#check =
      options.consistencyMs === undefined
        ? undefined
        : new ConsistencyCheck({
            ...options,
            clock: this.#clock,
            random: this.#random,
            everyMs: options.consistencyMs,
            onBroken: (since) => this.rewound(since),
          });
  }

  get state(): ReflectorState {
    return this.#state;
  }

  get lastVersion(): string | undefined {
    return this.#version;
  }

  /**
   * Somebody learned, aside of the watch, that the server's newest version is older than ours. A watch from a version
   * that is yet to come is taken and stays silent, so this one is ended, and versions are looked at before the next.
   */
  doubt(): void {
    this.#mustProbe = true;
    this.#brokeAt ??= this.#heardAt;
    if (this.#state.kind === 'watching') this.#stream?.close();
  }

  /** Somebody else lost the server. A stream that is open goes on; one that is not may have missed a restart, too. */
  suspect(): void {
    if (this.#stream === undefined) this.#brokeAt ??= this.#heardAt;
  }

  /**
   * Somebody knows that etcd began another life, perhaps from another collection. Versions may have overtaken those of
   * before by now, so they are not looked at: everything is listed anew. `since`: the last moment, by the wall clock, of
   * which that somebody is certain.
   */
  rewound(since?: number): void {
    if (since !== undefined && this.#heardAt !== undefined) this.#brokeAt = Math.min(since, this.#brokeAt ?? since);
    if (this.#mustRewind) return;
    this.#mustRewind = true;
    this.#stream?.close();
  }

  /** Listings after a rewind, also one that is still to come. */
  get rewinds(): number {
    return this.#rewinds + (this.#mustRewind ? 1 : 0);
  }

  /** Since the last event, bookmark or listing; undefined before the first. For metrics and health. */
  get silentMs(): number | undefined {
    return this.#lastSign === undefined ? undefined : this.#clock.monotonic() - this.#lastSign;
  }

  /**
   * The watch is open, inside its liveness deadline, and has had time to deliver what was waiting for it: what has
   * not been told has, as far as anybody can know, not happened.
   */
  get isCurrent(): boolean {
    const openedAt = this.#stream?.openedAt;
    if (this.#state.kind !== 'watching' || this.#catchUp !== undefined || openedAt === undefined) return false;
    return !this.#target.congested && this.#clock.monotonic() - openedAt >= BACKLOG_MS;
  }

  /** Resolves when the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let step: Step = { do: 'list', reason: 'start' };
    this.#check?.start(signal);
    while (!signal.aborted) {
      try {
        step = step.do === 'list' ? await this.#list(step.reason, signal) : await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) break;
        step = await this.#afterFailure(asError(error), step, signal);
      }
    }
    this.#enter({ kind: 'stopped' });
  }

  async #list(asked: RelistReason, signal: AbortSignal): Promise<Step> {
    const reason = this.#mustRewind ? 'rewound' : asked;
    this.#enter({ kind: 'listing', reason, since: this.#clock.monotonic() });
    if (this.#streaming && this.#failedStreams < FAILED_STREAMS_BEFORE_PAGES) {
      return await this.#listByStream(reason, signal);
    }
    this.#failedStreams = 0;
    let incoming = this.#beginReplace(reason);
    const version = await listAll(
      {
        transport: this.#options.transport,
        collection: this.#options,
        codec: this.#options.codec,
        accept: acceptHeader(this.#protobuf ? this.#options.codec : jsonOnly(this.#options.codec), 'list'),
        pageSize: this.#options.pageSize ?? DEFAULT_PAGE_SIZE,
        signal,
        onObject: (object) => incoming.add(object),
      },
      () => {
        incoming = this.#beginReplace(reason);
      },
    );
    if (this.#isSuperseded(incoming, reason)) return this.#listRewound();
    this.#commit(incoming, reason, version);
    return { do: 'watch' };
  }

  /** A rewind became known while it was being listed, or is shown by the listing itself. */
  #isSuperseded(incoming: Replacement<T>, reason: RelistReason): boolean {
    if (reason === 'rewound') return false;
    const known = reason === 'start' ? undefined : this.#version;
    return this.#mustRewind || (known !== undefined && this.#check !== undefined && incoming.contradicts(known));
  }

  #listRewound(): Step {
    this.#mustRewind = true;
    return { do: 'list', reason: 'rewound' };
  }

  /** The listing and the watch after it are one stream, unless a catch-up has to come in between. */
  async #listByStream(reason: RelistReason, signal: AbortSignal): Promise<Step> {
    const incoming = this.#beginReplace(reason);
    let listed = false;
    let failure: Error | undefined;
    const path = watchListPath(this.#options, this.#watchSeconds());
    const stream = this.#open(path, WATCH_SECONDS.most, {
      onEvent: (type, object) => {
        patience.heard();
        if (listed) this.#onEvent(stream, type, object);
        else if (type === 'DELETED') incoming.remove(object);
        else incoming.add(object);
      },
      onBookmark: (version, endsInitialEvents) => {
        patience.heard();
        if (listed) {
          this.#onBookmark(version);
          return;
        }
        if (!endsInitialEvents) return;
        listed = true;
        patience.stop();
        if (this.#isSuperseded(incoming, reason)) {
          this.#mustRewind = true;
          stream.close();
          return;
        }
        try {
          this.#commit(incoming, reason, version);
          this.#enter({ kind: 'watching', from: version, since: this.#clock.monotonic() });
        } catch (error) {
          failure = asError(error);
        }
        if (failure !== undefined || this.#catchUp !== undefined) stream.close();
      },
    });
    const patience = new SilenceWatch(this.#clock, INITIAL_EVENTS_SILENCE_MS, () => {
      // Silence before the first object is the stream's own affair (liveness).
      if (incoming.size === 0) return;
      this.#streaming = false;
      stream.close();
    });
    const started = this.#clock.monotonic();
    const end = await this.#untilEnded(stream, signal);
    patience.stop();
    if (failure !== undefined) throw failure;
    if (this.#mustRewind && reason !== 'rewound') return this.#listRewound();
    if (listed) return this.#catchUp === undefined ? await this.#afterWatch(end, started, signal) : { do: 'watch' };
    if (end.kind === 'failed') {
      if (!refusesStreaming(end.error)) {
        // A busy server is not helped by a heavier request.
        if (!isTooManyRequests(end.error)) this.#failedStreams++;
        throw end.error;
      }
      this.#streaming = false;
    } else if (this.#streaming) {
      this.#failedStreams++;
      throw new ConnectionError(
        'reset',
        `listing ${describeCollection(this.#options)}: the stream ended before its end`,
      );
    }
    return { do: 'list', reason };
  }

  async #watch(signal: AbortSignal): Promise<Step> {
    const version = this.#version ?? '';
    if (await this.#isAnotherLife(version, signal)) return this.#listRewound();
    const from = this.#catchUp?.position ?? version;
    const seconds = this.#catchUp === undefined ? this.#watchSeconds() : CATCH_UP_SECONDS;
    this.#enter({ kind: 'watching', from, since: this.#clock.monotonic() });
    const started = this.#clock.monotonic();
    const stream = this.#open(watchPath(this.#options, from, seconds), seconds, {
      onEvent: (type, object) => this.#onEvent(stream, type, object),
      onBookmark: (bookmark) => this.#onBookmark(bookmark),
    });
    const end = await this.#untilEnded(stream, signal);
    return await this.#afterWatch(end, started, signal);
  }

  /**
   * After a break: whether etcd was restored from a backup meanwhile. That its version is not older than ours proves
   * little, for a busy cluster soon overtakes the old versions; so what is not newer than ours must be as we know it.
   */
  async #isAnotherLife(version: string, signal: AbortSignal): Promise<boolean> {
    if (this.#mustRewind) return true;
    // Right after a listing there is nothing that could have been missed.
    const isFollowed = this.#brokeAt === undefined || (!this.#appliedSinceListing && !this.#mustProbe);
    const found = isFollowed ? undefined : await this.#compareInTime(version, signal);
    if (found === undefined) {
      if (!this.#mustProbe) return false;
      const present = await probeVersion(this.#options.transport, this.#options, signal);
      this.#mustProbe = false;
      return isOlder(present, version);
    }
    this.#mustProbe = false;
    if (this.#mustRewind || found.isBroken || isOlder(found.version, version)) return true;
    this.#owed = found;
    this.#settleDebt();
    return false;
  }

  /**
   * The watch waits for this comparison, so it must not take long, nor be made often. Where it cannot be had in time, as
   * with a hundred thousand pods or a server that refuses it, versions have to do, until a smaller collection or the
   * next regular comparison knows more.
   */
  async #compareInTime(version: string, signal: AbortSignal): Promise<ComparedAside | undefined> {
    const begun = this.#clock.monotonic();
    if (this.#check === undefined || begun < this.#noComparisonBefore) return undefined;
    const late = new AbortController();
    const timer = this.#clock.setTimer(LONGEST_COMPARISON_MS, () => late.abort());
    try {
      return await this.#check.compareAside(version, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      // A server that is away could not be watched, either.
      if (signal.aborted || (!late.signal.aborted && isAway(asError(error)))) throw error;
      return undefined;
    } finally {
      timer.cancel();
      const now = this.#clock.monotonic();
      this.#noComparisonBefore = now + (now - begun) * COMPARISON_SHARE;
    }
  }

  /** Once the watch has told all that the listing after the break knew, the break has done no harm, or it shows now. */
  #settleDebt(): void {
    const owed = this.#owed;
    if (owed === undefined) return;
    if (owed.missing.size > 0) {
      if (this.#catchUp !== undefined || isOlder(this.#version ?? '', owed.version)) return;
      for (const [key, object] of this.#target.held()) {
        if (owed.missing.get(key) !== object.metadata.uid) continue;
        this.#owed = undefined;
        this.rewound();
        return;
      }
    }
    this.#owed = undefined;
    this.#brokeAt = undefined;
  }

  /** After a listing from the past the next one may turn out to be a rewind, too. */
  #beginReplace(reason: RelistReason): Replacement<T> {
    return this.#target.beginReplace(reason === 'rewound' || this.#staleListings > 0);
  }

  #open(path: string, seconds: number, sink: WatchSink<T>): WatchStream<T> {
    return new WatchStream<T>({
      transport: this.#options.transport,
      path,
      codec: this.#options.codec,
      protobuf: this.#protobuf,
      deadlineMs: seconds * 1000 + WATCH_GRACE_MS,
      sink,
      clock: this.#clock,
      ...(this.#options.liveness === undefined ? {} : { liveness: this.#options.liveness }),
    });
  }

  async #untilEnded(stream: WatchStream<T>, signal: AbortSignal): Promise<WatchEnd> {
    const close = () => stream.close();
    signal.addEventListener('abort', close, { once: true });
    this.#target.onDrained = () => stream.resume();
    this.#stream = stream;
    try {
      const end = await stream.ended;
      if (this.#heardAt !== undefined && this.#toldAll(stream, end)) this.#heardAt = this.#clock.now();
      return end;
    } finally {
      this.#stream = undefined;
      this.#target.onDrained = undefined;
      signal.removeEventListener('abort', close);
    }
  }

  /**
   * Whether all that happened until the end has been delivered: only the server's own word for the end proves it. A
   * broken connection may have carried nothing for long, and a stream just opened may not have come to what it owed.
   */
  #toldAll(stream: WatchStream<T>, end: WatchEnd): boolean {
    const { openedAt } = stream;
    if (this.#catchUp !== undefined || openedAt === undefined) return false;
    if (this.#clock.monotonic() - openedAt < BACKLOG_MS) return false;
    return end.kind === 'closed' ? end.by === 'server' : end.error instanceof ApiError;
  }

  #onEvent(stream: WatchStream<T>, type: EventType, object: T): void {
    const version = object.metadata.resourceVersion ?? '';
    const catchUp = this.#catchUp;
    if (catchUp !== undefined && isStale(version, catchUp.to)) {
      if (isStale(version, catchUp.position)) return;
      this.#target.replay(type, object);
      catchUp.position = version;
    } else {
      if (catchUp !== undefined) this.#finishCatchUp('complete');
      // Within one watch versions only grow: anything else is a duplicate or came too late, and would undo what is known.
      if (isStale(version, this.#version ?? '')) {
        this.#target.ignoredStale();
        return;
      }
      this.#target.apply(type, object);
      this.#version = version;
      this.#check?.touched(object);
      this.#check?.reached(version);
    }
    this.#settleDebt();
    this.#heard();
    if (this.#target.congested) stream.pause();
  }

  #onBookmark(version: string): void {
    this.#heard();
    const catchUp = this.#catchUp;
    if (catchUp !== undefined) {
      if (isOlder(version, catchUp.to)) {
        if (isOlder(catchUp.position, version)) catchUp.position = version;
        return;
      }
      this.#finishCatchUp('complete');
    }
    if (isOlder(version, this.#version ?? '')) return;
    this.#version = version;
    this.#target.progress(version);
    this.#check?.reached(version);
    this.#settleDebt();
  }

  #heard(): void {
    this.#heardAt = this.#clock.now();
    this.#lastSign = this.#clock.monotonic();
    this.#appliedSinceListing = true;
    this.#decodeFailures = 0;
    this.#refusals = 0;
  }

  #finishCatchUp(outcome: 'complete' | 'expired'): void {
    const catchUp = this.#catchUp;
    if (catchUp === undefined) return;
    this.#catchUp = undefined;
    // Whoever asked for the replay compares it with the listing.
    if (this.#owed === undefined) this.#brokeAt = undefined;
    this.#target.caughtUp(outcome, catchUp.from, catchUp.to);
  }

  #commit(incoming: Replacement<T>, reason: RelistReason, version: string): void {
    const before = this.#version;
    if (before !== undefined && reason !== 'rewound' && isOlder(version, before)) {
      // A listing older than what we know would raise the dead. One lagging server is waited out; when all listings
      // stay behind, the versions themselves have gone back.
      if (++this.#staleListings < STALE_LISTINGS_BEFORE_REWIND) {
        throw new ApiError(
          504,
          {
            reason: 'Timeout',
            message: `the listing of ${describeCollection(this.#options)} is older (${version}) than what was seen (${before})`,
          },
          undefined,
        );
      }
      reason = 'rewound';
    }
    // A consistent read is never from the past, unless the past came back: meanwhile versions have overtaken the old ones.
    if (this.#staleListings > 0) reason = 'rewound';
    this.#staleListings = 0;
    this.#failedStreams = 0;
    const to = this.#clock.now();
    // A listing in the middle of a catch-up ends it: the rest of the replay is not asked for again.
    this.#finishCatchUp('expired');
    const resumesFrom = reason === 'start' ? this.#options.startFrom : undefined;
    this.#catchUp = resumesFrom === undefined ? undefined : new CatchUp(resumesFrom, version);
    this.#version = version;
    this.#appliedSinceListing = false;
    const from = reason === 'rewound' ? earlier(this.#heardAt, this.#brokeAt) : this.#heardAt;
    if (reason === 'rewound') this.#rewinds++;
    this.#mustRewind = false;
    this.#mustProbe = false;
    this.#owed = undefined;
    if (this.#catchUp === undefined) this.#brokeAt = undefined;
    incoming.commit({ reason, resourceVersion: version, previousVersion: before, from, to });
    if (reason === 'rewound' && this.#options.startFrom !== undefined && this.#heardAt === undefined) {
      this.#target.caughtUp('expired', this.#options.startFrom, version);
    }
    this.#heardAt = to;
    this.#lastSign = this.#clock.monotonic();
    this.#check?.relisted(version);
  }

  async #afterWatch(end: WatchEnd, started: number, signal: AbortSignal): Promise<Step> {
    if (signal.aborted || this.#mustRewind) return { do: 'watch' };
    const livedMs = this.#clock.monotonic() - started;
    if (livedMs >= HEALTHY_WATCH_MS) {
      this.#connectionBackoff.reset();
      this.#serverBackoff.reset();
    }
    if (end.kind === 'failed') throw end.error;
    if (livedMs < SHORT_WATCH_MS) {
      const error = new ConnectionError(
        'reset',
        `watching ${describeCollection(this.#options)}: closed after ${Math.round(livedMs)} ms`,
      );
      await this.#wait(error, this.#connectionBackoff.next(), { do: 'watch' }, signal);
    }
    return { do: 'watch' };
  }

  /** Decides what follows an error, and waits as long as that error deserves. */
  async #afterFailure(error: Error, step: Step, signal: AbortSignal): Promise<Step> {
    if (isExpired(error) && this.#version !== undefined && this.#state.kind === 'watching') {
      if (this.#catchUp !== undefined) {
        this.#finishCatchUp('expired');
        return { do: 'watch' };
      }
      const relist: Step = { do: 'list', reason: 'expired' };
      if (!this.#appliedSinceListing) await this.#wait(error, this.#serverBackoff.next(), relist, signal);
      return relist;
    }
    if (isStoreReadError(error) && this.#state.kind === 'watching') {
      // An object that etcd holds in ruins was deleted by force: its DELETED cannot be sent, only a listing shows it.
      const relist: Step = { do: 'list', reason: 'undecodable' };
      await this.#wait(error, this.#serverBackoff.next(), relist, signal);
      return relist;
    }
    const next: Step = this.#state.kind === 'watching' ? { do: 'watch' } : step;
    if (mayHideRestart(error)) this.#brokeAt ??= this.#heardAt;
    if (isRefused(error) && next.do === 'watch' && ++this.#refusals >= REFUSALS_BEFORE_RELIST) {
      return await this.#afterRefusals(error, signal);
    }
    if (error instanceof DecodeError) return await this.#afterDecodeFailure(error, next, signal);
    if (error instanceof ConnectionError || isTooLargeResourceVersion(error) || isOutage(error)) this.#mustProbe = true;
    await this.#wait(error, this.#delayAfter(error), next, signal);
    return next;
  }

  /** The same request would be refused for ever: the replay is given up, or the collection listed anew. */
  async #afterRefusals(error: Error, signal: AbortSignal): Promise<Step> {
    this.#refusals = 0;
    const then: Step = this.#catchUp === undefined ? { do: 'list', reason: 'expired' } : { do: 'watch' };
    this.#finishCatchUp('expired');
    await this.#wait(error, this.#delayAfter(error), then, signal);
    return then;
  }

  #delayAfter(error: Error): number {
    if (error instanceof ApiError && error.retryAfterMs !== undefined) {
      return error.retryAfterMs * (1 + this.#random() * 0.1);
    }
    if (error instanceof ConnectionError) return this.#connectionBackoff.next();
    return this.#serverBackoff.next();
  }

  async #afterDecodeFailure(error: Error, next: Step, signal: AbortSignal): Promise<Step> {
    this.#decodeFailures++;
    // Perhaps only our protobuf reader fails on this object: JSON is slower and more forgiving.
    if (this.#decodeFailures >= DECODE_FAILURES_BEFORE_JSON) this.#protobuf = false;
    const relist = next.do === 'watch' && this.#decodeFailures >= DECODE_FAILURES_BEFORE_RELIST;
    const then: Step = relist ? { do: 'list', reason: 'undecodable' } : next;
    await this.#wait(error, this.#serverBackoff.next(), then, signal);
    return then;
  }

  async #wait(error: Error, ms: number, next: Step, signal: AbortSignal): Promise<void> {
    this.#enter({ kind: 'waiting', error, until: this.#clock.monotonic() + ms, next: next.do });
    await sleep(this.#clock, ms, signal).catch(() => undefined);
  }

  #enter(state: ReflectorState): void {
    this.#state = state;
    try {
      this.#options.onState?.(state);
    } catch {
      // A log or a metric that throws must not stop the watch.
    }
  }

  #watchSeconds(): number {
    return WATCH_SECONDS.least + Math.floor(this.#random() * (WATCH_SECONDS.most - WATCH_SECONDS.least + 1));
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? a : Math.min(a, b);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

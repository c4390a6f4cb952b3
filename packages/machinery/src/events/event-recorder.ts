// Writes what we did as Events. `record` returns at once, never throws and never waits for the server:
// repetitions become one series, a source that talks too much is cut, and what cannot be written is counted.

import { exponentialDelay } from '../backoff.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import { type Clock, sleep, systemClock, type Timer } from '../clock.ts';
import { ConnectionError, isAlreadyExists, isNotFound, MachineryError } from '../errors.ts';
import { microTime } from '../objects/micro-time.ts';
import { jitter, type Random, systemRandom } from '../random.ts';
import { within } from '../within.ts';
import { EventEntry, judgeFailure } from './event-entry.ts';
import { EventLines, type Place } from './event-lines.ts';
import { EventNames } from './event-name.ts';
import {
  cutToBytes,
  type EventInput,
  type KubeEvent,
  NAME_LIMIT_BYTES,
  NOTE_LIMIT_BYTES,
  seriesKey,
  sourceKey,
} from './kube-event.ts';
import { SpamFilter, type SpamLimit } from './spam-filter.ts';

export interface EventRecorderOptions {
  /** The events of a namespace. */
  readonly events: (namespace: string) => Pick<ResourceClient<KubeEvent>, 'create' | 'patch'>;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Who reports: a qualified name such as "podtrail.dev/operator". */
  readonly reportingController: string;
  /** Which replica: the pod's name. */
  readonly reportingInstance: string;
  /** Events waiting to be written; more are dropped. Default 1000. */
  readonly queueLimit?: number;
  /** Default 12. */
  readonly maxTries?: number;
  readonly spamLimit?: SpamLimit;
  /** An event that was given up, for the log. */
  readonly onError?: (error: unknown, event: KubeEvent) => void;
}

/** What became of the events. A repetition that joined a series is only in `repeated`. */
export interface EventCounts {
  written: number;
  repeated: number;
  /** Over the limit of its source, object and reason. */
  spam: number;
  queueFull: number;
  /** Not an event: a bug of the caller. */
  invalid: number;
  forbidden: number;
  namespaceTerminating: number;
  /** Refused for another reason. */
  rejected: number;
  /** Tried often enough. */
  gaveUp: number;
  /** Recorded after, or not written before, the shutdown. */
  tooLate: number;
}

/** A series ends when its event was not seen for this long. */
const SERIES_WINDOW_MS = 6 * 60_000;
/** A long series is written this often, so that the server does not expire it. */
const REFRESH_MS = 30 * 60_000;
const SERIES_LIMIT = 4096;
const CALL_TIMEOUT_MS = 10_000;
const RETRY = { firstMs: 500, longestMs: 10_000 };
const RETRY_JITTER = 0.25;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #names: EventNames;
  readonly #spam: SpamFilter;
  readonly #counts: EventCounts = {
    written: 0,
    repeated: 0,
    spam: 0,
    queueFull: 0,
    invalid: 0,
    forbidden: 0,
    namespaceTerminating: 0,
    rejected: 0,
    gaveUp: 0,
    tooLate: 0,
  };
  /** The series that are open, by key, oldest first. */
  readonly #open = new Map<string, EventEntry>();
  /** What waits to be written. */
  readonly #lines = new EventLines((entry, place) => this.#write(entry, place));
  readonly #stop = new AbortController();
  #sweeper: Timer | undefined;
  #refreshedAt: number;
  #closed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#names = new EventNames(this.#clock, this.#random);
    this.#spam = new SpamFilter(this.#clock, options.spamLimit);
    this.#refreshedAt = this.#clock.monotonic();
  }

  get counts(): Readonly<EventCounts> {
    return this.#counts;
  }

  /** Events that wait to be written. */
  get pending(): number {
    return this.#lines.size;
  }

  record(input: EventInput): void {
    if (this.#closed) {
      this.#counts.tooLate++;
      return;
    }
    try {
      this.#record(this.#makeEvent(input));
    } catch {
      // Only a caller without types gets here; recording must not break what it reports about.
      this.#counts.invalid++;
    }
  }

  /** Resolves when everything recorded so far was written or given up. Counts of open series may be ahead. */
  async flush(): Promise<void> {
    await this.#lines.whenEmpty();
  }

  /** Writes what is left, final counts of series included, for at most `deadlineMs`. Records nothing afterwards. */
  async shutDown(deadlineMs: number): Promise<{ readonly unwritten: number }> {
    this.#closed = true;
    this.#sweeper?.cancel();
    for (const entry of [...this.#open.values()]) this.#finish(entry);
    let unwritten = 0;
    try {
      await within(this.#clock, deadlineMs, undefined, () => this.flush());
    } catch {
      const left = this.#lines.clear();
      this.#stop.abort(new MachineryError('recorder-closed', 'the event recorder was shut down'));
      // The writes under way end as too late too.
      const before = this.#counts.tooLate;
      await this.flush();
      unwritten = left + this.#counts.tooLate - before;
      this.#counts.tooLate += left;
    }
    return { unwritten };
  }

  #makeEvent(input: EventInput): KubeEvent {
    const { regarding, related, type, reason, action, note } = input;
    if (type !== 'Normal' && type !== 'Warning') throw new TypeError(`unknown type of event: ${type}`);
    // Events about cluster-scoped objects live in "default", as the server demands.
    const namespace = regarding.namespace === undefined || regarding.namespace === '' ? 'default' : regarding.namespace;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: this.#names.next(regarding.name ?? ''), namespace },
      eventTime: microTime(this.#clock.now()),
      reportingController: this.#options.reportingController,
      reportingInstance: cutToBytes(this.#options.reportingInstance, NAME_LIMIT_BYTES),
      action: cutToBytes(action === undefined || action === '' ? reason : action, NAME_LIMIT_BYTES),
      reason: cutToBytes(reason, NAME_LIMIT_BYTES),
      regarding,
      ...(related === undefined ? {} : { related }),
      note: cutToBytes(note, NOTE_LIMIT_BYTES),
      type,
    };
  }

  #record(event: KubeEvent): void {
    const monotonic = this.#clock.monotonic();
    const known = this.#open.get(seriesKey(event));
    if (known !== undefined && monotonic - known.lastSeenAt < SERIES_WINDOW_MS) {
      known.seeAgain(monotonic, this.#clock.now());
      this.#counts.repeated++;
      // The second sighting makes the series known; later ones only count, until it is refreshed or ends.
      if (known.count === 2 && this.#spam.allows(sourceKey(event))) this.#enqueue(known);
      return;
    }
    if (known !== undefined) this.#finish(known);
    if (!this.#spam.allows(sourceKey(event))) {
      this.#counts.spam++;
      return;
    }
    const entry = new EventEntry(event, monotonic, this.#clock.now());
    if (!this.#enqueue(entry)) {
      this.#counts.queueFull++;
      return;
    }
    this.#open.set(seriesKey(event), entry);
    if (this.#open.size > SERIES_LIMIT) {
      const [oldest] = this.#open.values();
      if (oldest !== undefined) this.#finish(oldest);
    }
    this.#scheduleSweep();
  }

  /** The series is over: the server gets its final count. */
  #finish(entry: EventEntry): void {
    this.#open.delete(seriesKey(entry.event));
    if (entry.count > 1 && entry.count > entry.writtenCount && !this.#enqueue(entry)) this.#counts.queueFull++;
  }

  #enqueue(entry: EventEntry): boolean {
    if (!this.#lines.has(entry) && this.#lines.size >= (this.#options.queueLimit ?? 1000)) return false;
    this.#lines.add(entry);
    return true;
  }

  #scheduleSweep(): void {
    if (this.#sweeper !== undefined || this.#open.size === 0) return;
    const sweep = () => {
      this.#sweeper = undefined;
      this.#sweep();
      this.#scheduleSweep();
    };
    this.#sweeper = this.#clock.setTimer(SERIES_WINDOW_MS, sweep, false);
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    const refresh = now - this.#refreshedAt >= REFRESH_MS;
    if (refresh) this.#refreshedAt = now;
    for (const entry of [...this.#open.values()]) {
      if (now - entry.lastSeenAt >= SERIES_WINDOW_MS) this.#finish(entry);
      else if (refresh && entry.count > 1) this.#enqueue(entry);
    }
  }

  /** Never throws. */
  async #write(entry: EventEntry, place: Place): Promise<void> {
    const maxTries = this.#options.maxTries ?? 12;
    for (let tries = 1; ; tries++) {
      try {
        await within(this.#clock, CALL_TIMEOUT_MS, this.#stop.signal, (signal) => this.#send(entry, tries, signal));
        this.#counts.written++;
        return;
      } catch (error) {
        if (this.#stop.signal.aborted) {
          this.#counts.tooLate++;
          return;
        }
        const verdict = isAlreadyExists(error) ? ({ kind: 'retry', atLeastMs: 0 } as const) : judgeFailure(error);
        if (verdict.kind === 'give-up' || tries >= maxTries) {
          this.#counts[verdict.kind === 'give-up' ? verdict.because : 'gaveUp']++;
          this.#report(error, entry.event);
          return;
        }
        const backoff = exponentialDelay(RETRY, tries - 1);
        const ms = Math.max(verdict.atLeastMs, jitter(this.#random, backoff, RETRY_JITTER));
        // While nobody answers, the others need not try either: the place is kept.
        const isAway = error instanceof ConnectionError && error.fault !== 'timeout';
        if (!isAway) place.leave();
        // An abort during the wait is found by the next try.
        await sleep(this.#clock, ms, this.#stop.signal).catch(() => {});
        if (!isAway) await place.enter();
      }
    }
  }

  async #send(entry: EventEntry, tries: number, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '' } = entry.event.metadata;
    const client = this.#options.events(namespace);
    const { count, series } = entry;
    if (entry.writtenCount > 0 && series !== undefined) {
      try {
        await client.patch(name, { kind: 'merge', body: { series } }, { signal });
        entry.writtenCount = count;
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // The server has expired it meanwhile: it is created again, with its count.
      }
    }
    try {
      await client.create(entry.whole, { signal });
      entry.writtenCount = count;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // It was there, was gone, and is there again: patch it after all.
      if (entry.writtenCount > 0) throw error;
      if (tries === 1) {
        entry.event.metadata.name = this.#names.next(entry.event.regarding.name ?? '');
        throw error;
      }
      // Most likely our own earlier try, whose answer was lost. Its count is in doubt, so the series' end writes it.
      entry.writtenCount = 1;
    }
  }

  #report(error: unknown, event: KubeEvent): void {
    try {
      this.#options.onError?.(error, event);
    } catch {
      // The log is broken; the count remains.
    }
  }
}

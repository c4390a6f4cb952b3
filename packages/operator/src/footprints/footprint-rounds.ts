// Tells of every matching pod, round by round, from the informer's cache: a round makes no API call, except for what
// the hourly ConfigMaps have to write. While the cluster is not being watched no round is written, because its lines would
// say "now" of what was some time ago.
import { setImmediate } from 'node:timers/promises';
import { type Clock, type Informer, type PodView, sleep, systemClock } from '@podtrail/machinery';
import { jsonLine } from '../json-line.ts';
import { type Footprint, footprintOf } from './footprint.ts';
import type { FlushReport, HourlyConfigMaps } from './hourly-config-maps.ts';

export interface FootprintRoundsOptions {
  readonly pods: Pick<Informer<PodView>, 'lister' | 'isCurrent' | 'waitForSync'>;
  readonly matches?: (pod: PodView) => boolean;
  /** Takes whole lines; the next are made when it has resolved. Undefined: no lines. */
  readonly write?: ((lines: string) => Promise<void>) | undefined;
  /** One footprint as one line with its newline. Default: plain JSON. */
  readonly format?: (footprint: Footprint) => string;
  /** Flushed with each round; must follow the same informer. */
  readonly configMaps?: Pick<HourlyConfigMaps, 'flush'> | undefined;
  readonly clock?: Clock;
  readonly intervalMs?: number;
  readonly onNews?: (news: RoundNews) => void;
}

export type RoundNews =
  /** Written in full; `flushed` is undefined without ConfigMaps and if they could not be written. */
  | { readonly kind: 'round'; readonly pods: number; readonly flushed: FlushReport | undefined }
  /** The cluster was not being watched. Reported once; the next `round` says that it is again. */
  | { readonly kind: 'left-out' }
  /** Tried again with the next round. */
  | { readonly kind: 'not-stored'; readonly error: unknown };

const DEFAULT_INTERVAL_MS = 30_000;
/** A pipe takes this much at once or not at all: whatever ends this process, no line of up to that length is cut. */
const ATOMIC_BYTES = 4096;
const WRITES_WITHOUT_PAUSE = 16;
const LOOK_AGAIN_MS = 200;
/** A watch that has just been opened, or is being opened again as all are from time to time, is as good as current. */
const BRIEFLY_MS = 2000;
/** For the ConfigMaps that are being written and the last write of them, once we are asked to stop. */
const STOP_GRACE_MS = 5000;
/** Within that, for a reader to take the lines that are waiting for him. He may never. */
const READER_GRACE_MS = 2000;

export class FootprintRounds {
  readonly #options: FootprintRoundsOptions;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** Monotonic; when the cache was last known to be as the cluster is. */
  #currentAt = Number.NEGATIVE_INFINITY;
  #leftOut = false;

  constructor(options: FootprintRoundsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#intervalMs = options.intervalMs ?? DEFAULT_INTERVAL_MS;
  }

  /**
   * One round. Rejects if it could not be written in full: `stop` ends the lines (never within one), `abort` the writing
   * of ConfigMaps.
   */
  async round(
    stop: AbortSignal,
    abort: AbortSignal = stop,
  ): Promise<{ pods: number; flushed: FlushReport | undefined }> {
    const { lister } = this.#options.pods;
    // The pods of one instant, however long the reader takes.
    const pods = lister.list(this.#options.matches === undefined ? {} : { where: this.#options.matches });
    const [lines, stored] = await Promise.allSettled([
      this.#writeLines(pods, this.#clock.now(), stop),
      this.#options.configMaps?.flush(abort),
    ]);
    if (lines.status === 'rejected') throw lines.reason;
    if (stored.status === 'rejected') throw new NotStored(stored.reason);
    return { pods: pods.length, flushed: stored.value };
  }

  /** Rounds until `signal` aborts; then what was seen is flushed. Rejects when lines cannot be written. */
  async run(signal: AbortSignal): Promise<void> {
    const grace = new AbortController();
    let timer = { cancel: () => {} };
    const onStop = () => {
      timer = this.#clock.setTimer(STOP_GRACE_MS, () => grace.abort(signal.reason), false);
    };
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) return;
    try {
      await this.#options.pods.waitForSync(signal);
      let due = this.#clock.monotonic();
      this.#currentAt = due;
      while (!signal.aborted) {
        if (await this.#isWatched(due + this.#intervalMs, signal)) await this.#runRound(signal, grace.signal);
        else this.#leaveOut(signal);
        // A round that took longer than the interval is followed by the next at once, not by all that were missed.
        due = Math.max(due + this.#intervalMs, this.#clock.monotonic());
        await sleep(this.#clock, due - this.#clock.monotonic(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', onStop);
    }
    await this.#store(grace.signal);
    timer.cancel();
  }

  #leaveOut(signal: AbortSignal): void {
    if (!this.#leftOut && !signal.aborted) this.#options.onNews?.({ kind: 'left-out' });
    this.#leftOut = true;
  }

  async #runRound(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    this.#leftOut = false;
    try {
      const written = await this.round(stop, abort);
      this.#options.onNews?.({ kind: 'round', ...written });
    } catch (error) {
      if (!(error instanceof NotStored)) throw error;
      this.#options.onNews?.({ kind: 'not-stored', error: error.cause });
    }
  }

  /** What changed since the last round. */
  async #store(abort: AbortSignal): Promise<void> {
    try {
      await this.#options.configMaps?.flush(abort);
    } catch (error) {
      this.#options.onNews?.({ kind: 'not-stored', error });
    }
  }

  async #writeLines(pods: readonly PodView[], at: number, stop: AbortSignal): Promise<void> {
    const { write, format = plainLine } = this.#options;
    if (write === undefined) return;
    let lines = '';
    let bytes = 0;
    let writes = 0;
    for (const pod of pods) {
      const line = format(footprintOf(pod, at));
      const more = Buffer.byteLength(line);
      if (lines !== '' && bytes + more > ATOMIC_BYTES) {
        await this.#taken(write(lines), stop);
        lines = '';
        bytes = 0;
        // A file takes everything at once: without a pause neither the watch nor a signal would be served in a round.
        if (++writes % WRITES_WITHOUT_PAUSE === 0) await setImmediate();
        if (stop.aborted) throw stop.reason;
      }
      lines += line;
      bytes += more;
    }
    if (lines !== '') await this.#taken(write(lines), stop);
  }

  /** Rejects if the reader has not taken it some time after `stop`: all of it or nothing then comes out. */
  async #taken(written: Promise<void>, stop: AbortSignal): Promise<void> {
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => undefined);
    let timer = { cancel: () => {} };
    const onStop = () => {
      timer = this.#clock.setTimer(READER_GRACE_MS, () => late.reject(stop.reason), false);
    };
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    try {
      await Promise.race([written, late.promise]);
    } finally {
      stop.removeEventListener('abort', onStop);
      timer.cancel();
    }
  }

  /** False if the watch is not current by the time the next round is due. */
  async #isWatched(until: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const now = this.#clock.monotonic();
      if (this.#options.pods.isCurrent) this.#currentAt = now;
      if (now - this.#currentAt <= BRIEFLY_MS) return true;
      if (now + LOOK_AGAIN_MS >= until) return false;
      await sleep(this.#clock, LOOK_AGAIN_MS, signal);
    }
    return false;
  }
}

/** The lines were written; the ConfigMaps could not be written, for the reason in `cause`. */
export class NotStored extends Error {
  constructor(cause: unknown) {
    super('the hourly ConfigMaps could not be written', { cause });
    this.name = 'NotStored';
  }
}

function plainLine(footprint: Footprint): string {
  return jsonLine(footprint);
}

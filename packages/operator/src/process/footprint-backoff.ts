// The backoff of one namespace whose hourly ConfigMaps cannot be written: when to try again, more and more slowly, at
// least every minute; and why, in a sentence for a condition.
import { ApiError, type Clock, exponentialDelay, MachineryError } from '@podtrail/machinery';
import type { FootprintsState } from '../podtracker/footprint-reports.ts';
import { serverSentence } from '../podtracker/server-sentence.ts';

const SLOWEST_MS = 60_000;
/** What may pass by itself (a server that does not answer, somebody else's writes) is reported from this failure on. */
const REPORT_AFTER = 3;

export class FootprintBackoff {
  readonly #namespace: string;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(namespace: string, clock: Clock, intervalMs: number) {
    this.#namespace = namespace;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  get isWaiting(): boolean {
    return this.#clock.monotonic() < this.#notBefore;
  }

  /** It worked. True if it had failed before. */
  over(): boolean {
    const hadFailed = this.#failures > 0;
    this.#failures = 0;
    this.hurry();
    return hadFailed;
  }

  /** Something has happened after which it may work: the next round tries. */
  hurry(): void {
    this.#notBefore = Number.NEGATIVE_INFINITY;
  }

  /** It failed once more. Undefined: too early to report. */
  again(error: unknown, hasNamespace: boolean): FootprintsState | undefined {
    const limits = { firstMs: this.#intervalMs, longestMs: Math.max(SLOWEST_MS, this.#intervalMs) };
    // Nothing is drawn: rounds come at their interval, and one of them tries.
    const pauseMs = exponentialDelay(limits, this.#failures++);
    this.#notBefore = this.#clock.monotonic() + pauseMs;
    if (!isRefusal(error) && this.#failures < REPORT_AFTER) return undefined;
    const where = `The hourly ConfigMaps in ${this.#namespace} cannot be written`;
    if (!hasNamespace) {
      const advice = 'create it, or name another in spec.footprints.configMaps.namespace';
      return {
        kind: 'failing',
        reason: 'NamespaceNotFound',
        message: `${where}: there is no such namespace; ${advice}.`,
      };
    }
    const reason = error instanceof ApiError && error.reason !== '' ? error.reason : 'NotWritten';
    return { kind: 'failing', reason, message: `${where}: ${serverSentence(error)}${adviceOn(error)}` };
  }
}

/** Whether it says anything about ConfigMaps at all: whoever does not lead, or ends, did not try. */
export function isFailure(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted !== true && !(error instanceof MachineryError && error.code === 'not-leader');
}

/** What the server will answer again, until somebody does something. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status } = error;
  return status >= 400 && status < 500 && ![401, 408, 409, 429].includes(status);
}

/** Quotas are Forbidden too; those sentences say enough themselves. */
function adviceOn(error: unknown): string {
  const isAboutRights =
    error instanceof ApiError && error.status === 403 && / cannot \w+ resource /.test(error.message);
  return isAboutRights ? '; bind the ClusterRole podtrail-footprints to the operator there' : '';
}

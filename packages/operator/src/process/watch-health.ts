// Whether the watches of the controllers live, for /readyz. The recorder's report themselves; these would otherwise
// fail for ever while everything is called well.
import { type CheckResult, type Clock, isNotFound, type ReflectorState } from '@podtrail/machinery';
import { problemOf } from './log.ts';

/** A watch that is opened again, or an API server that restarts, is no problem. */
const PATIENCE_MS = 60_000;
/** Bookmarks come every minute; a server that sends none is given up after three. */
const LONGEST_SILENCE_MS = 200_000;

interface Refusal {
  /** Monotonic. */
  readonly since: number;
  readonly error: unknown;
}

export class WatchHealth {
  readonly #clock: Clock;
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watchChanged(resource: string, state: ReflectorState): void {
    if (state.kind === 'watching') this.#refusals.delete(resource);
    if (state.kind !== 'waiting') return;
    const since = this.#refusals.get(resource)?.since ?? this.#clock.monotonic();
    this.#refusals.set(resource, { since, error: state.error });
  }

  /** `mayBeAbsent`: a kind that the server does not know is no problem. */
  check(resource: string, silentMs: number | undefined, mayBeAbsent: boolean): CheckResult {
    const refusal = this.#refusals.get(resource);
    const isExcused = mayBeAbsent && isNotFound(refusal?.error);
    const refusedMs = refusal === undefined ? 0 : this.#clock.monotonic() - refusal.since;
    if (refusedMs > PATIENCE_MS && !isExcused)
      return { ok: false, reason: `cannot be watched for ${seconds(refusedMs)}: ${problemOf(refusal?.error)}` };
    if ((silentMs ?? 0) > LONGEST_SILENCE_MS && !isExcused)
      return { ok: false, reason: `nothing was received for ${seconds(silentMs ?? 0)}` };
    return { ok: true };
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

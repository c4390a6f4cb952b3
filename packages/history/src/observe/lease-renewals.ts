// The renewals of a node's Lease, read now and then: whether one and the same kubelet made them. A kubelet renews every
// 10 s and up to four hundredths more; one that starts renews at once, out of step; one that is down does not.
import type { EpochMillis } from '../model/time.ts';

const PERIOD_MS = 10_000;
/** Clocks are corrected a little now and then. */
const EARLY_MS = 100;
/** Its jitter, and an API server that is slow to answer. */
const LATE_MS = 1500;
/** A renewal whose time is further from when it was read is of another clock, and no evidence. */
const TOLERATED_SKEW_MS = 2000;

export class LeaseRenewals {
  /** The same kubelet renewed from then on. */
  #from: EpochMillis | undefined;
  #last: EpochMillis | undefined;
  #startedAt: EpochMillis | undefined;

  /** `time` is by the kubelet's clock, `at` is when it was read. */
  read(time: EpochMillis, at: EpochMillis): void {
    if (time > at + TOLERATED_SKEW_MS) {
      this.forget();
      return;
    }
    const last = this.#last;
    if (last !== undefined && time <= last) return;
    this.#last = time;
    const gap = last === undefined ? undefined : time - last;
    if (gap !== undefined && gap >= PERIOD_MS - EARLY_MS && gap <= PERIOD_MS + LATE_MS) return;
    // Out of step: it has started since. After a longer pause nobody knows.
    if (gap !== undefined && gap < PERIOD_MS - EARLY_MS) this.#startedAt = time;
    this.#from = time;
  }

  /** One kubelet was there all the time. */
  covers(from: EpochMillis, to: EpochMillis): boolean {
    return this.#from !== undefined && this.#last !== undefined && this.#from <= from && this.#last >= to;
  }

  /** Another kubelet has begun since, certainly. */
  startedSince(since: EpochMillis): EpochMillis | undefined {
    return this.#startedAt !== undefined && this.#startedAt > since ? this.#startedAt : undefined;
  }

  forget(): void {
    this.#from = undefined;
    this.#last = undefined;
    this.#startedAt = undefined;
  }
}

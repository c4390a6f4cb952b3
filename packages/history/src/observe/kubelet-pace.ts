// How slow a kubelet is now: how long the pods that were bound to its node took to get a network, or have waited for one.
// What a kubelet does not report, such as the end of a pod that was deleted by force, takes it longer when this does.
import type { EpochMillis } from '../model/time.ts';
import { CONDITION_LATE_BY_SLOWNESS, CONDITION_LATE_MS } from './measured-limits.ts';

/** So much of the past says how slow it is now. */
const RECENT_MS = 60_000;
const MOST_KEPT = 16;
/** A pod that waits longer waits for something else: a volume, a secret, an address. */
const LONGEST_WAIT_MS = 30_000;
/** No sandbox comes up as fast: both were said at once, as after a pause of the recorder. */
const SHORTEST_MS = 50;
/** Where nothing has started lately. */
const USUAL_MS = 500;

interface Start {
  readonly at: EpochMillis;
  readonly took: number;
}

export class KubeletPace {
  readonly #waiting = new Map<string, EpochMillis>();
  #starts: Start[] = [];

  /** The pod is on the node and has no network yet. */
  waits(uid: string, at: EpochMillis): void {
    if (!this.#waiting.has(uid)) this.#waiting.set(uid, at);
  }

  /** Its network is up. Counts only where it was seen to wait. */
  isUp(uid: string, at: EpochMillis): void {
    const since = this.#waiting.get(uid);
    if (since === undefined) return;
    this.#waiting.delete(uid);
    const took = at - since;
    if (took >= SHORTEST_MS && took <= LONGEST_WAIT_MS) this.#starts.push({ at, took });
    if (this.#starts.length > MOST_KEPT) this.#starts.shift();
  }

  /** It waits no more, and never had one that was reported. */
  isGone(uid: string): void {
    this.#waiting.delete(uid);
  }

  /** In milliseconds: three of four recent starts took no longer. */
  usual(at: EpochMillis): number {
    this.#starts = this.#starts.filter((start) => at - start.at <= RECENT_MS);
    const took = this.#starts.map((start) => start.took).sort((a, b) => a - b);
    return took[Math.floor(took.length * 0.75)] ?? USUAL_MS;
  }

  /** The same, and nobody waits for longer now. */
  slowness(at: EpochMillis): number {
    let slowest = this.usual(at);
    for (const since of this.#waiting.values()) {
      const waited = at - since;
      if (waited <= LONGEST_WAIT_MS && waited > slowest) slowest = waited;
    }
    return slowest;
  }

  /** A network may have been up for so long before a kubelet of 1.36 says so. */
  conditionLate(at: EpochMillis): number {
    return CONDITION_LATE_MS + CONDITION_LATE_BY_SLOWNESS * this.slowness(at);
  }

  /** Times of a wrong clock say nothing. */
  forget(): void {
    this.#waiting.clear();
    this.#starts = [];
  }
}

// Addresses that tracked pods gave up a short while ago: who had them, to report when another tracked pod takes one over.
// Bounded in time and number; forgets rather than grows.
import type { PodView } from '@podtrail/machinery';
import { addressesOf } from './packed-entry.ts';

export interface Release {
  readonly uid: string;
  readonly namespace: string;
  readonly podName: string;
  /** Monotonic. */
  readonly at: number;
}

/** An address went from one tracked pod to another. */
export interface Reuse {
  readonly address: string;
  readonly pod: PodView;
  readonly from: Release;
  readonly afterMs: number;
}

const WINDOW_MS = 5 * 60_000;
const LIMIT = 10_000;

export class ReleasedAddresses {
  /** Oldest first. */
  readonly #releases = new Map<string, Release>();

  /** The pod has its addresses now, and had those of `before`. Returns what it took over. */
  move(pod: PodView, before: readonly string[], now: number): Reuse[] {
    const after = addressesOf(pod);
    for (const address of before) if (!after.includes(address)) this.#release(address, pod, now);
    if (pod.spec.hostNetwork) return [];
    return after.flatMap((address) => {
      const from = before.includes(address) ? undefined : this.#take(address, pod.metadata.uid, now);
      return from === undefined ? [] : { address, pod, from, afterMs: now - from.at };
    });
  }

  /** The pod is gone. */
  giveUp(pod: PodView, now: number): void {
    for (const address of addressesOf(pod)) this.#release(address, pod, now);
  }

  /** Pods on the network of their node share its address: that one is not given up with them. */
  #release(address: string, { metadata, spec }: PodView, now: number): void {
    if (spec.hostNetwork) return;
    const { uid, namespace, name } = metadata;
    this.#releases.delete(address);
    this.#releases.set(address, { uid, namespace, podName: name, at: now });
    for (const [oldest, { at }] of this.#releases) {
      if (this.#releases.size <= LIMIT && now - at <= WINDOW_MS) break;
      this.#releases.delete(oldest);
    }
  }

  /** Who had `address` until a short while ago, if that was another pod than `uid`. Asked once for each taking. */
  #take(address: string, uid: string, now: number): Release | undefined {
    const release = this.#releases.get(address);
    if (release === undefined) return undefined;
    this.#releases.delete(address);
    return release.uid !== uid && now - release.at <= WINDOW_MS ? release : undefined;
  }
}

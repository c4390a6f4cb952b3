// Addresses that tracked pods gave up a short while ago: who had them, to tell when another tracked pod takes one over.
// Bounded in time and number; forgets rather than grows.

export interface Release {
  readonly uid: string;
  readonly namespace: string;
  readonly podName: string;
  /** Monotonic. */
  readonly at: number;
}

const WINDOW_MS = 5 * 60_000;
const LIMIT = 10_000;

export class ReleasedAddresses {
  /** Oldest first. */
  readonly #releases = new Map<string, Release>();

  release(address: string, release: Release): void {
    this.#releases.delete(address);
    this.#releases.set(address, release);
    for (const [oldest, { at }] of this.#releases) {
      if (this.#releases.size <= LIMIT && release.at - at <= WINDOW_MS) break;
      this.#releases.delete(oldest);
    }
  }

  /** Who had `address` until a short while ago, if that was another pod than `uid`. Asked once for each taking. */
  take(address: string, uid: string, now: number): Release | undefined {
    const release = this.#releases.get(address);
    if (release === undefined) return undefined;
    this.#releases.delete(address);
    return release.uid !== uid && now - release.at <= WINDOW_MS ? release : undefined;
  }
}

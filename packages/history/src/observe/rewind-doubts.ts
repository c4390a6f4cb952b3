// Pods that an etcd restored from a backup shows as they were known. Perhaps they are; perhaps one of them ended in what
// was undone before anybody was told of it. Its kubelet then says so soon: until it has spoken, or has had the time to,
// an end of the pod may have been at any time since the rewind began. Kept by the observer, in memory only.
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { isToldOfSince } from './evidence.ts';
import type { ObservedPod } from './observation.ts';

/** Kubelets compare what they know of their pods with the API server every ten seconds, and need to find it again first. */
const LONGEST_RECONCILIATION_MS = 60_000;

export class RewindDoubts {
  readonly #since = new Map<string, EpochMillis>();
  #at: EpochMillis | undefined;

  /** The listing after a rewind shows these as they were known, or without what was known. */
  begin(uids: Iterable<string>, since: EpochMillis, at: EpochMillis): void {
    for (const uid of uids) if (!this.#since.has(uid)) this.#since.set(uid, since);
    this.#at = at;
  }

  /** Since when the pod may have ended unseen. `settled`: what was written until then has been told. */
  of(uid: string, settled: EpochMillis | undefined): EpochMillis | undefined {
    if (this.#at === undefined) return undefined;
    if (settled !== undefined && settled > epochMillis(this.#at + LONGEST_RECONCILIATION_MS)) {
      this.#since.clear();
      this.#at = undefined;
      return undefined;
    }
    return this.#since.get(uid);
  }

  /** The pod was seen: the doubt is over if its kubelet has spoken since. */
  saw(pod: ObservedPod): void {
    const { uid } = pod.metadata;
    if (this.#at !== undefined && this.#since.has(uid) && isToldOfSince(pod, this.#at)) this.#since.delete(uid);
  }
}

// Pods as an etcd shows them that was restored from a backup. Perhaps they are so; perhaps one of them ended, or got
// another address, in what was undone before it was delivered. Its kubelet then reports it soon. Until it has written,
// or has had the time to, what the API server shows proves nothing, whoever writes to it, and an end of the pod may have
// been at any time since the rewind began. Kept by the observer, in memory only.
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { isReportedSince, networkLostAt, networkReadyAt } from './evidence.ts';
import type { ObservedPod } from './observation.ts';
import { CONTINUED, type Continuity } from './observation-context.ts';

/** Kubelets compare what they know of their pods with the API server every ten seconds, and need to find it again first. */
const LONGEST_RECONCILIATION_MS = 60_000;

interface Doubt {
  /** Since when the pod may have ended unseen. */
  readonly since: EpochMillis;
  /** What the API server showed of its network then. */
  readonly shown: string;
}

export class RewindDoubts {
  readonly #doubts = new Map<string, Doubt>();
  #at: EpochMillis | undefined;

  /** The listing after a rewind, at `at`, shows this pod. */
  begin(pod: ObservedPod, since: EpochMillis, at: EpochMillis): void {
    const { uid } = pod.metadata;
    this.#doubts.set(uid, { since: this.#doubts.get(uid)?.since ?? since, shown: networkOf(pod) });
    this.#at = at;
  }

  /** How an event of the pod continues what is recorded; `watermark` is that of the pods' stream before it. */
  of(pod: ObservedPod, type: 'present' | 'deleted', watermark: EpochMillis | undefined): Continuity {
    if (this.#at === undefined) return CONTINUED;
    if (watermark !== undefined && watermark > epochMillis(this.#at + LONGEST_RECONCILIATION_MS)) {
      this.#doubts.clear();
      this.#at = undefined;
      return CONTINUED;
    }
    const { uid } = pod.metadata;
    const doubt = this.#doubts.get(uid);
    if (doubt === undefined) return CONTINUED;
    if (type === 'present') {
      // Somebody else wrote, and left its status as it was.
      if (doubt.shown === networkOf(pod) && !isReportedSince(pod, this.#at)) return { kind: 'unconfirmed' };
      this.#doubts.delete(uid);
    }
    return { kind: 'doubted', since: doubt.since };
  }
}

function networkOf(pod: ObservedPod): string {
  const { phase, podIP, podIPs } = pod.status;
  return [phase, podIP, ...podIPs, networkReadyAt(pod), networkLostAt(pod)].join(' ');
}

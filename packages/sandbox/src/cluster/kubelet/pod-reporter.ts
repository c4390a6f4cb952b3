// What a kubelet says of one pod through the API: the status that it writes, which is not always what is so, and what it
// remembers of having written. One for each pod worker.
import { isTerminal, type PodCondition, type PodObject, type PodPhase } from '../pod-object.ts';
import type { Kubelet } from './kubelet.ts';
import type { PodContainers } from './pod-containers.ts';
import { podStatus } from './pod-status.ts';

/** How the pod ended, where its containers do not say. */
export interface Outcome {
  readonly phase?: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly extra?: readonly Omit<PodCondition, 'lastTransitionTime'>[];
}

export class PodReporter {
  readonly #kubelet: Kubelet;
  networkUp = false;
  /** Addresses as far as they are known to whoever writes the status. */
  shown: readonly string[] = [];
  /** Its end is decided, its containers still run. */
  failing = false;
  outcome: Outcome = {};
  startedAt = 0;
  #said: readonly PodCondition[] | undefined;
  /** What was written last, and the version that it got. */
  #written: { readonly phase: PodPhase; readonly version: number } | undefined;

  constructor(kubelet: Kubelet) {
    this.#kubelet = kubelet;
  }

  get lastPhase(): PodPhase | undefined {
    return this.#written?.phase;
  }

  /** The phase that the API server lost (etcd was restored from a backup); undefined where it lost nothing. */
  takeLost(pod: PodObject): PodPhase | undefined {
    const written = this.#written;
    if (written === undefined || Number(pod.metadata.resourceVersion) >= written.version) return undefined;
    this.#written = undefined;
    return written.phase;
  }

  write(pod: PodObject | undefined, phase: PodPhase, { inits, mains }: PodContainers): void {
    // A pod does not come back from its end, whoever declared it.
    if (pod === undefined || (isTerminal(pod) && pod.status.phase !== phase)) return;
    const { world, addresses: hostAddresses } = this.#kubelet;
    const status = podStatus(
      pod,
      {
        phase,
        ...(phase === 'Failed' || phase === 'Succeeded' ? this.outcome : {}),
        networkUp: this.networkUp,
        failing: this.failing,
        addresses: this.shown,
        hostAddresses,
        startedAt: this.startedAt,
        inits,
        containers: mains,
        said: this.#said,
      },
      world.clock.now(),
    );
    this.#said = status.conditions;
    const written = world.attempt(() => world.api.update('pods', { ...pod, status }, 'status'));
    if (written !== undefined) this.#written = { phase, version: Number(written.metadata.resourceVersion) };
  }
}

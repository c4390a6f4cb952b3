// What a kubelet writes into the status of a pod, in its own words: for causes that need one, on nodes that have none. The
// fields are those that real kubelets were recorded to write (e2e/recordings).
import type { WatchedPod } from './pod-watch.ts';
import type { Scene } from './scene.ts';

export interface Ending {
  readonly phase: 'Failed' | 'Succeeded';
  readonly reason?: string;
  readonly message?: string;
  /** Of its container. */
  readonly exitCode?: number;
  readonly ended?: string;
  /** DisruptionTarget `TerminationByKubelet`, with these words. */
  readonly disruption?: string;
}

export class PlayedKubelet {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async runs(pod: WatchedPod, podIP: string): Promise<void> {
    const at = now();
    await this.#write(pod, {
      ...{ phase: 'Running', podIP, podIPs: [{ $patch: 'replace' }, { ip: podIP }], startTime: at },
      conditions: conditions('True', at),
      containerStatuses: pod.spec.containers.map(({ name }) => ({
        ...{ name, ready: true, started: true, restartCount: 0, image: 'pause', imageID: 'pause' },
        state: { running: { startedAt: at } },
      })),
    });
  }

  /** Its containers have ended, its network is gone: terminal. */
  async ends(pod: WatchedPod, ending: Ending): Promise<void> {
    const { phase, reason, message, exitCode = phase === 'Failed' ? 137 : 0, disruption } = ending;
    const at = now();
    const ended = ending.ended ?? (exitCode === 0 ? 'Completed' : 'Error');
    const target = {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: disruption },
      lastTransitionTime: at,
    };
    await this.#write(pod, {
      ...{ phase, reason, message },
      conditions: [
        ...conditions('False', at, phase === 'Failed' ? 'PodFailed' : 'PodCompleted'),
        ...(disruption === undefined ? [] : [target]),
      ],
      containerStatuses: pod.spec.containers.map(({ name }) => ({
        ...{ name, ready: false, started: false, restartCount: 0, image: 'pause', imageID: 'pause' },
        state: { terminated: { exitCode, reason: ended, startedAt: at, finishedAt: at } },
      })),
    });
  }

  /** It never ran: its kubelet had no room, or does not take it. */
  async rejects(pod: WatchedPod, reason: string, message: string): Promise<void> {
    await this.#write(pod, { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, startTime: now() });
  }

  /** Its network is gone while its containers are still said to be ready: as kubelets do it. */
  async losesSandbox(pod: WatchedPod): Promise<void> {
    const lost = { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: now() };
    await this.#write(pod, { conditions: [lost] });
  }

  /** An Event about the pod. */
  async says({ metadata }: WatchedPod, reason: string, message: string): Promise<void> {
    const { name, namespace, uid } = metadata;
    const about = { apiVersion: 'v1', kind: 'Pod', name, namespace, uid };
    await this.#scene.says(about, 'kubelet', reason, message);
  }

  /** The last thing that a kubelet does for a pod that is to be deleted. */
  async finishes(pod: WatchedPod): Promise<void> {
    await this.ends(pod, { phase: 'Failed', exitCode: 137 });
    await this.#scene.remove(this.#scene.podPath(pod), { gracePeriodSeconds: 0 });
  }

  async #write(pod: WatchedPod, status: object): Promise<void> {
    await this.#scene.patch(`${this.#scene.podPath(pod)}/status`, { status }, 'strategic');
  }
}

function conditions(status: 'True' | 'False', lastTransitionTime: string, reason?: string): object[] {
  const network = { type: 'PodReadyToStartContainers', status, lastTransitionTime };
  const ready = ['Ready', 'ContainersReady'].map((type) => ({ type, status, lastTransitionTime, reason }));
  return [network, ...ready];
}

/** Times in objects have a resolution of one second. */
function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

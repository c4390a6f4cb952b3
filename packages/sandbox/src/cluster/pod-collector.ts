// Removes pods that nobody else will: those of nodes that no longer exist, those deleted before they had a node, and
// the oldest ended ones when there are too many.
import { isLeaving, isTerminal, kubeTime, type PodCondition, type PodObject } from './pod-object.ts';
import type { World } from './world.ts';

const ROUND_MS = 20_000;
/** A node that is new here may only not have been seen yet. */
const QUARANTINE_MS = 40_000;

export class PodCollector {
  readonly #world: World;
  readonly #mostEnded: number;
  readonly #missingSince = new Map<string, number>();

  constructor(world: World, mostEnded: number) {
    this.#world = world;
    this.#mostEnded = mostEnded;
    world.nodes.follow((type, { metadata: { name } }) => {
      if (type === 'DELETED') this.#missingSince.set(name, world.clock.now());
      else this.#missingSince.delete(name);
    });
    this.#plan();
  }

  #plan(): void {
    this.#world.clock.in(ROUND_MS, () => {
      this.#collect();
      this.#plan();
    });
  }

  #collect(): void {
    const now = this.#world.clock.now();
    for (const [node, since] of this.#missingSince) {
      if (now - since < QUARANTINE_MS) continue;
      for (const pod of [...this.#world.podsOn(node).values()]) this.#removeOrphan(pod);
      this.#missingSince.delete(node);
    }
    const ended: PodObject[] = [];
    for (const pod of this.#world.pods.all()) {
      if (!pod.spec.nodeName && isLeaving(pod)) this.#remove(pod);
      else if (isTerminal(pod) && !isLeaving(pod)) ended.push(pod);
    }
    const surplus = ended.length - this.#mostEnded;
    if (surplus <= 0) return;
    const age = ({ metadata }: PodObject): string => metadata.creationTimestamp;
    for (const pod of ended.sort((a, b) => (age(a) < age(b) ? -1 : 1)).slice(0, surplus)) this.#remove(pod);
  }

  #removeOrphan(pod: PodObject): void {
    if (!isTerminal(pod)) {
      const condition: PodCondition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        lastProbeTime: null,
        lastTransitionTime: kubeTime(this.#world.clock.now()),
      };
      const others = (pod.status.conditions ?? []).filter(({ type }) => type !== condition.type);
      const status = { ...pod.status, phase: 'Failed', conditions: [...others, condition] };
      this.#world.attempt(() => this.#world.api.update('pods', { ...pod, status }, 'status'));
    }
    this.#remove(pod);
  }

  #remove({ metadata: { namespace, name, uid } }: PodObject): void {
    this.#world.attempt(() => this.#world.api.delete('pods', namespace, name, { uid, gracePeriodSeconds: 0 }));
  }
}

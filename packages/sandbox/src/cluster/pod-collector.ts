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
  /** Ended pods in the order of their ends, and deleted ones without a node: kept, because looking for them is dear. */
  readonly #ended = new Set<string>();
  readonly #unplaced = new Set<string>();

  constructor(world: World, mostEnded: number) {
    this.#world = world;
    this.#mostEnded = mostEnded;
    world.nodes.follow((type, { metadata: { name } }) => {
      if (type === 'DELETED') this.#missingSince.set(name, world.clock.now());
      else this.#missingSince.delete(name);
    });
    for (const pod of world.pods.all()) this.#note(pod);
    world.pods.follow((type, pod) => {
      if (type !== 'DELETED') this.#note(pod);
      else {
        this.#ended.delete(pod.metadata.uid);
        this.#unplaced.delete(pod.metadata.uid);
      }
    });
    this.#plan();
  }

  #note(pod: PodObject): void {
    if (!pod.spec.nodeName && isLeaving(pod)) this.#unplaced.add(pod.metadata.uid);
    if (isTerminal(pod)) this.#ended.add(pod.metadata.uid);
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
    for (const uid of [...this.#unplaced]) this.#remove(this.#world.pods.get(uid));
    let surplus = this.#ended.size - this.#mostEnded;
    for (const uid of this.#ended) {
      if (surplus-- <= 0) break;
      this.#remove(this.#world.pods.get(uid));
    }
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

  #remove(pod: PodObject | undefined): void {
    if (pod === undefined) return;
    const { namespace, name, uid } = pod.metadata;
    this.#world.attempt(() => this.#world.api.delete('pods', namespace, name, { uid, gracePeriodSeconds: 0 }));
  }
}

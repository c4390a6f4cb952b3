// Taint-based eviction: pods on a node with NoExecute taints are deleted when they do not tolerate them, or when they
// have tolerated them for as long as they said. The pod says why before it is deleted.
import type { Timer } from '../clock/timer-queue.ts';
import type { NodeObject } from './node-object.ts';
import { isLeaving, isTerminal, kubeTime, type PodCondition, type PodObject } from './pod-object.ts';
import { staysFor } from './tolerations.ts';
import type { World } from './world.ts';

export class TaintEviction {
  readonly #world: World;
  readonly #planned = new Map<string, Timer>();

  constructor(world: World) {
    this.#world = world;
    world.nodes.follow((type, node, previous) => {
      if (type === 'DELETED' || node.spec.taints === previous?.spec.taints) return;
      for (const pod of world.podsOn(node.metadata.name).values()) this.#judge(pod, node);
    });
    world.pods.follow((type, pod, previous) => {
      if (type === 'DELETED') this.#forget(pod.metadata.uid);
      else if (pod.spec.nodeName && !previous?.spec.nodeName) {
        const node = world.node(pod.spec.nodeName);
        if (node !== undefined) this.#judge(pod, node);
      }
    });
  }

  #judge(pod: PodObject, node: NodeObject): void {
    const { uid } = pod.metadata;
    const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    const seconds = taints.length === 0 ? Number.POSITIVE_INFINITY : staysFor(pod.spec.tolerations ?? [], taints);
    // What is tolerated for a while runs from the first taint on, and is not begun again by the next.
    if (Number.isFinite(seconds) && seconds > 0 && this.#planned.has(uid)) return;
    this.#forget(uid);
    if (!Number.isFinite(seconds)) return;
    this.#planned.set(
      uid,
      this.#world.clock.in(seconds * 1000, () => this.#evict(uid)),
    );
  }

  #evict(uid: string): void {
    this.#planned.delete(uid);
    const pod = this.#world.pods.get(uid);
    if (pod === undefined) return;
    const { namespace, name } = pod.metadata;
    const condition: PodCondition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastProbeTime: null,
      lastTransitionTime: kubeTime(this.#world.clock.now()),
    };
    const others = (pod.status.conditions ?? []).filter(({ type }) => type !== condition.type);
    const status = { ...pod.status, conditions: [...others, condition] };
    const message = `Marking for deletion Pod ${namespace}/${name}`;
    this.#world.events.record({
      about: pod,
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message,
      component: 'taint-eviction-controller',
      isByName: true,
    });
    if (!isTerminal(pod)) this.#world.attempt(() => this.#world.api.update('pods', { ...pod, status }, 'status'));
    // One that is going already gets the reason, too.
    if (isLeaving(pod)) return;
    this.#world.attempt(() => this.#world.api.delete('pods', namespace, name, { uid }));
  }

  #forget(uid: string): void {
    this.#planned.get(uid)?.cancel();
    this.#planned.delete(uid);
  }
}

// A drain as kubectl does it: the node is cordoned, then its pods are evicted through the Eviction API, again and again
// where a disruption budget refuses, until only those of DaemonSets are left.
import { controllerOf, isLeaving, type PodObject } from './pod-object.ts';
import type { World } from './world.ts';

const RETRY_MS = 5_000;

export class Drain {
  readonly node: string;
  readonly #world: World;
  readonly #onDone: () => void;
  #state: 'draining' | 'done' | 'called off' = 'draining';

  constructor(world: World, node: string, onDone: () => void) {
    this.#world = world;
    this.node = node;
    this.#onDone = onDone;
    setCordon(world, node, true);
    this.#world.clock.in(100, () => this.#round());
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  callOff(): void {
    if (this.#state === 'draining') this.#state = 'called off';
  }

  #round(): void {
    if (this.#state !== 'draining') return;
    const pods = [...this.#world.podsOn(this.node).values()].filter(isDrained);
    if (pods.length === 0) {
      this.#state = 'done';
      this.#onDone();
      return;
    }
    for (const pod of pods) {
      const { namespace = '', name } = pod.metadata;
      if (!isLeaving(pod)) this.#world.attempt(() => this.#world.api.evict(namespace, name));
    }
    this.#world.clock.in(RETRY_MS, () => this.#round());
  }
}

export function setCordon(world: World, node: string, unschedulable: boolean): void {
  const object = world.node(node);
  if (object === undefined || (object.spec.unschedulable ?? false) === unschedulable) return;
  const { unschedulable: _, ...spec } = object.spec;
  world.attempt(() =>
    world.api.update('nodes', { ...object, spec: unschedulable ? { ...spec, unschedulable: true } : spec }),
  );
}

function isDrained(pod: PodObject): boolean {
  return controllerOf(pod)?.kind !== 'DaemonSet';
}

// ReplicaSets: as many pods as wanted. Which go first when there are too many follows the real order: those without a
// node, those not ready, those on crowded nodes, then the youngest.

import { ObjectIndex } from '../object-index.ts';
import { concernsOwner, controllerOf, isLeaving, isReady, isTerminal, type PodObject } from '../pod-object.ts';
import { WorkKeys } from '../work-keys.ts';
import type { World } from '../world.ts';
import { removePod } from './owner-events.ts';
import { makePod } from './pod-maker.ts';
import type { WorkloadObject } from './workload-object.ts';

const DELAY_MS = 400;
const RETRY_MS = 5_000;

export class ReplicaSetController {
  readonly #world: World;
  readonly sets: ObjectIndex<WorkloadObject>;
  readonly #keys: WorkKeys;

  constructor(world: World) {
    this.#world = world;
    this.#keys = new WorkKeys(world.clock, DELAY_MS, (uid) => this.#reconcile(uid));
    this.sets = new ObjectIndex<WorkloadObject>(world.api, 'replicasets.apps', [(set) => controllerOf(set)?.uid]);
    for (const set of this.sets.all()) this.#keys.add(set.metadata.uid);
    this.sets.follow((type, set) => {
      if (type !== 'DELETED') this.#keys.add(set.metadata.uid);
    });
    world.pods.follow((type, pod, previous) => {
      const owner = controllerOf(pod);
      if (owner?.kind !== 'ReplicaSet') return;
      if (type === 'DELETED' || concernsOwner(pod, previous)) this.#keys.add(owner.uid);
    });
  }

  #reconcile(uid: string): void {
    const set = this.sets.get(uid);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const pods: PodObject[] = [];
    for (const pod of this.#world.podsOwnedBy(uid).values()) if (!isTerminal(pod) && !isLeaving(pod)) pods.push(pod);
    const surplus = pods.length - (set.spec.replicas ?? 1);
    for (let n = surplus; n < 0; n++) {
      if (!makePod(this.#world, { owner: set, template: set.spec.template })) {
        this.#keys.add(uid, RETRY_MS);
        break;
      }
    }
    if (surplus > 0) {
      const crowd = (pod: PodObject): number => this.#world.podsOn(pod.spec.nodeName ?? '').size;
      const victims = pods
        .toSorted((a, b) => rank(a) - rank(b) || crowd(b) - crowd(a) || byAge(b, a))
        .slice(0, surplus);
      for (const pod of victims) removePod(this.#world, set, pod);
    }
    this.#report(set, pods);
  }

  #report(set: WorkloadObject, pods: readonly PodObject[]): void {
    let ready = 0;
    for (const pod of pods) if (isReady(pod)) ready++;
    const status = {
      replicas: pods.length,
      fullyLabeledReplicas: pods.length,
      ...(ready === 0 ? {} : { readyReplicas: ready, availableReplicas: ready }),
      observedGeneration: set.metadata.generation ?? 1,
    };
    if (sameStatus(set.status, status)) return;
    this.#world.attempt(() => this.#world.api.update('replicasets.apps', { ...set, status }, 'status'));
  }
}

/** Flat statuses: the same keys with the same values. */
export function sameStatus(
  before: Readonly<Record<string, unknown>> | undefined,
  now: Readonly<Record<string, unknown>>,
): boolean {
  if (before === undefined) return false;
  const keys = Object.keys(now);
  return Object.keys(before).length === keys.length && keys.every((key) => before[key] === now[key]);
}

function rank(pod: PodObject): number {
  if (!pod.spec.nodeName) return 0;
  if (pod.status.phase === 'Pending') return 1;
  return isReady(pod) ? 3 : 2;
}

function byAge(one: PodObject, other: PodObject): number {
  return one.metadata.creationTimestamp < other.metadata.creationTimestamp ? -1 : 1;
}

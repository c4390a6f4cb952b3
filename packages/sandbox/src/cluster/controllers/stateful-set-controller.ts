// StatefulSets: pods with names that come back. Ordered: one after the other, each once its predecessor is ready, and
// down from the highest; a changed template is rolled out from the highest ordinal down.
import { ObjectIndex } from '../object-index.ts';
import { concernsOwner, controllerOf, isLeaving, isReady, isTerminal, type PodObject } from '../pod-object.ts';
import { WorkKeys } from '../work-keys.ts';
import type { World } from '../world.ts';
import { recordOnOwner, removePod } from './owner-events.ts';
import { makePod } from './pod-maker.ts';
import { sameStatus } from './replica-set-controller.ts';
import { templateHash, type WorkloadObject } from './workload-object.ts';

const DELAY_MS = 200;
const REVISION_LABEL = 'controller-revision-hash';

export class StatefulSetController {
  readonly #world: World;
  readonly #keys: WorkKeys;
  readonly sets: ObjectIndex<WorkloadObject>;

  constructor(world: World) {
    this.#world = world;
    this.#keys = new WorkKeys(world.clock, DELAY_MS, (uid) => this.#reconcile(uid));
    this.sets = new ObjectIndex<WorkloadObject>(world.api, 'statefulsets.apps');
    for (const { metadata } of this.sets.all()) this.#keys.add(metadata.uid);
    this.sets.follow((type, set) => {
      if (type !== 'DELETED') this.#keys.add(set.metadata.uid);
    });
    world.pods.follow((type, pod, previous) => {
      const owner = controllerOf(pod);
      if (owner?.kind !== 'StatefulSet') return;
      if (type === 'DELETED' || concernsOwner(pod, previous)) this.#keys.add(owner.uid);
    });
  }

  #reconcile(uid: string): void {
    const set = this.sets.get(uid);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const pods = new Map<number, PodObject>();
    for (const pod of this.#world.podsOwnedBy(uid).values()) pods.set(ordinalOf(pod), pod);
    const revision = `${set.metadata.name}-${templateHash(set.spec.template)}`;
    this.#step(set, pods, revision);
    this.#report(set, [...pods.values()], revision);
  }

  #step(set: WorkloadObject, pods: ReadonlyMap<number, PodObject>, revision: string): void {
    const { replicas = 1 } = set.spec;
    const parallel = set.spec.podManagementPolicy === 'Parallel';
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      const pod = pods.get(ordinal);
      if (pod === undefined) this.#make(set, ordinal, revision);
      // A failed pod is deleted, and comes back under its name.
      else if (isTerminal(pod) && !isLeaving(pod)) this.#recreate(set, pod);
      if (!parallel && (pod === undefined || isLeaving(pod) || !isReady(pod))) return;
    }
    for (const ordinal of [...pods.keys()].sort((a, b) => b - a)) {
      const pod = pods.get(ordinal)!;
      if (ordinal >= replicas) {
        if (!isLeaving(pod)) removePod(this.#world, set, pod);
        if (!parallel) return;
      }
    }
    if ([...pods.values()].some((pod) => isLeaving(pod) || !isReady(pod))) return;
    for (let ordinal = replicas - 1; ordinal >= 0; ordinal--) {
      const pod = pods.get(ordinal);
      if (pod === undefined || pod.metadata.labels?.[REVISION_LABEL] === revision) continue;
      removePod(this.#world, set, pod);
      return;
    }
  }

  #make(set: WorkloadObject, ordinal: number, revision: string): void {
    const name = `${set.metadata.name}-${ordinal}`;
    const labels = {
      [REVISION_LABEL]: revision,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    };
    const spec = { hostname: name, subdomain: set.spec.serviceName ?? '' };
    makePod(this.#world, { owner: set, template: set.spec.template, name, labels, spec });
  }

  #recreate(set: WorkloadObject, pod: PodObject): void {
    const isFailed = pod.status.phase === 'Failed';
    const [state, type] = isFailed ? (['failed', 'Warning'] as const) : (['terminated', 'Normal'] as const);
    const { namespace, name } = set.metadata;
    const message = `StatefulSet ${namespace}/${name} is recreating ${state} Pod ${pod.metadata.name}`;
    const reason = isFailed ? 'RecreatingFailedPod' : 'RecreatingTerminatedPod';
    recordOnOwner(this.#world, set, { type, reason, message });
    removePod(this.#world, set, pod);
  }

  #report(set: WorkloadObject, pods: readonly PodObject[], revision: string): void {
    const latest = this.sets.get(set.metadata.uid);
    if (latest === undefined) return;
    const ready = pods.filter((pod) => isReady(pod) && !isLeaving(pod)).length;
    const updated = pods.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === revision).length;
    const done = updated === pods.length && ready === pods.length;
    const status = {
      observedGeneration: latest.metadata.generation ?? 1,
      replicas: pods.length,
      ...(ready === 0 ? {} : { readyReplicas: ready }),
      availableReplicas: ready,
      ...(updated === 0 ? {} : { updatedReplicas: updated }),
      currentRevision: done ? revision : (latest.status?.['currentRevision'] ?? revision),
      updateRevision: revision,
      collisionCount: 0,
    };
    if (sameStatus(latest.status, status)) return;
    this.#world.attempt(() => this.#world.api.update('statefulsets.apps', { ...latest, status }, 'status'));
  }
}

function ordinalOf(pod: PodObject): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf('-') + 1));
}

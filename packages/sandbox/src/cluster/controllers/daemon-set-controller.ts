// DaemonSets: one pod on each node that fits, pinned to it by its name, tolerating what happens to nodes. A changed
// template is rolled out one node at a time.
import { NOT_READY, type NodeObject, UNREACHABLE, UNSCHEDULABLE } from '../node-object.ts';
import { ObjectIndex } from '../object-index.ts';
import {
  concernsOwner,
  controllerOf,
  isLeaving,
  isReady,
  isTerminal,
  type PodObject,
  type PodSpec,
  type Toleration,
} from '../pod-object.ts';
import { wantsNode } from '../scheduler.ts';
import { toleratesAll } from '../tolerations.ts';
import { WorkKeys } from '../work-keys.ts';
import type { World } from '../world.ts';
import { recordOnOwner, removePod } from './owner-events.ts';
import { makePod } from './pod-maker.ts';
import { sameStatus } from './replica-set-controller.ts';
import { templateHash, type WorkloadObject } from './workload-object.ts';

const DELAY_MS = 250;
const REVISION_LABEL = 'controller-revision-hash';
const TOLERATED: readonly Toleration[] = [
  { key: NOT_READY, operator: 'Exists', effect: 'NoExecute' },
  { key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: UNSCHEDULABLE, operator: 'Exists', effect: 'NoSchedule' },
];
const NETWORK_DOWN: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

export class DaemonSetController {
  readonly #world: World;
  readonly #keys: WorkKeys;
  readonly sets: ObjectIndex<WorkloadObject>;

  constructor(world: World) {
    this.#world = world;
    this.#keys = new WorkKeys(world.clock, DELAY_MS, (uid) => this.#reconcile(uid));
    this.sets = new ObjectIndex<WorkloadObject>(world.api, 'daemonsets.apps');
    for (const { metadata } of this.sets.all()) this.#keys.add(metadata.uid);
    this.sets.follow((type, set) => {
      if (type !== 'DELETED') this.#keys.add(set.metadata.uid);
    });
    world.pods.follow((type, pod, previous) => {
      const owner = controllerOf(pod);
      if (owner?.kind !== 'DaemonSet') return;
      if (type === 'DELETED' || concernsOwner(pod, previous)) this.#keys.add(owner.uid);
    });
    world.nodes.follow((type, node, previous) => {
      // Reports of a node's health change nothing here.
      if (type === 'MODIFIED' && node.spec === previous?.spec && node.metadata.labels === previous?.metadata.labels)
        return;
      for (const { metadata } of this.sets.all()) this.#keys.add(metadata.uid);
    });
  }

  #reconcile(uid: string): void {
    const set = this.sets.get(uid);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const byNode = new Map<string, PodObject>();
    for (const pod of this.#world.podsOwnedBy(uid).values()) byNode.set(nodeOf(pod), pod);
    const hash = templateHash(set.spec.template);
    let wanted = 0;
    let updating = false;
    for (const node of this.#world.nodes.all()) {
      const { name } = node.metadata;
      const pod = byNode.get(name);
      byNode.delete(name);
      if (!this.#runsOn(set, node)) {
        if (pod !== undefined && !isLeaving(pod)) removePod(this.#world, set, pod);
        continue;
      }
      wanted++;
      if (pod === undefined) this.#make(set, name, hash);
      else if (isLeaving(pod)) updating = true;
      else if (isTerminal(pod)) this.#replace(set, pod, name);
      else if (!isReady(pod)) updating = true;
    }
    if (!updating) this.#rollOne(set, hash);
    this.#report(uid, wanted, hash);
  }

  #rollOne(set: WorkloadObject, hash: string): void {
    for (const pod of this.#world.podsOwnedBy(set.metadata.uid).values()) {
      if (pod.metadata.labels?.[REVISION_LABEL] === hash || isLeaving(pod)) continue;
      removePod(this.#world, set, pod);
      return;
    }
  }

  #runsOn(set: WorkloadObject, node: NodeObject): boolean {
    const { spec } = set.spec.template;
    if (!wantsNode({ spec }, node)) return false;
    const barring = (node.spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
    return toleratesAll(
      tolerationsOf(spec),
      barring.filter(({ key }) => key !== NOT_READY && key !== UNREACHABLE),
    );
  }

  #make(set: WorkloadObject, node: string, hash: string): void {
    const { spec } = set.spec.template;
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    };
    const labels = { [REVISION_LABEL]: hash, 'pod-template-generation': String(set.metadata.generation ?? 1) };
    makePod(this.#world, {
      owner: set,
      template: set.spec.template,
      labels,
      spec: { affinity, tolerations: tolerationsOf(spec) },
    });
  }

  #replace(set: WorkloadObject, pod: PodObject, node: string): void {
    const isFailed = pod.status.phase === 'Failed';
    const { namespace, name } = pod.metadata;
    const what = `${isFailed ? 'failed' : 'succeeded'} daemon pod ${namespace}/${name} on node ${node}`;
    const type = isFailed ? 'Warning' : 'Normal';
    const reason = isFailed ? 'FailedDaemonPod' : 'SucceededDaemonPod';
    const will = isFailed ? 'will try to kill it' : 'will try to delete it';
    recordOnOwner(this.#world, set, { type, reason, message: `Found ${what}, ${will}` });
    removePod(this.#world, set, pod);
  }

  #report(uid: string, wanted: number, hash: string): void {
    const set = this.sets.get(uid);
    if (set === undefined) return;
    const pods = [...this.#world.podsOwnedBy(uid).values()].filter((pod) => !isLeaving(pod));
    const ready = pods.filter(isReady).length;
    const status = {
      currentNumberScheduled: pods.length,
      numberMisscheduled: 0,
      desiredNumberScheduled: wanted,
      numberReady: ready,
      observedGeneration: set.metadata.generation ?? 1,
      updatedNumberScheduled: pods.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash).length,
      ...(ready === 0 ? {} : { numberAvailable: ready }),
      ...(ready >= wanted ? {} : { numberUnavailable: wanted - ready }),
    };
    if (sameStatus(set.status, status)) return;
    this.#world.attempt(() => this.#world.api.update('daemonsets.apps', { ...set, status }, 'status'));
  }
}

function tolerationsOf(spec: PodSpec): readonly Toleration[] {
  return [...(spec.tolerations ?? []), ...TOLERATED, ...(spec.hostNetwork === true ? [NETWORK_DOWN] : [])];
}

/** The node it was made for, also before it is bound. */
function nodeOf(pod: PodObject): string {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return pod.spec.nodeName || (terms?.[0]?.matchFields?.[0]?.values?.[0] ?? '');
}

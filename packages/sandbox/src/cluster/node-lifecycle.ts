// What the control plane does about nodes: those that do not report for too long become Unknown and get taints, and
// their pods are marked as not ready; those that are back lose the taints; cordons show as a taint as well.
import {
  NOT_READY,
  type NodeCondition,
  type NodeObject,
  type Taint,
  UNREACHABLE,
  UNSCHEDULABLE,
} from './node-object.ts';
import { kubeTime, type PodCondition, type PodObject } from './pod-object.ts';
import { WorkKeys } from './work-keys.ts';
import type { World } from './world.ts';

/** node-monitor-grace-period, and how often the controller looks. */
const GRACE_MS = 50_000;
const LOOK_MS = 5_000;
const OWN_TAINTS = [UNREACHABLE, NOT_READY, UNSCHEDULABLE];

export class NodeLifecycle {
  readonly #world: World;
  readonly #keys: WorkKeys;
  /** When each silent node last reported. */
  readonly #silentSince = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
    this.#keys = new WorkKeys(world.clock, 100, (name) => this.#taint(name));
    world.nodes.follow((type, node, previous) => {
      if (type === 'DELETED') this.#silentSince.delete(node.metadata.name);
      else if (previous === undefined || node.spec !== previous.spec || readiness(node) !== readiness(previous)) {
        this.#keys.add(node.metadata.name);
      }
    });
  }

  /** The kubelet of this node no longer reports. */
  wentSilent(name: string): void {
    const since = this.#world.clock.now();
    this.#silentSince.set(name, since);
    this.#world.clock.in(GRACE_MS + this.#world.wait(0, LOOK_MS), () => {
      if (this.#silentSince.get(name) === since) this.#declareUnknown(name);
    });
  }

  /** It reports again; its own status says how it is. */
  isBack(name: string): void {
    this.#silentSince.delete(name);
  }

  #declareUnknown(name: string): void {
    const node = this.#world.node(name);
    if (node === undefined) return;
    const at = kubeTime(this.#world.clock.now());
    const conditions = (node.status.conditions ?? []).map(
      (condition): NodeCondition => ({
        ...condition,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: at,
      }),
    );
    this.#world.attempt(() =>
      this.#world.api.update('nodes', { ...node, status: { ...node.status, conditions } }, 'status'),
    );
    this.#world.events.record({
      about: node,
      type: 'Normal',
      reason: 'NodeNotReady',
      message: `Node ${name} status is now: NodeNotReady`,
      component: 'node-controller',
    });
    for (const pod of [...this.#world.podsOn(name).values()]) this.#markNotReady(pod, at);
  }

  #markNotReady(pod: PodObject, at: string): void {
    const before = pod.status.conditions ?? [];
    if (!before.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    const conditions = before.map(
      (one): PodCondition => (one.type === 'Ready' ? { ...one, status: 'False', lastTransitionTime: at } : one),
    );
    const status = { ...pod.status, conditions };
    this.#world.attempt(() => this.#world.api.update('pods', { ...pod, status }, 'status'));
    this.#world.events.record({
      about: pod,
      type: 'Warning',
      reason: 'NodeNotReady',
      message: 'Node is not ready',
      component: 'node-controller',
    });
  }

  #taint(name: string): void {
    const node = this.#world.node(name);
    if (node === undefined) return;
    const before = node.spec.taints ?? [];
    const wanted: Taint[] = [];
    const taint = readiness(node) === 'True' ? undefined : readiness(node) === 'Unknown' ? UNREACHABLE : NOT_READY;
    if (node.spec.unschedulable === true) wanted.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' });
    if (taint !== undefined) {
      wanted.push({ key: taint, effect: 'NoSchedule' }, { key: taint, effect: 'NoExecute' });
    }
    const isSame = (one: Taint, other: Taint): boolean => one.key === other.key && one.effect === other.effect;
    const kept = before.filter((taint) => !OWN_TAINTS.includes(taint.key) || wanted.some((one) => isSame(one, taint)));
    const missing = wanted.filter((taint) => !before.some((one) => isSame(one, taint)));
    if (kept.length === before.length && missing.length === 0) return;
    const timeAdded = kubeTime(this.#world.clock.now());
    const taints = [...kept, ...missing.map((taint) => ({ ...taint, timeAdded }))];
    const { taints: _, ...spec } = node.spec;
    const changed = { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } };
    this.#world.attempt(() => this.#world.api.update('nodes', changed));
  }
}

function readiness(node: NodeObject): string {
  return node.status.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
}

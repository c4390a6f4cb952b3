// The machines of the cluster: which nodes there are, their ranges of addresses, and what happens to them. A range is
// free again when its node is removed, so that even a new node can have the addresses of an old one.
import type { AllocationOrder } from './address-pool.ts';
import { addressAt, type Cidr, parseCidr, partOf } from './cidr.ts';
import { Kubelet } from './kubelet/kubelet.ts';
import type { KubeletTimings } from './kubelet/timings.ts';
import { NodeLifecycle } from './node-lifecycle.ts';
import type { PodObject } from './pod-object.ts';
import { SimulatedNode } from './simulated-node.ts';
import type { TruthJournal } from './truth-journal.ts';
import type { World } from './world.ts';

/** A range for all pods, cut into one part for each node. */
export interface PodRange {
  readonly cidr: string;
  readonly nodePrefix: number;
}

export interface FleetOptions {
  readonly podRanges: readonly PodRange[];
  /** Ranges of the nodes' own addresses. */
  readonly nodeRanges: readonly string[];
  readonly namePrefix: string;
  readonly mostPods: number;
  readonly statusEveryMs: number;
  readonly leases: boolean;
  readonly timings: KubeletTimings;
  readonly order: AllocationOrder;
  readonly kubeletVersion: string;
}

const ZONES = ['a', 'b', 'c'];
/** Gateways and the like come first in a network. */
const FIRST_NODE_ADDRESS = 10;

export class Fleet {
  readonly #world: World;
  readonly #options: FleetOptions;
  readonly #journal: TruthJournal;
  readonly #lifecycle: NodeLifecycle;
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #slots = new Map<string, number>();
  #made = 0;

  constructor(world: World, journal: TruthJournal, options: FleetOptions) {
    this.#world = world;
    this.#journal = journal;
    this.#options = options;
    this.#lifecycle = new NodeLifecycle(world);
    world.pods.follow((type, pod, previous) => {
      const { uid, deletionTimestamp } = pod.metadata;
      // Only a restored etcd takes a pod from its node: there it is as good as deleted.
      const before = previous?.spec.nodeName;
      if (before && before !== pod.spec.nodeName) this.#nodes.get(before)?.kubelet.podGone(uid);
      const node = this.#nodes.get(pod.spec.nodeName ?? '');
      if (node === undefined) return;
      if (type === 'DELETED') node.kubelet.podGone(uid);
      else if (!before || deletionTimestamp !== previous.metadata.deletionTimestamp || wasLost(pod, previous)) {
        node.kubelet.podSeen(pod);
      }
    });
    world.nodes.follow((type, { metadata: { name } }) => {
      if (type === 'DELETED') this.#forget(name);
    });
  }

  /** Simulated nodes, in the order in which they were added. */
  get names(): string[] {
    return [...this.#nodes.keys()];
  }

  kubelet(node: string): Kubelet | undefined {
    return this.#nodes.get(node)?.kubelet;
  }

  isUp(node: string): boolean {
    return this.#nodes.get(node)?.kubelet.isUp === true;
  }

  /** Returns the name of the new node. */
  add(): string {
    const slot = this.#freeSlot();
    const number = ++this.#made;
    const { namePrefix, podRanges, nodeRanges, mostPods, statusEveryMs, leases, timings, order, kubeletVersion } =
      this.#options;
    const name = `${namePrefix}${String(number).padStart(2, '0')}`;
    const podCidrs = podRanges.map(({ cidr, nodePrefix }) => {
      const part = partOf(parseCidr(cidr), nodePrefix, slot);
      if (part === undefined)
        throw new RangeError(`the range ${cidr} has no room for ${slot + 1} nodes of /${nodePrefix}`);
      return part;
    });
    const addresses = nodeRanges.map((range) => addressAt(parseCidr(range) as Cidr, FIRST_NODE_ADDRESS + number));
    const zone = `sandbox-${ZONES[(number - 1) % ZONES.length]}`;
    const kubelet = new Kubelet({
      world: this.#world,
      node: name,
      addresses,
      podCidrs,
      journal: this.#journal,
      timings,
      order,
      version: kubeletVersion,
    });
    const plan = { name, zone, addresses, podCidrs, mostPods, statusEveryMs, lease: leases, kubeletVersion };
    const node = new SimulatedNode(this.#world, plan, kubelet);
    this.#slots.set(name, slot);
    this.#nodes.set(name, node);
    node.register();
    return name;
  }

  /** The machine is switched off for good and its object deleted; its pods are collected a while later. */
  remove(name: string): void {
    this.#node(name);
    this.#world.api.delete('nodes', undefined, name);
  }

  lose(name: string): void {
    const node = this.#node(name);
    if (!node.kubelet.isUp) return;
    node.kubelet.goDown();
    node.stopBeats();
    this.#lifecycle.wentSilent(name);
  }

  bringBack(name: string, rebooted: boolean): void {
    const node = this.#node(name);
    if (node.kubelet.isUp) return;
    this.#lifecycle.isBack(name);
    node.report(rebooted);
    node.startBeats();
    node.kubelet.comeBack(rebooted);
  }

  close(): void {
    for (const node of this.#nodes.values()) node.stopBeats();
  }

  #forget(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    node.stopBeats();
    node.kubelet.perish();
    this.#nodes.delete(name);
    this.#slots.delete(name);
  }

  #node(name: string): SimulatedNode {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`there is no simulated node "${name}": ask nodeNames for those there are`);
    return node;
  }

  #freeSlot(): number {
    const taken = new Set(this.#slots.values());
    for (let slot = 0; ; slot++) if (!taken.has(slot)) return slot;
  }
}

/** Versions only grow, but for an etcd that was restored. */
function wasLost(pod: PodObject, previous: PodObject): boolean {
  return Number(pod.metadata.resourceVersion) < Number(previous.metadata.resourceVersion);
}

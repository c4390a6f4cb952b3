// A node as its kubelet registers it and reports on it: addresses, room, conditions, heartbeats.
import type { Timer } from '../clock/timer-queue.ts';
import { type Cidr, formatCidr } from './cidr.ts';
import type { Kubelet } from './kubelet/kubelet.ts';
import type { NodeCondition, NodeObject } from './node-object.ts';
import { kubeTime } from './pod-object.ts';
import type { World } from './world.ts';

export interface NodePlan {
  readonly name: string;
  readonly zone: string;
  readonly addresses: readonly string[];
  readonly podCidrs: readonly Cidr[];
  readonly mostPods: number;
  /** How often its unchanged state is reported again; 0 never. */
  readonly statusEveryMs: number;
  /** Whether its kubelet renews a Lease. */
  readonly lease: boolean;
  readonly kubeletVersion: string;
}

/** Kubelets are 4 % late at most, and never early. */
const LEASE_MS = { least: 10_000, most: 10_400 };

export class SimulatedNode {
  readonly plan: NodePlan;
  readonly kubelet: Kubelet;
  readonly #world: World;
  #beats: Timer[] = [];

  constructor(world: World, plan: NodePlan, kubelet: Kubelet) {
    this.#world = world;
    this.plan = plan;
    this.kubelet = kubelet;
  }

  register(): void {
    const { name, zone, addresses, podCidrs, mostPods, kubeletVersion } = this.plan;
    const size = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '200Gi', pods: String(mostPods) };
    const cidrs = podCidrs.map(formatCidr);
    const now = this.#world.clock.now();
    this.#world.api.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'node.kubernetes.io/instance-type': 'sandbox.4xlarge',
          'topology.kubernetes.io/region': 'sandbox',
          'topology.kubernetes.io/zone': zone,
        },
      },
      spec: { podCIDR: cidrs[0], podCIDRs: cidrs, providerID: `sandbox:///${zone}/${name}` },
      status: {
        capacity: size,
        allocatable: size,
        conditions: this.#conditions(now, undefined),
        addresses: [
          ...addresses.map((address) => ({ type: 'InternalIP', address })),
          { type: 'Hostname', address: name },
        ],
        nodeInfo: {
          architecture: 'amd64',
          bootID: this.#newBoot(),
          containerRuntimeVersion: 'containerd://2.1.4',
          kernelVersion: '6.12.0',
          kubeletVersion,
          kubeProxyVersion: '',
          machineID: name,
          operatingSystem: 'linux',
          osImage: 'Sandbox Linux',
          systemUUID: name,
        },
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      },
    });
    this.startBeats();
  }

  /** Reports, now and from now on. */
  startBeats(): void {
    this.stopBeats();
    if (this.plan.statusEveryMs > 0) this.#beat(this.plan.statusEveryMs, () => this.report());
    if (this.plan.lease) this.#renewOnAndOn(this.#beats.length);
  }

  stopBeats(): void {
    for (const beat of this.#beats) beat.cancel();
    this.#beats = [];
  }

  /** After a reboot the node has another boot ID. */
  report(rebooted = false): void {
    const node = this.#world.node(this.plan.name);
    if (node === undefined) return;
    const conditions = this.#conditions(this.#world.clock.now(), node.status.conditions);
    const info = node.status['nodeInfo'] as Record<string, unknown>;
    const nodeInfo = rebooted ? { ...info, bootID: this.#newBoot() } : info;
    const status = { ...node.status, conditions, nodeInfo };
    this.#world.attempt(() => this.#world.api.update('nodes', { ...node, status }, 'status'));
    if (rebooted) this.#recordReboot(node, nodeInfo['bootID']);
  }

  /** A kubelet names its node where others write its UID. */
  #recordReboot(node: NodeObject, bootId: unknown): void {
    const { name } = this.plan;
    this.#world.events.record({
      about: { ...node, metadata: { ...node.metadata, uid: name } },
      ...{ type: 'Warning', reason: 'Rebooted', component: 'kubelet', host: name },
      message: `Node ${name} has been rebooted, boot id: ${bootId}`,
    });
  }

  #beat(everyMs: number, act: () => void): void {
    const slot = this.#beats.length;
    const next = (delay: number): void => {
      this.#beats[slot] = this.#world.clock.in(delay, () => {
        act();
        next(everyMs);
      });
    };
    // What has not changed is not reported sooner than that, after a start neither; and not by all nodes at once.
    next(this.#world.wait(everyMs, 1.5 * everyMs));
  }

  /** At once when it starts: who reads the Lease can distinguish that from the cadence of a kubelet that was there. */
  #renewOnAndOn(slot: number): void {
    this.#renew();
    const next = this.#world.wait(LEASE_MS.least, LEASE_MS.most);
    this.#beats[slot] = this.#world.clock.in(next, () => this.#renewOnAndOn(slot));
  }

  #renew(): void {
    const { name } = this.plan;
    const renewTime = `${new Date(this.#world.clock.now()).toISOString().slice(0, -1)}000Z`;
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    const lease = this.#world.api.get('leases.coordination.k8s.io', 'kube-node-lease', name);
    this.#world.attempt(() =>
      lease === undefined
        ? this.#world.api.create('leases.coordination.k8s.io', {
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { name, namespace: 'kube-node-lease' },
            spec,
          })
        : this.#world.api.update('leases.coordination.k8s.io', { ...lease, spec }),
    );
  }

  #conditions(now: number, before: readonly NodeCondition[] | undefined): NodeCondition[] {
    const at = kubeTime(now);
    const condition = (type: string, status: 'True' | 'False', reason: string, message: string): NodeCondition => {
      const last = before?.find((one) => one.type === type);
      const lastTransitionTime = last?.status === status ? last.lastTransitionTime! : at;
      return { type, status, lastHeartbeatTime: at, lastTransitionTime, reason, message };
    };
    return [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ];
  }

  #newBoot(): string {
    const { random } = this.#world;
    const text = random.hex8() + random.hex8() + random.hex8() + random.hex8();
    return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}

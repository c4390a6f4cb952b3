// The kubelet of one simulated node: a worker for each of its pods, the node's addresses, and what becomes of both
// while the node is down. It learns of pods as they are bound, changed and deleted, and writes only their status.
import { AddressPool, type AllocationOrder, type Holder } from '../address-pool.ts';
import type { Cidr } from '../cidr.ts';
import { isLeaving, type PodObject } from '../pod-object.ts';
import type { TrueTenure, TruthJournal } from '../truth-journal.ts';
import type { World } from '../world.ts';
import { PodWorker } from './pod-worker.ts';
import type { KubeletTimings, Span } from './timings.ts';

export interface KubeletOptions {
  readonly world: World;
  readonly node: string;
  /** The node's own, IPv4 first. */
  readonly addresses: readonly string[];
  readonly podCidrs: readonly Cidr[];
  readonly journal: TruthJournal;
  readonly timings: KubeletTimings;
  readonly order: AllocationOrder;
  /** Such as `v1.36.3`. */
  readonly version: string;
}

/** From this minor version on a kubelet reports the network of a pod as soon as it is there. */
const NETWORK_AT_ONCE = 36;

export class Kubelet {
  readonly world: World;
  readonly node: string;
  readonly addresses: readonly string[];
  readonly pool: AddressPool;
  readonly timings: KubeletTimings;
  readonly tellsNetworkAtOnce: boolean;
  readonly #journal: TruthJournal;
  readonly #workers = new Map<string, PodWorker>();
  /** Steps that came due while the node could not be reached; they are taken when it is back. */
  #missed: (() => void)[] = [];
  #up = true;

  constructor(options: KubeletOptions) {
    this.world = options.world;
    this.node = options.node;
    this.addresses = options.addresses;
    this.timings = options.timings;
    this.tellsNetworkAtOnce = Number(/^v1\.(\d+)/.exec(options.version)?.[1] ?? NETWORK_AT_ONCE) >= NETWORK_AT_ONCE;
    this.#journal = options.journal;
    const { node, podCidrs: cidrs, journal, order } = options;
    this.pool = new AddressPool({ node, cidrs, journal, order });
  }

  get isUp(): boolean {
    return this.#up;
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  podSeen(pod: PodObject): void {
    const { uid } = pod.metadata;
    const known = this.#workers.get(uid);
    if (known === undefined) {
      const worker = new PodWorker(this, uid);
      this.#workers.set(uid, worker);
      this.later([0, 0], () => worker.begin());
    } else if (isLeaving(pod)) this.later([0, 0], () => known.stop());
    else known.seen(pod);
  }

  podGone(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker !== undefined) this.later([0, 0], () => worker.objectGone());
  }

  /** Nothing of this node reaches the cluster any more, nor the other way round. */
  goDown(): void {
    this.#up = false;
  }

  /** It is back: after a mere partition its pods still run, after a reboot their sandboxes are gone. */
  comeBack(rebooted: boolean): void {
    if (this.#up) return;
    this.#up = true;
    const missed = this.#missed;
    this.#missed = [];
    if (!rebooted) {
      // First it puts right what others wrote, then it does what was asked for meanwhile.
      for (const worker of [...this.#workers.values()]) this.later(this.timings.report, () => worker.reportAgain());
      for (const act of missed) this.later(this.timings.boot, act);
      return;
    }
    for (const worker of [...this.#workers.values()]) this.later(this.timings.boot, () => worker.afterReboot());
    for (const pod of this.world.podsOn(this.node).values())
      if (!this.#workers.has(pod.metadata.uid)) this.podSeen(pod);
  }

  /** The node is no more. */
  perish(): void {
    this.#up = false;
    this.#missed = [];
    for (const worker of this.#workers.values()) worker.perish();
    this.#workers.clear();
  }

  forget(uid: string): void {
    this.#workers.delete(uid);
  }

  /** After a wait of that span, and not before the node is reachable. */
  later(span: Span, act: () => void): void {
    this.world.clock.in(this.world.wait(span[0], span[1]), () => {
      if (this.#up) act();
      else this.#missed.push(act);
    });
  }

  shareAddresses(holder: Holder): TrueTenure[] {
    const from = this.world.clock.now();
    return this.addresses.map((ip) => this.#journal.open({ ip, ...holder, node: this.node, hostNetwork: true, from }));
  }

  unshareAddresses(tenures: readonly TrueTenure[]): void {
    for (const tenure of tenures) this.#journal.close(tenure, this.world.clock.now());
  }

  recordEvent(about: PodObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.world.events.record({ about, type, reason, message, component: 'kubelet', host: this.node });
  }
}

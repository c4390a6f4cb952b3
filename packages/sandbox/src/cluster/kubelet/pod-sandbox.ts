// The sandbox of one pod, as far as its network goes: the addresses it has while it is up, and those it had last.
import type { Holder, Lease } from '../address-pool.ts';
import type { TrueTenure } from '../truth-journal.ts';
import type { Kubelet } from './kubelet.ts';

/** A sandbox is `down`, or `up` with addresses of its own from the node's pool, or `shared` with those of the node. */
type Network =
  | { readonly kind: 'down' }
  | { readonly kind: 'up'; readonly lease: Lease }
  | { readonly kind: 'shared'; readonly tenures: readonly TrueTenure[] };

export class PodSandbox {
  readonly #kubelet: Kubelet;
  #network: Network = { kind: 'down' };
  #addresses: readonly string[] = [];

  constructor(kubelet: Kubelet) {
    this.#kubelet = kubelet;
  }

  get isUp(): boolean {
    return this.#network.kind !== 'down';
  }

  /** Kept when the sandbox goes: a pod that has ended goes on showing them. */
  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** False when the node has no address left. */
  setUp(holder: Holder, hostNetwork: boolean): boolean {
    if (hostNetwork) {
      this.#network = { kind: 'shared', tenures: this.#kubelet.shareAddresses(holder) };
      this.#addresses = this.#kubelet.addresses;
      return true;
    }
    const lease = this.#kubelet.pool.take(holder, this.#kubelet.world.clock.now());
    if (lease === undefined) return false;
    this.#network = { kind: 'up', lease };
    this.#addresses = lease.addresses;
    return true;
  }

  /** Invariant: an address is given back exactly once, at the instant its sandbox is torn down. */
  tearDown(): void {
    const network = this.#network;
    this.#network = { kind: 'down' };
    if (network.kind === 'up') this.#kubelet.pool.give(network.lease, this.#kubelet.world.clock.now());
    if (network.kind === 'shared') this.#kubelet.unshareAddresses(network.tenures);
  }
}

// The addresses of one node for pods, handed out as the host-local CNI plugin does: the next free one after the last
// that was handed out, round and round. An address is taken while its sandbox has a network, whatever the API says.
import { addressAt, type Cidr, sizeOf } from './cidr.ts';
import type { TrueTenure, TruthJournal } from './truth-journal.ts';

export interface Holder {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The network of one sandbox: one address for each family of the node. */
export interface Lease {
  readonly addresses: readonly string[];
  readonly tenures: readonly TrueTenure[];
  readonly taken: readonly { readonly range: Range; readonly index: number }[];
}

export type AllocationOrder = 'next' | 'lowest';

export interface AddressPoolOptions {
  readonly node: string;
  readonly cidrs: readonly Cidr[];
  readonly journal: TruthJournal;
  readonly order?: AllocationOrder;
}

/** The first address of a range names the network, the second is the bridge's. */
const RESERVED = 2;
/** Nobody runs out of IPv6: this many are used before they come round. */
const LARGEST_RANGE = 1 << 16;

export class AddressPool {
  readonly #options: AddressPoolOptions;
  readonly #ranges: readonly Range[];

  constructor(options: AddressPoolOptions) {
    this.#options = options;
    this.#ranges = options.cidrs.map((cidr) => new Range(cidr, options.order ?? 'next'));
  }

  /** Undefined when one of the ranges has none left. */
  take(holder: Holder, at: number): Lease | undefined {
    const taken: { range: Range; index: number }[] = [];
    for (const range of this.#ranges) {
      const index = range.take();
      if (index === undefined) {
        for (const { range, index } of taken) range.free(index);
        return undefined;
      }
      taken.push({ range, index });
    }
    const addresses = taken.map(({ range, index }) => addressAt(range.cidr, index));
    const { node, journal } = this.#options;
    const tenures = addresses.map((ip) => journal.open({ ip, ...holder, node, hostNetwork: false, from: at }));
    return { addresses, tenures, taken };
  }

  give(lease: Lease, at: number): void {
    for (const { range, index } of lease.taken) range.free(index);
    for (const tenure of lease.tenures) this.#options.journal.close(tenure, at);
  }
}

class Range {
  readonly cidr: Cidr;
  readonly #order: AllocationOrder;
  readonly #first: number;
  readonly #last: number;
  readonly #used = new Set<number>();
  #next: number;

  constructor(cidr: Cidr, order: AllocationOrder) {
    this.cidr = cidr;
    this.#order = order;
    this.#first = RESERVED;
    // IPv4 keeps its last address for broadcasts.
    this.#last = Math.min(sizeOf(cidr), LARGEST_RANGE) - (cidr.family === 4 ? 2 : 1);
    this.#next = this.#first;
  }

  take(): number | undefined {
    const count = this.#last - this.#first + 1;
    if (this.#used.size >= count) return undefined;
    let index = this.#order === 'lowest' ? this.#first : this.#next;
    while (this.#used.has(index)) index = index === this.#last ? this.#first : index + 1;
    this.#used.add(index);
    this.#next = index === this.#last ? this.#first : index + 1;
    return index;
  }

  free(index: number): void {
    this.#used.delete(index);
  }
}

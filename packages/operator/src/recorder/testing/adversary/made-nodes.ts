// Nodes: their addresses change, they are deleted and come back, perhaps with another's address.
import type { Kubelet, Written } from './made-shapes.ts';
import type { WorldBook } from './world-book.ts';

export interface Machine {
  readonly name: string;
  uid: string;
  address: string;
  readonly skew: number;
  readonly kubelet: Kubelet;
  readonly four: string[];
  readonly six: string[];
  /** Its kubelet cannot write before. */
  cutUntil: number;
  rebootUntil: number;
}

export class MadeNodes {
  readonly machines: Machine[] = [];
  readonly #book: WorldBook;
  readonly #kubelets: readonly Kubelet[];

  constructor(book: WorldBook, kubelets: readonly Kubelet[]) {
    this.#book = book;
    this.#kubelets = kubelets;
  }

  addMachine(n: number): void {
    const four = Array.from({ length: 3 }, (_, i) => `10.0.${n}.${i + 1}`);
    const six = Array.from({ length: 2 }, (_, i) => `fd00:${n}::${i + 1}`);
    const kubelet = this.#book.chance.one(this.#kubelets);
    const skew = this.#book.chance.int(-1800, 1800);
    const machine: Machine = {
      ...{ name: `node-${n}`, uid: '', address: `192.168.0.${n + 1}`, skew, kubelet, four, six },
      ...{ cutUntil: 0, rebootUntil: 0 },
    };
    this.#book.ips.push(...four, ...six, machine.address);
    this.machines.push(machine);
    this.#book.tell(`${machine.name} kubelet ${kubelet} skew ${skew}`);
    this.#register(machine);
  }

  #register(machine: Machine): void {
    machine.uid = this.#book.uid('node');
    const created = this.#book.apiTime;
    this.#writeNode('ADDED', machine, created);
    this.#book.hold(machine.address, machine.uid, 'Node');
    this.#book.tell(`${machine.name} registers as ${machine.uid} with ${machine.address}`);
  }

  #writeNode(type: Written['type'], machine: Machine, created: number): void {
    const addresses = [
      { type: 'Hostname', address: machine.name },
      { type: 'InternalIP', address: machine.address },
    ];
    this.#book.write(type, 'Node', machine.name, (version) => ({
      metadata: this.#book.meta(machine.name, '', machine.uid, version, created),
      spec: {},
      status: { addresses },
    }));
  }

  #createdOf(machine: Machine): number {
    return this.#book.objects.get(`Node/${machine.name}`)?.metadata.creationTimestamp ?? this.#book.apiTime;
  }

  /** Its address changes, perhaps to one that another had; or it is deleted and comes back. */
  changeNode(): void {
    const c = this.#book.chance;
    const machine = c.one(this.machines);
    if (!this.#book.objects.has(`Node/${machine.name}`)) return;
    const wanted = c.is(0.5) ? `192.168.0.${c.int(1, 5)}` : machine.address;
    const isTaken = this.machines.some((other) => other !== machine && other.address === wanted);
    const address = isTaken ? machine.address : wanted;
    if (!this.#book.ips.includes(address)) this.#book.ips.push(address);
    this.#book.release(machine.address, machine.uid);
    if (c.is(0.5) && address !== machine.address) {
      machine.address = address;
      this.#writeNode('MODIFIED', machine, this.#createdOf(machine));
      this.#book.hold(address, machine.uid, 'Node');
      this.#book.tell(`${machine.name} now has ${address}`);
      return;
    }
    this.#writeNode('DELETED', machine, this.#createdOf(machine));
    this.#book.tell(`${machine.name} is deleted`);
    this.#book.later(c.int(1, 20_000), () => {
      const isFree = !this.machines.some((other) => other !== machine && other.address === address);
      if (isFree) machine.address = address;
      this.#register(machine);
    });
  }
}

// The lanes of a timeline: one for each node, workload, pod or address. A record's lane is found by the numbers of its
// texts, which are few in a chunk, so that a million records cost few comparisons of texts.
import {
  hasWorkloadAt,
  kindAt,
  namespaceAt,
  nodeAt,
  SHARED,
  type StayColumns,
  TIMES,
} from '../engines/stay-columns.ts';
import { type IpAddress, ipBytes } from '../model/ip-address.ts';
import type { LaneDocument } from './schemas/index.ts';

export type LaneKind = 'node' | 'workload' | 'pod' | 'ip';

export interface ShownLanes {
  readonly documents: readonly LaneDocument[];
  /** By the number of a lane: its place among the documents, or -1. */
  readonly places: Int32Array;
  readonly isMore: boolean;
}

interface Lane extends LaneDocument {
  readonly number: number;
  /** Lanes are in the order of this text. */
  readonly order: string;
}

export class Lanes {
  readonly #by: LaneKind;
  readonly #lanes: Lane[] = [];
  readonly #byId = new Map<string, number>();
  /** Of the chunk that is looked at: the lane by the numbers of its texts. */
  #chunk: StayColumns | undefined;
  readonly #known = new Map<number, number>();

  constructor(by: LaneKind) {
    this.#by = by;
  }

  /** The number of the lane of a record, which is asked for chunk by chunk. */
  of(stays: StayColumns, i: number): number {
    switch (this.#by) {
      case 'pod':
        return this.#lane(stays.uids[i]!, () => podLane(stays, i));
      case 'ip':
        return this.#lane(stays.ips[i] ?? '', () => addressLane(stays.ips[i] ?? ''));
      case 'node':
        return this.#shared(stays, stays.shared[i * SHARED + 1]!, () => nodeLane(nodeAt(stays, i)));
      case 'workload': {
        const { shared, texts } = stays;
        if (kindAt(stays, i) !== 'Pod') return this.#lane(stays.uids[i]!, () => podLane(stays, i));
        const at = i * SHARED;
        const key = (shared[at]! * texts.length + shared[at + 2]!) * texts.length + shared[at + 3]!;
        return this.#shared(stays, key, () => workloadLane(stays, i));
      }
    }
  }

  /** The first of them in their order. */
  shown(most: number): ShownLanes {
    let first = this.#lanes;
    // Few of many: the others are left out without being put in order.
    if (first.length > 4 * most) {
      const kept: Lane[] = [];
      let last: string | undefined;
      for (const lane of first) {
        if (last !== undefined && lane.order >= last) continue;
        kept.push(lane);
        if (kept.length < 2 * most) continue;
        kept.sort(inOrder).length = most;
        last = kept.at(-1)?.order;
      }
      first = kept;
    }
    const shown = first.toSorted(inOrder).slice(0, most);
    const places = new Int32Array(this.#lanes.length).fill(-1);
    for (const [place, { number }] of shown.entries()) places[number] = place;
    const documents = shown.map(({ id, label, namespace, kind }) => ({ id, label, namespace, kind }));
    return { documents, places, isMore: shown.length < this.#lanes.length };
  }

  #shared(stays: StayColumns, key: number, make: () => Omit<Lane, 'number'>): number {
    if (stays !== this.#chunk) this.#known.clear();
    this.#chunk = stays;
    let number = this.#known.get(key);
    if (number === undefined) {
      const lane = make();
      this.#known.set(key, (number = this.#lane(lane.id, () => lane)));
    }
    return number;
  }

  #lane(id: string, make: () => Omit<Lane, 'number'>): number {
    let number = this.#byId.get(id);
    if (number === undefined) {
      this.#byId.set(id, (number = this.#lanes.length));
      this.#lanes.push({ ...make(), number });
    }
    return number;
  }
}

function inOrder(a: Lane, b: Lane): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}

function nodeLane(node: string): Omit<Lane, 'number'> {
  return { id: node, label: node === '' ? 'no node' : node, namespace: null, kind: 'Node', order: node };
}

function podLane(stays: StayColumns, i: number): Omit<Lane, 'number'> {
  const [namespace, name, id] = [namespaceAt(stays, i), stays.names[i]!, stays.uids[i]!];
  const place = { namespace: namespace === '' ? null : namespace, kind: kindAt(stays, i) };
  // Of one name the oldest first.
  const start = String(stays.times[i * TIMES]!).padStart(16, '0');
  return { id, label: name, ...place, order: `${namespace}/${name}/${start}/${id}` };
}

function workloadLane(stays: StayColumns, i: number): Omit<Lane, 'number'> {
  const namespace = namespaceAt(stays, i);
  if (!hasWorkloadAt(stays, i)) {
    return { id: `${namespace}//`, label: 'no workload', namespace, kind: null, order: `${namespace}/\uffff` };
  }
  const [kind, name] = [stays.texts[stays.shared[i * SHARED + 2]!]!, stays.texts[stays.shared[i * SHARED + 3]!]!];
  return { id: `${namespace}/${kind}/${name}`, label: name, namespace, kind, order: `${namespace}/${name}/${kind}` };
}

/** In the order of the numbers, IPv4 first. */
function addressLane(ip: string): Omit<Lane, 'number'> {
  const order = Buffer.from(ipBytes(ip as IpAddress)).toString('hex');
  return { id: ip, label: ip, namespace: null, kind: null, order };
}

// Many stays (placements or tenures) as columns: what questions about everything at once read. Texts that repeat are kept
// once, times are plain numbers, and nothing is an object for each record, so that a million of them cross threads.
// Engines build them (StayColumnsBuilder); questions read the columns.
import type { Boundary } from '../model/boundary.ts';
import type { Holder } from '../model/records.ts';

/** Of which records a reading is. */
export type StayKind = 'placement' | 'tenure';

export interface StayColumns {
  readonly count: number;
  /** What `shared` counts in: namespaces, nodes, kinds and names of workloads. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly uids: readonly string[];
  /** Of tenures; empty for placements. */
  readonly ips: readonly string[];
  /** SHARED numbers for each: namespace, node, kind and name of the workload. */
  readonly shared: Uint32Array;
  /** What HOLDER_KINDS counts in, and flags. */
  readonly flags: Uint8Array;
  /** TIMES numbers for each: `at`, `notBefore`, `notAfter` of the start, then of the end, which is NaN while it lasts. */
  readonly times: Float64Array;
}

/** Some of the stays of a reading, and where the next ones begin. */
export interface StaysChunk {
  readonly stays: StayColumns;
  /** Undefined at the end. */
  readonly next: string | undefined;
}

const HOLDER_KINDS: readonly Holder['kind'][] = ['Pod', 'Node', 'Service'];
const KIND_BITS = 3;
const HOST_NETWORK = 4;
const HAS_WORKLOAD = 8;
const IS_INFERRED = 16;
export const SHARED = 4;
export const TIMES = 6;

export function kindAt({ flags }: StayColumns, i: number): Holder['kind'] {
  return HOLDER_KINDS[flags[i]! & KIND_BITS]!;
}

export function isHostNetworkAt({ flags }: StayColumns, i: number): boolean {
  return (flags[i]! & HOST_NETWORK) !== 0;
}

export function hasWorkloadAt({ flags }: StayColumns, i: number): boolean {
  return (flags[i]! & HAS_WORKLOAD) !== 0;
}

export function namespaceAt({ texts, shared }: StayColumns, i: number): string {
  return texts[shared[i * SHARED]!]!;
}

export function nodeAt({ texts, shared }: StayColumns, i: number): string {
  return texts[shared[i * SHARED + 1]!]!;
}

/** Who it was, as the record has it. */
export function holderAt(stays: StayColumns, i: number): Holder {
  const { texts, shared, names, uids, flags } = stays;
  const workload = { kind: texts[shared[i * SHARED + 2]!]!, name: texts[shared[i * SHARED + 3]!]! };
  return {
    kind: kindAt(stays, i),
    namespace: namespaceAt(stays, i),
    name: names[i]!,
    uid: uids[i]!,
    node: nodeAt(stays, i),
    workload: hasWorkloadAt(stays, i) ? { ...workload, inferred: (flags[i]! & IS_INFERRED) !== 0 } : undefined,
    hostNetwork: isHostNetworkAt(stays, i),
  };
}

/** Only these, so that the others need not be kept. */
export function pickStays(stays: StayColumns, rows: Uint32Array): StayColumns {
  const { texts, names, uids, ips } = stays;
  const shared = new Uint32Array(rows.length * SHARED);
  const times = new Float64Array(rows.length * TIMES);
  for (const [at, row] of rows.entries()) {
    shared.set(stays.shared.subarray(row * SHARED, (row + 1) * SHARED), at * SHARED);
    times.set(stays.times.subarray(row * TIMES, (row + 1) * TIMES), at * TIMES);
  }
  return {
    count: rows.length,
    texts,
    names: Array.from(rows, (row) => names[row]!),
    uids: Array.from(rows, (row) => uids[row]!),
    ips: ips.length === 0 ? [] : Array.from(rows, (row) => ips[row]!),
    ...{ shared, times, flags: Uint8Array.from(rows, (row) => stays.flags[row]!) },
  };
}

type Times = Pick<Boundary, 'at' | 'notBefore' | 'notAfter'>;

export class StayColumnsBuilder {
  readonly #known = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #uids: string[] = [];
  readonly #ips: string[] = [];
  #shared: Uint32Array;
  #flags: Uint8Array;
  #times: Float64Array;
  #count = 0;

  /** `expected`: about how many will come. */
  constructor(expected: number) {
    const room = Math.max(1, expected);
    this.#shared = new Uint32Array(room * SHARED);
    this.#flags = new Uint8Array(room);
    this.#times = new Float64Array(room * TIMES);
  }

  get count(): number {
    return this.#count;
  }

  add(holder: Holder, start: Times, end: Times | undefined, ip?: string): void {
    const at = this.#count++;
    if (at === this.#flags.length) this.#grow();
    const { kind, namespace, name, uid, node, workload, hostNetwork } = holder;
    this.#names.push(name);
    this.#uids.push(uid);
    if (ip !== undefined) this.#ips.push(ip);
    this.#shared[at * SHARED] = this.#numberOf(namespace);
    this.#shared[at * SHARED + 1] = this.#numberOf(node);
    this.#shared[at * SHARED + 2] = this.#numberOf(workload?.kind ?? '');
    this.#shared[at * SHARED + 3] = this.#numberOf(workload?.name ?? '');
    this.#flags[at] =
      HOLDER_KINDS.indexOf(kind) |
      (hostNetwork ? HOST_NETWORK : 0) |
      (workload === undefined ? 0 : HAS_WORKLOAD) |
      (workload?.inferred === true ? IS_INFERRED : 0);
    const times = at * TIMES;
    this.#times[times] = start.at;
    this.#times[times + 1] = start.notBefore;
    this.#times[times + 2] = start.notAfter;
    this.#times[times + 3] = end?.at ?? Number.NaN;
    this.#times[times + 4] = end?.notBefore ?? Number.NaN;
    this.#times[times + 5] = end?.notAfter ?? Number.NaN;
  }

  build(): StayColumns {
    const count = this.#count;
    return {
      count,
      texts: [...this.#known.keys()],
      ...{ names: this.#names, uids: this.#uids, ips: this.#ips },
      // Copies: a view would carry the whole room behind it to another thread.
      shared: this.#shared.slice(0, count * SHARED),
      flags: this.#flags.slice(0, count),
      times: this.#times.slice(0, count * TIMES),
    };
  }

  #grow(): void {
    const [shared, flags, times] = [this.#shared, this.#flags, this.#times];
    this.#shared = new Uint32Array(shared.length * 2);
    this.#flags = new Uint8Array(flags.length * 2);
    this.#times = new Float64Array(times.length * 2);
    this.#shared.set(shared);
    this.#flags.set(flags);
    this.#times.set(times);
  }

  #numberOf(text: string): number {
    let number = this.#known.get(text);
    if (number === undefined) this.#known.set(text, (number = this.#known.size));
    return number;
  }
}

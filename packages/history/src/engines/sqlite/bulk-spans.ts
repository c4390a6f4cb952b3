// The tenures of many addresses on their way between the threads: texts that repeat travel once, the rest is numbers. As
// objects they would cost both threads twice as much, and they come by the hundred thousand when a log is attributed.
import type { Boundary } from '../../model/boundary.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { Holder, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { IpSpan } from '../snapshot.ts';

export interface PackedSpans {
  readonly ips: readonly IpAddress[];
  /** From and to of each. */
  readonly times: Float64Array;
}

/** The tenures of many addresses, one after the other. */
export interface PackedTenures {
  /** For each address, how many it has; TOO_MANY for one whose tenures are left out. */
  readonly counts: Int32Array;
  /** Name, UID and the two versions of each tenure. */
  readonly texts: readonly string[];
  /** Texts that many tenures share, and their places for each tenure: SHARED of them. */
  readonly dictionary: readonly string[];
  readonly places: Uint32Array;
  /** NUMBERS of each. */
  readonly numbers: Float64Array;
}

const TOO_MANY = -1;
const TEXTS = 4;
const SHARED = 9;
const NUMBERS = 11;

export function packSpans(asked: readonly IpSpan[]): PackedSpans {
  const times = new Float64Array(asked.length * 2);
  for (let i = 0; i < asked.length; i++) {
    times[2 * i] = asked[i]!.from;
    times[2 * i + 1] = asked[i]!.to;
  }
  return { ips: asked.map(({ ip }) => ip), times };
}

/** Asks for each span and packs what is found; of an address that has more than `most`, `ask` may leave some out. */
export function answerSpans(
  { ips, times }: PackedSpans,
  most: number,
  ask: (ip: IpAddress, from: number, to: number) => readonly Tenure[],
): PackedTenures {
  const counts = new Int32Array(ips.length);
  const tenures: Tenure[] = [];
  for (let i = 0; i < ips.length; i++) {
    const found = ask(ips[i]!, times[2 * i]!, times[2 * i + 1]!);
    counts[i] = found.length > most ? TOO_MANY : found.length;
    if (found.length <= most) for (const tenure of found) tenures.push(tenure);
  }
  const known = new Map<string, number>();
  const texts: string[] = [];
  const places = new Uint32Array(tenures.length * SHARED);
  const numbers = new Float64Array(tenures.length * NUMBERS);
  let place = 0;
  let number = 0;
  const shared = (text: string): void => {
    let at = known.get(text);
    if (at === undefined) known.set(text, (at = known.size));
    places[place++] = at;
  };
  const boundary = (of: Boundary | undefined): void => {
    shared(of?.source ?? '');
    shared(of?.collector ?? '');
    texts.push(of?.resourceVersion ?? '');
    numbers[number++] = of?.at ?? Number.NaN;
    if (of === undefined) number += 4;
    else {
      numbers[number++] = of.notBefore;
      numbers[number++] = of.notAfter;
      numbers[number++] = of.observedAt;
      numbers[number++] = of.epoch;
    }
  };
  for (const { holder, start, end } of tenures) {
    const { kind, namespace, name, uid, node, workload, hostNetwork } = holder;
    texts.push(name, uid);
    shared(kind);
    shared(namespace);
    shared(node);
    shared(workload?.kind ?? '');
    shared(workload?.name ?? '');
    numbers[number++] = (hostNetwork ? 1 : 0) + (workload === undefined ? 0 : 2) + (workload?.inferred ? 4 : 0);
    boundary(start);
    boundary(end);
  }
  return { counts, texts, dictionary: [...known.keys()], places, numbers };
}

export function unpackTenures(asked: readonly IpSpan[], packed: PackedTenures): (readonly Tenure[] | undefined)[] {
  const { counts } = packed;
  let next = 0;
  return asked.map(({ ip }, i) => {
    const count = counts[i]!;
    if (count === TOO_MANY) return undefined;
    const tenures: Tenure[] = [];
    for (let left = count; left > 0; left--) tenures.push(unpackTenure(ip, packed, next++));
    return tenures;
  });
}

function unpackTenure(ip: IpAddress, packed: PackedTenures, at: number): Tenure {
  const { texts, dictionary, places, numbers } = packed;
  const shared = (i: number): string => dictionary[places[at * SHARED + i]!]!;
  const flags = numbers[at * NUMBERS]!;
  const workload = { kind: shared(3), name: shared(4), inferred: (flags & 4) !== 0 };
  const holder: Holder = {
    kind: shared(0) as Holder['kind'],
    namespace: shared(1),
    name: texts[at * TEXTS]!,
    uid: texts[at * TEXTS + 1]!,
    node: shared(2),
    workload: (flags & 2) === 0 ? undefined : workload,
    hostNetwork: (flags & 1) !== 0,
  };
  const boundary = (which: 0 | 1): Boundary => {
    const first = at * NUMBERS + 1 + which * 5;
    return {
      at: numbers[first] as EpochMillis,
      notBefore: numbers[first + 1] as EpochMillis,
      notAfter: numbers[first + 2] as EpochMillis,
      source: shared(5 + which * 2) as Boundary['source'],
      epoch: numbers[first + 4]!,
      resourceVersion: texts[at * TEXTS + 2 + which]!,
      observedAt: numbers[first + 3] as EpochMillis,
      collector: shared(6 + which * 2),
    };
  };
  const isOpen = Number.isNaN(numbers[at * NUMBERS + 6]!);
  return { ip, holder, start: boundary(0), end: isOpen ? undefined : boundary(1) };
}

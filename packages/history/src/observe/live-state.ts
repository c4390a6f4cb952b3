// What is remembered of a living holder, as one text with its version: the observer writes and reads it, engines only
// keep it. A version that was released stays readable; a change of LiveHolder that old texts lack needs a new one.

import { HistoryError } from '../errors.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Fact, LiveHolder, LiveMore, LiveState, StoredFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Holder, Placement, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { annotationEntry } from './annotation-changes.ts';

const VERSION = 1;

/** Rows are many and written often: fields have places instead of names, and origins are written once. */
type Packed = readonly [
  version: number,
  holder: PackedHolder,
  seen: readonly [epoch: number, resourceVersion: string, seenAt: number, terminal: 0 | 1],
  network: readonly [blankSince: number | null, readyAt: number | null, lostAt: number | null],
  tenures: readonly PackedTenure[],
  placement: PackedInterval | 0,
  annotations: readonly (readonly [key: string, text: string, sha256?: string])[],
  origins: readonly (readonly [source: Boundary['source'], epoch: number, collector: string])[],
  more?: LiveMore,
];

type PackedHolder = readonly [
  kind: Holder['kind'],
  namespace: string,
  name: string,
  uid: string,
  node: string,
  hostNetwork: 0 | 1,
  ...workload: readonly [] | readonly [kind: string, name: string, inferred: 0 | 1],
];

/** Without a holder it is that of the whole. */
type PackedInterval = readonly [start: PackedBoundary, end: PackedBoundary | 0, holder?: PackedHolder];
type PackedTenure = readonly [ip: string, ...PackedInterval];
/** Times as differences from the first. */
type PackedBoundary = readonly [
  at: number,
  notBefore: number,
  notAfter: number,
  observedAt: number,
  origin: number,
  resourceVersion: string,
];

export function serializeLive(live: LiveHolder): string {
  const { holder, placement, more } = live;
  const origins: [Boundary['source'], number, string][] = [];
  const whose = (known: Holder): readonly [] | readonly [PackedHolder] =>
    known === holder || isSame(known, holder) ? [] : [packHolder(known)];
  const packed: Packed = [
    VERSION,
    packHolder(holder),
    [live.epoch, live.resourceVersion, live.seenAt, live.terminal ? 1 : 0],
    [live.blankSince ?? null, live.networkReadyAt ?? null, live.networkLostAt ?? null],
    live.tenures.map((tenure) => [tenure.ip, ...packInterval(tenure, origins), ...whose(tenure.holder)]),
    placement === undefined ? 0 : [...packInterval(placement, origins), ...whose(placement.pod)],
    live.annotations.map(([key, { text, sha256 }]) => (sha256 === undefined ? [key, text] : [key, text, sha256])),
    origins,
    ...(more === undefined ? ([] as const) : ([more] as const)),
  ];
  return JSON.stringify(packed);
}

export function deserializeLive({ uid, state }: LiveState): LiveHolder {
  const packed = parse(uid, state);
  const [, packedHolder, [epoch, resourceVersion, seenAt, terminal], network, tenures, placement, annotations] = packed;
  const origins = packed[7];
  const more = packed[8];
  const holder = unpackHolder(packedHolder);
  const whose = (known: PackedHolder | undefined): Holder => (known === undefined ? holder : unpackHolder(known));
  const [blankSince, networkReadyAt, networkLostAt] = network.map((time) => time ?? undefined) as Times;
  const live: LiveHolder = {
    holder,
    epoch,
    resourceVersion,
    seenAt: epochMillis(seenAt),
    terminal: terminal === 1,
    tenures: tenures.map(
      ([ip, start, end, known]): Tenure => ({
        ip: ip as IpAddress,
        holder: whose(known),
        ...unpackInterval(start, end, origins),
      }),
    ),
    placement: placement === 0 ? undefined : unpackPlacement(placement, whose, origins),
    blankSince,
    networkReadyAt,
    networkLostAt,
    annotations: annotations.map(([key, text, sha256]) => annotationEntry(key, text, sha256)),
  };
  return more === undefined ? live : { ...live, more: restoredMore(more) };
}

/** As an engine stores it. */
export function storedFact(fact: Fact): StoredFact {
  if (fact.kind !== 'live') return fact;
  const { uid, live } = fact;
  return { kind: 'live', uid, state: live === undefined ? undefined : serializeLive(live) };
}

/** As it was observed. */
export function restoredFact(fact: StoredFact): Fact {
  if (fact.kind !== 'live') return fact;
  const { uid, state } = fact;
  return { kind: 'live', uid, live: state === undefined ? undefined : deserializeLive({ uid, state }) };
}

type Times = [EpochMillis | undefined, EpochMillis | undefined, EpochMillis | undefined];
type Origins = Packed[7];

function parse(uid: string, state: string): Packed {
  const packed = JSON.parse(state) as Packed;
  if (packed[0] === VERSION) return packed;
  throw new HistoryError('live-state-newer', `what is remembered of ${uid} was written by a newer podtrail`, {
    hint: 'use the newer podtrail.',
  });
}

function packHolder({ kind, namespace, name, uid, node, hostNetwork, workload }: Holder): PackedHolder {
  const plain = [kind, namespace, name, uid, node, hostNetwork ? 1 : 0] as const;
  return workload === undefined ? plain : [...plain, workload.kind, workload.name, workload.inferred ? 1 : 0];
}

function unpackHolder([kind, namespace, name, uid, node, hostNetwork, ...workload]: PackedHolder): Holder {
  const [ofKind, called, inferred] = workload;
  return {
    kind,
    namespace,
    name,
    uid,
    node,
    workload:
      ofKind === undefined || called === undefined
        ? undefined
        : { kind: ofKind, name: called, inferred: inferred === 1 },
    hostNetwork: hostNetwork === 1,
  };
}

function isSame(one: Holder, other: Holder): boolean {
  return JSON.stringify(packHolder(one)) === JSON.stringify(packHolder(other));
}

function packInterval(
  { start, end }: Pick<Tenure, 'start' | 'end'>,
  origins: [Boundary['source'], number, string][],
): readonly [PackedBoundary, PackedBoundary | 0] {
  return [packBoundary(start, origins), end === undefined ? 0 : packBoundary(end, origins)];
}

function unpackInterval(
  start: PackedBoundary,
  end: PackedBoundary | 0,
  origins: Origins,
): Pick<Tenure, 'start' | 'end'> {
  return { start: unpackBoundary(start, origins), end: end === 0 ? undefined : unpackBoundary(end, origins) };
}

function unpackPlacement(
  [start, end, known]: PackedInterval,
  whose: (known: PackedHolder | undefined) => Holder,
  origins: Origins,
): Placement {
  return { pod: whose(known), ...unpackInterval(start, end, origins) };
}

function packBoundary(boundary: Boundary, origins: [Boundary['source'], number, string][]): PackedBoundary {
  const { at, notBefore, notAfter, observedAt, source, epoch, collector, resourceVersion } = boundary;
  let origin = origins.findIndex(([s, e, c]) => s === source && e === epoch && c === collector);
  if (origin < 0) origin = origins.push([source, epoch, collector]) - 1;
  return [at, notBefore - at, notAfter - at, observedAt - at, origin, resourceVersion];
}

function unpackBoundary(packed: PackedBoundary, origins: Origins): Boundary {
  const [at, notBefore, notAfter, observedAt, origin, resourceVersion] = packed;
  const [source, epoch, collector] = origins[origin]!;
  return {
    at: epochMillis(at),
    notBefore: epochMillis(at + notBefore),
    notAfter: epochMillis(at + notAfter),
    source,
    epoch,
    resourceVersion,
    observedAt: epochMillis(at + observedAt),
    collector,
  };
}

/** JSON leaves out what is undefined: the fields that a record always has are put back. */
function restoredMore(more: LiveMore): LiveMore {
  if (more.possible === undefined) return more;
  const { pod, end } = more.possible;
  return { ...more, possible: { ...more.possible, pod: { ...pod, workload: pod.workload }, end } };
}

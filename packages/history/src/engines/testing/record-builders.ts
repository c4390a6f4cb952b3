// Records for the contract suite, each with only what its test is about: `aTenure('10.0.0.7', 'web-1', 100, 200)`.
import type { Boundary, Provenance } from '../../model/boundary.ts';
import type { Evidence } from '../../model/evidence.ts';
import { type LiveHolder, possibleFact, type StoredFact } from '../../model/fact.ts';
import { type IpAddress, parseIp } from '../../model/ip-address.ts';
import { occurrenceFact } from '../../model/occurrence.ts';
import type { Departure, PodLife } from '../../model/pod-life.ts';
import type {
  Anomaly,
  Change,
  Conflict,
  Coverage,
  Holder,
  Placement,
  PossibleTenure,
  Tenure,
} from '../../model/records.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import { storedFact } from '../../observe/live-state.ts';

/** A Monday, so that tests can cross weeks on purpose: 2026-11-09T00:00:00Z. */
const MONDAY = Date.UTC(2026, 10, 9);

export function ipOf(text: string): IpAddress {
  const ip = parseIp(text);
  if (ip === undefined) throw new RangeError(`${text} is no address`);
  return ip;
}

/** Seconds after the Monday. */
export function at(seconds: number): EpochMillis {
  return epochMillis(MONDAY + seconds * 1000);
}

export function aBoundary(seconds: number, more: Partial<Boundary> = {}): Boundary {
  return {
    at: at(seconds),
    notBefore: at(seconds),
    notAfter: at(seconds),
    source: 'watch',
    epoch: 1,
    resourceVersion: String(1000 + Math.round(seconds)),
    observedAt: at(seconds),
    collector: 'recorder-1',
    ...more,
  };
}

export function aHolder(name: string, more: Partial<Holder> = {}): Holder {
  return {
    kind: 'Pod',
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    node: 'node-a',
    workload: { kind: 'Deployment', name: 'web', inferred: true },
    hostNetwork: false,
    ...more,
  };
}

export function aTenure(ip: string, holder: string | Holder, from: number | Boundary, to?: number | Boundary): Tenure {
  return {
    ip: ipOf(ip),
    holder: asHolder(holder),
    start: asBoundary(from),
    end: to === undefined ? to : asBoundary(to),
  };
}

export function aPlacement(holder: string | Holder, from: number | Boundary, to?: number | Boundary): Placement {
  return { pod: asHolder(holder), start: asBoundary(from), end: to === undefined ? to : asBoundary(to) };
}

export function aPossibleTenure(
  holder: string | Holder,
  from: number | Boundary,
  to?: number | Boundary,
  within: readonly string[] = ['10.0.0.0/24', 'fd00::/64'],
): PossibleTenure {
  return {
    pod: asHolder(holder),
    within,
    start: asBoundary(from),
    end: to === undefined ? to : asBoundary(to),
  };
}

export function aChange(holder: string | Holder, seconds: number, more: Partial<Change> = {}): Change {
  const { source, epoch, resourceVersion, observedAt, collector } = aBoundary(seconds);
  const value = { text: `at ${seconds}`, sha256: undefined };
  const provenance = { source, epoch, resourceVersion, observedAt, collector };
  return { ...provenance, pod: asHolder(holder), key: 'example.com/note', before: undefined, after: value, ...more };
}

export function aConflict(ip: string, one: string, other: string, seconds: number): Conflict {
  const { source, epoch, resourceVersion, observedAt, collector } = aBoundary(seconds);
  const holders = [aHolder(one), aHolder(other)] as const;
  return { source, epoch, resourceVersion, observedAt, collector, ip: ipOf(ip), holders };
}

export function anAnomaly(uid: string, seconds: number): Anomaly {
  const { source, epoch, resourceVersion, observedAt, collector } = aBoundary(seconds);
  return { source, epoch, resourceVersion, observedAt, collector, what: 'clock-skew', uid, detail: 'an hour ahead' };
}

export function aPodLife(name: string, seconds: number, more: Partial<PodLife> = {}): PodLife {
  return {
    ...aProvenance(seconds),
    pod: aHolder(name),
    owner: { kind: 'ReplicaSet', namespace: 'shop', name: 'web-5d9', uid: 'uid-web-5d9' },
    revision: '5d9',
    ...{ isMirror: false, qosClass: 'Burstable', priority: 0, restarts: 0, endings: [] },
    created: at(seconds - 5),
    scheduled: at(seconds - 4),
    ready: at(seconds - 1),
    ...more,
  };
}

export function aDeparture(name: string, seconds: number): Departure {
  return { ...aProvenance(seconds), pod: aHolder(name), at: at(seconds) };
}

export function aPieceOfEvidence(name: string, seconds: number, more: Partial<Evidence> = {}): Evidence {
  return {
    ...aProvenance(seconds),
    id: `evidence-${name}-${seconds}`,
    about: { kind: 'Pod', namespace: 'shop', name, uid: `uid-${name}` },
    ...{ what: 'event', at: at(seconds), reason: 'Killing', message: 'Stopping container', by: 'kubelet', count: 1 },
    ...more,
  };
}

function aProvenance(seconds: number): Provenance {
  const { source, epoch, resourceVersion, observedAt, collector } = aBoundary(seconds);
  return { source, epoch, resourceVersion, observedAt, collector };
}

export function aCoverage(from: number, to: number, more: Partial<Coverage> = {}): Coverage {
  return {
    scope: { kind: 'cluster' },
    epoch: 1,
    collector: 'recorder-1',
    from: at(from),
    to: at(to),
    confirmed: at(to),
    ended: false,
    opened: 'start',
    ...more,
  };
}

export function aLiveHolder(name: string, seconds: number, more: Partial<LiveHolder> = {}): LiveHolder {
  return {
    holder: aHolder(name),
    epoch: 1,
    resourceVersion: String(1000 + seconds),
    seenAt: at(seconds),
    terminal: false,
    tenures: [aTenure('10.0.0.7', name, seconds)],
    placement: aPlacement(name, seconds),
    blankSince: undefined,
    networkReadyAt: at(seconds),
    networkLostAt: undefined,
    annotations: [['note', { text: 'kept', sha256: undefined }]],
    ...more,
  };
}

export const tenureFact = (tenure: Tenure): StoredFact => ({ kind: 'tenure', tenure });
export const placementFact = (placement: Placement): StoredFact => ({ kind: 'placement', placement });
export const changeFact = (change: Change): StoredFact => ({ kind: 'change', change });
export const coverageFact = (coverage: Coverage): StoredFact => ({ kind: 'coverage', coverage });
export const conflictFact = (conflict: Conflict): StoredFact => ({ kind: 'conflict', conflict });
export const anomalyFact = (anomaly: Anomaly): StoredFact => ({ kind: 'anomaly', anomaly });
export const liveFact = (uid: string, live: LiveHolder | undefined): StoredFact =>
  storedFact({ kind: 'live', uid, live });

function asHolder(holder: string | Holder): Holder {
  return typeof holder === 'string' ? aHolder(holder) : holder;
}

function asBoundary(boundary: number | Boundary): Boundary {
  return typeof boundary === 'number' ? aBoundary(boundary) : boundary;
}

/** One of each kind of record that a ledger has, about two lives. */
export function everyKind(): StoredFact[] {
  return [
    tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)),
    tenureFact(aTenure('10.0.0.7', 'web-2', 210)),
    placementFact(aPlacement('web-1', 95, 200)),
    changeFact(aChange('web-1', 120)),
    coverageFact(aCoverage(90, 300)),
    conflictFact(aConflict('10.0.0.7', 'web-1', 'web-2', 205)),
    anomalyFact(anAnomaly('uid-web-1', 130)),
    occurrenceFact('life', aPodLife('web-1', 100)),
    occurrenceFact('departure', aDeparture('web-1', 199)),
    occurrenceFact('evidence', aPieceOfEvidence('web-1', 199)),
    possibleFact(aPossibleTenure('web-3', 140, 150)),
    liveFact('uid-web-2', aLiveHolder('web-2', 210)),
  ];
}

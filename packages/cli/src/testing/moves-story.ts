// Builders for ledgers with causes, and a small story: kafka-0 is drained from node-35 and comes back on node-06; lonely
// is deleted on node-06; kafka-1 lives on node-06 and once lost its sandbox. Seconds after 10:00 UTC.
import {
  type Departure,
  type Engine,
  type EpochMillis,
  type Evidence,
  epochMillis,
  type Holder,
  type IpAddress,
  openStore,
  type PodLife,
  parseIp,
  type StoredFact,
} from '@podtrail/history';

const START = Date.UTC(2026, 10, 15, 10);
export const at = (second: number): EpochMillis => epochMillis(START + second * 1000);
const OWNER = { kind: 'StatefulSet', namespace: 'shop', name: 'kafka', uid: 'uid-kafka' };

function provenance(second: number) {
  const version = String(1000 + second);
  return { source: 'watch', epoch: 1, resourceVersion: version, observedAt: at(second), collector: 'c' } as const;
}

export function pod(name: string, uid: string, node: string): Holder {
  const workload = { kind: 'StatefulSet', name: 'kafka', inferred: false };
  return { kind: 'Pod', namespace: 'shop', name, uid, node, workload, hostNetwork: false };
}

export function life(holder: Holder, created: number, more: Partial<PodLife> = {}): StoredFact {
  return {
    kind: 'life',
    life: {
      ...{ ...provenance(created), pod: holder, owner: OWNER, revision: 'r1', isMirror: false },
      ...{ qosClass: 'Burstable', priority: 0, restarts: 1, endings: [] },
      ...{ created: at(created), scheduled: at(created + 1), networkUp: at(created + 2), ready: at(created + 5) },
      ...more,
    },
  };
}

export function departure(holder: Holder, second: number): StoredFact {
  const record: Departure = { ...provenance(second), pod: holder, owner: OWNER, at: at(second) };
  return { kind: 'departure', departure: record };
}

const boundary = (second: number, notAfter = second) => {
  return { ...provenance(second), at: at(second), notBefore: at(second), notAfter: at(notAfter) };
};

export function tenure(ip: string, holder: Holder, start: number, end?: number, slack = 0): StoredFact {
  const times = {
    start: boundary(start, start + slack),
    end: end === undefined ? undefined : boundary(end, end + slack),
  };
  return { kind: 'tenure', tenure: { ip: parseIp(ip) as IpAddress, holder, ...times } };
}

function placement(holder: Holder, start: number, end?: number): StoredFact {
  const times = { start: boundary(start), end: end === undefined ? undefined : boundary(end) };
  return { kind: 'placement', placement: { pod: holder, ...times } };
}

function said(
  about: Evidence['about'],
  what: Evidence['what'],
  second: number,
  more: Partial<Evidence> = {},
): StoredFact {
  const rest = { reason: '', message: '', by: '', count: 1, ...more };
  const id = `${about.kind}-${about.name}-${what}-${second}`;
  return { kind: 'evidence', evidence: { ...provenance(second), id, about, what, at: at(second), ...rest } };
}

export function cordoned(node: string, second: number): StoredFact {
  return said({ kind: 'Node', namespace: '', name: node, uid: `uid-${node}` }, 'cordoned', second);
}

export function uncordoned(node: string, second: number): StoredFact {
  return said({ kind: 'Node', namespace: '', name: node, uid: `uid-${node}` }, 'uncordoned', second);
}

/** The recorder has begun to watch a stream of evidence. */
export function followed(name: string): StoredFact {
  return said({ kind: 'Stream', namespace: '', name, uid: '' }, 'stream-followed', 0);
}

export function watched(from: number, to: number): StoredFact {
  return {
    kind: 'coverage',
    coverage: {
      ...{ scope: { kind: 'cluster' }, epoch: 1, collector: 'c', from: at(from), to: at(to), confirmed: at(to) },
      ...{ ended: false, opened: 'start' },
    },
  };
}

export async function aLedgerWith(facts: readonly StoredFact[]): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  await (await engine.takeOver({ id: 'c1', name: 'prod' })).append({ facts });
  return engine;
}

const DRAINED = pod('kafka-0', 'uid-kafka-0-a', 'node-35');
const RETURNED = pod('kafka-0', 'uid-kafka-0-b', 'node-06');
const LONELY: Holder = { ...pod('lonely', 'uid-lonely', 'node-06'), workload: undefined };
const REPLACED = pod('kafka-1', 'uid-kafka-1', 'node-06');

const DISRUPTION = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting', at: at(100) };

/** Where everybody was, and no word of why. */
export const PLACES: readonly StoredFact[] = [
  watched(0, 400),
  ...[placement(DRAINED, 11, 105), placement(RETURNED, 107), placement(LONELY, 21, 231), placement(REPLACED, 15)],
  ...[tenure('10.0.0.7', DRAINED, 12, 104), tenure('10.0.0.7', LONELY, 108, 230), tenure('10.0.0.8', RETURNED, 108)],
  ...[tenure('10.0.0.5', REPLACED, 16, 200), tenure('10.0.0.6', REPLACED, 201)],
];

/** How they lived, and what was said of it. */
export const CAUSES_OF_PLACES: readonly StoredFact[] = [
  ...['events', 'statefulsets', 'namespaces'].map(followed),
  cordoned('node-35', 90),
  life(DRAINED, 10, {
    ...{ disruption: DISRUPTION, deletion: { requested: at(100), graceSeconds: 30 }, gone: at(105) },
    endings: [{ container: 'broker', reason: 'Completed', exitCode: 0, signal: 0, at: at(104) }],
  }),
  departure(DRAINED, 100),
  life(RETURNED, 106),
  life(LONELY, 20, { owner: undefined, deletion: { requested: at(200), graceSeconds: 30 }, gone: at(231) }),
  departure(LONELY, 200),
  life(REPLACED, 14),
  said({ kind: 'Pod', namespace: 'shop', name: 'kafka-1', uid: 'uid-kafka-1' }, 'event', 200, {
    ...{ reason: 'SandboxChanged', by: 'kubelet' },
  }),
];

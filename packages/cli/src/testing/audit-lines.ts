// Lines of an audit log for tests of commands, and a ledger of the pods that they are about: lonely was deleted, kafka-0
// was evicted from a node, cart-1 went when its Deployment was scaled. Seconds after 10:00 UTC.
import {
  type Departure,
  type Engine,
  type EpochMillis,
  epochMillis,
  type Holder,
  openStore,
  type PodLife,
  type StoredFact,
} from '@podtrail/history';

type Fields = Readonly<Record<string, unknown>>;

const START = Date.UTC(2026, 10, 15, 10);
export const CLUSTER = { id: '831833a6-f708-4b7d-9948-721ee3d16550', name: 'prod-eu' };

export const at = (second: number): EpochMillis => epochMillis(START + second * 1000);

/** A request that was allowed, at level Request; `second` is when it was received. */
export function auditLine(auditID: string, second: number, user: string, fields: Fields): string {
  return `${JSON.stringify({
    ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Request', auditID, stage: 'ResponseComplete' },
    ...{ requestURI: `/${auditID}`, verb: 'delete', user: { username: user }, sourceIPs: ['192.0.2.1'] },
    ...{ userAgent: 'kubectl/v1.36.3', responseStatus: { code: 200 } },
    requestReceivedTimestamp: new Date(at(second)).toISOString(),
    stageTimestamp: new Date(at(second) + 20).toISOString(),
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...fields,
  })}\n`;
}

export const podRef = (name: string, subresource?: string) => ({
  objectRef: { resource: 'pods', namespace: 'shop', name, subresource },
});

export const NODE_CORDONED = auditLine('a1', 80, 'alice', {
  ...{ verb: 'patch', objectRef: { resource: 'nodes', name: 'node-35' } },
  requestObject: { spec: { unschedulable: true } },
});
export const KAFKA_EVICTED = auditLine('a2', 100, 'alice', { verb: 'create', ...podRef('kafka-0', 'eviction') });
export const LONELY_DELETED = auditLine('a3', 200, 'bob', podRef('lonely'));
export const CART_SCALED = auditLine('a4', 299, 'carol', {
  verb: 'patch',
  objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'shop', name: 'cart', subresource: 'scale' },
  requestObject: { spec: { replicas: 1 } },
});
export const CART_DELETED = auditLine('a5', 300, 'system:serviceaccount:kube-system:replicaset-controller', {
  ...podRef('cart-1'),
});
/** In the order of time. */
export const LOG = [NODE_CORDONED, KAFKA_EVICTED, LONELY_DELETED, CART_SCALED, CART_DELETED];

const provenance = (second: number) =>
  ({
    source: 'watch',
    epoch: 1,
    resourceVersion: String(1000 + second),
    observedAt: at(second),
    collector: 'c',
  }) as const;

interface Lived {
  readonly name: string;
  readonly node: string;
  readonly ended: number;
  readonly workload?: readonly [kind: string, name: string];
  readonly more?: Partial<PodLife>;
}

const PODS: readonly Lived[] = [
  {
    ...{ name: 'kafka-0', node: 'node-35', ended: 100, workload: ['StatefulSet', 'kafka'] },
    more: { disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(100) } },
  },
  { name: 'lonely', node: 'node-06', ended: 200 },
  { name: 'cart-1', node: 'node-06', ended: 300, workload: ['Deployment', 'cart'] },
];

const WATCHED: StoredFact = {
  kind: 'coverage',
  coverage: {
    ...{ scope: { kind: 'cluster' }, epoch: 1, collector: 'c', from: at(0), to: at(600), confirmed: at(600) },
    ...{ ended: false, opened: 'start' },
  },
};

/** What the watch of ReplicaSets shows of a scale-down; without it, one in the middle of a rollout is no other. */
const CART_SHRUNK: StoredFact = {
  kind: 'evidence',
  evidence: {
    ...{ ...provenance(299), id: 'cart-shrunk', what: 'revision', at: at(299) },
    about: { kind: 'ReplicaSet', namespace: 'shop', name: 'cart', uid: 'uid-cart' },
    ...{ reason: '1', message: 'generation 3, 1 replicas desired, 2 before', by: '', count: 1 },
  },
};

export async function aLedgerOfEnds(url = 'memory:'): Promise<Engine> {
  const engine = await openStore(url, { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const streams = ['events', 'replicasets', 'deployments', 'statefulsets', 'namespaces', 'nodes'].map(followed);
  await writer.append({ facts: [...PODS.flatMap(factsOf), ...streams, CART_SHRUNK, WATCHED] });
  return engine;
}

function factsOf({ name, node, ended, workload, more }: Lived): StoredFact[] {
  const [kind = '', owner = ''] = workload ?? [];
  const pod: Holder = {
    ...{ kind: 'Pod', namespace: 'shop', name, uid: `uid-${name}`, node, hostNetwork: false },
    workload: workload === undefined ? undefined : { kind, name: owner, inferred: false },
  };
  const ofKind = kind === 'Deployment' ? 'ReplicaSet' : kind;
  const reference =
    workload === undefined ? undefined : { kind: ofKind, namespace: 'shop', name: owner, uid: `uid-${owner}` };
  const life: PodLife = {
    ...{ ...provenance(ended), pod, owner: reference, isMirror: false, qosClass: '', priority: 0, restarts: 0 },
    ...{ endings: [], created: at(0), scheduled: at(1), ready: at(2), gone: at(ended + 3) },
    deletion: { requested: at(ended), graceSeconds: 30 },
    ...more,
  };
  const departure: Departure = { ...provenance(ended), pod, owner: reference, at: at(ended) };
  const boundary = (second: number) => ({
    ...{ ...provenance(second), at: at(second), notBefore: at(second), notAfter: at(second) },
  });
  return [
    { kind: 'life', life },
    { kind: 'departure', departure },
    { kind: 'placement', placement: { pod, start: boundary(1), end: boundary(ended + 3) } },
  ];
}

function followed(name: string): StoredFact {
  return {
    kind: 'evidence',
    evidence: {
      ...{ ...provenance(0), id: `stream-${name}`, about: { kind: 'Stream', namespace: '', name, uid: '' } },
      ...{ what: 'stream-followed', at: at(0), reason: '', message: '', by: '', count: 1 },
    },
  };
}

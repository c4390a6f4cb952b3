// A made-up day in which many pods end, with what a recorder stores of each: its life, its departure, its addresses, and
// evidence about it, its owner, its node and the streams. In the order in which a recorder would have stored it.
import {
  type Boundary,
  type Departure,
  type Evidence,
  epochMillis,
  type Holder,
  type PodLife,
  parseIp,
  type StoredFact,
} from '@podtrail/history';

export interface DayShape {
  readonly departures: number;
  /** When the day begins. */
  readonly from: number;
  readonly workloads: number;
  readonly nodes: number;
  readonly namespaces: number;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Batches of facts, about an hour's worth each at most. */
export function* madeDay(shape: DayShape): Generator<StoredFact[]> {
  yield beginning(shape);
  let batch: StoredFact[] = [];
  for (let n = 0; n < shape.departures; n++) {
    batch.push(...departed(shape, n));
    if (batch.length < 5000) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** What is recorded before the first departure. */
function beginning(shape: DayShape): StoredFact[] {
  const facts: StoredFact[] = [];
  const { from } = shape;
  const to = epochMillis(from + DAY_MS);
  facts.push({
    kind: 'coverage',
    coverage: { ...provenance(from), scope: { kind: 'cluster' }, from: epochMillis(from), to, streams: [] } as never,
  });
  for (const name of ['events', 'replicasets', 'deployments', 'namespaces'])
    facts.push(evidence({ kind: 'Stream', namespace: '', name, uid: '' }, 'stream-followed', from));
  for (let n = 0; n < shape.namespaces; n++)
    facts.push(
      evidence({ kind: 'Namespace', namespace: '', name: `team-${n}`, uid: `namespace-${n}` }, 'created', from),
    );
  for (let n = 0; n < shape.workloads; n++) {
    const related = { kind: 'Deployment', namespace: namespaceOf(shape, n), name: `app-${n}`, uid: `deployment-${n}` };
    facts.push(evidence(ownerOf(shape, n), 'owned', from, { related, reason: '1' }));
  }
  return facts;
}

/** One pod from its beginning to its end, an hour later; a third of them are evicted in drains. */
function* departed(shape: DayShape, n: number): Generator<StoredFact> {
  const at = endOf(shape, n);
  const created = at - HOUR_MS;
  const pod = podOf(shape, n);
  const owner = ownerOf(shape, n);
  const object = { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid };
  const isEvicted = n % 3 === 0;
  const node = { kind: 'Node', namespace: '', name: pod.node, uid: `uid-${pod.node}` };
  const reason = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting', at: epochMillis(at) };
  const life: PodLife = {
    ...provenance(at + 2000),
    ...{ pod, owner, revision: 'r1', isMirror: false, qosClass: 'Burstable', priority: 0, restarts: 0, endings: [] },
    ...{ created: epochMillis(created), scheduled: epochMillis(created + 100), ready: epochMillis(created + 3000) },
    deletion: { requested: epochMillis(at), graceSeconds: 30 },
    gone: epochMillis(at + 2000),
    ...(isEvicted ? { disruption: reason } : {}),
  };
  yield evidence(object, 'event', created + 100, { reason: 'Scheduled', by: 'default-scheduler' });
  yield evidence(owner, 'event', created, {
    reason: 'SuccessfulCreate',
    message: `Created pod: ${pod.name}`,
    by: 'replicaset-controller',
  });
  if (isEvicted && n % 300 === 0) yield evidence(node, 'cordoned', at - 1000);
  if (n % 3 === 1)
    yield evidence(owner, 'event', at, {
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.name}`,
      by: 'replicaset-controller',
    });
  yield evidence(object, 'event', at, { reason: 'Killing', message: 'Stopping container app', by: 'kubelet' });
  yield { kind: 'life', life };
  const departure: Departure = { ...provenance(at), pod, owner, at: epochMillis(at) };
  yield { kind: 'departure', departure };
  const ip = parseIp(`10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`)!;
  const [start, end] = [boundary(created + 1000, n), boundary(at + 2000, n)];
  yield { kind: 'tenure', tenure: { ip, holder: pod, start, end } };
  yield { kind: 'placement', placement: { pod, start, end } };
}

export function podOf(shape: DayShape, n: number): Holder {
  const workload = n % shape.workloads;
  return {
    ...{ kind: 'Pod', namespace: namespaceOf(shape, workload), name: `app-${workload}-r1-${n}`, uid: uidOf(n) },
    ...{ node: `node-${n % shape.nodes}`, hostNetwork: false },
    workload: { kind: 'Deployment', name: `app-${workload}`, inferred: false },
  } as Holder;
}

export function endOf({ from, departures }: DayShape, n: number): number {
  return from + Math.floor(((n + 1) / (departures + 1)) * DAY_MS);
}

function uidOf(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${((n * 2_654_435_761) % 2 ** 40).toString(16).padStart(12, '0')}`;
}

function namespaceOf({ namespaces }: DayShape, workload: number): string {
  return `team-${workload % namespaces}`;
}

function ownerOf(shape: DayShape, n: number) {
  const workload = n % shape.workloads;
  return {
    kind: 'ReplicaSet',
    namespace: namespaceOf(shape, workload),
    name: `app-${workload}-r1`,
    uid: `set-${workload}`,
  };
}

function evidence(
  about: Evidence['about'],
  what: Evidence['what'],
  at: number,
  more: Partial<Evidence> = {},
): StoredFact {
  const id = `${about.uid === '' ? about.name : about.uid} ${what} ${more.reason ?? ''} ${at} ${more.message ?? ''}`;
  const rest = { about, what, at: epochMillis(at), reason: '', message: '', by: '', count: 1 };
  return { kind: 'evidence', evidence: { ...provenance(at), id, ...rest, ...more } };
}

function provenance(at: number) {
  return { source: 'watch', epoch: 1, resourceVersion: '1', observedAt: epochMillis(at), collector: 'bench' } as const;
}

function boundary(at: number, n: number): Boundary {
  const when = epochMillis(at);
  return { ...provenance(at), resourceVersion: String(n + 1), at: when, notBefore: when, notAfter: when };
}

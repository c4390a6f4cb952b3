// A ledger of three namespaces, for tests of who sees what: shop and vault have the same of everything (pods that stay and
// go, one on the host network, a Service, a workload, changed annotations, evidence), and twice was deleted and created
// again. Without the facts of a namespace it is the ledger of a cluster that never had it.
import {
  type Boundary,
  epochMillis,
  type Holder,
  type PodLife,
  type Provenance,
  parseIp,
  type StoredFact,
} from '@podtrail/history';

export const NOW = Date.UTC(2026, 10, 15, 12);
export const SINCE = NOW - 3_600_000;
/** Everything that ends has ended by then. */
export const UNTIL = NOW - 60_000;
/** When the namespace twice was created again. */
export const AGAIN = NOW - 1_200_000;

const MINUTE = 60_000;
const NODE = 'node-1';

export interface MadePod {
  readonly namespace: string;
  readonly name: string;
  readonly ip: string;
  readonly from: number;
  /** Undefined: it stays. */
  readonly to?: number | undefined;
  readonly hostNetwork?: boolean;
  /** node-1 if left out, which all namespaces have pods on. */
  readonly node?: string;
}

function observed(at: number, version: number): Provenance {
  return { source: 'watch', epoch: 1, resourceVersion: String(version), observedAt: epochMillis(at), collector: 'c' };
}

function boundary(at: number, version: number): Boundary {
  const when = epochMillis(at);
  return { ...observed(at, version), at: when, notBefore: when, notAfter: when };
}

let versions = 100;

function holderOf({ namespace, name, hostNetwork = false, node = NODE }: MadePod): Holder {
  const workload = { kind: 'Deployment', name: `${namespace}-${node === NODE ? 'app' : 'far'}`, inferred: false };
  return { kind: 'Pod', namespace, name, uid: `uid-${name}`, node, workload, hostNetwork };
}

/** What is recorded of a pod: placement, life, and of its own address the tenure; of one that ends why. */
export function podFacts(pod: MadePod): StoredFact[] {
  const holder = holderOf(pod);
  const start = boundary(pod.from, versions++);
  const end = pod.to === undefined ? undefined : boundary(pod.to, versions++);
  const life: PodLife = {
    ...{
      ...observed(pod.to ?? pod.from, versions++),
      pod: holder,
      isMirror: false,
      qosClass: 'Burstable',
      priority: 0,
    },
    ...{ created: epochMillis(pod.from), restarts: 0, endings: [], labels: { app: `${pod.namespace}-app` } },
    ...(pod.to === undefined
      ? {}
      : { deletion: { requested: epochMillis(pod.to), graceSeconds: 30 }, gone: epochMillis(pod.to) }),
  };
  const facts: StoredFact[] = [
    { kind: 'placement', placement: { pod: holder, start, end } },
    { kind: 'life', life },
  ];
  const ip = parseIp(pod.ip);
  if (ip !== undefined && !holder.hostNetwork) facts.push({ kind: 'tenure', tenure: { ip, holder, start, end } });
  if (pod.to === undefined) return facts;
  const at = epochMillis(pod.to);
  facts.push({ kind: 'departure', departure: { ...observed(pod.to, versions++), pod: holder, at } });
  const about = { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: holder.uid };
  const event = {
    what: 'event',
    reason: 'Killing',
    message: `Stopping container of ${pod.name}`,
    by: 'kubelet',
  } as const;
  facts.push({
    kind: 'evidence',
    evidence: { ...observed(pod.to, versions++), id: `event-${pod.name}`, about, at, count: 1, ...event },
  });
  return facts;
}

export function changeFact(pod: MadePod, at: number, key: string, value: string): StoredFact {
  const after = { text: value, sha256: undefined };
  return {
    kind: 'change',
    change: { ...observed(at, versions++), pod: holderOf(pod), key, before: undefined, after },
  };
}

export function coverageFact(to: number): StoredFact {
  const times = { from: epochMillis(SINCE - MINUTE), to: epochMillis(to), confirmed: epochMillis(to) };
  return {
    kind: 'coverage',
    coverage: { scope: { kind: 'cluster' }, epoch: 1, collector: 'c', ended: false, opened: 'start', ...times },
  };
}

function serviceFact(namespace: string, text: string): StoredFact {
  const ip = parseIp(text) as NonNullable<ReturnType<typeof parseIp>>;
  const name = `${namespace}-service`;
  const rest = { uid: `uid-${name}`, node: '', workload: undefined, hostNetwork: false };
  const holder: Holder = { kind: 'Service', namespace, name, ...rest };
  return { kind: 'tenure', tenure: { ip, holder, start: boundary(SINCE, versions++), end: undefined } };
}

function nodeFact(): StoredFact {
  const ip = parseIp('192.168.0.1') as NonNullable<ReturnType<typeof parseIp>>;
  const rest = { node: NODE, uid: 'uid-node-1', workload: undefined, hostNetwork: false };
  const holder: Holder = { kind: 'Node', namespace: '', name: NODE, ...rest };
  return { kind: 'tenure', tenure: { ip, holder, start: boundary(SINCE, versions++), end: undefined } };
}

const third = (namespace: string) => (namespace === 'shop' ? 1 : 2);

/** The pods of shop or vault. */
function podsOf(namespace: string): readonly MadePod[] {
  const net = `10.${third(namespace)}.0`;
  return [
    { namespace, name: `${namespace}-stays`, ip: `${net}.1`, from: SINCE + MINUTE },
    { namespace, name: `${namespace}-goes`, ip: `${net}.2`, from: SINCE + MINUTE, to: SINCE + 10 * MINUTE },
    { namespace, name: `${namespace}-follows`, ip: `${net}.3`, from: SINCE + 10 * MINUTE, to: SINCE + 30 * MINUTE },
    // Two at once had the same: ambiguous.
    { namespace, name: `${namespace}-one`, ip: `${net}.4`, from: SINCE + MINUTE, to: SINCE + 20 * MINUTE },
    { namespace, name: `${namespace}-two`, ip: `${net}.4`, from: SINCE + 2 * MINUTE, to: SINCE + 20 * MINUTE },
    { namespace, name: `${namespace}-agent`, ip: '', from: SINCE + MINUTE, hostNetwork: true },
    // On a node that no other namespace has pods on.
    {
      ...{ namespace, name: `${namespace}-far`, ip: `${net}.5`, node: namespace === 'vault' ? 'node-2' : 'node-3' },
      ...{ from: SINCE + MINUTE, to: SINCE + 25 * MINUTE },
    },
  ];
}

function factsOf(namespace: string): StoredFact[] {
  const pods = podsOf(namespace);
  const [stays] = pods as [MadePod, ...MadePod[]];
  return [
    ...pods.flatMap(podFacts),
    changeFact(stays, SINCE + 5 * MINUTE, `${namespace}-key`, `${namespace}-value`),
    changeFact(stays, SINCE + 6 * MINUTE, `${namespace}-other`, `${namespace}-text`),
    serviceFact(namespace, `10.96.${third(namespace)}.1`),
  ];
}

/** The namespaces whose records are in it; `twice` is the one that stands now, `before` the one of that name before it. */
export function tenantFacts(of: readonly ('shop' | 'vault' | 'twice' | 'before')[]): StoredFact[] {
  versions = 100;
  const facts: StoredFact[] = [coverageFact(NOW), nodeFact()];
  // Each is made whether or not it is taken, so that versions are the same.
  const all = {
    shop: factsOf('shop'),
    vault: factsOf('vault'),
    before: podFacts({
      namespace: 'twice',
      name: 'first-life',
      ip: '10.3.0.1',
      from: SINCE + MINUTE,
      to: AGAIN - MINUTE,
    }),
    twice: podFacts({ namespace: 'twice', name: 'second-life', ip: '10.3.0.2', from: AGAIN + MINUTE }),
  };
  for (const [name, some] of Object.entries(all)) if ((of as readonly string[]).includes(name)) facts.push(...some);
  return facts;
}

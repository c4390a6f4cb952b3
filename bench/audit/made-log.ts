// A made-up audit log of any size, from a seed: lines as kube-apiserver 1.36 writes them, in the shares of a cluster at
// work. Most are leases, events and reads; every tenth is about a pod. Used by bench/audit.ts.
import { open } from 'node:fs/promises';

/** Of a thousand lines. Bodies only of pods that are created and deleted, as docs/audit.md advises. */
const SHARES: readonly (readonly [share: number, make: (n: number, next: () => number) => string])[] = [
  [
    380,
    (n, next) =>
      line(
        n,
        kubelet(next),
        'update',
        ref('leases', 'kube-node-lease', `node-${below(next, 200)}`, 'coordination.k8s.io'),
      ),
  ],
  [150, (n, next) => line(n, kubelet(next), 'get', ref('nodes', '', `node-${below(next, 200)}`))],
  [120, (n, next) => line(n, controller(next), 'list', ref('endpointslices', '', '', 'discovery.k8s.io'))],
  [100, (n, next) => line(n, kubelet(next), 'get', ref('pods', space(next), pod(next)))],
  [60, (n, next) => line(n, controller(next), 'watch', ref('pods', '', ''))],
  [60, (n, next) => line(n, controller(next), 'create', ref('events', space(next), `${pod(next)}.17f`))],
  [30, (n, next) => line(n, kubelet(next), 'create', ref('subjectaccessreviews', '', '', 'authorization.k8s.io'))],
  [60, (n, next) => line(n, kubelet(next), 'patch', { ...ref('pods', space(next), pod(next)), subresource: 'status' })],
  [
    15,
    (n, next) => line(n, controller(next), 'create', ref('pods', space(next), ''), { responseObject: podObject(next) }),
  ],
  [
    10,
    (n, next) =>
      line(n, 'system:kube-scheduler', 'create', { ...ref('pods', space(next), pod(next)), subresource: 'binding' }),
  ],
  [
    10,
    (n, next) =>
      line(n, kubelet(next), 'delete', ref('pods', space(next), pod(next)), { responseObject: podObject(next) }),
  ],
  [3, (n, next) => line(n, controller(next), 'update', ref('replicasets', space(next), pod(next), 'apps'))],
  [2, (n, next) => line(n, 'mallory', 'delete', ref('pods', space(next), pod(next)), FORBIDDEN)],
];

const FORBIDDEN = {
  responseStatus: {
    metadata: {},
    status: 'Failure',
    message: 'pods is forbidden: User "mallory" cannot delete resource "pods"',
    reason: 'Forbidden',
    code: 403,
  },
  annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
};

export interface MadeLog {
  readonly bytes: number;
  readonly lines: number;
  /** Lines that are an action: a change of a pod or an owner, or a refusal. */
  readonly actions: number;
}

/** About `bytes` of it. */
export async function writeMadeLog(path: string, bytes: number, seed: number): Promise<MadeLog> {
  const next = numbers(seed);
  const file = await open(path, 'w');
  const made = { bytes: 0, lines: 0, actions: 0 };
  try {
    while (made.bytes < bytes) {
      let text = '';
      while (text.length < 1 << 20) {
        let place = below(next, 1000);
        const kind = SHARES.findIndex(([share]) => (place -= share) < 0);
        text += SHARES[kind]![1](made.lines++, next);
        if (kind >= 7) made.actions++;
      }
      made.bytes += (await file.write(text)).bytesWritten;
    }
  } finally {
    await file.close();
  }
  return made;
}

function line(n: number, user: string, verb: string, objectRef: object, more: object = {}): string {
  const at = new Date(1_794_800_000_000 + n).toISOString().replace('Z', '123Z');
  const event = {
    ...{
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: auditId(n),
      stage: 'ResponseComplete',
    },
    requestURI: `/api/v1/x/${n}?fieldManager=a&timeout=5s`,
    verb,
    user: {
      username: user,
      groups: ['system:nodes', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [
          'X509SHA256=9cb900b1e1d56166bb79d602d2781f9a453785a2c126baa676bd2eb709850dce',
        ],
      },
    },
    sourceIPs: ['10.0.0.7'],
    userAgent: 'kubelet/v1.36.3 (linux/amd64) kubernetes/0000000',
    objectRef,
    responseStatus: { metadata: {}, code: verb === 'create' ? 201 : 200 },
    requestReceivedTimestamp: at,
    stageTimestamp: at,
    annotations: {
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason':
        'RBAC: allowed by ClusterRoleBinding "system:node" of ClusterRole "system:node" to Group "system:nodes"',
    },
    ...more,
  };
  // Go escapes it.
  return `${JSON.stringify(event).replaceAll('&', '\\u0026')}\n`;
}

function podObject(next: () => number): object {
  const env = Array.from({ length: 20 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-${below(next, 1e9)}` }));
  const container = {
    name: 'main',
    image: 'registry.example.com/shop/cart:1.2.3',
    env,
    resources: { limits: { cpu: '1', memory: '1Gi' } },
    imagePullPolicy: 'IfNotPresent',
  };
  const metadata = {
    name: pod(next),
    namespace: 'shop',
    uid: auditId(below(next, 1e9)),
    labels: { app: 'cart', tier: 'front' },
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: { containers: [container, { ...container, name: 'sidecar' }], nodeName: 'node-1' },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  };
}

function ref(resource: string, namespace: string, name: string, apiGroup?: string): object {
  return {
    resource,
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(apiGroup && { apiGroup }),
    apiVersion: 'v1',
  };
}

const kubelet = (next: () => number): string => `system:node:node-${below(next, 200)}`;
const controller = (next: () => number): string => `system:serviceaccount:kube-system:controller-${below(next, 30)}`;
const space = (next: () => number): string => `team-${below(next, 40)}`;
const pod = (next: () => number): string => `cart-${below(next, 1e6).toString(36)}-${below(next, 6e7).toString(36)}`;

function auditId(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

function below(next: () => number, most: number): number {
  return Math.floor(next() * most);
}

/** In [0, 1), from a seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

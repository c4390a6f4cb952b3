// The kinds that random requests are about: where they live, what they hold, and what is worth changing in them.
import { aConfigMap, aPod, aWorkload, CONTAINER } from '../objects.ts';
import type { Json } from '../raw-client.ts';
import type { Draw } from './draw.ts';

export interface Kind {
  readonly plural: string;
  path(namespace: string): string;
  make(draw: Draw, name: string): Json;
  /** Merge patches of the object. */
  readonly changes: readonly Json[];
  readonly statusChanges: readonly Json[];
  readonly fieldSelectors: readonly string[];
  readonly subresources: readonly string[];
}

const METADATA: readonly Json[] = [
  { metadata: { labels: { app: 'web' } } },
  { metadata: { labels: { app: 'db', tier: 'back' } } },
  { metadata: { labels: { tier: null } } },
  { metadata: { annotations: { note: 'x' } } },
  { metadata: { finalizers: ['example.com/a'] } },
  { metadata: { finalizers: ['example.com/a', 'example.com/b'] } },
  { metadata: { finalizers: null } },
  { metadata: { labels: { app: 'not a label' } } },
  { metadata: { name: 'other' } },
  { metadata: { labels: { app: 5 } } },
  { metadata: { namespace: 'elsewhere', annotations: 'none' } },
  { metadata: { uid: '11111111-2222-3333-4444-555555555555', resourceVersion: '1' } },
  {},
];
const NAMES = ['metadata.name=a', 'metadata.name!=b', 'metadata.name=a,metadata.name=b', 'metadata.nonsense=x'];

export const CUSTOM_GROUP = 'differential.example.com';

const at =
  (prefix: string, plural: string) =>
  (namespace: string): string =>
    `${prefix}/namespaces/${namespace}/${plural}`;

export const KINDS: readonly Kind[] = [
  {
    plural: 'configmaps',
    path: at('/api/v1', 'configmaps'),
    make: (draw, name) => aConfigMap(name, { v: String(draw.number(3)) }),
    changes: [
      ...METADATA,
      { data: { v: '1' } },
      { data: { v: '2', w: 'x' } },
      { data: { v: null } },
      { data: null },
      { data: ['v'] },
    ],
    statusChanges: [],
    fieldSelectors: NAMES,
    subresources: [],
  },
  {
    plural: 'pods',
    path: at('/api/v1', 'pods'),
    make: (draw, name) =>
      aPod(name, {
        ...(draw.chance(0.5) ? { nodeName: draw.pick(['node-x', 'node-y']) } : {}),
        ...(draw.chance(0.2) ? { terminationGracePeriodSeconds: draw.pick([0, 5, 60]) } : {}),
        ...(draw.chance(0.1) ? { containers: [] } : {}),
        ...(draw.chance(0.2) ? { restartPolicy: draw.pick(['Never', 'OnFailure', 'Sometimes']) } : {}),
        serviceAccountName: 'default',
      }),
    changes: [
      ...METADATA,
      { spec: { nodeName: 'node-z' } },
      { spec: { restartPolicy: 'Never' } },
      { spec: { activeDeadlineSeconds: 10 } },
      { spec: { activeDeadlineSeconds: 'soon' } },
      { spec: { activeDeadlineSeconds: 0 } },
      { spec: { activeDeadlineSeconds: 20, tolerations: null } },
      { spec: { containers: { name: 'main' } } },
      { spec: { containers: [{ ...CONTAINER, image: 'registry.k8s.io/pause:3.9' }] } },
      { status: { phase: 'Failed' } },
    ],
    statusChanges: [
      { status: { phase: 'Running', podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] } },
      { status: { phase: 'Succeeded' } },
      { status: { phase: 'Failed', reason: 'Evicted', message: 'out of memory' } },
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }] } },
      { metadata: { labels: { app: 'status' } } },
      { spec: { nodeName: 'node-s' } },
    ],
    fieldSelectors: [
      ...NAMES,
      'spec.nodeName=node-x',
      'spec.nodeName=',
      'status.phase=Running',
      'status.phase!=Pending',
    ],
    subresources: ['status'],
  },
  {
    plural: 'leases',
    path: at('/apis/coordination.k8s.io/v1', 'leases'),
    make: (draw, name) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: { holderIdentity: draw.pick(['me', 'you']), leaseDurationSeconds: draw.pick([15, 30, 0]) },
    }),
    changes: [...METADATA, { spec: { holderIdentity: 'they' } }, { spec: { leaseTransitions: -1 } }, { spec: null }],
    statusChanges: [],
    fieldSelectors: NAMES,
    subresources: [],
  },
  {
    plural: 'deployments',
    path: at('/apis/apps/v1', 'deployments'),
    make: (draw, name) => aWorkload('Deployment', name, draw.pick([0, 1, 3, -1])),
    changes: [
      ...METADATA,
      { spec: { replicas: 2 } },
      { spec: { replicas: -2 } },
      { spec: { replicas: 'many' } },
      { spec: { paused: true } },
      { spec: { template: { metadata: { annotations: { restarted: 'yes' } } } } },
      { spec: { template: { metadata: { labels: { app: null } } } } },
    ],
    statusChanges: [{ status: { replicas: 2, observedGeneration: 1 } }, { status: { readyReplicas: 1, replicas: 1 } }],
    fieldSelectors: NAMES,
    subresources: ['status', 'scale'],
  },
  {
    plural: 'widgets',
    path: at(`/apis/${CUSTOM_GROUP}/v1`, 'widgets'),
    make: (draw, name) => ({
      apiVersion: `${CUSTOM_GROUP}/v1`,
      kind: 'Widget',
      metadata: { name },
      spec: { size: draw.number(4), deep: { list: [1, { a: 'b' }] } },
    }),
    changes: [...METADATA, { spec: { size: 9 } }, { spec: { deep: null } }, { status: { ready: true } }],
    statusChanges: [{ status: { ready: true } }, { status: { ready: false }, spec: { size: 7 } }],
    fieldSelectors: NAMES,
    subresources: ['status'],
  },
];

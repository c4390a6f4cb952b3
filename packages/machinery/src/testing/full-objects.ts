// One object of each declared kind with every field that its view reads, and some that it skips. JSON, as the server
// sends it; for tests that compare the two formats.

type Json = Record<string, unknown>;

const metadata: Json = {
  name: 'cart-7d9-x2k',
  generateName: 'cart-7d9-',
  namespace: 'shop',
  uid: '5f0c7a52-2a5e-4a53-9a34-0d9b6d1c8f11',
  resourceVersion: '18446744073709551617',
  generation: 7,
  creationTimestamp: '2026-11-15T10:00:00Z',
  deletionTimestamp: '2026-11-15T11:00:00Z',
  deletionGracePeriodSeconds: 30,
  labels: { app: 'cart', 'pod-template-hash': '7d9', __proto__x: 'harmless' },
  annotations: { note: 'Grüße, 世界 🚀', 'example.com/long': 'x'.repeat(200), empty: '' },
  ownerReferences: [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'cart-7d9',
      uid: 'rs-1',
      controller: true,
      blockOwnerDeletion: true,
    },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'cm-1' },
  ],
  finalizers: ['example.com/one', 'example.com/two'],
};

const ended = (exitCode: number, reason: string): Json => ({
  exitCode,
  signal: 9,
  reason,
  message: 'out of memory',
  startedAt: '2026-11-15T10:01:00Z',
  finishedAt: '2026-11-15T10:02:00Z',
  containerID: 'containerd://1',
});

export const fullPod: Json = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: {
    containers: [{ name: 'app', image: 'cart:1' }],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    serviceAccountName: 'cart',
    nodeName: 'worker-2',
    hostNetwork: true,
    schedulerName: 'default-scheduler',
    priorityClassName: 'high',
    priority: -5,
  },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-11-15T10:00:09Z' },
      {
        type: 'DisruptionTarget',
        status: 'True',
        lastTransitionTime: '2026-11-15T10:59:59Z',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        observedGeneration: 7,
      },
    ],
    message: 'The node was low on resource: memory.',
    reason: 'Evicted',
    hostIP: '192.168.0.2',
    hostIPs: [{ ip: '192.168.0.2' }],
    podIP: '10.1.2.3',
    podIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::3' }],
    startTime: '2026-11-15T10:00:01Z',
    qosClass: 'Burstable',
    containerStatuses: [
      {
        name: 'fine',
        state: { running: { startedAt: '2026-11-15T10:00:05Z' } },
        lastState: {},
        ready: true,
        restartCount: 0,
      },
      {
        name: 'app',
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: ended(137, 'OOMKilled') },
        restartCount: 4,
        image: 'cart:1',
      },
      {
        name: 'twice',
        state: { terminated: ended(1, 'Error') },
        lastState: { terminated: ended(-1, 'Error') },
        restartCount: 1,
      },
    ],
    initContainerStatuses: [{ name: 'init', state: { terminated: ended(0, 'Completed') }, restartCount: 0 }],
    ephemeralContainerStatuses: [{ name: 'debug', state: { terminated: ended(2, 'Error') } }],
  },
};

export const fullNode: Json = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata,
  spec: {
    podCIDR: '10.1.0.0/24',
    podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'],
    providerID: 'aws:///eu-west-1a/i-1',
    unschedulable: true,
    taints: [
      { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-11-15T10:00:00Z' },
      { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
    ],
  },
  status: {
    capacity: { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi' },
    allocatable: { cpu: '7910m', memory: '31Gi' },
    conditions: [
      {
        type: 'Ready',
        status: 'Unknown',
        lastHeartbeatTime: '2026-11-15T09:59:00Z',
        lastTransitionTime: '2026-11-15T10:00:00Z',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      },
    ],
    addresses: [
      { type: 'InternalIP', address: '192.168.0.2' },
      { type: 'Hostname', address: 'worker-2' },
    ],
    nodeInfo: { machineID: 'm-1', systemUUID: 's-1', bootID: 'b-1', kubeletVersion: 'v1.36.3' },
  },
};

export const fullService: Json = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: {
    ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
    selector: { app: 'cart', tier: 'web' },
    clusterIP: '10.96.0.7',
    clusterIPs: ['10.96.0.7', 'fd00:96::7'],
    type: 'LoadBalancer',
    externalIPs: ['203.0.113.9'],
    externalName: 'cart.example.com',
    ipFamilies: ['IPv4', 'IPv6'],
  },
  status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }, { hostname: 'lb.example.com' }] } },
};

const reference = {
  apiVersion: 'v1',
  kind: 'Pod',
  namespace: 'shop',
  name: 'cart-7d9-x2k',
  uid: 'u-1',
  fieldPath: 'spec',
};

export const fullEvent: Json = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata,
  eventTime: '2026-11-15T10:05:00.123456Z',
  series: { count: 12, lastObservedTime: '2026-11-15T10:06:00.999999Z' },
  reportingController: 'kubelet',
  reportingInstance: 'worker-2',
  action: 'Killing',
  reason: 'Killing',
  regarding: reference,
  related: { ...reference, kind: 'Node', name: 'worker-2' },
  note: 'Stopping container app',
  type: 'Normal',
  deprecatedSource: { component: 'kubelet', host: 'worker-2' },
  deprecatedFirstTimestamp: '2026-11-15T10:05:00Z',
  deprecatedLastTimestamp: '2026-11-15T10:06:00Z',
  deprecatedCount: 12,
};

export const fullMetadata: Json = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };

// A small cluster made of plain objects, the same on each server: two nodes, a Deployment with its ReplicaSet and pods,
// a Service, a ConfigMap and an event. Nothing runs, so it stays as it was made.
import { aConfigMap, aNode, aPod, apps, aWorkload, core, ownedBy } from '../objects.ts';
import type { Json, RawClient } from '../raw-client.ts';

export const SHOP = 'shop';
const STARTED = '2024-01-01T00:00:00Z';
/** The real server runs without the admission that would put it there. */
const ACCOUNT = { serviceAccountName: 'default' };
const LABELS = { app: 'web', 'pod-template-hash': 'abc' };

export async function makeScene(client: RawClient): Promise<void> {
  await client.create('/api/v1/namespaces', { metadata: { name: SHOP } });
  for (const [index, name] of ['node-a', 'node-b'].entries()) await makeNode(client, name, `192.168.0.${index + 1}`);
  const deployment = await client.create(apps(SHOP, 'deployments'), aWorkload('Deployment', 'web', 2));
  const set = aWorkload('ReplicaSet', 'web-abc', 2);
  set.metadata = { name: 'web-abc', labels: LABELS, ...ownedBy(deployment, { controller: true }) };
  set.spec.selector.matchLabels = LABELS;
  set.spec.template.metadata.labels = LABELS;
  const owner = await client.create(apps(SHOP, 'replicasets'), set);
  await makePod(client, 'web-abc-one', 'node-a', '10.0.0.7', owner);
  const second = await makePod(client, 'web-abc-two', 'node-b', '10.0.1.7', owner);
  await client.create(core(SHOP, 'pods'), aPod('waiting', ACCOUNT, { labels: { app: 'late' } }));
  await client.create(core(SHOP, 'configmaps'), aConfigMap('settings', { color: 'red', size: '7' }));
  await client.create(core(SHOP, 'services'), {
    metadata: { name: 'web' },
    // Headless: a new real server looks its addresses over once, and records events about those given out meanwhile.
    spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80, name: 'http' }] },
  });
  await client.create(core(SHOP, 'events'), {
    metadata: { name: 'web-abc-two.1' },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: SHOP, name: 'web-abc-two', uid: second.metadata.uid },
    reason: 'Scheduled',
    message: 'Successfully assigned shop/web-abc-two to node-b',
    type: 'Normal',
    source: { component: 'default-scheduler' },
    firstTimestamp: STARTED,
    lastTimestamp: STARTED,
    count: 1,
  });
}

/** A pod as its kubelet reports it. */
async function makePod(client: RawClient, name: string, node: string, ip: string, owner: Json): Promise<Json> {
  const path = core(SHOP, 'pods');
  const metadata = { labels: LABELS, ...ownedBy(owner, { controller: true, blockOwnerDeletion: true }) };
  const created = await client.create(path, aPod(name, { nodeName: node, ...ACCOUNT }, metadata));
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: STARTED });
  await client.patch(`${path}/${name}/status`, 'merge', {
    status: {
      phase: 'Running',
      startTime: STARTED,
      hostIP: '192.168.0.1',
      hostIPs: [{ ip: '192.168.0.1' }],
      podIP: ip,
      podIPs: [{ ip }],
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
      containerStatuses: [
        {
          name: 'main',
          ready: true,
          started: true,
          restartCount: 0,
          image: 'registry.k8s.io/pause:3.10',
          imageID: 'registry.k8s.io/pause@sha256:1',
          containerID: 'containerd://1',
          state: { running: { startedAt: STARTED } },
        },
      ],
    },
  });
  return created;
}

async function makeNode(client: RawClient, name: string, address: string): Promise<void> {
  await client.create('/api/v1/nodes', aNode(name, { 'kubernetes.io/hostname': name }));
  await client.patch(`/api/v1/nodes/${name}/status`, 'merge', {
    status: {
      addresses: [{ type: 'InternalIP', address }],
      capacity: { cpu: '4', memory: '8Gi', pods: '110' },
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: STARTED }],
      nodeInfo: {
        kubeletVersion: 'v1.36.0',
        osImage: 'Linux',
        kernelVersion: '6.1',
        containerRuntimeVersion: 'containerd://2.0.0',
      },
    },
  });
}

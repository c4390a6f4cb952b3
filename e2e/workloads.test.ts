// Real controllers and simulated nodes at work. The first two tests run on any cluster.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubernetesVersion, until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ controllerManager: true, scheduler: true, kwok: { nodes: 3 } });

interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string };
  spec: { nodeName?: string };
  status: { phase: string; podIP?: string };
}

test('kubectl reads the version of the server', async () => {
  const { serverVersion } = await cluster.kubectlJson(['version']);
  if (!cluster.skipUnless('own control plane')) assert.equal(serverVersion.gitVersion, kubernetesVersion);
  assert.match(serverVersion.gitVersion, /^v1\.\d+\.\d+/);
});

test("a Deployment's pods are placed on nodes and get IPs", async (t) => {
  const namespace = await cluster.namespace(t);
  await createDeployment(namespace, 'web', 6);
  const pods = await runningPods(namespace, 6);
  assert.equal(new Set(pods.map((pod) => pod.status.podIP)).size, 6, 'two pods share an IP');
  if (!cluster.skipUnless('simulated nodes')) {
    assert.ok(pods.every((pod) => pod.status.podIP?.startsWith('10.244.')));
    assert.deepEqual([...new Set(pods.map((pod) => pod.spec.nodeName))].sort(), ['node-0', 'node-1', 'node-2']);
  }
});

test('after a drain a replacement holds an IP that an evicted pod has freed', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  t.after(() => cluster.kubectl(['uncordon', 'node-0', 'node-1']));
  await createDeployment(namespace, 'moving', 6);
  const before = await runningPods(namespace, 6);
  // Two nodes one after the other: what the first drain freed is there to be given when the second one needs it.
  for (const node of ['node-0', 'node-1']) {
    await cluster.kubectl(['drain', node, '--ignore-daemonsets', '--pod-selector=app=moving']);
    await runningPods(namespace, 6);
  }
  const after = await runningPods(namespace, 6);
  assert.deepEqual([...new Set(after.map((pod) => pod.spec.nodeName))], ['node-2']);
  const staying = new Set(after.map((pod) => pod.metadata.uid));
  const evicted = before.filter((pod) => !staying.has(pod.metadata.uid));
  assert.ok(evicted.length >= 2, `only ${evicted.length} pods were evicted`);
  const freed = new Set(evicted.map((pod) => pod.status.podIP));
  const known = new Set(before.map((pod) => pod.metadata.uid));
  const reused = after.filter((pod) => !known.has(pod.metadata.uid) && freed.has(pod.status.podIP));
  assert.ok(reused.length > 0, `freed ${[...freed]}, given ${after.map((pod) => pod.status.podIP)}`);
});

async function createDeployment(namespace: string, name: string, replicas: number): Promise<void> {
  const image = '--image=registry.k8s.io/pause:3.10';
  await cluster.kubectl(['-n', namespace, 'create', 'deployment', name, image, `--replicas=${replicas}`]);
}

/** Once exactly `count` pods run with an IP and none is on its way out. */
function runningPods(namespace: string, count: number): Promise<Pod[]> {
  return until(
    `${count} pods run in ${namespace}`,
    async () => {
      const pods: Pod[] = (await cluster.kubectlJson(['-n', namespace, 'get', 'pods'])).items;
      const running = pods.filter((pod) => pod.status.phase === 'Running' && pod.status.podIP);
      return running.length === count && pods.every((pod) => !pod.metadata.deletionTimestamp) && running;
    },
    { withinMs: 120_000, everyMs: 200 },
  );
}

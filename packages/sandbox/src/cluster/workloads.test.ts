import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReady, type PodObject } from './pod-object.ts';
import { aWorkload, smallCluster } from './testing/small-cluster.ts';

const condition = (pod: PodObject | undefined, type: string) =>
  pod?.status.conditions?.find((one) => one.type === type);

test('a deployment gets its pods, running on nodes with addresses of both families', () => {
  const { api, cluster, until, podsLike } = smallCluster();
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 5 }));
  until('five ready', () => cluster.isSettled && podsLike('web-').length === 5, 30);
  const [pod] = podsLike('web-');
  assert.match(pod!.metadata.name, /^web-[a-z0-9]{8}-[a-z0-9]{5}$/);
  assert.equal(pod!.metadata.labels?.['pod-template-hash'], pod!.metadata.name.split('-')[1]);
  assert.match(pod!.status.podIP!, /^10\.244\./);
  assert.deepEqual(
    pod!.status.podIPs?.map(({ ip }) => ip.includes(':')),
    [false, true],
  );
  assert.equal(condition(pod, 'PodReadyToStartContainers')?.status, 'True');
  assert.equal(new Set(podsLike('web-').map(({ spec }) => spec.nodeName)).size, 3, 'spread over the nodes');
  const status = api.get('deployments.apps', 'default', 'web')!['status'] as Record<string, unknown>;
  assert.equal(status['readyReplicas'], 5);
});

test('a rolling update keeps within what may be too many and too few', () => {
  const { api, clock, cluster, until, podsLike } = smallCluster();
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } };
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 6, strategy }));
  until('six ready', () => cluster.isSettled && podsLike('web-').length === 6);
  const before = new Set(podsLike('web-').map(({ metadata }) => metadata.uid));
  cluster.rollout('default', 'web');
  clock.advanceBy(100);
  until(
    'rolled out',
    () => {
      const alive = podsLike('web-').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      assert.ok(alive.length <= 8, `${alive.length} pods`);
      assert.ok(alive.filter(isReady).length >= 5, `${alive.filter(isReady).length} ready`);
      return cluster.isSettled && !podsLike('web-').some(({ metadata }) => before.has(metadata.uid));
    },
    300,
  );
  assert.equal(podsLike('web-').length, 6);
  assert.equal(api.list('replicasets.apps').length, 2);
});

test('going back to an earlier template takes up its old set under a new revision', () => {
  const { api, cluster, until, podsLike, clock } = smallCluster();
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 2 }));
  const revisions = () =>
    Object.fromEntries(
      api.list('replicasets.apps').map((set) => {
        const { template } = set['spec'] as { template: { spec: { containers: { image: string }[] } } };
        return [template.spec.containers[0]!.image, set.metadata.annotations?.['deployment.kubernetes.io/revision']];
      }),
    );
  for (const image of ['example.test/main:1', 'example.test/main:2', 'example.test/main:1']) {
    const template = { spec: { containers: [{ name: 'main', image }] } };
    api.mergePatch('deployments.apps', 'default', 'web', { spec: { template } });
    clock.advanceBy(3000);
    until(image, () => cluster.isSettled && podsLike('web-').length === 2);
  }
  assert.deepEqual(revisions(), { 'example.test/main:1': '3', 'example.test/main:2': '2' });
  const { annotations } = api.get('deployments.apps', 'default', 'web')!.metadata;
  assert.equal(annotations?.['deployment.kubernetes.io/revision'], '3');
});

test('a rollout whose pods never get ready stops with the old ones still there', () => {
  const { api, clock, cluster, until, podsLike } = smallCluster();
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 4 }));
  until('ready', () => cluster.isSettled && podsLike('web-').length === 4);
  const template = { spec: { nodeSelector: { nowhere: 'at-all' } } };
  api.mergePatch('deployments.apps', 'default', 'web', { spec: { template } });
  clock.advanceBy(120_000);
  assert.equal(podsLike('web-').filter(isReady).length, 3);
  const pending = podsLike('web-').filter(({ spec }) => !spec.nodeName);
  assert.equal(pending.length, 2);
  assert.equal(condition(pending[0], 'PodScheduled')?.reason, 'Unschedulable');
  assert.match(
    condition(pending[0], 'PodScheduled')?.message ?? '',
    /^0\/3 nodes are available: 3 node\(s\) didn't match/,
  );
});

test('scaling down and up by the scale subresource converges', () => {
  const { api, cluster, until, podsLike } = smallCluster();
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 2 }));
  for (const replicas of [7, 1, 0, 3]) {
    api.mergePatch('deployments.apps', 'default', 'web', { spec: { replicas } }, 'scale');
    until(`${replicas} pods`, () => cluster.isSettled && podsLike('web-').length === replicas);
    const [set] = api.list('replicasets.apps');
    const desired = set?.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'];
    if (replicas > 0) assert.equal(desired, String(replicas));
  }
});

test('a stateful set comes up in order, down from the top, and its names come back as other pods', () => {
  const { api, clock, cluster, until, podsLike, pod } = smallCluster();
  const seen: string[] = [];
  api.watch('pods', (type, { metadata }) => {
    if (type !== 'MODIFIED') seen.push(`${type} ${metadata.name}`);
  });
  api.create('statefulsets.apps', aWorkload('StatefulSet', { name: 'db', replicas: 3, serviceName: 'db' }));
  until('three', () => cluster.isSettled && podsLike('db-').length === 3);
  assert.deepEqual(seen, ['ADDED db-0', 'ADDED db-1', 'ADDED db-2']);
  const uid = pod('default', 'db-1')?.metadata.uid;
  cluster.deletePod('default', 'db-1');
  clock.advanceBy(50);
  until('back', () => cluster.isSettled && podsLike('db-').length === 3);
  assert.notEqual(pod('default', 'db-1')?.metadata.uid, uid);
  seen.length = 0;
  cluster.scale('default', 'db', 1, 'statefulsets.apps');
  until('one', () => cluster.isSettled && podsLike('db-').length === 1);
  assert.deepEqual(seen, ['DELETED db-2', 'DELETED db-1']);
});

test('a stateful set rolls out from the highest ordinal, one at a time', () => {
  const { api, cluster, until, podsLike } = smallCluster();
  api.create('statefulsets.apps', aWorkload('StatefulSet', { name: 'db', replicas: 3, serviceName: 'db' }));
  until('three', () => cluster.isSettled && podsLike('db-').length === 3);
  const deleted: string[] = [];
  api.watch('pods', (type, { metadata }) => {
    if (type === 'DELETED') deleted.push(metadata.name!);
  });
  cluster.rollout('default', 'db', 'statefulsets.apps');
  until('all again', () => deleted.length === 3 && cluster.isSettled && podsLike('db-').length === 3);
  assert.deepEqual(deleted, ['db-2', 'db-1', 'db-0']);
});

test('a daemon set has one pod on each node, also on new ones, and shares the address of the node', () => {
  const { api, cluster, until, podsLike } = smallCluster();
  api.create('daemonsets.apps', aWorkload('DaemonSet', { name: 'agent', template: { hostNetwork: true } }));
  until('three', () => cluster.isSettled && podsLike('agent-').length === 3);
  const node = cluster.addNode();
  until('four', () => cluster.isSettled && podsLike('agent-').length === 4);
  const pod = podsLike('agent-').find(({ spec }) => spec.nodeName === node);
  const addresses = (api.get('nodes', undefined, node)!['status'] as { addresses: { address: string }[] }).addresses;
  assert.equal(pod!.status.podIP, addresses[0]!.address);
  assert.equal(pod!.status['hostIP'], pod!.status.podIP);
  const truth = cluster.truth.heldAt(pod!.status.podIP!, Date.UTC(2026, 10, 15, 13));
  assert.deepEqual(
    truth.map(({ uid, hostNetwork }) => ({ uid, hostNetwork })),
    [{ uid: pod!.metadata.uid, hostNetwork: true }],
  );
});

test('a job runs to its end; its pod goes on showing an address that is free, until both are gone', () => {
  const { api, clock, cluster, until, podsLike } = smallCluster({ nodes: 1, addressOrder: 'lowest' });
  const annotations = { 'sandbox.podtrail.dev/runs-for-seconds': '5' };
  const spec = { name: 'export', annotations, ttlSecondsAfterFinished: 60, template: { restartPolicy: 'Never' } };
  api.create('jobs.batch', aWorkload('Job', spec));
  until('complete', () => podsLike('export-')[0]?.status.phase === 'Succeeded', 30);
  const [pod] = podsLike('export-');
  const { podIP } = pod!.status;
  assert.equal(condition(pod, 'PodReadyToStartContainers')?.status, 'False');
  assert.equal(condition(pod, 'Ready')?.reason, 'PodCompleted');
  assert.equal(pod!.status.containerStatuses?.[0]?.state.terminated?.reason, 'Completed');
  assert.deepEqual(cluster.truth.heldAt(podIP!, clock.now()), [], 'nobody holds it');
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 1 }));
  until('reused', () => podsLike('web-')[0]?.status.podIP === podIP, 20);
  assert.equal(podsLike('export-')[0]?.status.podIP, podIP, 'two pods show it');
  until('job complete', () =>
    JSON.stringify(api.get('jobs.batch', 'default', 'export')).includes('CompletionsReached'),
  );
  until('gone', () => podsLike('export-').length === 0 && api.list('jobs.batch').length === 0, 90);
});

test('a job whose pods fail gives up at its limit', () => {
  const { api, until, podsLike } = smallCluster();
  const annotations = { 'sandbox.podtrail.dev/runs-for-seconds': '1', 'sandbox.podtrail.dev/exit-code': '3' };
  const spec = { name: 'bad', annotations, backoffLimit: 2, template: { restartPolicy: 'Never' } };
  api.create('jobs.batch', aWorkload('Job', spec));
  const conditions = () => JSON.stringify(api.get('jobs.batch', 'default', 'bad')!['status']);
  until('failed', () => conditions().includes('BackoffLimitExceeded'), 200);
  assert.equal(podsLike('bad-').length, 3);
  assert.equal(podsLike('bad-')[0]?.status.containerStatuses?.[0]?.state.terminated?.exitCode, 3);
});

test('deleting a deployment takes its sets and pods along', () => {
  const { api, cluster, until, podsLike } = smallCluster();
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 3 }));
  until('ready', () => cluster.isSettled && podsLike('web-').length === 3);
  api.delete('deployments.apps', 'default', 'web');
  until('gone', () => podsLike('web-').length === 0 && api.list('replicasets.apps').length === 0, 60);
  assert.ok(cluster.truth.tenures.every(({ to }) => to !== undefined));
});

test('a populated cluster has about as many pods as asked for, and all run within a minute', () => {
  for (const [nodes, pods] of [
    [3, 30],
    [10, 400],
  ] as const) {
    const { cluster, until } = smallCluster({ nodes });
    cluster.populate({ pods });
    until('settled', () => cluster.isSettled, 60);
    const count = [...cluster.pods()].length;
    assert.ok(Math.abs(count - pods) <= pods * 0.1, `${count} instead of ${pods}`);
  }
});

test('a namespace that is deleted ends with everything in it, and nothing grows again', () => {
  const { api, clock, cluster, until, podsLike } = smallCluster();
  api.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const web = aWorkload('Deployment', { name: 'web', replicas: 4 }) as { metadata: object };
  api.create('deployments.apps', { ...web, metadata: { ...web.metadata, namespace: 'shop' } });
  until('ready', () => cluster.isSettled && podsLike('web-').length === 4);
  api.delete('namespaces', undefined, 'shop');
  until('gone', () => api.get('namespaces', undefined, 'shop') === undefined, 60);
  clock.advanceBy(30_000);
  assert.equal(podsLike('web-').length, 0);
});

test('a template that the API server refuses stops nobody else', () => {
  const { api, cluster, until, podsLike } = smallCluster();
  const name = `a${'-long'.repeat(12)}`;
  api.create('deployments.apps', aWorkload('Deployment', { name, replicas: 2 }));
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 2 }));
  until('web runs', () => podsLike('web-').filter(isReady).length === 2, 60);
  assert.ok(cluster.nodeNames.length === 3);
});

test('while time follows the machine, a write from outside is answered by itself', async () => {
  const { api, clock, podsLike } = smallCluster();
  const ready = new Promise<void>((resolve) => {
    api.watch('pods', () => {
      if (podsLike('web-').filter(isReady).length === 2) resolve();
    });
  });
  const stop = clock.follow({ speed: 100 });
  try {
    api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 2 }));
    await ready;
  } finally {
    stop();
  }
});

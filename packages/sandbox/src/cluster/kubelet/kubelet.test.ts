import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodObject } from '../pod-object.ts';
import { aWorkload, type SmallCluster, smallCluster } from '../testing/small-cluster.ts';

const conditionOf = (pod: PodObject | undefined, type: string) =>
  pod?.status.conditions?.find((one) => one.type === type);
const stateOf = (pod: PodObject | undefined) => pod?.status.containerStatuses?.[0];

/** One pod of a deployment, running; and everything that is reported about it from then on. */
function oneRunning(
  options: Parameters<typeof smallCluster>[0] = {},
  annotations: Record<string, string> = {},
): SmallCluster & {
  readonly name: string;
  readonly reported: string[];
  readonly versions: PodObject[];
} {
  const small = smallCluster({ nodes: 1, ...options });
  small.api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 1, annotations }));
  small.until('running', () => small.cluster.isSettled && small.podsLike('web-').length === 1);
  const { name, uid } = small.podsLike('web-')[0]!.metadata;
  const reported: string[] = [];
  const versions: PodObject[] = [];
  small.api.watch('pods', (type, object) => {
    if (object.metadata.uid !== uid) return;
    const pod = object as PodObject;
    versions.push(pod);
    const network = conditionOf(pod, 'PodReadyToStartContainers')?.status;
    reported.push(`${type} ${pod.status.phase} ${network === 'True' ? pod.status.podIP : 'no network'}`);
  });
  return { ...small, name, reported, versions };
}

test('a pod is created, bound, reported as being created, then as running with its address', () => {
  const { api, cluster, until } = smallCluster({ nodes: 1, timings: { slowPullChance: 0 } });
  const reported: unknown[] = [];
  api.watch('pods', (_type, object) => {
    const { spec, status } = object as PodObject;
    const state = stateOf(object as PodObject)?.state;
    reported.push([spec.nodeName, status.phase, status.podIP, Object.keys(state ?? {})[0]]);
  });
  const spec = { containers: [{ name: 'main', image: 'example.test/main:1' }] };
  api.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace: 'default' }, spec });
  until('running', () => cluster.isSettled, 20);
  assert.deepEqual(reported, [
    [undefined, 'Pending', undefined, undefined],
    ['node-01', 'Pending', undefined, undefined],
    ['node-01', 'Pending', undefined, 'waiting'],
    ['node-01', 'Pending', undefined, 'waiting'],
    ['node-01', 'Running', '10.244.0.2', 'running'],
  ]);
  const [truth] = cluster.truth.tenures;
  assert.equal(truth?.name, 'one');
  assert.equal(truth?.node, 'node-01');
});

test('a slow pull hides the address until the containers run; the network is reported before by 1.36 only', () => {
  for (const [kubeletVersion, words] of [
    ['v1.36.3', ['Pending False', 'Pending True', 'Running True 10.244.0.2']],
    ['v1.34.4', ['Pending False', 'Running True 10.244.0.2']],
  ] as const) {
    const { api, cluster, until } = smallCluster({ nodes: 1, timings: { slowPullChance: 1 }, kubeletVersion });
    const reported: string[] = [];
    api.watch('pods', (_type, object) => {
      const { status } = object as PodObject;
      const network = conditionOf(object as PodObject, 'PodReadyToStartContainers')?.status;
      if (network !== undefined) reported.push([status.phase, network, status.podIP ?? []].flat().join(' '));
    });
    api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 1 }));
    until('running', () => cluster.isSettled && reported.at(-1)?.startsWith('Running') === true, 30);
    assert.deepEqual(reported, words);
    assert.equal(cluster.truth.tenures[0]?.ip, '10.244.0.2');
  }
});

test('a pull that is under way is not broken off by a deletion, and its address stays taken', () => {
  for (const grace of [0, 2]) {
    const { api, clock, cluster, until } = smallCluster({ nodes: 1 });
    const annotations = { 'sandbox.podtrail.dev/pulls-for-seconds': '6' };
    const spec = { containers: [{ name: 'main', image: 'example.test/main:1' }] };
    api.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one', namespace: 'default', annotations },
      spec,
    });
    until('has its address', () => cluster.truth.tenures.length > 0, 5);
    clock.advanceBy(1000);
    cluster.deletePod('default', 'one', grace);
    clock.advanceBy(3000);
    assert.equal(cluster.truth.tenures[0]!.to, undefined);
    until('free', () => cluster.truth.tenures[0]!.to !== undefined, 10);
  }
});

test('a deleted pod is marked, stopped, gives its address back, is reported as over, and only then goes', () => {
  const { cluster, until, name, reported, versions } = oneRunning();
  cluster.deletePod('default', name);
  assert.deepEqual(reported, ['MODIFIED Running 10.244.0.2'], 'marked');
  until('gone', () => reported.at(-1)!.startsWith('DELETED'), 40);
  assert.match(reported[1]!, /^MODIFIED (Succeeded|Failed) no network$/);
  assert.equal(versions[1]!.status.podIP, '10.244.0.2', 'what has ended goes on showing its address');
  assert.ok(stateOf(versions[1])?.state.terminated);
  const { to } = cluster.truth.tenures[0]!;
  assert.ok(to !== undefined);
});

test('after a forced deletion the object is gone before the address is free', () => {
  const { clock, cluster, until, name, reported } = oneRunning();
  cluster.deletePod('default', name, 0);
  assert.match(reported.at(-1)!, /^DELETED/);
  assert.equal(cluster.truth.heldAt('10.244.0.2', clock.now())[0]?.name, name);
  until('free', () => cluster.truth.tenures[0]!.to !== undefined, 4);
});

test('a stop that is under way is not shortened by a forced deletion', () => {
  const annotations = { 'sandbox.podtrail.dev/stops-in-seconds': '9' };
  const { clock, cluster, until, name } = oneRunning({}, annotations);
  cluster.deletePod('default', name, 15);
  clock.advanceBy(1000);
  cluster.deletePod('default', name, 0);
  clock.advanceBy(7000);
  assert.equal(cluster.truth.tenures[0]!.to, undefined);
  until('free', () => cluster.truth.tenures[0]!.to !== undefined, 4);
});

test('after a reboot the address is blank, and then another one', () => {
  const { cluster, until, reported, versions } = oneRunning();
  cluster.restartNode('node-01', 5_000);
  until('running again', () => reported.at(-1) === 'MODIFIED Running 10.244.0.3', 30);
  const shown = versions.map(({ status }) => status.podIP);
  assert.deepEqual(shown.slice(-3), [undefined, undefined, '10.244.0.3']);
  const [old, next] = cluster.truth.tenures.filter(({ ip }) => ip.startsWith('10.'));
  assert.ok(old!.to! <= next!.from);
});

test('what a kubelet has begun it finishes, also when its node is cut off meanwhile', () => {
  const { clock, cluster, until, name } = oneRunning();
  cluster.deletePod('default', name, 0);
  clock.advanceBy(50);
  cluster.loseNode('node-01');
  until('free', () => cluster.truth.tenures[0]!.to !== undefined, 10);
});

test('a sandbox that dies: first no network, then the old address once more, then another one for the same pod', () => {
  const { cluster, until, name, reported, versions, pod } = oneRunning();
  assert.equal(cluster.recreateSandbox('default', name), true);
  until('running again', () => reported.length > 2, 30);
  assert.deepEqual(reported, [
    'MODIFIED Running no network',
    'MODIFIED Running 10.244.0.2',
    'MODIFIED Running 10.244.0.3',
  ]);
  assert.equal(versions[0]!.status.podIP, '10.244.0.2', 'the old address is still shown');
  for (const version of versions) assert.equal(conditionOf(version, 'Ready')?.status, 'True');
  assert.equal(stateOf(pod('default', name))?.restartCount, 1);
  const held = cluster.truth.tenures.filter(({ ip }) => ip.startsWith('10.'));
  assert.deepEqual(
    held.map(({ ip, uid }) => [ip, uid]),
    ['10.244.0.2', '10.244.0.3'].map((ip) => [ip, versions[0]!.metadata.uid]),
  );
  assert.ok(held[0]!.to! <= held[1]!.from);
});

test('an OOM kill restarts the container at once; the next ones wait longer and longer', () => {
  const { cluster, until, name, pod, clock } = oneRunning();
  const restarts = () => stateOf(pod('default', name))?.restartCount;
  cluster.oom('default', name);
  until('restarted', () => restarts() === 1, 5);
  assert.deepEqual(
    [
      stateOf(pod('default', name))?.lastState.terminated?.reason,
      stateOf(pod('default', name))?.lastState.terminated?.exitCode,
    ],
    ['OOMKilled', 137],
  );
  assert.equal(cluster.oom('default', name), true);
  clock.advanceBy(9900);
  const { waiting } = stateOf(pod('default', name))!.state;
  assert.equal(waiting?.reason, 'CrashLoopBackOff');
  assert.match(waiting?.message ?? '', /^back-off 10s restarting failed container=main pod=web-/);
  assert.equal(conditionOf(pod('default', name), 'Ready')?.reason, 'ContainersNotReady');
  until('restarted again', () => restarts() === 2, 12);
  cluster.crash('default', name);
  clock.advanceBy(9900);
  assert.match(stateOf(pod('default', name))!.state.waiting?.message ?? '', /^back-off 20s/);
  assert.equal(cluster.truth.tenures.length, 2, 'the sandbox, and with it the address, stayed');
});

test('a pod evicted by its kubelet fails and stays, its address is free, and another pod takes its place', () => {
  const { cluster, until, name, pod, podsLike, clock } = oneRunning();
  cluster.evictByKubelet('default', name);
  until('failed', () => pod('default', name)?.status.phase === 'Failed', 20);
  const { status } = pod('default', name)!;
  assert.equal(status.reason, 'Evicted');
  assert.match(status.message!, /low on resource: memory/);
  assert.equal(conditionOf(pod('default', name), 'DisruptionTarget')?.reason, 'TerminationByKubelet');
  assert.equal(cluster.truth.heldAt('10.244.0.2', clock.now()).length, 0);
  until(
    'replaced',
    () => podsLike('web-').length === 2 && podsLike('web-').some((one) => one.status.phase === 'Running'),
  );
});

test('without a free address a pod waits, and starts when one is given back', () => {
  const { api, cluster, until, podsLike } = smallCluster({
    nodes: 1,
    podRanges: [{ cidr: '10.0.0.0/24', nodePrefix: 29 }],
  });
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 6 }));
  const running = () => podsLike('web-').filter(({ status }) => status.phase === 'Running');
  until('five', () => running().length === 5);
  assert.ok(JSON.stringify(api.list('events')).includes('FailedCreatePodSandBox'));
  cluster.scale('default', 'web', 5);
  until('five', () => cluster.isSettled && podsLike('web-').length === 5, 60);
});

test('a pod that was deleted before it had a node goes at once', () => {
  const { api, clock, until, podsLike } = smallCluster();
  const template = { nodeSelector: { nowhere: 'at-all' } };
  api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 1, template }));
  clock.advanceBy(2000);
  assert.equal(podsLike('web-').length, 1);
  api.delete('deployments.apps', 'default', 'web');
  until('gone', () => podsLike('web-').length === 0, 45);
});

test('two pods that want the same port of a host are never on one node', () => {
  const { api, clock, podsLike } = smallCluster({ nodes: 2 });
  const containers = [{ name: 'main', image: 'example.test/main:1', ports: [{ containerPort: 80, hostPort: 80 }] }];
  api.create('deployments.apps', aWorkload('Deployment', { name: 'edge', replicas: 3, template: { containers } }));
  clock.advanceBy(20_000);
  const nodes = podsLike('edge-').map(({ spec }) => spec.nodeName ?? 'none');
  assert.deepEqual(nodes.sort(), ['node-01', 'node-02', 'none']);
});

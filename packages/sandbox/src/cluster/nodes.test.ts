import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeObject } from './node-object.ts';
import { isLeaving, isReady, type PodObject } from './pod-object.ts';
import { aWorkload, type SmallCluster, smallCluster } from './testing/small-cluster.ts';

const nodeOf = ({ api }: SmallCluster, name: string) => api.get('nodes', undefined, name) as NodeObject;
const readiness = (node: NodeObject) => node.status.conditions?.find(({ type }) => type === 'Ready')?.status;
const taintsOf = (node: NodeObject) => (node.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const target = (pod: PodObject) => pod.status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason;

/** Six pods of a deployment and a daemon on each of three nodes. */
function running(options: Parameters<typeof smallCluster>[0] = {}): SmallCluster {
  const small = smallCluster(options);
  small.api.create('deployments.apps', aWorkload('Deployment', { name: 'web', replicas: 6 }));
  small.api.create('daemonsets.apps', aWorkload('DaemonSet', { name: 'agent' }));
  small.until('running', () => small.cluster.isSettled && small.podsLike('').length === 9);
  return small;
}

const on = ({ podsLike }: SmallCluster, node: string, prefix = '') =>
  podsLike(prefix).filter(({ spec }) => spec.nodeName === node);

test('a node has a range of addresses, room, conditions and addresses of its own', () => {
  const node = nodeOf(smallCluster(), 'node-02');
  assert.deepEqual(node.spec.podCIDRs, ['10.244.0.128/25', 'fd00:10:244:1::/64']);
  assert.equal(node.spec.podCIDR, '10.244.0.128/25');
  assert.deepEqual(node.status.addresses, [
    { type: 'InternalIP', address: '172.18.0.12' },
    { type: 'InternalIP', address: 'fd00:18::c' },
    { type: 'Hostname', address: 'node-02' },
  ]);
  assert.equal(readiness(node), 'True');
  assert.equal(node.status.allocatable?.['pods'], '110');
});

test('a drain empties a node except for daemons, through the Eviction API, and the node stays cordoned', () => {
  const small = running();
  const reasons = new Set<unknown>();
  small.api.watch('pods', (_type, object) => {
    if (object.metadata.deletionTimestamp !== undefined) reasons.add(target(object as PodObject));
  });
  let done = false;
  const drain = small.cluster.drain('node-01', () => {
    done = true;
  });
  small.until('drained', () => done && small.cluster.isSettled, 120);
  assert.equal(drain.isDone, true);
  assert.deepEqual(
    on(small, 'node-01').map(({ metadata }) => metadata.name.split('-')[0]),
    ['agent'],
  );
  assert.deepEqual([...reasons], ['EvictionByEvictionAPI']);
  assert.equal(small.podsLike('web-').filter(isReady).length, 6);
  assert.deepEqual(taintsOf(nodeOf(small, 'node-01')), ['node.kubernetes.io/unschedulable:NoSchedule']);
  small.cluster.uncordon('node-01');
  small.until('free of taints', () => taintsOf(nodeOf(small, 'node-01')).length === 0, 5);
});

test('a drain waits for a disruption budget, and gets there all the same', () => {
  const small = running();
  small.api.create('poddisruptionbudgets.policy', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  const drain = small.cluster.drain('node-01');
  small.until(
    'drained',
    () => {
      const ready = small.podsLike('web-').filter((pod) => isReady(pod) && !isLeaving(pod)).length;
      assert.ok(ready >= 5, `${ready} ready`);
      return drain.isDone;
    },
    300,
  );
});

test('a lost node becomes Unknown after its grace, its pods are deleted five minutes later and hang until it is back', () => {
  const small = running();
  const { clock, cluster } = small;
  const addresses = on(small, 'node-01', 'web-').map(({ status }) => status.podIP!);
  cluster.loseNode('node-01');
  clock.advanceBy(49_000);
  assert.equal(readiness(nodeOf(small, 'node-01')), 'True');
  clock.advanceBy(8_000);
  assert.equal(readiness(nodeOf(small, 'node-01')), 'Unknown');
  assert.deepEqual(taintsOf(nodeOf(small, 'node-01')), [
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
  ]);
  assert.ok(on(small, 'node-01').every((pod) => !isReady(pod)));
  clock.advanceBy(290_000);
  assert.ok(
    on(small, 'node-01').every((pod) => !isLeaving(pod)),
    'tolerated for five minutes',
  );
  clock.advanceBy(15_000);
  const stuck = on(small, 'node-01', 'web-');
  assert.ok(stuck.length > 0 && stuck.every(isLeaving));
  assert.deepEqual([...new Set(stuck.map(target))], ['DeletionByTaintManager']);
  assert.ok(
    on(small, 'node-01', 'agent-').every((pod) => !isLeaving(pod)),
    'daemons tolerate it',
  );
  clock.advanceBy(600_000);
  assert.deepEqual(
    on(small, 'node-01', 'web-').map(({ metadata }) => metadata.uid),
    stuck.map(({ metadata }) => metadata.uid),
    'nobody can say that they have ended',
  );
  for (const ip of addresses) assert.equal(cluster.truth.heldAt(ip, clock.now()).length, 1);
  assert.equal(small.podsLike('web-').filter(isReady).length, 6, 'replaced elsewhere');
  cluster.returnNode('node-01', false);
  small.until(
    'gone',
    () => on(small, 'node-01', 'web-').every((pod) => !stuck.some((one) => one.metadata.uid === pod.metadata.uid)),
    60,
  );
  small.until('healed', () => cluster.isSettled && taintsOf(nodeOf(small, 'node-01')).length === 0, 60);
  for (const ip of addresses) assert.equal(cluster.truth.heldAt(ip, clock.now()).length, 0);
});

test('a node that is back within the tolerated time keeps its pods, with their addresses if it was only the network', () => {
  const small = running();
  const { clock, cluster } = small;
  const facts = () => on(small, 'node-01').map(({ metadata, status }) => `${metadata.uid} ${status.podIP}`);
  const before = facts();
  cluster.loseNode('node-01');
  clock.advanceBy(120_000);
  cluster.returnNode('node-01', false);
  small.until('ready', () => taintsOf(nodeOf(small, 'node-01')).length === 0, 30);
  clock.advanceBy(400_000);
  assert.deepEqual(facts(), before);
  small.until('settled', () => cluster.isSettled, 30);
});

test('after a reboot the same pods have other addresses and have restarted once', () => {
  const small = running();
  const { cluster, clock } = small;
  const before = on(small, 'node-01').map(({ metadata, status }) => [metadata.uid, status.podIP] as const);
  const bootOf = () => (nodeOf(small, 'node-01').status['nodeInfo'] as { bootID: string }).bootID;
  const boot = bootOf();
  cluster.restartNode('node-01', 20_000);
  clock.advanceBy(21_000);
  small.until('settled', () => cluster.isSettled, 60);
  clock.advanceBy(20_000);
  small.until('settled', () => cluster.isSettled, 60);
  const after = new Map(on(small, 'node-01').map((pod) => [pod.metadata.uid, pod]));
  assert.equal(after.size, before.length);
  for (const [uid, ip] of before) {
    assert.notEqual(after.get(uid)?.status.podIP, ip);
    assert.equal(after.get(uid)?.status.containerStatuses?.[0]?.restartCount, 1);
    assert.equal(after.get(uid)?.status.containerStatuses?.[0]?.lastState.terminated?.exitCode, 255);
  }
  assert.notEqual(bootOf(), boot);
});

test('a job that has ended stays ended, even if its node reboots before it could say so', () => {
  const small = smallCluster({ nodes: 1, timings: { teardown: [10, 10], report: [1000, 1000] } });
  const { api, clock, cluster, podsLike } = small;
  const annotations = { 'sandbox.podtrail.dev/runs-for-seconds': '5' };
  api.create('jobs.batch', aWorkload('Job', { name: 'task', annotations, template: { restartPolicy: 'Never' } }));
  const tenure = () => cluster.truth.tenures[0];
  while (tenure()?.to === undefined) clock.advanceBy(50);
  assert.equal(podsLike('task-')[0]?.status.phase, 'Running', 'not reported yet');
  cluster.restartNode('node-01', 5_000);
  clock.advanceBy(60_000);
  assert.equal(podsLike('task-')[0]?.status.phase, 'Succeeded');
  assert.equal(cluster.truth.tenures.length, 2, 'one of each family, and never again');
});

test('the pods of a removed node are collected, and the next node gets its range', () => {
  const small = running();
  const { cluster, clock } = small;
  const gone = on(small, 'node-02');
  const range = nodeOf(small, 'node-02').spec.podCIDR;
  const reasons = new Map<string, unknown>();
  small.api.watch('pods', (type, object) => {
    if (type === 'DELETED') reasons.set(object.metadata.uid!, target(object as PodObject));
  });
  cluster.removeNode('node-02');
  for (const { status } of gone) assert.equal(cluster.truth.heldAt(status.podIP!, clock.now()).length, 0);
  small.until('collected', () => on(small, 'node-02').length === 0, 90);
  assert.equal(reasons.get(gone[0]!.metadata.uid), 'DeletionByPodGC');
  const added = cluster.addNode();
  assert.equal(added, 'node-04');
  assert.equal(nodeOf(small, added).spec.podCIDR, range);
  small.until('healed', () => cluster.isSettled && small.podsLike('web-').length === 6);
});

test('nodes renew leases only where that is wanted', () => {
  const lazy = smallCluster();
  lazy.clock.advanceBy(60_000);
  assert.equal(lazy.api.list('leases.coordination.k8s.io').length, 0);
  const busy = smallCluster({ leases: true });
  busy.clock.advanceBy(60_000);
  assert.equal(busy.api.list('leases.coordination.k8s.io', { namespace: 'kube-node-lease' }).length, 3);
});

test('a Lease is renewed every 10 s to 10.4 s, not while the node is lost, and at once when it is back', () => {
  const { api, clock, cluster } = smallCluster({ leases: true });
  const renewed = () => {
    const { spec } = api.get('leases.coordination.k8s.io', 'kube-node-lease', 'node-01') as unknown as {
      spec: { renewTime: string };
    };
    return Date.parse(spec.renewTime);
  };
  const times = new Set<number>();
  for (let i = 0; i < 600; i++) {
    clock.advanceBy(100);
    times.add(renewed());
  }
  const steps = [...times].slice(1).map((time, i) => time - [...times][i]!);
  assert.ok(steps.length >= 4);
  for (const step of steps) assert.ok(step >= 10_000 && step <= 10_400, `${step} ms`);
  cluster.loseNode('node-01');
  const last = renewed();
  clock.advanceBy(35_000);
  assert.equal(renewed(), last);
  cluster.returnNode('node-01', false);
  assert.equal(renewed(), clock.now());
});

// Footprints of PodTrackers that cannot be written, and hours that a tracker left before the operator was started, on a
// real control plane, with the rights of deploy/kustomize.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PodTrackerSpec } from '@podtrail/operator';
import { until, useCluster } from './controlplane/index.ts';
import { hourWithRoomFor } from './hour-turn.ts';
import { grantFootprints, install, OPERATOR_USER, OperatorReplica } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;

const into = (namespace: string, retention = '48h'): PodTrackerSpec => ({
  footprints: { log: false, configMaps: { enabled: true, namespace, retention } },
});

const bind = (namespace: string) => grantFootprints(cluster.controlPlane, namespace);

async function hoursIn(namespace: string): Promise<string[]> {
  const { items } = await cluster.kubectlJson(['-n', namespace, 'get', 'cm', '-l', 'app=pod-ashiato']);
  return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
}

const untilDegraded = (hand: Hand, tracker: string, reason: string) =>
  until(`${tracker} says ${reason}`, async () => {
    const condition = await hand.condition(tracker, 'Degraded');
    return condition?.status === 'True' && condition.reason === reason && condition;
  });

test('ConfigMaps that cannot be written are a condition with the reason, which goes when they can; nothing else is written', {
  skip,
  timeout: 540_000,
}, async (t) => {
  await hourWithRoomFor(150);
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(t, plane);
  await hand.createNode('node-1');
  await hand.createPod('default', 'web-1', 'node-1', '10.0.0.1');
  const operator = await OperatorReplica.start(t, plane, 'one');
  await operator.untilLeads();

  await hand.createTracker('prints', into('prints'));
  const { message } = await untilDegraded(hand, 'prints', 'FootprintsNamespaceNotFound');
  assert.match(message, /in prints cannot be written: there is no such namespace; create it, or name another/);
  assert.equal((await hand.condition('prints', 'Ready'))?.status, 'True', 'what is listed is right all the same');

  await cluster.kubectl(['create', 'namespace', 'prints']);
  const forbidden = await untilDegraded(hand, 'prints', 'FootprintsForbidden');
  assert.match(forbidden.message, /cannot list resource "configmaps".*bind the ClusterRole podtrail-footprints/);
  const { resourceVersion } = (await hand.trackers.get('prints')).metadata;
  await sleep(6_000);
  assert.equal((await hand.trackers.get('prints')).metadata.resourceVersion, resourceVersion, 'the same is said once');

  await bind('prints');
  const healed = async () => (await hand.condition('prints', 'Degraded'))?.status === 'False';
  await until('it is not degraded any more', healed, { withinMs: 90_000 });
  assert.equal((await hoursIn('prints')).length, 1);
  const { status } = await hand.trackers.get('prints');
  assert.deepEqual(status?.configMaps, [{ namespace: 'prints', retention: '48h' }]);

  await cluster.kubectl(['create', 'namespace', 'full']);
  await bind('full');
  await until('the namespace has its own ConfigMap', async () => {
    return (await cluster.kubectlJson(['-n', 'full', 'get', 'cm'])).items.length === 1;
  });
  await cluster.kubectl(['-n', 'full', 'create', 'quota', 'few', '--hard=configmaps=1']);
  await until('the quota counts', async () => {
    return (await cluster.kubectlJson(['-n', 'full', 'get', 'quota', 'few'])).status?.used?.configmaps === '1';
  });
  await hand.createTracker('full', into('full'));
  const quota = await untilDegraded(hand, 'full', 'FootprintsForbidden');
  assert.match(quota.message, /exceeded quota: few/);
  assert.doesNotMatch(quota.message, /bind/);
  await cluster.kubectl(['-n', 'full', 'delete', 'quota', 'few']);
  const works = async () => (await hand.condition('full', 'Degraded'))?.status === 'False';
  await until('it works without the quota', works, { withinMs: 90_000 });

  await cluster.kubectl(['delete', 'namespace', 'full', '--timeout=120s']);
  await hand.createPod('default', 'web-2', 'node-1', '10.0.0.2');
  await untilDegraded(hand, 'full', 'FootprintsNamespaceNotFound');
  const off = { footprints: { configMaps: { enabled: false } } };
  await hand.trackers.patch('full', { kind: 'merge', body: { spec: off } });
  await until('switched off, it is well, and remembers no namespace that is gone', async () => {
    const tracker = await hand.trackers.get('full');
    const degraded = tracker.status?.conditions?.find(({ type }) => type === 'Degraded');
    return degraded?.status === 'False' && tracker.status?.configMaps?.[0]?.namespace === 'full';
  });
  await hand.trackers.delete('full');
  assert.equal((await operator.process.end('SIGTERM')).code, 0);
});

test('what a tracker left while no operator was there expires once one is, and no other namespace is looked into', {
  skip,
  timeout: 420_000,
}, async (t) => {
  await hourWithRoomFor(120);
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(t, plane);
  for (const name of ['old', 'new', 'private']) await cluster.kubectl(['create', 'namespace', name]);
  for (const name of ['old', 'new']) await bind(name);
  const first = await OperatorReplica.start(t, plane, 'first');
  await first.untilLeads();
  await hand.createTracker('moves', into('old', '1h'));
  const [present] = await until('the hour is written', async () => {
    const names = await hoursIn('old');
    return names.length > 0 && names;
  });
  await until('status says where', async () => {
    return (await hand.trackers.get('moves')).status?.configMaps?.[0]?.namespace === 'old';
  });
  assert.equal((await first.process.end('SIGTERM')).code, 0);
  // As if hours had passed meanwhile.
  const { metadata } = await hand.trackers.get('moves');
  const owner = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name: 'moves', uid: metadata.uid ?? '' };
  const labels = { app: 'pod-ashiato', type: 'pod-node-mapping', 'app.kubernetes.io/managed-by': 'podtrail' };
  const make = (name: string, ownerReferences: (typeof owner)[]) =>
    hand.client.configMaps('old').create({ metadata: { name, labels, ownerReferences } });
  await make('pod-ashiato-2026010100', [owner]);
  await make('pod-ashiato-2026010101', []);
  await hand.trackers.patch('moves', { kind: 'merge', body: { spec: into('new', '48h') } });

  const second = await OperatorReplica.start(t, plane, 'second', { store: first.store });
  await until('what has expired is gone', async () => !(await hoursIn('old')).includes('pod-ashiato-2026010100'));
  assert.deepEqual(await hoursIn('old'), ['pod-ashiato-2026010101', present], 'not what is nobody’s, not what is new');
  await until('the hour is written where it goes now', async () => (await hoursIn('new')).length === 1);
  assert.deepEqual((await hand.trackers.get('moves')).status?.configMaps, [
    { namespace: 'new', retention: '48h' },
    { namespace: 'old', retention: '1h' },
  ]);
  assert.equal((await second.process.end('SIGTERM')).code, 0);

  await cluster.kubectl(['-n', 'old', 'delete', 'cm', '-l', 'app=pod-ashiato']);
  const third = await OperatorReplica.start(t, plane, 'third', { store: first.store });
  await until('a namespace where nothing is left is forgotten', async () => {
    return (await hand.trackers.get('moves')).status?.configMaps?.length === 1;
  });
  await hand.trackers.delete('moves');
  assert.equal((await third.process.end('SIGTERM')).code, 0);
  const asked = (await plane.auditLog()).filter(({ user, objectRef }) => {
    return user.username === OPERATOR_USER && objectRef?.resource === 'configmaps';
  });
  const looked = new Set(asked.map(({ objectRef }) => objectRef?.namespace ?? 'everywhere'));
  assert.ok(!looked.has('everywhere') && !looked.has('private'), [...looked].join());
});

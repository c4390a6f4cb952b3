// The faults of a real control plane, as the informer lives through them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useCluster } from './controlplane/index.ts';
import { InformerStage, pod } from './informer-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], apiservers: [{}, { behindEtcdProxy: true }] });
const { skip } = cluster;

const kubectl = (...args: string[]) => cluster.kubectl(args);
const create = (name: string) => cluster.kubectl(['create', '-f', '-'], { input: pod(name) });
const remove = (name: string) => kubectl('delete', 'pod', name, '--force', '--grace-period=0');

test('fault 03: a half-open connection is noticed by its deadline and the watch goes on without a relist', {
  skip,
}, async (t) => {
  const plane = cluster.controlPlane;
  const proxy = await plane.proxyTo(plane.apiserver);
  const liveness = { openMs: 2_000, quietMs: 2_000, quietWithBookmarksMs: 2_000 };
  const stage = await InformerStage.start(t, await plane.kubeconfig({ server: proxy.url }), { liveness });
  await stage.informer.waitForSync();
  proxy.blackHole();
  await create('in-the-dark');
  await until('the silence is noticed', () => stage.informer.state.kind === 'waiting');
  assert.equal(stage.has('in-the-dark'), false);
  proxy.cut();
  await proxy.resume();
  await stage.untilHas('in-the-dark');
  assert.deepEqual(stage.relists, ['start']);
});

test('fault 02: after compaction and an API server restart, a delete that was not seen is found by the relist and marked so', {
  skip,
}, async (t) => {
  const plane = cluster.controlPlane;
  const proxy = await plane.proxyTo(plane.apiserver);
  const stage = await InformerStage.start(t, await plane.kubeconfig({ server: proxy.url }));
  await stage.informer.waitForSync();
  await create('unseen');
  await create('stays');
  await stage.untilHas('stays');
  await proxy.refuse();
  proxy.cut();
  await remove('unseen');
  await create('born-in-the-gap');
  await plane.compact();
  await plane.apiserver.restart();
  await proxy.resume();
  await stage.untilLacks('unseen');
  await stage.untilHas('born-in-the-gap');
  assert.deepEqual(stage.relists, ['start', 'expired']);
  const gone = stage.deltas.find((d) => d.kind === 'deleted' && d.object.metadata.name === 'unseen');
  assert.equal(gone?.kind === 'deleted' && gone.finalStateUnknown, true);
  const relisted = stage.deltas.filter((d) => d.kind === 'relist-began').at(-1);
  assert.ok(relisted?.kind === 'relist-began' && relisted.relist.from! < relisted.relist.to);
});

test('fault 09: a killed API server is waited for and found again, with a relist of the outage only', {
  skip,
}, async (t) => {
  const plane = cluster.controlPlane;
  const stage = await InformerStage.start(t, plane.adminKubeconfig);
  await stage.informer.waitForSync();
  await create('before-the-kill');
  await stage.untilHas('before-the-kill');
  await plane.apiserver.kill();
  await until('the informer waits', () => stage.informer.state.kind === 'waiting');
  assert.ok(stage.has('before-the-kill'), 'the cache is kept while the server is away');
  await plane.apiserver.start();
  await create('after-the-kill');
  await stage.untilHas('after-the-kill');
  assert.ok(stage.relists.length <= 2, `${stage.relists}`);
});

test('fault 08: a lagging API server cannot raise a deleted pod from the dead', { skip }, async (t) => {
  const plane = cluster.controlPlane;
  const [, lagging] = plane.apiservers;
  await create('doomed');
  const current = await InformerStage.start(t, plane.adminKubeconfig);
  await current.untilHas('doomed');
  lagging!.etcdProxy!.blackHole();
  await remove('doomed');
  await current.untilLacks('doomed');
  const checkpoint = current.informer.lastVersion!;
  const late = await InformerStage.start(t, await plane.kubeconfig({ server: lagging!.url }), {
    startFrom: checkpoint,
    liveness: { openMs: 2_000, quietMs: 60_000, quietWithBookmarksMs: 60_000 },
  });
  await until('the lagging server is waited out', () => late.informer.state.kind === 'waiting');
  assert.equal(late.informer.synced, false);
  await lagging!.etcdProxy!.resume();
  await late.informer.waitForSync(AbortSignal.timeout(60_000));
  assert.equal(late.has('doomed'), false);
  assert.equal(
    late.deltas.some((d) => d.kind === 'added' && d.object.metadata.name === 'doomed'),
    false,
  );
  assert.deepEqual(late.relists, ['start']);
});

test('fault 06: etcd restored from a snapshot is reported as a rewind, and the cache becomes what the server has', {
  skip,
}, async (t) => {
  const plane = cluster.controlPlane;
  await create('in-the-snapshot');
  const snapshot = await plane.snapshot();
  const stage = await InformerStage.start(t, plane.adminKubeconfig);
  await stage.untilHas('in-the-snapshot');
  // More than an API server writes of its own while it starts, so that the versions are behind for a while.
  const items = Array.from({ length: 100 }, (_, i) => JSON.parse(pod(`lost-${i}`)));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await cluster.kubectl(['create', '-f', '-'], { input });
  await stage.untilHas('lost-99');
  const before = BigInt(stage.informer.lastVersion!);
  await plane.restore(snapshot);
  await stage.untilLacks('lost-99', 60_000);
  await stage.untilHas('in-the-snapshot');
  assert.equal(stage.relists.at(-1), 'rewound');
  assert.ok(BigInt(stage.informer.lastVersion!) < before);
  await create('new-life');
  await stage.untilHas('new-life');
});

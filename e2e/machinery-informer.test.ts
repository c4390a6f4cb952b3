// The informer against a real kube-apiserver: what the scripted server cannot vouch for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Client,
  CONFIG_MAPS,
  Informer,
  jsonCodec,
  loadClusterConfig,
  NODES,
  nodeCodec,
  podCodec,
  SERVICES,
  serviceCodec,
} from '@podtrail/machinery';
import { until, useCluster } from './controlplane/index.ts';
import { InformerStage } from './informer-stage.ts';

const cluster = await useCluster({ controllerManager: true, scheduler: true, kwok: { nodes: 3 } });

test('after churn the cache equals what the server lists, over protobuf, JSON, streams and pages', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const variants = await Promise.all(
    [
      {},
      { protobuf: false },
      { streaming: false, pageSize: 3 },
      { streaming: false, protobuf: false, pageSize: 3 },
    ].map((options) => InformerStage.start(t, cluster.kubeconfig, { namespace, ...options })),
  );
  await Promise.all(variants.map((stage) => stage.informer.waitForSync()));
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  await kubectl('create', 'deployment', 'web', '--image=none', '--replicas=10');
  await until('ten pods run', async () => (await kubectl('get', 'pods')).match(/Running/g)?.length === 10);
  await kubectl('scale', 'deployment', 'web', '--replicas=4');
  await kubectl('rollout', 'restart', 'deployment', 'web');
  await kubectl('rollout', 'status', 'deployment', 'web', '--timeout=120s');
  const byName = (a: { metadata: { name: string } }, b: { metadata: { name: string } }) =>
    a.metadata.name < b.metadata.name ? -1 : 1;
  await until('all caches agree with the server', async () => {
    const { items } = JSON.parse(await kubectl('get', 'pods', '-o', 'json')) as { items: unknown[] };
    const truth = items.map((item) => podCodec.fromJson(item)).sort(byName);
    for (const stage of variants) assert.deepEqual(stage.informer.lister.list().sort(byName), truth);
    return truth.length === 4;
  });
  for (const stage of variants) assert.deepEqual(stage.relists, ['start']);
});

test('an informer that starts again at the version where another stopped gets everything that happened in between', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  const first = await InformerStage.start(t, cluster.kubeconfig, { namespace });
  await first.informer.waitForSync();
  await kubectl('run', 'before', '--image=none');
  await first.untilHas('before');
  await first.stop();
  const startFrom = first.informer.lastVersion!;
  await kubectl('run', 'short-lived', '--image=none');
  await kubectl('delete', 'pod', 'short-lived', '--now');
  await kubectl('run', 'after', '--image=none');
  const second = await InformerStage.start(t, cluster.kubeconfig, { namespace, startFrom });
  await until('the catch-up is complete', () => second.deltas.some((d) => d.kind === 'caught-up'));
  const caughtUp = second.deltas.find((d) => d.kind === 'caught-up');
  assert.equal(caughtUp?.kind === 'caught-up' && caughtUp.outcome, 'complete');
  const replayed = second.deltas.flatMap((d) => (d.kind === 'replayed' ? [`${d.type} ${d.object.metadata.name}`] : []));
  assert.ok(replayed.includes('added short-lived'), `${replayed}`);
  assert.ok(replayed.includes('deleted short-lived'), `${replayed}`);
  assert.ok(replayed.includes('added after'), `${replayed}`);
  assert.equal(second.has('short-lived'), false);
});

test('nodes, services and configmaps are followed as well', async (t) => {
  const namespace = await cluster.namespace(t);
  const client = Client.connect(await loadClusterConfig({ kubeconfig: cluster.kubeconfig }));
  const stop = new AbortController();
  t.after(async () => {
    stop.abort();
    await client.close();
  });
  const { transport } = client;
  const nodes = new Informer({ transport, resource: NODES, codec: nodeCodec });
  const services = new Informer({ transport, resource: SERVICES, codec: serviceCodec, namespace });
  const configMaps = new Informer({ transport, resource: CONFIG_MAPS, codec: jsonCodec('v1', 'ConfigMap'), namespace });
  for (const informer of [nodes, services, configMaps]) void informer.start(stop.signal);
  await Promise.all([nodes.waitForSync(), services.waitForSync(), configMaps.waitForSync()]);
  await cluster.kubectl(['-n', namespace, 'create', 'service', 'clusterip', 'db', '--tcp=5432']);
  await cluster.kubectl(['-n', namespace, 'create', 'configmap', 'settings', '--from-literal=__proto__=kept']);
  await until('the service has an address', () => services.lister.getIn(namespace, 'db')?.spec.clusterIP);
  const settings = await until('the configmap is there', () => configMaps.lister.getIn(namespace, 'settings'));
  assert.equal(JSON.stringify(settings['data']), '{"__proto__":"kept"}');
  assert.ok(nodes.lister.size > 0);
  for (const node of nodes.lister) assert.ok(node.status.addresses.length > 0, node.metadata.name);
});

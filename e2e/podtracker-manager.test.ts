// The PodTracker controller inside a manager, as the operator's process will run it: with an election, and on a cluster
// that does not know the definitions yet.
// Runs alone: it measures how soon a manager ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Client,
  Informer,
  LEASES,
  LeaderElector,
  type Lease,
  LeaseLock,
  loadClusterConfig,
  Manager,
  metadataCodec,
  NAMESPACES,
  NODES,
  nodeCodec,
  PODS,
  podCodec,
} from '@podtrail/machinery';
import { PodTrackerController } from '@podtrail/operator';
import { until, useCluster } from './controlplane/index.ts';
import { Hand, installDefinitions } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'] });

test('the manager is active before the definitions are installed; trackers are served as soon as they are; it stops in time', {
  skip: cluster.skip,
  timeout: 270_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  await hand.createNode('node-1');
  await hand.createPod('default', 'web-1', 'node-1', '10.0.0.1');
  const client = Client.connect(await loadClusterConfig({ kubeconfig: plane.adminKubeconfig }));
  const { transport } = client;
  const election = new LeaderElector({
    leaseDurationMs: 5_000,
    renewDeadlineMs: 4_000,
    retryPeriodMs: 500,
    lock: new LeaseLock({
      client: client.resource<Lease>(LEASES, 'default'),
      namespace: 'default',
      name: 'podtrail',
      identity: 'one',
    }),
  });
  const manager = new Manager({ election });
  const pods = new Informer({ transport, resource: PODS, codec: podCodec });
  const nodes = new Informer({ transport, resource: NODES, codec: nodeCodec });
  const namespaces = new Informer({ transport, resource: NAMESPACES, codec: metadataCodec });
  const trackers = new PodTrackerController({
    home: 'podtrail',
    client,
    pods,
    nodes,
    namespaces,
    isLeader: () => manager.isLeader(),
  });
  for (const source of [pods, nodes, namespaces]) manager.addSource(source);
  manager.addController(trackers.controller);
  manager.addTask({ name: 'podtracker resources', run: (signal) => trackers.followResources(signal) });
  const stop = new AbortController();
  const outcome = manager.run(stop.signal);
  t.after(() => client.close());
  t.after(() => stop.abort());

  await until('it leads', () => manager.phase === 'active');
  await installDefinitions(plane);
  await hand.createTracker('all');
  await until('the tracker lists the pod', async () => (await hand.listed('all')).size === 1, { withinMs: 60_000 });
  const started = performance.now();
  stop.abort();
  assert.deepEqual(await outcome, { kind: 'stopped', cutOff: [], leftQueued: 0 });
  assert.ok(performance.now() - started < 5_000);
});

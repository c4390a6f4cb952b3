// A PodTracker of 100,000 pods on 1,000 nodes: trackers and slices on a real API server, the pods delivered to the informer
// by the test (to create them all would take minutes and prove nothing about the tracker).
// Runs alone: it measures times and memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Informer, NODES, type NodeView, nodeCodec, PODS, type PodView, podCodec } from '@podtrail/machinery';
import { feed } from '@podtrail/machinery/testing';
import { until, useCluster } from './controlplane/index.ts';
import { Hand, installDefinitions, PodTrackerStage } from './podtracker-stage.ts';

const PODS_LISTED = 100_000;
const NODES_LISTED = 1_000;

const cluster = await useCluster({ needs: ['own control plane'] });

const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

function pod(i: number, ip: string, version: number): PodView {
  return podCodec.fromJson({
    metadata: {
      name: `web-7d9c5b8f4-${i.toString(36).padStart(5, '0')}`,
      namespace: `team-${i % 50}`,
      uid: `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`,
      resourceVersion: `${version}`,
      creationTimestamp: '2026-11-15T10:00:00Z',
    },
    spec: { nodeName: `node-${i % NODES_LISTED}` },
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
  });
}

function node(i: number): NodeView {
  return nodeCodec.fromJson({
    metadata: { name: `node-${i}`, uid: `uid-${i}`, resourceVersion: '1' },
    status: {
      capacity: { cpu: '8', memory: '32Gi', pods: '110' },
      allocatable: { cpu: '8', memory: '31Gi', pods: '110' },
      addresses: [{ type: 'InternalIP', address: `192.168.${i >> 8}.${i & 255}` }],
    },
  });
}

test('fault 24: 100,000 pods in one tracker are all listed, in slices in bounds, and one change is one small write', {
  skip: cluster.skip,
  timeout: 300_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  await installDefinitions(plane);
  const { transport } = hand.client;
  const pods = new Informer({ transport, resource: PODS, codec: podCodec });
  const nodes = new Informer({ transport, resource: NODES, codec: nodeCodec });
  const relist = { reason: 'start', resourceVersion: '1', previousVersion: undefined, from: undefined, to: 0 } as const;
  const podListing = feed(pods).beginReplace(false);
  for (let i = 0; i < PODS_LISTED; i++) podListing.add(pod(i, address(i), 1));
  podListing.commit(relist);
  const nodeListing = feed(nodes).beginReplace(false);
  for (let i = 0; i < NODES_LISTED; i++) nodeListing.add(node(i));
  nodeListing.commit(relist);
  const stage = await PodTrackerStage.start(t, plane, { controller: { pods, nodes } });

  const before = await sentBytes();
  const started = performance.now();
  await hand.createTracker('all');
  const counts = await until(
    'all are counted',
    async () => {
      const { status } = await hand.trackers.get('all');
      return status?.conditions?.[0]?.status === 'True' && status.counts;
    },
    { withinMs: 240_000, everyMs: 500 },
  );
  const seconds = (performance.now() - started) / 1_000;
  const sent = (await sentBytes()) - before;
  assert.deepEqual(counts, { pods: PODS_LISTED, nodes: NODES_LISTED, slices: 1_010 });
  const listed = await hand.listed('all');
  assert.equal(listed.size, PODS_LISTED);
  const last = pod(PODS_LISTED - 1, '', 1).metadata.uid;
  assert.equal(listed.get(last)?.ip, address(PODS_LISTED - 1));
  const slices = await hand.slicesOf('all');
  assert.equal(slices.length, 1_010);
  const nodesListed = slices.flatMap((slice) => Object.keys(slice.nodes ?? {}));
  assert.equal(new Set(nodesListed).size, NODES_LISTED);
  t.diagnostic(`${seconds.toFixed(1)} s, ${(sent / 1e6).toFixed(1)} MB sent, ${stage.controller.writes.slices} slices`);

  await until('it rests', async () => {
    const writes = stage.controller.writes.slices + stage.controller.writes.status;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return writes === stage.controller.writes.slices + stage.controller.writes.status;
  });
  const writes = stage.controller.writes.slices;
  const bytes = await sentBytes();
  const changedPod = pod(77_777, '10.250.0.1', 2);
  const changed = performance.now();
  // Of the processor, not of the clock: on a busy machine the process may be set aside in the middle of it.
  const busy = process.cpuUsage();
  feed(pods).onEvent('MODIFIED', changedPod);
  const { user, system } = process.cpuUsage(busy);
  const handled = (user + system) / 1_000;
  await until('the change is written', () => stage.controller.writes.slices > writes, { everyMs: 5 });
  const took = performance.now() - changed;
  assert.equal(stage.controller.writes.slices, writes + 1);
  const cost = (await sentBytes()) - bytes;
  assert.ok(cost > 0 && cost < 2_000, `${cost} bytes`);
  assert.ok(handled < 20, `${handled} ms in the handler`);
  t.diagnostic(
    `one change: ${cost} bytes, ${handled.toFixed(2)} ms in the handler, written after ${took.toFixed(0)} ms`,
  );
});

async function sentBytes(): Promise<number> {
  const sums = await Promise.all(
    ['podtrackers', 'podtrackerslices'].map((resource) => cluster.controlPlane.requestBodyBytes({ resource })),
  );
  return sums.reduce((sum, { bytes }) => sum + bytes, 0);
}

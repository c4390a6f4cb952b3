// A PodTracker whose etcd is restored from a snapshot: versions go backwards, trackers and slices are older than what
// the controller remembers of its own writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useCluster } from './controlplane/index.ts';
import { forEach, Hand, installDefinitions, PodTrackerStage } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const PODS = 130;

test('fault 6: after etcd was restored from a snapshot, a tracker lists what is there then, and goes on', {
  skip: cluster.skip,
  timeout: 480_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  await installDefinitions(plane);
  await hand.createNode('node-1');
  const numbers = Array.from({ length: PODS }, (_, i) => i);
  await forEach(numbers, (i) => hand.createPod('default', `web-${i}`, 'node-1', `10.0.0.${i}`));
  const stage = await PodTrackerStage.start(t, plane);
  await hand.createTracker('all');
  await hand.createTracker('few', { namePrefix: 'web-1' });
  const agree = () =>
    until(
      'both list what they select',
      async () => {
        for (const [name, prefix] of [
          ['all', 'web-'],
          ['few', 'web-1'],
        ] as const) {
          const wanted = await hand.selected(({ metadata }) => metadata.name?.startsWith(prefix) === true);
          assert.deepEqual(new Map([...(await hand.listed(name))].sort()), new Map([...wanted].sort()));
          assert.equal((await hand.trackers.get(name)).status?.counts?.pods, wanted.size);
        }
        return true;
      },
      { withinMs: 120_000, everyMs: 300 },
    );
  await agree();
  const snapshot = await plane.snapshot();

  // What the restore will undo, in many versions.
  await forEach(numbers.slice(0, 60), (i) => hand.setStatus('default', `web-${i}`, `10.0.1.${i}`, 'Running'));
  await agree();
  await forEach(numbers.slice(40, 100), (i) => hand.deletePod('default', `web-${i}`));
  await forEach(numbers.slice(0, 30), (i) => hand.createPod('default', `web-new-${i}`, 'node-1', `10.0.2.${i}`));
  await agree();
  await plane.restore(snapshot);
  await agree();
  assert.equal((await hand.trackers.get('all')).status?.counts?.pods, PODS);

  await hand.setStatus('default', 'web-1', '10.0.3.1', 'Running');
  await hand.deletePod('default', 'web-129');
  await agree();
  t.diagnostic(`${stage.controller.writes.conflicts} conflicts`);
});

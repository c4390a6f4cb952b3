// Slices that are left nearly empty on a real API server: they are compacted, and no reader misses a pod meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until, useCluster } from './controlplane/index.ts';
import { forEach, Hand, installDefinitions, PodTrackerStage } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'] });

test('when most pods have ended the rest is compacted within a minute, nobody is missed, and then it is quiet', {
  skip: cluster.skip,
  timeout: 240_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  await installDefinitions(plane);
  const hand = await Hand.of(t, plane);
  await hand.createNode('node-1');
  const numbers = Array.from({ length: 700 }, (_, i) => i);
  await forEach(numbers, (i) => hand.createPod('default', `p-${i}`, 'node-1', `10.1.${i >> 8}.${i & 255}`));
  await hand.createTracker('all');
  const stage = await PodTrackerStage.start(t, plane);
  await until('all are listed', async () => (await hand.listed('all')).size === 700);
  assert.equal((await hand.slicesOf('all')).length, 7);
  // Of each slice every fifth pod stays: 140 in 7 slices, where 2 would do.
  const [staying, ending]: [Set<string>, string[]] = [new Set(), []];
  for (const { entries = {} } of await hand.slicesOf('all')) {
    for (const [i, [uid, { podName }]] of Object.entries(entries).entries()) {
      if (i % 5 === 0) staying.add(uid);
      else ending.push(podName);
    }
  }
  await forEach(ending, (name) => hand.deletePod('default', name));
  await until('the ended ones are gone from the slices', async () => (await hand.listed('all')).size === 140);
  const [began, written] = [performance.now(), stage.controller.writes.slices];
  const ask = { resource: 'podtrackerslices', group: 'podtrail.dev' };
  const { bytes } = await plane.requestBodyBytes(ask);
  let [reads, doubles] = [0, 0];
  // Whatever fails while waiting counts as "not yet": so it is kept, and judged afterwards.
  const wrong = new Set<string>();
  await until(
    'no more than twice as many slices are there as would do',
    async () => {
      const slices = await hand.slicesOf('all');
      const seen = new Map<string, string>();
      for (const [uid, entry] of slices.flatMap(({ entries = {} }) => Object.entries(entries))) {
        const value = JSON.stringify(entry);
        if (seen.has(uid)) doubles++;
        if (seen.has(uid) && seen.get(uid) !== value) wrong.add(`${uid} has two values`);
        seen.set(uid, value);
      }
      for (const uid of staying) if (!seen.has(uid)) wrong.add(`${uid} is missing`);
      reads++;
      return slices.length <= 4;
    },
    { withinMs: 90_000, everyMs: 5 },
  );
  assert.deepEqual([...wrong], []);
  const seconds = Math.round((performance.now() - began) / 1000);
  const sent = (await plane.requestBodyBytes(ask)).bytes - bytes;
  const writes = stage.controller.writes.slices - written;
  t.diagnostic(`${seconds} s, ${reads} reads (${doubles} doubles seen), ${writes} writes of slices, ${sent} bytes`);
  assert.ok(writes <= 8, `${writes} writes`);
  assert.ok(sent < 560 * 300, `${sent} bytes for 560 pods that ended`);
  await until('each is listed once, and counted', async () => {
    const { status } = await hand.trackers.get('all');
    return (await hand.listed('all')).size === 140 && status?.counts?.slices === (await hand.slicesOf('all')).length;
  });
  const before = { ...stage.controller.writes };
  await sleep(8_000);
  assert.deepEqual(stage.controller.writes, before, 'then nothing is written');
});

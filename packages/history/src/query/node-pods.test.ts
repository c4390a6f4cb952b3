import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, TestLedger } from '../testing/test-ledger.ts';
import { podsOnNode } from './node-pods.ts';

test('a pod of a namespace that nobody watches any more is not certainly on its node, as who is not certain of it', async () => {
  const all = new TestLedger();
  const web = aPod('web-1').withIp('10.0.0.7').readyAt(at(9)).withCondition('PodScheduled', 'True', at(8));
  await all.list(0, 'start');
  await all.see(10, web);
  await all.alive(60);
  const bank = new TestLedger({ kind: 'namespaces', namespaces: ['bank'] }, all.engine);
  await bank.restart();
  const listing = { kind: 'listed', resource: 'Pod', reason: 'start', whole: true, goneUids: [], present: [] } as const;
  await bank.observe({ ...listing, namespace: 'bank', resourceVersion: '100', at: at(70) });
  await bank.alive(200);
  const certain = async (second: number) =>
    (
      await withSnapshot(all.engine, CLUSTER.id, (snapshot) =>
        podsOnNode(snapshot, { node: 'node-a', during: at(second) }),
      )
    ).items[0]?.certain;
  assert.equal(await certain(50), true);
  assert.equal(await certain(150), false);
  assert.equal(await all.answer('10.0.0.7', 50), 'held web-1');
  assert.equal(await all.answer('10.0.0.7', 150), 'unknown not-watched');
});

// Nodes that boot, go and come back: what becomes of the addresses of their pods.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aPod } from '../testing/observed-pod.ts';
import { at, type TestLedger } from '../testing/test-ledger.ts';
import { aKubeletNode, keepWriting, watchingNodes, web } from '../testing/watched-nodes.ts';
import type { ObservedNode } from './observation.ts';

test('a node that has booted again took its sandboxes with it, at some time since its kubelet last wrote', async () => {
  const ledger = await watchingNodes();
  await ledger.see(13, web);
  await keepWriting(ledger, 14, 20, 100);
  const object = aKubeletNode('node-a', 200, { bootID: 'boot-2', heartbeat: 50 });
  await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(50) });
  await ledger.alive(60);
  assert.equal(await ledger.answer('10.0.0.7', 19), 'held web-1');
  assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous web-1');
  await ledger.see(61, web.annotated({ written: 'by another' }).atVersion(201));
  await ledger.alive(62);
  assert.equal(await ledger.answer('10.0.0.7', 61.5), 'ambiguous web-1');
});

test('a pod that showed no address when its node went down may have had one until it has another sandbox', async () => {
  const ledger = await watchingNodes();
  await keepWriting(ledger, 5, 12, 100);
  const begun = web.withIp().lostAt(at(11));
  await ledger.see(12.6, begun.atVersion(110));
  const object = aKubeletNode('node-a', 200, { bootID: 'boot-2', heartbeat: 30 });
  await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(30) });
  await ledger.alive(31);
  assert.equal(await ledger.answer('10.0.0.20', 20), 'ambiguous web-1');
  await ledger.see(33, web.startedAt(at(11)).readyAt(at(32)).withIp('10.0.0.9').atVersion(210));
  await ledger.alive(60);
  assert.equal(await ledger.answer('10.0.0.20', 20), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.20', 40), 'free');
  assert.equal(await ledger.answer('10.0.0.9', 40), 'held web-1');
});

test('a node that boots takes with it what its kubelet had done and not written: a static pod may have been stopped', async () => {
  const ledger = await watchingNodes();
  const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
  await ledger.see(13, mirror.atVersion(10));
  await ledger.see(13.5, aPod('plain').withIp('10.0.0.8').createdAt(at(10)).readyAt(at(12)).atVersion(11));
  await keepWriting(ledger, 50, 56, 100);
  const going = aPod('going').withIp('10.0.0.9').createdAt(at(10)).readyAt(at(12));
  await ledger.see(57.1, going.deletedAt(at(87), 30).atVersion(120));
  await keepWriting(ledger, 58, 60, 121);
  const object = aKubeletNode('node-a', 150, { heartbeat: 100, bootID: 'boot-2' });
  await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(100) });
  await ledger.alive(101);
  assert.equal(await ledger.answer('10.0.0.7', 25), 'held web-1');
  assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.8', 50), 'held plain');
  assert.equal(await ledger.answer('10.0.0.8', 60), 'held plain');
  assert.equal(await ledger.answer('10.0.0.9', 60), 'ambiguous going');
});

describe('a node', () => {
  const listNodes = (ledger: TestLedger, second: number, version: number, ...nodes: ObservedNode[]) => {
    const present = nodes.map((object) => ({ kind: 'Node' as const, object }));
    const rest = { reason: 'expired', resourceVersion: String(version), goneUids: [], at: at(second) } as const;
    return ledger.observe({ kind: 'listed', resource: 'Node', present, whole: true, ...rest });
  };

  for (const how of ['a deletion', 'a listing', 'a correction', 'a check'] as const)
    test(`that goes by ${how} leaves its deleted pods in doubt: its machine may run on`, async () => {
      const ledger = await watchingNodes();
      await ledger.see(13, web);
      await ledger.alive(20);
      const gone = { kind: 'Node' as const, object: aKubeletNode('node-a', 150) };
      const uids = [aKubeletNode('node-b', 3).metadata.uid];
      if (how === 'a deletion') await ledger.observe({ kind: 'event', type: 'deleted', seen: gone, at: at(21) });
      if (how === 'a listing') await listNodes(ledger, 21, 151, aKubeletNode('node-b', 3));
      if (how === 'a correction') await ledger.observe({ kind: 'corrected', type: 'deleted', seen: gone, at: at(21) });
      if (how === 'a check')
        await ledger.observe({ kind: 'checked', resource: 'Node', resourceVersion: '151', uids, at: at(21) });
      await ledger.deleted(30, web.deletedAt(at(30), 0).atVersion(200));
      await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(390) });
      await ledger.alive(400);
      assert.equal(await ledger.answer('10.0.0.7', 300), 'ambiguous web-1');
    });

  test('is not gone by a deletion that was delivered before it was made again', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '160', at: at(20) });
    await ledger.alive(20);
    const old = { kind: 'Node' as const, object: aKubeletNode('node-a', 150) };
    await ledger.observe({ kind: 'event', type: 'deleted', seen: old, at: at(21) });
    await ledger.deleted(30, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(390) });
    await ledger.alive(400);
    assert.equal(await ledger.answer('10.0.0.7', 300), 'free');
  });

  for (const how of ['a listing', 'a correction'] as const)
    test(`has not booted by ${how} from before its boot`, async () => {
      const ledger = await watchingNodes();
      const booted = aKubeletNode('node-a', 150, { bootID: 'boot-2', heartbeat: 10 });
      await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object: booted }, at: at(10.5) });
      await ledger.see(13, web);
      await ledger.alive(20);
      const old = aKubeletNode('node-a', 2);
      if (how === 'a listing') await listNodes(ledger, 21, 100, old, aKubeletNode('node-b', 3));
      else
        await ledger.observe({
          kind: 'corrected',
          type: 'present',
          seen: { kind: 'Node', object: old },
          at: at(21),
        });
      await ledger.alive(30);
      assert.equal(await ledger.answer('10.0.0.7', 25), 'held web-1');
    });

  test('that was deleted is not back by a listing from before that', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(20);
    const gone = { kind: 'Node' as const, object: aKubeletNode('node-a', 150) };
    await ledger.observe({ kind: 'event', type: 'deleted', seen: gone, at: at(21) });
    await listNodes(ledger, 22, 100, aKubeletNode('node-a', 2), aKubeletNode('node-b', 3));
    await ledger.deleted(30, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(390) });
    await ledger.alive(400);
    assert.equal(await ledger.answer('10.0.0.7', 300), 'ambiguous web-1');
  });

  test('that has booted when it is listed again took its sandboxes with it', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(20);
    await listNodes(ledger, 60, 151, aKubeletNode('node-a', 150, { bootID: 'boot-2' }), aKubeletNode('node-b', 3));
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 65), 'ambiguous web-1');
  });
});

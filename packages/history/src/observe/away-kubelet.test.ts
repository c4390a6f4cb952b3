// What a kubelet did that was away for a while: restarted, cut off, or silent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aPod } from '../testing/observed-pod.ts';
import { at, type TestLedger } from '../testing/test-ledger.ts';
import { aKubeletNode, busyPod, keepWriting, renewal, watchingNodes, web } from '../testing/watched-nodes.ts';

test('a mirror pod that is deleted and made again under another UID has held its address throughout', async () => {
  const ledger = await watchingNodes();
  const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
  await ledger.see(13, mirror.atVersion(10));
  await ledger.alive(29);
  await ledger.deleted(30, mirror.atVersion(20));
  await ledger.see(31, mirror.withUid('uid-again').atVersion(21));
  await ledger.alive(60);
  for (const second of [20, 29.9, 30.5, 40])
    assert.equal(await ledger.answer('10.0.0.7', second), 'held web-1', `${second}`);
});

describe('a kubelet that was away', () => {
  const posts = (ledger: TestLedger, second: number, version: number) => {
    const object = aKubeletNode('node-a', version, { heartbeat: second });
    return ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(second + 0.5) });
  };

  test('deletes a mirror pod long after its sandbox went', async () => {
    const ledger = await watchingNodes();
    const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
    await ledger.see(13, mirror.atVersion(10));
    await keepWriting(ledger, 50, 60, 100);
    await posts(ledger, 110, 150);
    await keepWriting(ledger, 111, 113, 160);
    await ledger.deleted(114, mirror.atVersion(190));
    await ledger.alive(120);
    assert.equal(await ledger.answer('10.0.0.7', 29), 'held web-1');
    // It may have stopped the pod some seconds before it was away, and not yet have deleted the mirror.
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 70), 'ambiguous web-1');
  });

  test('and whose node is not ready yet was away, also before it posts', async () => {
    const ledger = await watchingNodes();
    const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
    await ledger.see(13, mirror.atVersion(10));
    await keepWriting(ledger, 50, 60, 100);
    const object = aKubeletNode('node-a', 150, { ready: false });
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(100) });
    await keepWriting(ledger, 111, 113, 160);
    await ledger.deleted(114, mirror.atVersion(190));
    await ledger.alive(120);
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
  });

  test('may have ended a pod as it was asked, before somebody else says that it is over', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 50, 59, 100);
    const asked = web.deletedAt(at(64), 4);
    await ledger.see(60.5, asked.atVersion(150));
    await ledger.alive(109);
    await ledger.see(110, asked.inPhase('Failed').atVersion(160));
    await ledger.alive(112);
    assert.equal(await ledger.answer('10.0.0.7', 55), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1');
  });

  test('may have stopped a static pod before somebody else deletes its mirror', async () => {
    const ledger = await watchingNodes();
    const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
    await ledger.see(13, mirror.atVersion(10));
    await keepWriting(ledger, 50, 60, 100);
    await ledger.see(60.5, mirror.deletedAt(at(64), 4).atVersion(150));
    await keepWriting(ledger, 61, 109, 200);
    await ledger.deleted(110, mirror.deletedAt(at(64), 4).inPhase('Failed').atVersion(290));
    await ledger.alive(120);
    assert.equal(await ledger.answer('10.0.0.7', 25), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
  });

  test('is not one that had nothing to write: what it says of an end is exact', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(38);
    await ledger.see(39.5, busyPod(39, 100));
    await ledger.see(40.6, web.lostAt(at(40)).inPhase('Failed').atVersion(200));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 38.5), 'held web-1');
  });

  for (const [posted, says] of [
    [45, 'ambiguous web-1'],
    [5, 'free'],
  ] as const)
    test(`and posted its node's status at ${posted} s: what went while nobody watched from 14 s is ${says}`, async () => {
      const ledger = await watchingNodes();
      await ledger.see(13, web);
      await ledger.alive(14);
      await ledger.restart();
      await ledger.list(60, 'start', busyPod(59, 100));
      const nodes = [
        aKubeletNode('node-a', 150, { heartbeat: posted }),
        aKubeletNode('node-b', 151, { heartbeat: posted }),
      ];
      const present = nodes.map((object) => ({ kind: 'Node' as const, object }));
      const rest = { reason: 'start', resourceVersion: '152', whole: true, goneUids: [], at: at(60.1) } as const;
      await ledger.observe({ kind: 'listed', resource: 'Node', present, ...rest });
      await keepWriting(ledger, 61, 100, 201);
      assert.equal(await ledger.answer('10.0.0.7', 90), says);
    });

  test('may have made a network just before, and ends the pod as if there had been none', async () => {
    const begun = aPod('late-1')
      .createdAt(at(28))
      .startedAt(at(29))
      .withCondition('PodReadyToStartContainers', 'False', at(29))
      .atVersion(190);
    const ledger = await watchingNodes();
    await keepWriting(ledger, 20, 28, 100);
    await ledger.see(29.2, begun);
    await ledger.alive(85);
    await posts(ledger, 90, 200);
    await ledger.see(91, begun.inPhase('Failed').atVersion(210));
    await ledger.alive(100);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'ambiguous late-1');
    assert.equal(await ledger.answer('10.0.0.20', 25), 'free');
  });

  test('may begin with a pod only when that has been deleted, and has been back for a moment', async () => {
    const bound = aPod('late-1').createdAt(at(28)).atVersion(190);
    const ledger = await watchingNodes();
    await keepWriting(ledger, 20, 27, 100);
    await ledger.see(28.2, bound);
    await ledger.alive(58);
    await posts(ledger, 60, 200);
    await ledger.deleted(65, bound.atVersion(210));
    await ledger.alive(66);
    assert.equal(await ledger.answer('10.0.0.20', 65.5), 'ambiguous late-1');
  });

  test('may have made the network of a mirror pod that never showed it, which is soon made again', async () => {
    const mirror = (uid: string, second: number, version: number) =>
      aPod('static-1')
        .withUid(uid)
        .annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' })
        .createdAt(at(second))
        .atVersion(version);
    const ledger = await watchingNodes();
    await keepWriting(ledger, 20, 28, 100);
    await ledger.see(29.2, mirror('first', 29, 150));
    await posts(ledger, 45, 160);
    await ledger.deleted(46, mirror('first', 29, 170));
    await ledger.see(48, mirror('second', 48, 180));
    await ledger.alive(55);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'ambiguous static-1');
    assert.equal(await ledger.answer('10.0.0.20', 47), 'ambiguous static-1');
  });

  test('and has just been started finds its pods first', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    for (const second of [20, 26]) await ledger.observe(renewal('node-a', second, 0));
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [36.1, 46.2]) await ledger.observe(renewal('node-a', second));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 46.5), 'free');
  });
});

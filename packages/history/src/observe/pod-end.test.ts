// How a pod ends, as kubelets and others write it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../testing/test-ledger.ts';
import { aKubeletNode, keepWriting, watchingNodes, web } from '../testing/watched-nodes.ts';

describe('the end of a pod', () => {
  test('by its kubelet is known to the second, and free after it', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 25, 39, 100);
    await ledger.see(40.6, web.lostAt(at(40)).inPhase('Failed').atVersion(200));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 38.9), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 40.1), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 41.6), 'free');
  });

  test('that somebody else writes while its network stands is no end', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(39);
    await ledger.see(40, web.inPhase('Failed').atVersion(200));
    await ledger.deleted(40.1, web.inPhase('Failed').atVersion(201));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 38), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
  });

  test('a network that is lost beside containers that are called ready is lost', async () => {
    const ledger = await watchingNodes();
    const ready = web.withCondition('ContainersReady', 'True', at(13));
    await ledger.see(13, ready.atVersion(10));
    await ledger.see(30.2, ready.lostAt(at(30)).atVersion(20));
    await ledger.see(30.6, ready.readyAt(at(30)).withIp('10.0.0.9').atVersion(21));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'free');
    assert.equal(await ledger.answer('10.0.0.9', 40), 'held web-1');
  });
});

test('a pod that was to end when its kubelet fell silent may have ended at any time since, whenever that is said', async () => {
  const ledger = await watchingNodes();
  await ledger.see(13, web);
  await keepWriting(ledger, 20, 30, 100);
  const ending = web.deletedAt(at(34), 4);
  await ledger.see(30.9, ending.atVersion(190));
  await ledger.alive(80);
  const back = aKubeletNode('node-a', 195, { heartbeat: 90 });
  await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object: back }, at: at(90.5) });
  await keepWriting(ledger, 91, 93, 200);
  await ledger.see(95, ending.lostAt(at(94)).inPhase('Failed').atVersion(250));
  await ledger.alive(110);
  assert.equal(await ledger.answer('10.0.0.7', 29), 'held web-1');
  assert.equal(await ledger.answer('10.0.0.7', 60), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.7', 100), 'free');
});

describe('a container runtime that could not be asked', () => {
  test('hides when a pod that was to end was ended: at some time since its containers were', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 20, 39, 100);
    const asked = web.deletedAt(at(34), 4);
    await ledger.see(30.1, asked.atVersion(200));
    await ledger.see(40.1, asked.lostAt(at(39)).finishedAt(at(32)).inPhase('Succeeded').atVersion(210));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 31.5), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 34), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 45), 'free');
  });

  test('hides when a pod that was to end lost its sandbox: at some time since it was to', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 20, 39, 100);
    const asked = web.deletedAt(at(34), 4);
    await ledger.see(30.1, asked.atVersion(200));
    await ledger.see(40.1, asked.lostAt(at(39)).atVersion(210));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 29.5), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 34), 'ambiguous web-1');
  });
});

test('a sandbox that is lost was there when a container of it was started again', async () => {
  const ledger = await watchingNodes();
  await ledger.see(13, web);
  await ledger.see(101, web.finishedAt(at(100), false).atVersion(20));
  await ledger.alive(190);
  await ledger.see(200.4, web.finishedAt(at(100), false).lostAt(at(200)).atVersion(30));
  await ledger.alive(210);
  assert.equal(await ledger.answer('10.0.0.7', 150), 'held web-1');
});

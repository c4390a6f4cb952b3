// A pod that is deleted by force: when its kubelet has ended it, by what is seen of that kubelet.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aPod } from '../testing/observed-pod.ts';
import { at } from '../testing/test-ledger.ts';
import { aKubeletNode, busyPod, keepWriting, renewal, watchingNodes, web } from '../testing/watched-nodes.ts';

describe('a deletion by force', () => {
  test('begins an end: in doubt for some seconds while the kubelet goes on writing, then free', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 25, 29, 100);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(30.4);
    assert.equal(await ledger.answer('10.0.0.7', 30.3), 'ambiguous web-1');
    await keepWriting(ledger, 31, 55, 201);
    assert.equal(await ledger.answer('10.0.0.7', 29.5), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 33), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 36.5), 'free');
  });

  test('that a wrong clock dated an hour ahead ends when it was, and its limits count from when that is known', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 95, 99, 100);
    // The kubelet's clock is right all the time.
    await ledger.see(3749, busyPod(148, 150));
    await ledger.deleted(3750, web.deletedAt(at(150), 0).atVersion(200));
    await ledger.see(3752, busyPod(151, 201));
    await ledger.observe({ kind: 'clock', since: at(100), at: at(170) });
    await ledger.alive(171);
    await keepWriting(ledger, 175, 180, 400);
    await ledger.alive(400);
    assert.equal(await ledger.answer('10.0.0.7', 60), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 160), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 172), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 390), 'free');
  });

  test('is open while the kubelet is silent: it may be cut off, and learn of it only when it writes again', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 25, 29, 100);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous web-1');
    await keepWriting(ledger, 61, 90, 201);
    assert.equal(await ledger.answer('10.0.0.7', 60), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 67), 'free');
  });

  test('on a node that is ready and says nothing is over after as long as that can be without its kubelet', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(90);
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1');
    await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(110) });
    await ledger.alive(111);
    assert.equal(await ledger.answer('10.0.0.7', 90), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 100), 'free');
  });

  test('is over after some seconds where the same kubelet renewed its Lease before and after, every ten seconds', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [28, 38.1]) await ledger.observe(renewal('node-a', second));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 33), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 36), 'free');
  });

  test('is in doubt for as long as a collection of garbage takes where the Lease was renewed out of step', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [28, 35, 45.1, 55.2]) await ledger.observe(renewal('node-a', second));
    await keepWriting(ledger, 36, 60, 201);
    await ledger.alive(300);
    assert.equal(await ledger.answer('10.0.0.7', 220), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 240), 'free');
  });

  test('is in doubt for as long where the node’s status is posted though nothing has changed: its kubelet was started', async () => {
    const ledger = await watchingNodes({ contents: 7, heartbeat: -60 });
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    const object = aKubeletNode('node-a', 201, { contents: 7, heartbeat: 33 });
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(33.4) });
    // In step by chance.
    for (const second of [28, 38.1]) await ledger.observe(renewal('node-a', second));
    await keepWriting(ledger, 36, 60, 202);
    await ledger.alive(300);
    assert.equal(await ledger.answer('10.0.0.7', 220), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 240), 'free');
  });

  test('takes longer on a node whose pods take longer to start', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    for (const i of [1, 2, 3]) {
      const slow = aPod(`slow-${i}`).createdAt(at(14)).startedAt(at(14)).lostAt(at(14)).withIp();
      await ledger.see(14, slow.atVersion(100 + i));
      await ledger.see(
        18,
        slow
          .readyAt(at(17))
          .withIp(`10.0.0.${30 + i}`)
          .atVersion(110 + i),
      );
    }
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [28, 38.1]) await ledger.observe(renewal('node-a', second));
    await ledger.alive(50);
    assert.equal(await ledger.answer('10.0.0.7', 37), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 38.5), 'free');
  });

  test('lasts no longer than another pod’s proven beginning', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.see(50, aPod('job').withIp('10.0.0.7').startedAt(at(47)).readyAt(at(49)).atVersion(201));
    await ledger.see(
      60,
      aPod('job').withIp('10.0.0.7').startedAt(at(47)).lostAt(at(59)).inPhase('Failed').atVersion(202),
    );
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 55), 'held job');
    assert.equal(await ledger.answer('10.0.0.7', 65), 'free');
  });

  test('cannot shorten the grace that was asked for first', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await keepWriting(ledger, 25, 29, 100);
    await ledger.see(29.9, web.deletedAt(at(29), 30).atVersion(190));
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await keepWriting(ledger, 31, 85, 201);
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 66), 'free');
  });

  test('on a node that says nothing is in doubt for as long as a collection of garbage takes where nobody watched before: its kubelet may have been started', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.restart();
    await ledger.alive(40);
    await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(110) });
    await ledger.alive(111);
    assert.equal(await ledger.answer('10.0.0.7', 100), 'ambiguous web-1');
    await ledger.observe({ kind: 'progress', resource: 'Node', resourceVersion: '400', at: at(300) });
    await ledger.alive(301);
    assert.equal(await ledger.answer('10.0.0.7', 220), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 240), 'free');
  });

  test('survives a restart of the recorder: what was open is settled by the next one', async () => {
    const ledger = await watchingNodes();
    await ledger.see(13, web);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.restart();
    await ledger.see(50, aPod('job').withIp('10.0.0.7').startedAt(at(48)).readyAt(at(49)).atVersion(201));
    await ledger.alive(70);
    assert.equal((await ledger.tenures('10.0.0.7'))[0]?.end?.notAfter, at(50));
  });
});

test('a pod whose images are on its node has none to pull: its deletion is over sooner', async () => {
  for (const [images, says] of [
    [7, 'free'],
    [8, 'ambiguous web-1'],
  ] as const) {
    const ledger = await watchingNodes();
    const runs = busyPod(5, 50).build();
    const object = { ...runs, status: { ...runs.status, images: 7, runningSince: at(5) } };
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Pod', object }, at: at(6) });
    await ledger.alive(7);
    const begun = web.withIp().lostAt(at(11)).atVersion(110).build();
    const waits = { ...begun, status: { ...begun.status, images, creating: true } };
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Pod', object: waits }, at: at(12) });
    const gone = { ...waits, metadata: { ...waits.metadata, resourceVersion: '111' } };
    await ledger.observe({ kind: 'event', type: 'deleted', seen: { kind: 'Pod', object: gone }, at: at(13) });
    for (const second of [9, 19.1, 29.2]) await ledger.observe(renewal('node-a', second, 13.5));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.20', 15), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.20', 19), says);
  }
});

// The address of a pod that has not shown it, or shows it late.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { who } from '../query/who.ts';
import { aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip } from '../testing/test-ledger.ts';
import { aKubeletNode, keepWriting, watchingNodes, web } from '../testing/watched-nodes.ts';

describe('the beginning of an address', () => {
  test('may be as early as its kubelet began with the pod: the condition is written late by one that is slow', async () => {
    for (const version of ['v1.36.3', 'v1.34.1']) {
      const ledger = await watchingNodes({ version });
      await ledger.see(61, web.readyAt(at(60)));
      await ledger.alive(80);
      assert.equal(await ledger.answer('10.0.0.7', 10), 'free', version);
      assert.equal(await ledger.answer('10.0.0.7', 30), 'ambiguous web-1', version);
      assert.equal(await ledger.answer('10.0.0.7', 62), 'held web-1', version);
    }
  });

  test('that is shown late is that of the condition, where that was seen', async () => {
    const ledger = await watchingNodes();
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    await ledger.see(70, web.atVersion(20));
    await ledger.alive(80);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'held web-1');
  });
});

describe('a pod that has not shown its address', () => {
  test('makes its node’s addresses doubtful while it waits, and no others; then only its own is held', async () => {
    const ledger = await watchingNodes();
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.1.20', 40), 'free');
    await ledger.see(70, web.atVersion(20));
    await ledger.alive(80);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'free');
  });

  test('is not made the holder by traffic: a node’s bridge, which is nobody’s, sends from such an address too', async () => {
    const ledger = await watchingNodes();
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    const question = { cluster: CLUSTER.id, ip: ip('10.0.0.1'), at: at(40), seen: true };
    const { answer, holders } = await withSnapshot(ledger.engine, question.cluster, (snapshot) =>
      who(snapshot, question),
    );
    assert.deepEqual([answer, holders.map(({ name }) => name)], ['ambiguous', ['web-1']]);
  });

  test('on a node that was seen to use more blocks than are kept may have had any of the cluster’s', async () => {
    const ledger = await watchingNodes({ podCIDRs: [] });
    for (let i = 0; i < 70; i++) {
      const address = `10.0.${100 + i}.8`;
      await ledger.see(
        5,
        aPod(`db-${i}`)
          .withIp(address)
          .startedAt(at(3))
          .readyAt(at(4))
          .atVersion(8 + i),
      );
    }
    await ledger.see(12.4, web.withIp().atVersion(100));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.169.9', 40), 'ambiguous web-1');
  });

  test('and goes without: it may have had any that nobody else held meanwhile', async () => {
    const ledger = await watchingNodes();
    await ledger.see(5, aPod('db').withIp('10.0.0.8').startedAt(at(3)).readyAt(at(4)).atVersion(8));
    await keepWriting(ledger, 9, 11, 100);
    await ledger.see(12.4, web.withIp().atVersion(110));
    await keepWriting(ledger, 13, 19, 111);
    await ledger.deleted(20.2, web.withIp().deletedAt(at(20), 0).atVersion(120));
    await keepWriting(ledger, 21, 120, 121);
    assert.equal(await ledger.answer('10.0.0.20', 18), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.8', 18), 'held db');
    // A pull that was under way may take a minute more.
    assert.equal(await ledger.answer('10.0.0.20', 75), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.20', 100), 'free');
  });

  test('without podCIDRs, what its node was seen to hand out is in doubt, and nothing of other nodes', async () => {
    const ledger = await watchingNodes({ podCIDRs: [] });
    await ledger.see(5, aPod('db').withIp('10.0.0.8').startedAt(at(3)).readyAt(at(4)).atVersion(8));
    await ledger.see(6, aPod('far').onNode('node-b').withIp('10.0.1.8').readyAt(at(5)).atVersion(9));
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.1.20', 40), 'free');
    assert.equal(await ledger.answer('8.8.8.8', 40), 'free outside');
  });
});

test('a pod that was bound and deleted while its kubelet was away had no address, unless that was about to come back', async () => {
  for (const [back, says] of [
    [90, 'free'],
    [58, 'ambiguous late'],
  ] as const) {
    const ledger = await watchingNodes();
    await keepWriting(ledger, 5, 12, 100);
    const bound = aPod('late').createdAt(at(30)).withIp();
    await ledger.see(30, bound.atVersion(120));
    await ledger.deleted(50, bound.deletedAt(at(50), 0).atVersion(121));
    await ledger.alive(55);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'ambiguous late');
    await keepWriting(ledger, back, back + 140, 200);
    assert.equal(await ledger.answer('10.0.0.20', 51), says, `back at ${back} s`);
  }
});

test('a pod whose network came up late may have had another before, which its kubelet made in vain', async () => {
  for (const [second, says] of [
    [20, 'ambiguous web-1'],
    [13, 'free'],
  ] as const) {
    const ledger = await watchingNodes();
    await keepWriting(ledger, 5, 11, 100);
    await ledger.see(11.5, web.withIp().startedAt(at(11)).lostAt(at(11)).atVersion(110));
    await ledger.see(second + 0.5, web.withIp().startedAt(at(11)).readyAt(at(second)).atVersion(111));
    await ledger.see(second + 1, web.startedAt(at(11)).readyAt(at(second)).atVersion(112));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.20', 12), says, `up at ${second} s`);
    assert.equal(await ledger.answer('10.0.0.20', 40), 'free');
  }
});

test('a pod that may have had any address had none that another pod held after it was let go of, from then on', async () => {
  const ledger = await watchingNodes();
  await ledger.alive(5);
  const begun = web.withIp().lostAt(at(11));
  await ledger.see(12, begun.atVersion(10));
  await ledger.deleted(13, begun.deletedAt(at(13), 0).atVersion(11));
  const job = aPod('job').withIp('10.0.0.20').startedAt(at(29)).readyAt(at(30)).atVersion(20);
  await ledger.see(31, job);
  await ledger.see(41, job.lostAt(at(40)).inPhase('Failed').atVersion(21));
  await ledger.alive(52);
  assert.equal(await ledger.answer('10.0.0.20', 25), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.20', 45), 'free');
  assert.equal(await ledger.answer('10.0.0.21', 45), 'ambiguous web-1');
});

for (const [silentFrom, answer] of [
  [12, 'ambiguous web-1'],
  [49, 'free'],
] as const)
  test(`whose kubelet was silent from ${silentFrom} s on may have got an address some seconds after its deletion at 50 s: ${answer}`, async () => {
    const ledger = await watchingNodes();
    await keepWriting(ledger, 5, 11, 100);
    const begun = web.withIp().lostAt(at(11));
    await ledger.see(12, begun.atVersion(110));
    await keepWriting(ledger, 12, silentFrom, 111);
    await ledger.deleted(50, begun.deletedAt(at(50), 0).atVersion(190));
    const job = aPod('job').withIp('10.0.0.20').startedAt(at(54)).readyAt(at(55)).atVersion(200);
    await ledger.see(56, job);
    await ledger.see(61, job.lostAt(at(60)).inPhase('Failed').atVersion(201));
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.20', 65), answer);
  });

test('a pod that waited for its address until it was deleted may have got it late, after another had held that one', async () => {
  const ledger = await watchingNodes({ version: 'v1.34.1' });
  await keepWriting(ledger, 5, 11, 100);
  const begun = web.withIp().lostAt(at(11));
  await ledger.see(12, begun.atVersion(110));
  await ledger.alive(25);
  const job = aPod('job').withIp('10.0.0.20').startedAt(at(29)).readyAt(at(30)).atVersion(120);
  await ledger.see(31, job);
  await ledger.see(41, job.lostAt(at(40)).inPhase('Failed').atVersion(121));
  await ledger.deleted(50, begun.deletedAt(at(50), 0).atVersion(122));
  await ledger.alive(60);
  assert.equal(await ledger.answer('10.0.0.20', 35), 'held job');
  assert.equal(await ledger.answer('10.0.0.20', 45), 'ambiguous web-1');
});

test('a pod whose node booted before it showed its address may have got another since, also one that was held before', async () => {
  const ledger = await watchingNodes();
  await keepWriting(ledger, 5, 11, 100);
  await ledger.see(12.6, web.withIp().atVersion(110));
  const job = aPod('job').withIp('10.0.0.20').startedAt(at(14)).readyAt(at(15)).atVersion(120);
  await ledger.see(16, job);
  await ledger.see(21, job.lostAt(at(20)).inPhase('Failed').atVersion(121));
  const object = aKubeletNode('node-a', 130, { bootID: 'boot-2', heartbeat: 30 });
  await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(30) });
  await ledger.deleted(50, web.withIp().deletedAt(at(50), 0).atVersion(140));
  await ledger.alive(60);
  assert.equal(await ledger.answer('10.0.0.20', 45), 'ambiguous web-1');
});

test('who has shown the address is named before those who may have had any', async () => {
  const ledger = await watchingNodes({ version: 'v1.34.1' });
  await ledger.alive(5);
  await ledger.see(12.4, aPod('any').withIp().startedAt(at(11)).lostAt(at(11)).atVersion(9));
  const later = web.startedAt(at(13)).readyAt(at(13));
  await ledger.see(13, later);
  await ledger.alive(29);
  await ledger.deleted(30.2, later.deletedAt(at(30), 0).atVersion(200));
  await ledger.alive(40);
  const { holders } = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
    who(snapshot, { ip: ip('10.0.0.7'), at: at(32) }),
  );
  assert.deepEqual(
    holders.map(({ name }) => name),
    ['web-1', 'any'],
  );
});

test('a pod that is deleted before it shows the address of its new sandbox may have had any', async () => {
  const ledger = await watchingNodes();
  await ledger.see(13, web);
  await ledger.alive(29);
  await ledger.see(30.2, web.lostAt(at(30)).atVersion(20));
  const renewed = web.readyAt(at(31)).atVersion(21);
  await ledger.see(31.4, renewed);
  await ledger.deleted(32.2, renewed.deletedAt(at(32), 0).atVersion(22));
  await ledger.alive(36);
  assert.equal(await ledger.answer('10.0.0.20', 32), 'ambiguous web-1');
});

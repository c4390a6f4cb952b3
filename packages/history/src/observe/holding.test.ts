import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { conflictsOf } from '../query/conflicts.ts';
import { aNode, aPod, aService } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip, TestLedger } from '../testing/test-ledger.ts';

const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).readyAt(at(12));

/** A watch that is open from second 0. */
async function watching(): Promise<TestLedger> {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  return ledger;
}

describe('who holds an address', () => {
  test('a pod holds its address from when its network came up, and before that nobody does', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 5), 'free');
    assert.equal(await ledger.answer('10.0.0.7', 12.5), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 14), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 60), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.8', 30), 'free');
  });

  test('identity is the UID: a name that comes back is another history, and a delete of the older one ends only that', async () => {
    const ledger = await watching();
    const second = aPod('web-1').withUid('uid-second').withIp('10.0.0.8').readyAt(at(40));
    await ledger.see(13, web);
    await ledger.see(41, second);
    await ledger.deleted(45, web);
    await ledger.alive(60);
    assert.deepEqual(
      (await ledger.who('10.0.0.7', 42)).holders.map((holder) => holder.uid),
      ['uid-web-1'],
    );
    assert.equal(await ledger.answer('10.0.0.7', 50), 'free');
    const later = await ledger.who('10.0.0.8', 50);
    assert.equal(later.answer, 'held');
    assert.equal(later.holders[0]?.uid, 'uid-second');
  });

  test('an address is released when its pod becomes terminal, not when the object is deleted', async () => {
    const ledger = await watching();
    const done = web.completedAt(at(20));
    await ledger.see(13, web);
    await ledger.see(21, done);
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 19), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 20.5), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 22), 'free');
    await ledger.deleted(70, done);
    await ledger.alive(80);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'free');
    assert.equal((await ledger.tenures('10.0.0.7')).length, 1);
  });

  test('a Completed pod that lingers does not share the address with its next holder', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(21, web.completedAt(at(20)));
    await ledger.see(31, aPod('job-2').withIp('10.0.0.7').readyAt(at(30)));
    // The lingering pod is written again, address and all.
    await ledger.see(40, web.completedAt(at(20)).annotated({ seen: 'yes' }));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 35), 'held job-2');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held job-2');
    assert.deepEqual(
      await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
        conflictsOf(snapshot, ip('10.0.0.7'), { from: at(0), to: at(99) }),
      ),
      [],
    );
  });

  test('a blank address on completion neither opens nor closes: the terminal phase ends the tenure', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(21, web.withIp());
    await ledger.see(22, web.withIp().completedAt(at(20)));
    await ledger.alive(60);
    const [tenure, ...more] = await ledger.tenures('10.0.0.7');
    assert.equal(more.length, 0);
    assert.equal(tenure?.end?.observedAt, at(22));
    assert.equal(await ledger.answer('10.0.0.7', 23), 'free');
  });

  test('a blank address on a running pod closes nothing, and the same address after it is the same tenure', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(30, web.withIp());
    await ledger.see(40, web);
    await ledger.alive(60);
    assert.equal((await ledger.tenures('10.0.0.7')).length, 1);
    assert.equal(await ledger.answer('10.0.0.7', 35), 'held web-1');
  });

  test('after a blank, another address bounds the end by the first blank and that observation', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(30);
    await ledger.see(31, web.withIp());
    await ledger.alive(39);
    await ledger.see(40, web.withIp('10.0.0.8').readyAt(at(39)));
    await ledger.alive(60);
    const [tenure] = await ledger.tenures('10.0.0.7');
    assert.ok(tenure?.end !== undefined);
    assert.ok(tenure.end.notBefore <= at(31) && tenure.end.notBefore >= at(24));
    assert.equal(tenure.end.notAfter, at(40));
    assert.equal(await ledger.answer('10.0.0.7', 20), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 35), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.8', 45), 'held web-1');
  });

  test('after a blank, the end of the pod bounds the end by the first blank', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(30);
    await ledger.see(31, web.withIp());
    await ledger.alive(39);
    await ledger.deleted(40, web.withIp());
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 35), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 41), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 45), 'free');
  });

  test('after a blank, another pod that shows the address has it, also when that is reported only later', async () => {
    // Kubelets that do not report when a sandbox is lost show a blank until there is another, which may take long.
    const ledger = await watching();
    const old = aPod('web-1').withIp('10.0.0.7').createdAt(at(10));
    await ledger.see(13, old);
    await ledger.alive(30);
    await ledger.see(31, old.withIp());
    await ledger.alive(33);
    await ledger.see(60, aPod('job').createdAt(at(40)).withIp('10.0.0.7'));
    await ledger.alive(80);
    assert.equal(await ledger.answer('10.0.0.7', 20), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous web-1,job');
    assert.equal(await ledger.answer('10.0.0.7', 70), 'held job');
    assert.equal((await ledger.who('10.0.0.7', 50)).conflicts.length, 1);
    // Should it show it again, both claim it.
    await ledger.see(85, old);
    await ledger.alive(99);
    assert.equal(await ledger.answer('10.0.0.7', 98), 'ambiguous job,web-1');
  });

  test('a sandbox replaced with another address closes one tenure and opens the next', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(41, web.withIp('10.0.0.9').readyAt(at(40)).finishedAt(at(38), false));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 37), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 39), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 45), 'free');
    assert.equal(await ledger.answer('10.0.0.9', 45), 'held web-1');
  });

  test('a sandbox replaced with the same address leaves a doubt in between, and may have been lent to another', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(31, web.lostAt(at(30)));
    await ledger.see(51, web.readyAt(at(50)));
    await ledger.alive(60);
    // A kubelet may notice a little late.
    assert.equal(await ledger.answer('10.0.0.7', 27), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 29), 'ambiguous web-1');
    // That it is lost is written before the kubelet takes down what is left.
    assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous web-1');
    // Whether the address is the new sandbox's shows only when that has been used.
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
    await ledger.see(61, web.readyAt(at(50)).withCondition('ContainersReady', 'True', at(52)));
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.7', 55), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 70), 'held web-1');
    assert.equal((await ledger.tenures('10.0.0.7')).length, 2);
  });

  test('a kubelet that shows the old address for a while in the new sandbox has not held it then', async () => {
    // Kubelets of 1.36 say that the new sandbox is ready before they have read its address, for as long as an image
    // takes to be pulled.
    for (const shownAt of [42, 55]) {
      const ledger = await watching();
      await ledger.see(13, web);
      await ledger.see(31, web.lostAt(at(30)));
      await ledger.see(41, web.readyAt(at(40)));
      await ledger.alive(41.5);
      assert.equal(await ledger.answer('10.0.0.7', 41.2), 'ambiguous web-1');
      await ledger.see(shownAt, web.withIp('10.0.0.9').readyAt(at(40)));
      await ledger.alive(70);
      assert.equal(await ledger.answer('10.0.0.7', 35), 'ambiguous web-1');
      assert.notEqual(await ledger.answer('10.0.0.7', 41.5), 'held web-1');
      assert.equal(await ledger.answer('10.0.0.7', 60), 'free');
      assert.notEqual(await ledger.answer('10.0.0.9', 41.5), 'free');
      assert.equal(await ledger.answer('10.0.0.9', 60), 'held web-1');
    }
  });

  test('the same, when the loss was never written: the doubt reaches back to the end of the containers', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(41, web.readyAt(at(40)).finishedAt(at(38)));
    await ledger.alive(41.5);
    assert.equal(await ledger.answer('10.0.0.7', 41.2), 'ambiguous web-1');
    await ledger.see(43, web.withIp('10.0.0.9').readyAt(at(40)).finishedAt(at(38), false));
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.7', 37), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 39), 'ambiguous web-1');
    assert.notEqual(await ledger.answer('10.0.0.7', 41.5), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.9', 45), 'held web-1');
  });

  test('a blank while another sandbox is up already: the same address after it was not held in between', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(29);
    await ledger.see(41, web.withIp().readyAt(at(40)).finishedAt(at(30)));
    await ledger.see(
      43,
      web.readyAt(at(40)).finishedAt(at(30), false).withCondition('ContainersReady', 'True', at(42)),
    );
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.7', 28), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 35), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    assert.equal((await ledger.tenures('10.0.0.7')).length, 2);
  });

  test('an address that was in doubt to the end is certain at no instant of the doubt, unless containers ended in it', async () => {
    const again = web.readyAt(at(40));
    for (const last of [again.completedAt(at(50)), web.lostAt(at(50)), undefined]) {
      const ledger = await watching();
      await ledger.see(13, web);
      await ledger.see(31, web.lostAt(at(30)));
      await ledger.see(41, again);
      if (last === undefined) await ledger.deleted(51, again);
      else await ledger.see(51, last);
      await ledger.alive(70);
      const [, doubtful] = await ledger.tenures('10.0.0.7');
      assert.ok(doubtful?.end !== undefined && doubtful.start.notAfter <= doubtful.end.notAfter);
      assert.equal(
        await ledger.answer('10.0.0.7', 45),
        last?.build().status.phase === 'Succeeded' ? 'held web-1' : 'ambiguous web-1',
      );
      assert.equal(
        await ledger.answer('10.0.0.7', 60),
        last?.build().status.phase === 'Running' ? 'ambiguous web-1' : 'free',
      );
    }
  });

  test('a sandbox that dies before its kubelet has noticed that it came up has left a doubt, not a tenure', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(17, web.lostAt(at(16)).finishedAt(at(11), false));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 14), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 18), 'ambiguous web-1');
    await ledger.see(61, web.readyAt(at(60)).withIp('10.0.0.8'));
    await ledger.alive(70);
    assert.equal(await ledger.answer('10.0.0.7', 65), 'free');
  });

  test('an address that is shown while the sandbox is lost is nobody’s', async () => {
    const ledger = await watching();
    await ledger.see(13, web.lostAt(at(12)));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 30), 'free');
  });

  test('a pod that was never seen running has its address on record from its end', async () => {
    const ledger = await watching();
    await ledger.see(11, aPod('job').inPhase('Pending').createdAt(at(10)));
    await ledger.see(21, aPod('job').createdAt(at(10)).withIp('10.0.0.7').completedAt(at(20)).lostAt(at(20)));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 15), 'ambiguous job');
    assert.equal(await ledger.answer('10.0.0.7', 30), 'free');
  });

  test('an init container ends when its pod begins: a pod whose node was lost held its address until others ended it', async () => {
    const pod = aPod('web-1').withIp('10.0.0.7').createdAt(at(5)).readyAt(at(6)).initializedAt(at(8));
    const ends: Readonly<Record<string, (ledger: TestLedger) => Promise<unknown>>> = {
      'made Failed': (ledger) => ledger.see(7260, pod.inPhase('Failed')),
      'deleted by force': (ledger) => ledger.deleted(7260, pod.deletedAt(at(7200), 30)),
    };
    for (const [how, end] of Object.entries(ends)) {
      const ledger = new TestLedger();
      await ledger.list(0, 'start');
      await ledger.see(11, pod.withCondition('ContainersReady', 'True', at(10)));
      await ledger.alive(7200);
      await end(ledger);
      await ledger.alive(7300);
      assert.equal(await ledger.answer('10.0.0.7', 3600), 'held web-1', how);
      assert.equal(await ledger.answer('10.0.0.7', 7270), 'free', how);
    }
  });

  test('a sandbox that came and went between two sightings may have come as soon as its pod was there', async () => {
    // The event that showed its address was lost: the API server's watch cache does that.
    const ledger = await watching();
    const job = aPod('job').createdAt(at(9)).startedAt(at(10)).inPhase('Pending');
    await ledger.see(10, job.lostAt(at(10)));
    await ledger.see(19.5, aPod('other').createdAt(at(19)).inPhase('Pending'));
    await ledger.see(21, job.withIp('10.0.0.7').inPhase('Running').lostAt(at(20)));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 12), 'ambiguous job');
    assert.equal(await ledger.answer('10.0.0.7', 30), 'ambiguous job');
  });

  test('a deletion by force begins an end: it lies between what was last known and some seconds after the delete', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(29);
    await ledger.deleted(30, web);
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 28), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 29.5), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 33.9), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 34), 'free');
  });
});

describe('what does not own its address', () => {
  test('a host-network pod never owns its node’s address: the node is first, then the pods that may be meant', async () => {
    const ledger = await watching();
    const node = aNode('node-a', 500, '192.168.0.1');
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object: node }, at: at(2) });
    const proxy = aPod('proxy').onHostNetwork().withIp('192.168.0.1').withCondition('PodScheduled', 'True', at(10));
    await ledger.see(13, proxy.atVersion(600));
    await ledger.see(14, aPod('web-1').withIp('10.0.0.7').withCondition('PodScheduled', 'True', at(10)).atVersion(601));
    await ledger.alive(60);
    assert.equal(await ledger.answer('192.168.0.1', 30), 'ambiguous node-a,proxy');
    assert.equal((await ledger.who('192.168.0.1', 30)).holders[0]?.kind, 'Node');
    const shown = (await ledger.tenures('192.168.0.1')).map(({ holder }) => [holder.kind, holder.hostNetwork]);
    assert.deepEqual(shown, [
      ['Pod', true],
      ['Node', false],
    ]);
  });

  test('a node’s address that was given up before it existed as one is the pod’s: only what can be true is a candidate', async () => {
    const ledger = await watching();
    const node = aNode('node-a', 500, '10.0.0.7');
    await ledger.see(13, web.atVersion(400));
    await ledger.deleted(20, web.atVersion(401));
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Node', object: node }, at: at(40) });
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous node-a');
  });

  test('a service holds its cluster addresses until it is deleted', async () => {
    const ledger = await watching();
    const service = aService('dns', 500, '10.96.0.10', 'fd00::10');
    await ledger.observe({ kind: 'event', type: 'present', seen: { kind: 'Service', object: service }, at: at(2) });
    await ledger.observe({ kind: 'probed', resourceVersion: '500', at: at(29) });
    const gone = aService('dns', 501, '10.96.0.10', 'fd00::10');
    await ledger.observe({ kind: 'event', type: 'deleted', seen: { kind: 'Service', object: gone }, at: at(30) });
    await ledger.alive(60);
    const held = await ledger.who('10.96.0.10', 20);
    assert.equal(held.answer, 'held');
    assert.equal(held.holders[0]?.kind, 'Service');
    assert.equal(await ledger.answer('fd00::10', 20), 'held dns');
    assert.equal(await ledger.answer('10.96.0.10', 40), 'free');
  });

  test('a headless service holds no address', async () => {
    const ledger = await watching();
    const service = aService('db', 500, 'None');
    const facts = await ledger.observe({
      kind: 'event',
      type: 'present',
      seen: { kind: 'Service', object: service },
      at: at(2),
    });
    assert.ok(!facts.some((fact) => fact.kind === 'tenure'));
  });
});

describe('spellings', () => {
  test('podIPs is the truth and podIP only its first entry: both families are held', async () => {
    const ledger = await watching();
    await ledger.see(13, web.withIp('10.0.0.7', 'fd00::7'));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 30), 'held web-1');
    assert.equal(await ledger.answer('fd00::7', 30), 'held web-1');
  });

  test('one address of two can change alone', async () => {
    const ledger = await watching();
    await ledger.see(13, web.withIp('10.0.0.7', 'fd00::7'));
    await ledger.see(30, web.withIp('10.0.0.7', 'fd00::8'));
    await ledger.alive(60);
    assert.equal((await ledger.tenures('10.0.0.7')).length, 1);
    assert.equal(await ledger.answer('fd00::7', 40), 'free');
    assert.equal(await ledger.answer('fd00::8', 40), 'held web-1');
  });

  test('an IPv6 address is the same in every spelling, and an IPv4 address in its mapped form', async () => {
    const ledger = await watching();
    await ledger.see(13, web.withIp('FD00:0:0:0:0:0:0:7', '::ffff:10.0.0.9'));
    await ledger.alive(60);
    for (const spelling of ['fd00::7', 'fd00:0::7', '[fd00::7]', '10.0.0.9', '::ffff:a00:9']) {
      assert.equal(await ledger.answer(spelling, 30), 'held web-1', spelling);
    }
  });

  test('a redacted, empty or unparsable address is no address', async () => {
    const ledger = await watching();
    const facts = await ledger.see(13, web.withIp('***HIDDEN***', '', 'none', '10.0.0.7/24', '010.0.0.7'));
    assert.ok(!facts.some((fact) => fact.kind === 'tenure'));
  });
});

describe('conflicts and anomalies', () => {
  test('two running pods with one address are a stored conflict and an ambiguous answer, never an overwrite', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(31, aPod('thief').withIp('10.0.0.7').readyAt(at(30)));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous web-1,thief');
    const { conflicts } = await ledger.who('10.0.0.7', 40);
    assert.deepEqual(
      conflicts[0]?.holders.map((holder) => holder.name),
      ['web-1', 'thief'],
    );
    assert.equal(await ledger.answer('10.0.0.7', 20), 'held web-1');
  });

  test('a node never changes within a UID: a change is one anomaly, and the placement stays', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.see(20, web.onNode('node-b'));
    await ledger.see(21, web.onNode('node-b').annotated({ a: '1' }));
    const span = { from: at(0), to: at(99) };
    const { items } = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
      snapshot.occurrences({ kind: 'anomaly', span, page: { limit: 10 } }),
    );
    assert.deepEqual(
      items.map(({ what, detail }) => [what, detail]),
      [['node-changed', 'pod shop/web-1 on node node-b: it was on node-a before']],
    );
    const placed = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
      snapshot.placementsOn('node-a', span, { limit: 10 }),
    );
    assert.equal(placed.items.length, 1);
  });

  test('two clusters with the same addresses do not mix', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(60);
    const other = new TestLedger({ kind: 'cluster' }, ledger.engine);
    const writer = await ledger.engine.takeOver({ id: 'cluster-2', name: 'other' });
    other.observer.observe({ kind: 'alive', at: at(1) });
    await writer.append({ facts: [] });
    assert.deepEqual(
      await withSnapshot(ledger.engine, 'cluster-2', (snapshot) => snapshot.tenuresAt(ip('10.0.0.7'), at(30))),
      [],
    );
    assert.equal(
      (await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) => snapshot.tenuresAt(ip('10.0.0.7'), at(30)))).length,
      1,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Subject } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { aNode, aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip, TestLedger } from '../testing/test-ledger.ts';
import { exportLines } from './export.ts';
import { gaps } from './gaps.ts';
import { podsOnNode } from './node-pods.ts';
import { trail } from './trail.ts';
import { who } from './who.ts';

const cluster = CLUSTER.id;
const span = { from: at(0), to: at(1000) };

/** Three lives of a deployment, one after the other; a gap from second 300 to 400. */
async function aWeekOfLife(): Promise<TestLedger> {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  for (const [index, second] of [10, 110, 210].entries()) {
    const pod = aPod(`cart-7d9-${index}`)
      .ownedBy('ReplicaSet', 'cart-7d9')
      .labelled({ 'pod-template-hash': '7d9' })
      .onNode(index === 2 ? 'node-b' : 'node-a')
      .withCondition('PodScheduled', 'True', at(second))
      .createdAt(at(second))
      .withIp('10.0.0.7')
      .annotated({ team: `team-${index}` });
    await ledger.see(second + 3, pod.readyAt(at(second + 2)));
    await ledger.alive(second + 79);
    if (index < 2) await ledger.deleted(second + 80, pod.readyAt(at(second + 2)));
  }
  await ledger.alive(300);
  const [last] = await ledger.tenures('10.0.0.7').then((all) => all.slice(-1));
  const survivor = aPod('cart-7d9-2')
    .onNode('node-b')
    .ownedBy('ReplicaSet', 'cart-7d9')
    .labelled({ 'pod-template-hash': '7d9' })
    .createdAt(at(210))
    .withIp('10.0.0.7')
    .readyAt(at(212))
    .annotated({ team: 'team-new' });
  assert.equal(last?.holder.name, 'cart-7d9-2');
  await ledger.list(400, 'expired', survivor);
  await ledger.alive(500);
  return ledger;
}

describe('questions about spans', () => {
  test('tenures of an address come oldest first, in pages', async () => {
    const { engine } = await aWeekOfLife();
    const page = (cursor: string | undefined) =>
      withSnapshot(engine, cluster, (snapshot) => snapshot.tenuresOfIp(ip('10.0.0.7'), span, { limit: 2, cursor }));
    const first = await page(undefined);
    assert.deepEqual(
      first.items.map(({ holder }) => holder.name),
      ['cart-7d9-0', 'cart-7d9-1'],
    );
    const rest = await page(first.cursor);
    assert.deepEqual(
      rest.items.map(({ holder }) => holder.name),
      ['cart-7d9-2'],
    );
    assert.equal(rest.cursor, undefined);
  });

  test('the trail of a workload, a name and a UID tells nodes and addresses', async () => {
    const { engine } = await aWeekOfLife();
    const workload: Subject = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'cart' };
    const all = await withSnapshot(engine, cluster, (snapshot) => trail(snapshot, { subject: workload, span }));
    assert.deepEqual(
      all.items.map(({ pod, tenures }) => [pod.name, pod.node, tenures.map((tenure) => tenure.ip)]),
      [
        ['cart-7d9-0', 'node-a', ['10.0.0.7']],
        ['cart-7d9-1', 'node-a', ['10.0.0.7']],
        ['cart-7d9-2', 'node-b', ['10.0.0.7']],
      ],
    );
    const one = await withSnapshot(engine, cluster, (snapshot) =>
      trail(snapshot, { subject: { by: 'uid', uid: 'uid-cart-7d9-1' }, span }),
    );
    assert.equal(one.items.length, 1);
    const named = await withSnapshot(engine, cluster, (snapshot) =>
      trail(snapshot, { subject: { by: 'name', namespace: 'shop', name: 'cart-7d9-0' }, span }),
    );
    assert.equal(named.items[0]?.end?.notAfter, at(94), 'the deletion, and as long as a sandbox may stand');
  });

  test('pods on a node at an instant or in a span say whether that is certain', async () => {
    const { engine } = await aWeekOfLife();
    const on = async (during: Parameters<typeof podsOnNode>[1]['during']) =>
      (await withSnapshot(engine, cluster, (snapshot) => podsOnNode(snapshot, { node: 'node-a', during }))).items.map(
        ({ pod, certain }) => [pod.name, certain],
      );
    assert.deepEqual(await on(at(50)), [['cart-7d9-0', true]]);
    assert.deepEqual(await on(at(89.5)), [['cart-7d9-0', false]]);
    assert.deepEqual(await on(at(100)), []);
    assert.deepEqual(await on({ from: at(50), to: at(150) }), [
      ['cart-7d9-0', true],
      ['cart-7d9-1', true],
    ]);
  });

  test('changes of annotations come with their time, values and pod', async () => {
    const { engine } = await aWeekOfLife();
    const subject: Subject = { by: 'name', namespace: 'shop', name: 'cart-7d9-2' };
    const { items } = await withSnapshot(engine, cluster, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject, span, page: { limit: 100 } }),
    );
    assert.deepEqual(
      items.map(({ key, before, after, source }) => [key, before?.text, after?.text, source]),
      [
        ['team', undefined, 'team-2', 'watch'],
        ['team', 'team-2', 'team-new', 'list'],
      ],
    );
  });

  test('gaps are cut to the span', async () => {
    const { engine } = await aWeekOfLife();
    const found = await withSnapshot(engine, cluster, (snapshot) =>
      gaps(snapshot, { span: { from: at(350), to: at(1000) } }),
    );
    assert.deepEqual(found.gaps, [{ from: at(350), to: at(400), reason: 'expired' }]);
    assert.deepEqual([found.first, found.last], [at(0), at(500)]);
    assert.deepEqual(found.scopes, [{ kind: 'cluster' }]);
  });

  test('spans and pages beyond the limits are refused with a hint', async () => {
    const { engine } = await aWeekOfLife();
    const question = { subject: { by: 'uid', uid: 'uid-cart-7d9-1' } as const, span };
    const refused = (code: string) => (error: { code?: string; hint?: string }) =>
      error.code === code && error.hint !== undefined;
    await assert.rejects(
      withSnapshot(engine, cluster, (snapshot) => trail(snapshot, { ...question, page: { limit: 10_001 } })),
      refused('bad-page'),
    );
    await assert.rejects(
      withSnapshot(engine, cluster, (snapshot) => trail(snapshot, { ...question, page: { limit: 0.5 } })),
      refused('bad-page'),
    );
    const endless = { from: at(0), to: at(401 * 86_400) };
    await assert.rejects(
      withSnapshot(engine, cluster, (snapshot) => trail(snapshot, { ...question, span: endless })),
      refused('span-too-long'),
    );
    await assert.rejects(
      withSnapshot(engine, cluster, (snapshot) => trail(snapshot, { ...question, span: { from: at(5), to: at(5) } })),
      refused('bad-span'),
    );
  });
});

describe('provisional answers', () => {
  test('while the watch is alive, an instant after its last word is answered from the present state', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, aPod('web-1').withIp('10.0.0.7').readyAt(at(9)));
    await ledger.alive(60);
    const ask = (second: number, now: number, address = '10.0.0.7') =>
      withSnapshot(ledger.engine, cluster, (snapshot) =>
        who(snapshot, { ip: ip(address), at: at(second), now: at(now) }),
      );
    const held = await ask(61, 61);
    assert.deepEqual([held.answer, held.provisional, held.holders[0]?.name], ['held', true, 'web-1']);
    const free = await ask(61, 61, '10.0.0.9');
    assert.deepEqual([free.answer, free.provisional], ['free', true]);
    const lately = await ask(57, 61, '10.0.0.9');
    assert.deepEqual([lately.answer, lately.provisional], ['free', true], 'a kubelet may still tell of it');
    const settledFree = await ask(54, 61, '10.0.0.9');
    assert.deepEqual([settledFree.answer, settledFree.provisional], ['free', false]);
    const ending = await ask(57, 61);
    assert.deepEqual([ending.answer, ending.provisional], ['held', true], 'a kubelet may still tell of its end');
    const settled = await ask(50, 61);
    assert.deepEqual([settled.answer, settled.provisional], ['held', false]);
    const future = await ask(90, 61);
    assert.deepEqual([future.answer, future.reason], ['unknown', 'in-the-future']);
    // A wrong clock had claimed to watch until then, or the asker's is behind: no clock has been there yet.
    const claimed = await ask(55, 40, '10.0.0.9');
    assert.deepEqual([claimed.answer, claimed.reason], ['unknown', 'in-the-future']);
    const silent = await ask(70, 70);
    assert.deepEqual([silent.answer, silent.reason], ['unknown', 'after-last-record']);
    const clockless = await withSnapshot(ledger.engine, cluster, (snapshot) =>
      who(snapshot, { ip: ip('10.0.0.7'), at: at(61) }),
    );
    assert.equal(clockless.reason, 'after-last-record');
  });

  test('an answer says what it rests on', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, aPod('web-1').withIp('10.0.0.7').readyAt(at(9)).atVersion(77));
    await ledger.deleted(20, aPod('web-1').withIp('10.0.0.7').readyAt(at(9)).atVersion(78));
    await ledger.alive(30);
    const { evidence, coverage } = await ledger.who('10.0.0.7', 12);
    assert.deepEqual(
      evidence.map(({ source, epoch, resourceVersion, observedAt }) => [source, epoch, resourceVersion, observedAt]),
      [
        ['watch', 1, '77', at(10)],
        ['watch', 1, '78', at(20)],
      ],
    );
    assert.deepEqual(coverage.scope, { kind: 'cluster' });
  });

  test('a node that may have had the address does not spoil a pod that certainly had it', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    const node = (version: number, ...addresses: string[]) => ({
      kind: 'Node' as const,
      object: aNode('node-a', version, ...addresses),
    });
    await ledger.see(10, aPod('web-1').withIp('10.0.0.7').readyAt(at(9)).atVersion(50));
    await ledger.observe({ kind: 'probed', resourceVersion: '59', at: at(30) });
    await ledger.deleted(40, aPod('web-1').withIp('10.0.0.7').readyAt(at(9)).atVersion(60));
    await ledger.observe({ kind: 'event', type: 'present', seen: node(61, '10.0.0.7'), at: at(45) });
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 25), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous node-a');
    assert.equal(await ledger.answer('10.0.0.7', 70), 'unknown after-last-record');
  });
});

describe('the export', () => {
  test('is one JSON line a record, the same for the same facts', async () => {
    const lines = await Array.fromAsync(exportLines((await aWeekOfLife()).engine, cluster));
    const again = await Array.fromAsync(exportLines((await aWeekOfLife()).engine, cluster));
    assert.deepEqual(lines, again);
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    assert.equal(kinds.filter((kind) => kind === 'tenure').length, 3);
    assert.deepEqual(
      kinds,
      [...kinds].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
    );
  });
});

const ORDER = ['coverage', 'tenure', 'placement', 'change', 'conflict', 'anomaly', 'live'];

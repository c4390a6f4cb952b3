import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { podsOnNode } from '../query/node-pods.ts';
import { aPod, type PodBuilder } from '../testing/observed-pod.ts';
import { at, CLUSTER, TestLedger } from '../testing/test-ledger.ts';

const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(1)).readyAt(at(2)).onNode('node-a');
const served = (pod: PodBuilder, second: number) => pod.withCondition('ContainersReady', 'True', at(second));

const asPods = (...pods: PodBuilder[]) => pods.map((pod) => ({ kind: 'Pod' as const, object: pod.build() }));

/** Watched from 0 on, with these seen at 10, and certain until 60; versions 500 and up. */
async function watched(...pods: PodBuilder[]): Promise<TestLedger> {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  for (const [i, pod] of pods.entries()) await ledger.see(10, pod.atVersion(500 + i));
  await ledger.alive(60);
  return ledger;
}

/** The listing after etcd was restored from a backup, at 100. */
async function rewind(ledger: TestLedger, since: number | undefined, ...pods: PodBuilder[]): Promise<void> {
  const present = asPods(...pods.map((pod, i) => pod.atVersion(300 + i)));
  await ledger.observe({
    ...{ kind: 'listed', resource: 'Pod', reason: 'rewound', resourceVersion: '310', whole: true, goneUids: [] },
    ...{ present, at: at(100), since: since === undefined ? undefined : at(since) },
  });
}

describe('after a rewind', () => {
  test('a pod that the API server forgot may have ended at any time since, and runs on until its kubelet notices', async () => {
    const ledger = await watched(web);
    await rewind(ledger, 60);
    await ledger.alive(130);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 103), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 110), 'free');
  });

  test('a rewind that is noticed late puts in doubt what was delivered since the last certain moment', async () => {
    const ledger = await watched(web);
    // Nothing of this is known to be of the same history.
    await ledger.see(90, aPod('other').withIp('10.0.0.8').createdAt(at(88)).readyAt(at(89)).atVersion(600));
    await ledger.alive(95);
    await rewind(ledger, 60);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1', 'not held until 95');
    assert.equal(await ledger.answer('10.0.0.9', 80), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.9', 50), 'free');
  });

  test('and widens the ends that were recorded since, and what was shown since and is older', async () => {
    const other = aPod('other').withIp('10.0.0.8').createdAt(at(3)).readyAt(at(4)).onNode('node-a');
    const ledger = await watched(web, other);
    await ledger.alive(79);
    await ledger.deleted(80, web.atVersion(600));
    await ledger.see(85, other.withIp('10.0.0.9').atVersion(601));
    await ledger.alive(95);
    assert.deepEqual(
      [await ledger.answer('10.0.0.7', 70), await ledger.answer('10.0.0.9', 90)],
      ['held web-1', 'held other'],
    );
    await rewind(ledger, 60, other.withIp('10.0.0.9'));
    await ledger.alive(101);
    assert.equal(await ledger.answer('10.0.0.7', 70), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.9', 90), 'ambiguous other');
  });

  test('an address from before the one that is known is in doubt, and so is that one, until the kubelet says which', async () => {
    const ledger = await watched(web, web.withIp('10.0.0.8').readyAt(at(9)));
    await rewind(ledger, 60, web);
    assert.equal(await ledger.answer('10.0.0.8', 50), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'free', 'what is known of the past stays known');
    assert.equal(await ledger.answer('10.0.0.7', 100), 'ambiguous web-1');
    // A write of somebody else's shows the same old status, and proves nothing.
    await ledger.see(103, served(web, 4).annotated({ note: 'x' }).atVersion(320));
    await ledger.alive(103);
    assert.equal(await ledger.answer('10.0.0.7', 103), 'ambiguous web-1');
    await ledger.see(104, served(web.withIp('10.0.0.8').readyAt(at(9)), 9).atVersion(321));
    await ledger.alive(200);
    assert.equal(await ledger.answer('10.0.0.8', 80), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.8', 110), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 110), 'free');
  });

  test('what controllers write into its conditions is not the word of its kubelet', async () => {
    const ledger = await watched(served(web, 4));
    await rewind(ledger, 60, served(web, 4));
    const evicted = served(web, 4).withCondition('DisruptionTarget', 'True', at(102));
    await ledger.see(103, evicted.atVersion(320));
    await ledger.deleted(110, evicted.atVersion(321));
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1', 'it may have ended in what was undone');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
  });

  test('an old status that is shown again, however late, does not become certain by that', async () => {
    const ledger = await watched(web, web.withIp('10.0.0.8').readyAt(at(9)));
    await rewind(ledger, 60, web);
    await ledger.alive(300);
    // Its node died with the old etcd: nobody but a controller will ever write to it.
    await ledger.see(301, served(web, 4).annotated({ note: 'x' }).atVersion(600));
    await ledger.alive(320);
    assert.equal(await ledger.answer('10.0.0.7', 310), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'free', 'what is known of the past stays known');
  });

  test('a pod that was restored to before it was bound is no longer certain on its node, and that is an anomaly', async () => {
    const ledger = await watched(web);
    await rewind(ledger, 60, aPod('web-1').createdAt(at(1)).onNode(''));
    await ledger.alive(130);
    const certain = async (second: number) =>
      (
        await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
          podsOnNode(snapshot, { node: 'node-a', during: at(second) }),
        )
      ).items[0]?.certain;
    assert.deepEqual([await certain(50), await certain(80), await certain(120)], [true, false, undefined]);
    const anomalies = ledger.facts.flatMap((fact) => (fact.kind === 'anomaly' ? [fact.anomaly] : []));
    assert.deepEqual(
      anomalies.map(({ what, detail }) => [what, detail]),
      [['node-changed', 'pod shop/web-1 on node <none>: it was on node-a before']],
    );
  });

  test('a pod that was restored to before it had an address may have lost it, until its kubelet reports it again', async () => {
    const ledger = await watched(web);
    await rewind(ledger, 60, aPod('web-1').createdAt(at(1)).onNode('node-a'));
    await ledger.alive(101);
    assert.equal(await ledger.answer('10.0.0.7', 101), 'ambiguous web-1');
    await ledger.see(102, web.atVersion(320));
    await ledger.alive(200);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 150), 'held web-1');
  });

  test('a pod that was restored to before it was bound loses its address, and nobody says so', async () => {
    const ledger = await watched(web);
    await rewind(ledger, 60, aPod('web-1').createdAt(at(1)).onNode(''));
    await ledger.alive(120);
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 110), 'free');
  });

  test('a pod whose end was undone untold reads as held until its kubelet speaks, and then as in doubt', async () => {
    const ledger = await watched(web);
    await rewind(ledger, 60, web);
    await ledger.alive(101);
    assert.equal(await ledger.answer('10.0.0.7', 80), 'held web-1');
    // Its kubelet had ended it before the rewind, and begins again.
    await ledger.see(103, web.withIp().lostAt(at(102)).atVersion(320));
    await ledger.see(105, web.withIp('10.0.0.9').readyAt(at(104)).atVersion(321));
    await ledger.alive(200);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 80), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.9', 150), 'held web-1');
  });

  test('a pod that ends long after is not doubted any more', async () => {
    const ledger = await watched(web);
    await rewind(ledger, 60, web);
    await ledger.alive(300);
    await ledger.see(400, web.completedAt(at(399)).atVersion(600));
    assert.equal(await ledger.answer('10.0.0.7', 80), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 250), 'held web-1');
  });

  test('a pod that had ended and is back from the backup is in doubt until its kubelet reports something new', async () => {
    const ledger = await watched(served(web, 3));
    await ledger.deleted(61, served(web, 3).atVersion(510));
    await ledger.alive(70);
    await rewind(ledger, 70, served(web, 3));
    await ledger.see(103, served(web, 3).deletedAt(at(103), 30).atVersion(320));
    await ledger.alive(110);
    assert.equal(await ledger.answer('10.0.0.7', 105), 'ambiguous web-1', 'an old status proves nothing');
    assert.equal(await ledger.answer('10.0.0.7', 66), 'free');
  });
});

test('when the nodes show the rewind first, the pods are known to be still in the life before', async () => {
  const ledger = await watched(web);
  await ledger.observe({
    ...{ kind: 'listed', resource: 'Node', reason: 'rewound', resourceVersion: '310', whole: true },
    ...{ present: [], goneUids: [], at: at(100) },
  });
  assert.deepEqual([ledger.observer.epoch, ledger.observer.podEpoch], [2, 1]);
  await rewind(ledger, 60, web);
  assert.deepEqual([ledger.observer.epoch, ledger.observer.podEpoch], [2, 2]);
});

test('an event of a pod that was seen to end makes no certain holder of it', async () => {
  const ledger = await watched(web);
  await ledger.deleted(61, web.atVersion(510));
  await ledger.see(80, web.atVersion(520));
  await ledger.alive(90);
  assert.equal(await ledger.answer('10.0.0.7', 85), 'ambiguous web-1');
});

describe('a listing contradicts what was delivered', () => {
  const claim = (ledger: TestLedger, isWhole: boolean, ...pods: PodBuilder[]) =>
    ledger.observer.contradicts({ kind: 'Pod', namespace: undefined, present: asPods(...pods), isWhole });

  test('when it shows a pod as it was before', async () => {
    const ledger = await watched(web);
    assert.equal(claim(ledger, false, web.atVersion(499)), true);
    assert.equal(claim(ledger, false, web.atVersion(500)), false);
    assert.equal(claim(ledger, false, web.atVersion(900)), false, 'what is newer may still be delivered');
  });

  test('when it shows a pod that should have been delivered and was not', async () => {
    const ledger = await watched(web);
    const young = aPod('young').withUid('young');
    assert.equal(claim(ledger, false, web.atVersion(500), young.atVersion(450)), true);
    assert.equal(claim(ledger, false, web.atVersion(500), young.atVersion(501)), false);
  });

  test('when everything was delivered, and a pod is missing or another version', async () => {
    const ledger = await watched(web);
    assert.equal(claim(ledger, true), true);
    assert.equal(claim(ledger, true, web.atVersion(501)), true);
    assert.equal(claim(ledger, true, web.atVersion(500)), false);
  });
});

// A kubelet that could not write for a while reports in one write what happened in several steps: what it leaves out must
// not become a certainty.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aPod } from '../testing/observed-pod.ts';
import { at, TestLedger } from '../testing/test-ledger.ts';

const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).readyAt(at(12));

async function watching(): Promise<TestLedger> {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  await ledger.see(13, web);
  return ledger;
}

describe('a kubelet that reports late', () => {
  test('of another sandbox and its end at once: the first one ended with the run before the last', async () => {
    for (const end of [web.inPhase('Failed'), web.lostAt(at(58))]) {
      const ledger = await watching();
      await ledger.alive(59);
      await ledger.see(60, end.withIp('10.0.0.9').finishedAt(at(57)).finishedAt(at(30), false));
      await ledger.alive(80);
      assert.equal(await ledger.answer('10.0.0.7', 29), 'held web-1');
      assert.equal(await ledger.answer('10.0.0.7', 45), 'ambiguous web-1');
      assert.equal(await ledger.answer('10.0.0.7', 62), 'free');
    }
  });

  test('and only a listing shows it: containers that ended long before the gap took their sandbox with them', async () => {
    const ledger = new TestLedger();
    const old = aPod('web-1').withIp('10.0.0.7').createdAt(at(10));
    await ledger.list(0, 'start');
    await ledger.see(13, old);
    await ledger.alive(60);
    await ledger.list(90, 'expired', old.withIp('10.0.0.9').finishedAt(at(40), false));
    await ledger.alive(120);
    assert.equal(await ledger.answer('10.0.0.7', 39), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.9', 100), 'held web-1');
  });

  test('of an address, when a pod is first seen in a sandbox that is not its first: it may be that of the one before', async () => {
    const ledger = new TestLedger();
    const again = web.readyAt(at(40)).finishedAt(at(30));
    await ledger.list(50, 'start', again);
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 55), 'ambiguous web-1');
    await ledger.see(61, again.withIp('10.0.0.9').withCondition('ContainersReady', 'True', at(60)));
    await ledger.alive(80);
    assert.notEqual(await ledger.answer('10.0.0.7', 55), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.9', 70), 'held web-1');
  });

  test('nothing of its containers when a pod is deleted: it may have ended since they stopped being ready', async () => {
    const asked = web.deletedAt(at(40), 30);
    const finals = {
      'they never were': { last: asked, heldUntil: 53, doubtful: 57 },
      'since the deletion': {
        last: asked.withCondition('ContainersReady', 'False', at(44)),
        heldUntil: 43,
        doubtful: 50,
      },
      'they still are': {
        last: asked.withCondition('ContainersReady', 'True', at(14)),
        heldUntil: 58,
        doubtful: 59.5,
      },
      'the pod is Ready, which says the same': {
        last: asked.withCondition('Ready', 'True', at(14)),
        heldUntil: 58,
        doubtful: 59.5,
      },
    };
    for (const [name, { last, heldUntil, doubtful }] of Object.entries(finals)) {
      const ledger = await watching();
      await ledger.see(41, asked);
      await ledger.alive(59);
      await ledger.deleted(60, last);
      await ledger.alive(80);
      assert.equal(await ledger.answer('10.0.0.7', heldUntil), 'held web-1', name);
      assert.equal(await ledger.answer('10.0.0.7', doubtful), 'ambiguous web-1', name);
      assert.equal(await ledger.answer('10.0.0.7', 61), 'ambiguous web-1', name);
      // The grace that was asked for first cannot be shortened: 70 and a little.
      assert.equal(await ledger.answer('10.0.0.7', 74), 'free', name);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { Boundary } from '../model/boundary.ts';
import { aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, TestLedger } from '../testing/test-ledger.ts';

const HOUR = 3600;

async function anomalies(ledger: TestLedger): Promise<string[]> {
  const span = { from: at(-1e6), to: at(1e6) };
  const { items } = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
    snapshot.occurrences({ kind: 'anomaly', span, page: { limit: 100 } }),
  );
  return items.map(({ what, detail }) => `${what}: ${detail}`);
}

async function boundsAreNested(ledger: TestLedger): Promise<void> {
  const nested = (boundary: Boundary) => boundary.notBefore <= boundary.at && boundary.at <= boundary.notAfter;
  for (const { start, end } of await ledger.tenures('10.0.0.7')) {
    assert.ok(nested(start));
    if (end === undefined) continue;
    assert.ok(nested(end) && start.at <= end.at && start.notAfter <= end.notAfter);
  }
}

describe('clocks', () => {
  test('a time with whole seconds is a second wide', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(14, aPod('web-1').withIp('10.0.0.7').readyAt(at(12.9)));
    const [tenure] = await ledger.tenures('10.0.0.7');
    assert.deepEqual([tenure?.start.notBefore, tenure?.start.notAfter], [at(11), at(13)]);
  });

  test('fault 21: a kubelet an hour ahead is flagged, and its word about the beginning is not taken', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10));
    await ledger.see(14, web.readyAt(at(HOUR + 12)));
    await ledger.alive(29);
    await ledger.see(30, web.completedAt(at(HOUR + 29)));
    await ledger.alive(60);
    await boundsAreNested(ledger);
    assert.deepEqual(await anomalies(ledger), [
      'clock-skew: pod shop/web-1 on node node-a: its network came up 3598000 ms after it was seen',
      'clock-skew: pod shop/web-1 on node node-a: its last container ended 3599000 ms after it was seen',
    ]);
    assert.equal(await ledger.answer('10.0.0.7', 5), 'free');
    assert.equal(await ledger.answer('10.0.0.7', 20), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 31), 'free');
  });

  test('fault 21: a kubelet an hour behind is flagged, and its pod did not hold the address before it was created', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(5010));
    await ledger.see(5014, web.readyAt(at(5012 - HOUR)));
    await ledger.alive(5029);
    await ledger.see(5030, web.completedAt(at(5029 - HOUR)));
    await ledger.alive(5060);
    await boundsAreNested(ledger);
    assert.equal((await anomalies(ledger)).length, 2);
    assert.equal(await ledger.answer('10.0.0.7', 5000), 'free');
    assert.equal(await ledger.answer('10.0.0.7', 5020), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 5031), 'free');
  });

  test('fault 21: a kubelet an hour behind does not end its pod an hour early', async () => {
    const web = aPod('web-1')
      .withIp('10.0.0.7')
      .createdAt(at(5))
      .readyAt(at(7 - HOUR));
    const lost = web.lostAt(at(7201 - HOUR));
    for (const [how, end, then] of [
      ['it completes', lost.completedAt(at(7200 - HOUR)), 'free'],
      ['its sandbox is lost', lost, 'ambiguous web-1'],
    ] as const) {
      const ledger = new TestLedger();
      await ledger.list(0, 'start');
      await ledger.see(8, web);
      await ledger.alive(7199);
      await ledger.see(7201, end);
      await ledger.alive(7300);
      await boundsAreNested(ledger);
      assert.equal(await ledger.answer('10.0.0.7', 3000), 'held web-1', how);
      assert.equal(await ledger.answer('10.0.0.7', 5000), 'ambiguous web-1', how);
      assert.equal(await ledger.answer('10.0.0.7', 7250), then, how);
    }
  });

  test('fault 21: the collector’s clock that jumps back makes no negative interval', async () => {
    const ledger = new TestLedger();
    await ledger.list(HOUR, 'start');
    await ledger.see(
      HOUR + 14,
      aPod('web-1')
        .withIp('10.0.0.7')
        .createdAt(at(HOUR + 10))
        .readyAt(at(HOUR + 12)),
    );
    await ledger.deleted(
      30,
      aPod('web-1')
        .withIp('10.0.0.7')
        .createdAt(at(HOUR + 10))
        .readyAt(at(HOUR + 12)),
    );
    await boundsAreNested(ledger);
    const [coverage] = await ledger.coverage();
    assert.ok(coverage !== undefined && coverage.from <= coverage.confirmed && coverage.confirmed <= coverage.to);
  });

  test('fault 21: the collector’s clock that jumps ahead makes no negative interval either', async () => {
    const ledger = new TestLedger();
    const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).readyAt(at(12));
    await ledger.list(0, 'start');
    await ledger.see(14, web);
    await ledger.see(HOUR, web.annotated({ a: '1' }));
    await ledger.see(30, web.completedAt(at(29)));
    await boundsAreNested(ledger);
    assert.equal(await ledger.answer('10.0.0.7', 20), 'held web-1');
  });

  test('a kubelet’s word that comes much later than others’ leaves the time in between in doubt', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, aPod('web-1').createdAt(at(9)).inPhase('Pending'));
    await ledger.alive(100);
    await ledger.see(101, aPod('web-1').createdAt(at(9)).withIp('10.0.0.7').readyAt(at(20)));
    await ledger.alive(120);
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 110), 'held web-1');
  });
});

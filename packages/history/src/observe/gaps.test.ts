import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { Scope } from '../model/records.ts';
import { aPod, type PodBuilder } from '../testing/observed-pod.ts';
import { at, TestLedger } from '../testing/test-ledger.ts';

const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(5)).readyAt(at(6));

/** Watched from second 0 to 100, then the events are lost; the far side is listed at second 200. */
async function afterGap(near: readonly PodBuilder[], far: readonly PodBuilder[]): Promise<TestLedger> {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  for (const pod of near) await ledger.see(10, pod);
  await ledger.alive(100);
  await ledger.list(200, 'expired', ...far);
  await ledger.alive(260);
  return ledger;
}

describe('a gap', () => {
  test('a pod with the same UID, address and sandbox on both sides held it throughout', async () => {
    const ledger = await afterGap([web], [web.annotated({ changed: 'yes' })]);
    for (const second of [50, 100, 150, 200, 250]) {
      assert.equal(await ledger.answer('10.0.0.7', second), 'held web-1', `at ${second}`);
    }
    assert.deepEqual((await ledger.who('10.0.0.7', 150)).coverage.gaps, [
      { from: at(100), to: at(200), reason: 'expired' },
    ]);
  });

  test('a pod that is missing on the far side ended within the gap: ambiguous there', async () => {
    const ledger = await afterGap([web], []);
    assert.equal(await ledger.answer('10.0.0.7', 90), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 150), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 201), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 204), 'free');
    const [tenure] = await ledger.tenures('10.0.0.7');
    assert.equal(tenure?.end?.source, 'inferred');
    assert.equal(tenure?.end?.notAfter, at(204), 'its sandbox may stand for a while');
    assert.ok((tenure?.end?.notBefore ?? 0) <= at(100));
  });

  test('a pod that is terminal on the far side ended within the gap, though its containers say when', async () => {
    // Before its last sandbox it may have had others, and others its address.
    const ledger = await afterGap([web], [web.completedAt(at(170)).lostAt(at(171))]);
    assert.equal(await ledger.answer('10.0.0.7', 90), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 150), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 180), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.7', 201), 'free');
  });

  test('an address that was free on both sides may have had a holder in between: unknown', async () => {
    const ledger = await afterGap([], []);
    assert.equal(await ledger.answer('10.0.0.9', 90), 'free');
    assert.equal(await ledger.answer('10.0.0.9', 150), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.9', 201), 'free');
  });

  test('while a pod was starting, its address may have come before the gap and been shown within it: nothing is free there', async () => {
    const starting = aPod('job-1').onNode('node-a').createdAt(at(9)).withIp();
    const ledger = await afterGap([starting], []);
    assert.equal(await ledger.answer('10.0.0.9', 94), 'free');
    assert.equal(await ledger.answer('10.0.0.9', 98), 'unknown gap');
    assert.deepEqual((await ledger.who('10.0.0.9', 98)).coverage.gaps, [
      { from: at(100), to: at(200), reason: 'expired' },
    ]);
    const pulling = await afterGap([starting.readyAt(at(9))], []);
    assert.equal(await pulling.answer('10.0.0.9', 3), 'free');
    assert.equal(
      await pulling.answer('10.0.0.9', 50),
      'unknown gap',
      'its network is up, and it does not say with which',
    );
    const others = [
      starting.onNode(''),
      starting.onHostNetwork(),
      starting.withIp('10.0.0.7'),
      starting.inPhase('Failed'),
    ];
    for (const other of others) {
      const certain = await afterGap([other], []);
      assert.equal(await certain.answer('10.0.0.9', 98), 'free', 'no node, the node’s network, an address, or over');
    }
  });

  test('a pod whose sandbox was lost awaits another address, which may have come before the gap', async () => {
    const ledger = await afterGap([web, web.lostAt(at(8)).inPhase('Running')], []);
    assert.equal(await ledger.answer('10.0.0.9', 98), 'unknown gap');
  });

  test('a sandbox replaced within the gap is a doubt, also with the same address', async () => {
    const again = web.readyAt(at(150)).withCondition('ContainersReady', 'True', at(152));
    const ledger = await afterGap([web], [again]);
    assert.equal(await ledger.answer('10.0.0.7', 90), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 120), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 160), 'held web-1');
  });

  test('a pod with another address on the far side gave the first up within the gap', async () => {
    const ledger = await afterGap([web], [web.withIp('10.0.0.8').readyAt(at(150))]);
    assert.equal(await ledger.answer('10.0.0.7', 120), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 160), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.8', 120), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.8', 160), 'held web-1');
  });

  test('a new pod that began within the gap holds its address from then on', async () => {
    const ledger = await afterGap([], [aPod('new').withIp('10.0.0.7').createdAt(at(130)).readyAt(at(140))]);
    assert.equal(await ledger.answer('10.0.0.7', 120), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.7', 150), 'held new');
  });

  test('a new pod without a word of its network began at some time in the gap', async () => {
    const ledger = await afterGap([], [aPod('new').withIp('10.0.0.7').createdAt(at(130))]);
    assert.equal(await ledger.answer('10.0.0.7', 120), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.7', 150), 'ambiguous new');
    assert.equal(await ledger.answer('10.0.0.7', 201), 'held new');
  });

  test('a pod that was born and ended within the gap is a candidate while it may have lived', async () => {
    const job = aPod('job').withIp('10.0.0.7').createdAt(at(130)).completedAt(at(150)).lostAt(at(151));
    const ledger = await afterGap([], [job]);
    assert.equal(await ledger.answer('10.0.0.7', 120), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.7', 140), 'ambiguous job');
    assert.equal(await ledger.answer('10.0.0.7', 160), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.7', 201), 'free');
  });

  test('an address that moved within the gap has one holder at a time: no conflict, whatever the listing’s order', async () => {
    const next = aPod('next').withIp('10.0.0.7').createdAt(at(140)).readyAt(at(150));
    const ledger = await afterGap([web], [next, web.completedAt(at(120))]);
    assert.ok(!ledger.facts.some((fact) => fact.kind === 'conflict'));
    assert.equal(await ledger.answer('10.0.0.7', 160), 'held next');
  });

  test('the watch that had fallen silent did not watch: what it claimed is taken back', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web);
    await ledger.alive(60);
    // Heartbeats without frames: the connection is dead, and nobody knows.
    for (let second = 61; second <= 120; second++) await ledger.observe({ kind: 'alive', at: at(second) });
    assert.equal(await ledger.answer('10.0.0.9', 110), 'free');
    assert.equal((await ledger.who('10.0.0.9', 110)).provisional, true);
    await ledger.list(121, 'expired');
    await ledger.alive(130);
    assert.equal(await ledger.answer('10.0.0.9', 110), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.7', 110), 'ambiguous web-1');
    assert.deepEqual(
      (await ledger.coverage()).map(({ from, to, ended, opened }) => [from, to, ended, opened]),
      [
        [at(0), at(60), true, 'start'],
        [at(121), at(130), false, 'expired'],
      ],
    );
  });
});

describe('a restart', () => {
  test('without lost events makes no gap: what is replayed happened since the last word before', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web);
    await ledger.alive(100);
    await ledger.restart();
    await ledger.deleted(200, web);
    await ledger.observe({ kind: 'progress', resource: 'Pod', resourceVersion: '99', at: at(201) });
    await ledger.alive(210);
    assert.equal(await ledger.answer('10.0.0.7', 99), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 150), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 204), 'free');
    assert.equal(await ledger.answer('10.0.0.9', 150), 'free');
    assert.equal((await ledger.coverage()).length, 1);
  });

  test('narrows replayed boundaries by what the pods say of themselves', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.alive(100);
    await ledger.restart();
    await ledger.see(200, aPod('job').withIp('10.0.0.7').createdAt(at(118)).readyAt(at(120)));
    await ledger.see(200, aPod('job').withIp('10.0.0.7').createdAt(at(118)).completedAt(at(150)).lostAt(at(151)));
    await ledger.observe({ kind: 'progress', resource: 'Pod', resourceVersion: '99', at: at(201) });
    assert.equal(await ledger.answer('10.0.0.7', 110), 'free');
    assert.equal(await ledger.answer('10.0.0.7', 130), 'held job');
    assert.equal(await ledger.answer('10.0.0.7', 160), 'free');
  });

  test('does not take in again what was stored before', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web.atVersion(20));
    await ledger.deleted(20, web.atVersion(21));
    await ledger.alive(30);
    await ledger.restart();
    assert.deepEqual(await ledger.see(40, web.atVersion(20)), []);
    assert.deepEqual(await ledger.deleted(40, web.atVersion(21)), []);
  });
});

describe('other kinds of listings', () => {
  test('fault 5: duplicates and older versions have no effect, also of a pod that has ended', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web.atVersion(20));
    assert.deepEqual(await ledger.see(11, web.atVersion(20)), []);
    assert.deepEqual(await ledger.see(11, web.atVersion(19).withIp('10.0.0.66')), []);
    await ledger.deleted(12, web.atVersion(21));
    assert.deepEqual(await ledger.see(13, web.atVersion(20)), []);
  });

  test('versions of any length are compared as decimals', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web.atVersion('9007199254740992'));
    const seen = { kind: 'Pod' as const, object: web.withIp('10.0.0.8').atVersion('90071992547409930').build() };
    await ledger.observe({ kind: 'event', type: 'present', seen, at: at(20) });
    const older = { kind: 'Pod' as const, object: web.withIp('10.0.0.9').atVersion('90071992547409929').build() };
    assert.deepEqual(await ledger.observe({ kind: 'event', type: 'present', seen: older, at: at(21) }), []);
    await ledger.observe({ kind: 'alive', at: at(30) });
    assert.equal(await ledger.answer('10.0.0.8', 25), 'held web-1');
  });

  test('fault 6: after a rewind there is a new epoch and a gap, and what had ended stays ended', async () => {
    const ledger = new TestLedger();
    const old = aPod('old').withIp('10.0.0.8').createdAt(at(1)).readyAt(at(2));
    await ledger.list(0, 'start');
    await ledger.see(10, web.atVersion(500));
    await ledger.see(11, old.atVersion(501));
    await ledger.see(50, old.atVersion(502).completedAt(at(49)));
    await ledger.alive(60);
    // The snapshot is from before the end of `old`.
    const present = [web.atVersion(300), old.atVersion(301)].map((pod) => ({
      kind: 'Pod' as const,
      object: pod.build(),
    }));
    const rest = { resourceVersion: '302', whole: true, present, goneUids: [], at: at(100) };
    await ledger.observe({ kind: 'listed', resource: 'Pod', reason: 'rewound', ...rest });
    assert.equal(ledger.observer.epoch, 2);
    await ledger.observe({ kind: 'alive', at: at(120) });
    assert.equal(await ledger.answer('10.0.0.7', 80), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.9', 80), 'unknown gap');
    assert.equal(await ledger.answer('10.0.0.8', 55), 'free');
    const tenures = await ledger.tenures('10.0.0.8');
    assert.deepEqual(
      tenures.map(({ start }) => start.epoch),
      [1, 2],
    );
    assert.ok((tenures[0]?.end?.notAfter ?? 0) <= (tenures[1]?.start.notBefore ?? 0));
    // Events of the new life count, though their versions are lower than those of the old.
    const facts = await ledger.observe({
      kind: 'event',
      type: 'deleted',
      seen: { kind: 'Pod', object: web.atVersion(303).build() },
      at: at(130),
    });
    assert.ok(facts.some((fact) => fact.kind === 'tenure'));
  });

  test('fault 4: what a consistency list corrects says so and is bounded by the last sighting', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web.atVersion(20));
    await ledger.alive(300);
    const seen = { kind: 'Pod' as const, object: web.atVersion(20).build() };
    await ledger.observe({ kind: 'corrected', type: 'deleted', seen, at: at(310) });
    const [tenure] = await ledger.tenures('10.0.0.7');
    assert.equal(tenure?.end?.source, 'inferred');
    assert.ok((tenure?.end?.notBefore ?? 0) <= at(10));
    assert.equal(await ledger.answer('10.0.0.7', 200), 'ambiguous web-1');
    // What was found together with that, or before, cannot bring it back.
    assert.deepEqual(await ledger.observe({ kind: 'corrected', type: 'present', seen, at: at(310) }), []);
  });

  test('fault 7: bookmarks only, for long, extend the coverage and write nothing else', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    for (let minute = 1; minute <= 60; minute++) {
      const facts = await ledger.observe({
        kind: 'progress',
        resource: 'Pod',
        resourceVersion: String(100 + minute),
        at: at(minute * 60),
      });
      assert.deepEqual(
        facts.map((fact) => fact.kind),
        ['coverage'],
      );
    }
    assert.equal(await ledger.answer('10.0.0.9', 1800), 'free');
  });

  test('a recorder of some namespaces never says free, and a listing of one leaves the others alone', async () => {
    const ledger = new TestLedger({ kind: 'namespaces', namespaces: ['shop', 'bank'] });
    const listing = { resource: 'Pod', reason: 'start', whole: true, goneUids: [] } as const;
    const there = { kind: 'Pod' as const, object: web.atVersion(5).build() };
    await ledger.observe({
      kind: 'listed',
      namespace: 'shop',
      resourceVersion: '6',
      present: [there],
      at: at(10),
      ...listing,
    });
    await ledger.observe({
      kind: 'listed',
      namespace: 'bank',
      resourceVersion: '7',
      present: [],
      at: at(11),
      ...listing,
    });
    await ledger.observe({ kind: 'alive', at: at(60) });
    assert.equal(await ledger.answer('10.0.0.7', 30), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.9', 30), 'unknown not-watched');
  });
});

describe('a recorder that watches less than the one before it', () => {
  const listing = { kind: 'listed', resource: 'Pod', reason: 'start', whole: true, goneUids: [], present: [] } as const;

  /** `web-1` of the namespace shop is seen until second 60; then only the namespace bank is watched, until 7200. */
  async function narrowed(scope: Scope): Promise<TestLedger> {
    const engine = new MemoryEngine();
    const first = new TestLedger(scope, engine);
    const present = [{ kind: 'Pod' as const, object: web.atVersion(5).build() }];
    const namespace = scope.kind === 'cluster' ? undefined : 'shop';
    await first.observe({ ...listing, namespace, present, resourceVersion: '6', at: at(10) });
    await first.observe({ kind: 'probed', resourceVersion: '6', at: at(60) });
    await first.observe({ kind: 'alive', at: at(60) });
    const second = new TestLedger({ kind: 'namespaces', namespaces: ['bank'] }, engine);
    await second.restart();
    await second.observe({ ...listing, namespace: 'bank', resourceVersion: '900', at: at(100) });
    await second.observe({
      kind: 'progress',
      resource: 'Pod',
      namespace: 'bank',
      resourceVersion: '900',
      at: at(7200),
    });
    await second.observe({ kind: 'alive', at: at(7200) });
    return second;
  }

  for (const scope of [{ kind: 'cluster' }, { kind: 'namespaces', namespaces: ['shop'] }] as const) {
    test(`says nothing of the pods that it does not see (before: ${scope.kind})`, async () => {
      const ledger = await narrowed(scope);
      assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
      assert.equal(await ledger.answer('10.0.0.7', 3600), 'unknown not-watched');
    });
  }

  test('and what is gone when all is watched again ended at some time since it was last seen', async () => {
    const { engine } = await narrowed({ kind: 'cluster' });
    const ledger = new TestLedger({ kind: 'cluster' }, engine);
    await ledger.restart();
    await ledger.observe({ ...listing, resourceVersion: '1900', at: at(7300) });
    await ledger.observe({ kind: 'alive', at: at(7400) });
    assert.equal(await ledger.answer('10.0.0.7', 3600), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 7350), 'free');
  });
});

test('what waited behind a store that was stuck for minutes happened at some time since the last proof', async () => {
  const ledger = new TestLedger();
  const other = aPod('other').withIp('10.0.0.9').createdAt(at(1)).readyAt(at(2));
  const late = aPod('late').createdAt(at(12)).startedAt(at(12));
  await ledger.list(0, 'start');
  await ledger.see(10, web);
  await ledger.see(10, other);
  await ledger.alive(11);
  // At second 13 `web-1` is deleted by force and `late` gets its address; nothing is read until second 310.
  await ledger.see(310, other.annotated({ a: '1' }));
  await ledger.deleted(310, web);
  await ledger.see(310, late.withIp('10.0.0.8'));
  await ledger.alive(320);
  assert.equal(await ledger.answer('10.0.0.7', 200), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.8', 200), 'ambiguous late');
});

test('an event that is older than what a consistency list has found says nothing about that pod', async () => {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  await ledger.see(10, web.atVersion(20));
  const seen = { kind: 'Pod' as const, object: web.atVersion(30).completedAt(at(15)).build() };
  await ledger.observe({ kind: 'corrected', type: 'present', seen, at: at(20) });
  await ledger.see(21, web.atVersion(25).annotated({ late: 'yes' }));
  await ledger.alive(60);
  assert.equal(await ledger.answer('10.0.0.7', 50), 'free');
});

describe('a listing that lacked a pod that was there', () => {
  const steady = web.atVersion(20);

  async function missed(): Promise<TestLedger> {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, steady);
    await ledger.alive(100);
    await ledger.observe({
      ...{ kind: 'listed', resource: 'Pod', reason: 'expired', whole: true, present: [], goneUids: [] },
      ...{ resourceVersion: '50', at: at(110) },
    });
    await ledger.observe({ kind: 'alive', at: at(116) });
    assert.equal(await ledger.answer('10.0.0.7', 115), 'free', 'as far as anybody knows by then');
    return ledger;
  }

  test('is corrected by the consistency list: from then on it is held again, and in between in doubt', async () => {
    const ledger = await missed();
    const seen = { kind: 'Pod' as const, object: steady.build() };
    await ledger.observe({ kind: 'corrected', type: 'present', seen, at: at(120) });
    await ledger.observe({ kind: 'alive', at: at(140) });
    assert.equal(await ledger.answer('10.0.0.7', 90), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 115), 'ambiguous web-1');
    assert.equal(await ledger.answer('10.0.0.7', 130), 'held web-1');
    const [first, second] = await ledger.tenures('10.0.0.7');
    assert.equal(first?.end?.source, 'inferred');
    assert.ok(second !== undefined && second.end === undefined && second.start.source === 'list');
  });

  test('is corrected by the next listing, and by the next event', async () => {
    for (const correct of [
      (ledger: TestLedger) =>
        ledger.observe({
          ...{ kind: 'listed', resource: 'Pod', reason: 'expired', whole: true, goneUids: [], resourceVersion: '60' },
          ...{ present: [{ kind: 'Pod', object: steady.build() }], at: at(120) },
        }),
      (ledger: TestLedger) => ledger.see(120, web.atVersion(60).annotated({ changed: 'yes' })),
    ]) {
      const ledger = await missed();
      await correct(ledger);
      await ledger.observe({ kind: 'alive', at: at(140) });
      assert.equal(await ledger.answer('10.0.0.7', 115), 'ambiguous web-1');
      assert.equal(await ledger.answer('10.0.0.7', 130), 'held web-1');
    }
  });

  test('a correction from before that listing says nothing', async () => {
    const ledger = await missed();
    const seen = { kind: 'Pod' as const, object: steady.build() };
    assert.deepEqual(await ledger.observe({ kind: 'corrected', type: 'present', seen, at: at(105) }), []);
  });

  test('a pod that was seen to end stays ended, whatever a late correction says', async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, steady);
    await ledger.deleted(20, web.atVersion(30));
    const seen = { kind: 'Pod' as const, object: steady.build() };
    assert.deepEqual(await ledger.observe({ kind: 'corrected', type: 'present', seen, at: at(25) }), []);
  });
});

test('a holder that a listing beside a catch-up lacks is gone, unless it was seen after that listing', async () => {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  await ledger.see(10, web.atVersion(20));
  await ledger.see(11, aPod('late').withIp('10.0.0.8').createdAt(at(9)).readyAt(at(10)).atVersion(90));
  await ledger.alive(100);
  await ledger.restart();
  const check = { kind: 'checked', resource: 'Pod', resourceVersion: '80', uids: ['uid-other'] } as const;
  await ledger.observe({ ...check, at: at(120) });
  await ledger.observe({ kind: 'alive', at: at(140) });
  assert.equal(await ledger.answer('10.0.0.7', 100), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.7', 130), 'free');
  assert.equal(await ledger.answer('10.0.0.8', 130), 'held late');
  assert.deepEqual(await ledger.observe({ ...check, at: at(141) }), [], 'the same once more says nothing new');
});

for (const when of ['', ', also after a restart', ', also after many others have ended']) {
  test(`a pod that was seen to end and that a restored etcd shows again is in doubt until more is known of it${when}`, async () => {
    const ledger = new TestLedger();
    await ledger.list(0, 'start');
    await ledger.see(10, web.atVersion(20));
    await ledger.observe({ kind: 'probed', resourceVersion: '20', at: at(18) });
    await ledger.deleted(20, web.atVersion(30));
    await ledger.observe({ kind: 'probed', resourceVersion: '30', at: at(30) });
    await ledger.observe({ kind: 'alive', at: at(30) });
    if (when.includes('restart')) await ledger.restart();
    for (let i = 0; when.includes('many') && i < 1100; i++) {
      const short = aPod(`short-${i}`).withIp('10.0.1.1').createdAt(at(31)).readyAt(at(31));
      await ledger.see(31, short.atVersion(40 + 2 * i));
      await ledger.deleted(31, short.atVersion(41 + 2 * i));
    }
    const restored = { kind: 'Pod' as const, object: web.atVersion(20).build() };
    await ledger.observe({
      ...{ kind: 'listed', resource: 'Pod', reason: 'rewound', whole: true, goneUids: [] },
      ...{ resourceVersion: '25', present: [restored], at: at(40) },
    });
    await ledger.observe({ kind: 'alive', at: at(60) });
    assert.equal(await ledger.answer('10.0.0.7', 15), 'held web-1');
    assert.equal(await ledger.answer('10.0.0.7', 25), 'free', 'what was known before stays known');
    assert.equal(await ledger.answer('10.0.0.7', 50), 'ambiguous web-1');
  });
}

describe('a pod that a listing lacked, and that an earlier recorder took for gone', () => {
  const there = aPod('web-1').withIp('10.0.0.7').createdAt(at(5)).readyAt(at(6)).atVersion('3');
  const found = { kind: 'corrected', type: 'present', seen: { kind: 'Pod', object: there.build() } } as const;

  for (const how of ['a comparison', 'a listing'] as const) {
    test(`is there again when ${how} shows it, though nothing about it has changed`, async () => {
      const ledger = await afterGap([there], []);
      assert.equal(await ledger.answer('10.0.0.7', 250), 'free');
      await ledger.restart();
      if (how === 'a listing') await ledger.list(300, 'expired', there);
      else await ledger.observe({ ...found, at: at(300) });
      await ledger.alive(360);
      assert.equal(await ledger.answer('10.0.0.7', 350), 'held web-1');
      assert.equal(await ledger.answer('10.0.0.7', 250), 'ambiguous web-1', 'it may have held all the time');
      assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
    });
  }

  test('is remembered by its own recorder however many others end before a comparison shows it', async () => {
    const ledger = await afterGap([there], []);
    for (let i = 0; i < 1_100; i++) {
      const other = aPod(`job-${i}`).withUid(`job-${i}`);
      await ledger.see(270, other);
      await ledger.deleted(271, other);
    }
    await ledger.observe({ ...found, at: at(300) });
    await ledger.alive(360);
    assert.equal(await ledger.answer('10.0.0.7', 350), 'held web-1');
  });
});

// What a recorder relies on: coverage, checkpoints, writers that take over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeLive } from '../../../observe/live-state.ts';
import { allRecords, withSnapshot } from '../../with-snapshot.ts';
import {
  aBoundary,
  aCoverage,
  aLiveHolder,
  aTenure,
  at,
  coverageFact,
  ipOf,
  liveFact,
  tenureFact,
} from '../record-builders.ts';
import { ALL, ALWAYS, type ContractStage, PROD } from './contract-stage.ts';

export function recording(stage: ContractStage): void {
  test('coverage grows, does not shrink, and comes by its beginning', async () => {
    await stage.append(coverageFact(aCoverage(500, 600, { opened: 'expired' })), coverageFact(aCoverage(100, 200)));
    await stage.append(coverageFact(aCoverage(100, 300)));
    await stage.append(coverageFact(aCoverage(100, 250)));
    const scope = { kind: 'namespaces', namespaces: ['a', 'b'] } as const;
    await stage.append(coverageFact(aCoverage(50, 60, { scope, collector: 'recorder-2' })));
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.coverage()), [
      aCoverage(50, 60, { scope, collector: 'recorder-2' }),
      aCoverage(100, 300),
      aCoverage(500, 600, { opened: 'expired' }),
    ]);
  });

  test('coverage that a wrong clock claimed is withdrawn, and no version of before brings it back', async () => {
    const claims = [aCoverage(100, 900, { ended: true }), aCoverage(950, 999, { opened: 'expired' })];
    const cut = aCoverage(100, 200, { ended: true, withdrawn: at(200) });
    const voided = aCoverage(950, 950, { opened: 'expired', ended: true, withdrawn: at(200) });
    await stage.append(...claims.map(coverageFact), coverageFact(cut), coverageFact(voided));
    await stage.append(...claims.map(coverageFact));
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.coverage()), [cut]);
    assert.deepEqual((await stage.engine.resume(PROD.id)).state.coverage, cut);
    const kept = (await Array.fromAsync(allRecords(stage.engine, PROD.id))).filter(({ kind }) => kind === 'coverage');
    assert.equal(kept.length, 2, 'records are kept');
  });

  test('reads of one snapshot see one state, whatever is appended meanwhile', async () => {
    const ROUNDS = 50;
    const reader = await stage.openReader();
    let called = 0;
    let stored = 0;
    /** So that there are as many tenures as seconds of coverage: appends are stored in the order of the calls. */
    const append = async (): Promise<void> => {
      const i = ++called;
      const facts = [tenureFact(aTenure('10.0.0.7', `web-${i}`, i, aBoundary(i))), coverageFact(aCoverage(0, i))];
      await stage.writer.append({ facts });
      stored = Math.max(stored, i);
    };
    const read = async (whileOpen: () => Promise<void>): Promise<void> => {
      const before = stored;
      await withSnapshot(reader, PROD.id, async (snapshot) => {
        const tenures = async () => (await snapshot.tenuresOfIp(ipOf('10.0.0.7'), ALWAYS, ALL)).items.length;
        const first = await tenures();
        assert.ok(first >= before, `a snapshot shows ${first} of ${before} tenures that were stored before it`);
        // However seldom a busy machine lets the reader's thread run, this commit lies between its reads.
        await append();
        await whileOpen();
        const [coverage] = await snapshot.coverage();
        const seen = {
          tenures: first,
          covered: ((coverage?.to ?? at(0)) - at(0)) / 1000,
          tenuresAtLast: await tenures(),
        };
        assert.deepEqual(seen, { tenures: first, covered: first, tenuresAtLast: first });
      });
    };
    const nothing = async () => {};
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        // A snapshot is opened, a later one is opened beside it, and two commits come at any time meanwhile.
        await Promise.all([read(() => read(nothing)), append().then(append)]);
      }
      assert.deepEqual([called, stored], [ROUNDS * 4, ROUNDS * 4]);
    } finally {
      if (reader !== stage.engine) await reader.close();
    }
  });

  test('a recorder goes on with what was appended: live holders, coverage, epoch and checkpoint', async () => {
    const checkpoint = { epoch: 3, resourceVersion: '99999999999999999999', at: at(500) };
    const open = aLiveHolder('b', 200, { terminal: true, placement: undefined, tenures: [], blankSince: at(210) });
    const facts = [
      liveFact('uid-a', aLiveHolder('a', 100)),
      liveFact('uid-b', aLiveHolder('b', 150)),
      liveFact('uid-c', aLiveHolder('c', 100)),
      coverageFact(aCoverage(100, 400)),
    ];
    const kept = [aLiveHolder('a', 100), open].map((live) => ({ uid: live.holder.uid, state: serializeLive(live) }));
    await stage.writer.append({ facts, checkpoint: { ...checkpoint, resourceVersion: '5' } });
    await stage.writer.append({ facts: [liveFact('uid-b', open), liveFact('uid-c', undefined)], checkpoint });
    await stage.settle();
    assert.deepEqual(await stage.engine.resume(PROD.id), {
      state: { epoch: 3, live: kept, coverage: aCoverage(100, 400), changeUses: [] },
      checkpoint,
    });
  });

  test('a checkpoint has the places of services and nodes, and what lies over coverage is not gone on with', async () => {
    const others = [
      { kind: 'Service', resourceVersion: '99999999999999999999', watermark: at(390) },
      { kind: 'Node', resourceVersion: '7', watermark: at(380) },
    ] as const;
    const checkpoint = { epoch: 1, resourceVersion: '8', at: at(400), others };
    const partial = aCoverage(150, 200, { scope: { kind: 'pods' }, confirmed: at(150), ended: true });
    await stage.writer.append({ facts: [coverageFact(aCoverage(100, 400)), coverageFact(partial)], checkpoint });
    const resumption = await stage.engine.resume(PROD.id);
    assert.deepEqual(resumption, {
      state: { epoch: 1, live: [], coverage: aCoverage(100, 400), changeUses: [] },
      checkpoint,
    });
    assert.deepEqual(
      (await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.coverage())).map(({ scope }) => scope.kind),
      ['cluster', 'pods'],
    );
  });

  test('a fresh ledger resumes with nothing', async () => {
    const nothing = { state: { epoch: 1, live: [], coverage: undefined, changeUses: [] }, checkpoint: undefined };
    assert.deepEqual(await stage.engine.resume(PROD.id), nothing);
  });

  test('a stale writer is refused, and nothing of its batch is stored', async () => {
    const next = await stage.engine.takeOver(PROD);
    assert.equal(next.fence, stage.writer.fence + 1);
    const checkpoint = { epoch: 1, resourceVersion: '7', at: at(1) };
    const facts = [tenureFact(aTenure('10.0.0.7', 'late', 100))];
    await assert.rejects(stage.writer.append({ facts, checkpoint }), { code: 'stale-writer' });
    assert.deepEqual(await stage.who('10.0.0.7', 150), []);
    assert.equal((await stage.engine.resume(PROD.id)).checkpoint, undefined);
    await next.append({ facts, checkpoint });
    assert.deepEqual(await stage.who('10.0.0.7', 150), ['late']);
  });

  test('a stale writer among others that append at once is the only one refused', async () => {
    const next = await stage.engine.takeOver(PROD);
    const outcomes = await Promise.allSettled([
      next.append({ facts: [tenureFact(aTenure('10.0.0.1', 'one', 100))] }),
      stage.writer.append({ facts: [tenureFact(aTenure('10.0.0.2', 'stale', 100))] }),
      next.append({ facts: [tenureFact(aTenure('10.0.0.3', 'three', 100))] }),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual([await stage.who('10.0.0.1', 150), await stage.who('10.0.0.2', 150)], [['one'], []]);
    assert.deepEqual(await stage.who('10.0.0.3', 150), ['three']);
  });

  test('appends are stored in the order of the calls', async () => {
    const appends = Array.from({ length: 50 }, (_, i) =>
      stage.writer.append({ facts: [], checkpoint: { epoch: 1, resourceVersion: String(i), at: at(i) } }),
    );
    await Promise.all(appends);
    assert.equal((await stage.engine.resume(PROD.id)).checkpoint?.resourceVersion, '49');
  });

  test('a cluster that is not there, and a name that is taken, are refused with a code', async () => {
    await assert.rejects(
      withSnapshot(stage.engine, 'nowhere', (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.7'), at(1))),
      { code: 'unknown-cluster' },
    );
    await assert.rejects(stage.engine.takeOver({ id: 'another', name: 'prod' }), {
      code: 'cluster-name-taken',
      hint: /--cluster-name NAME/,
    });
    await stage.engine.takeOver({ id: PROD.id, name: 'renamed' });
    assert.deepEqual(await stage.engine.clusters(), [{ id: PROD.id, name: 'renamed' }]);
  });
}

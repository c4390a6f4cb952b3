// What is forgotten, and that it is never taken for free.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { occurrenceFact } from '../../../model/occurrence.ts';
import { conflictsOf } from '../../../query/conflicts.ts';
import type { Subject } from '../../snapshot.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import {
  aBoundary,
  aChange,
  aConflict,
  aCoverage,
  anAnomaly,
  anomalyFact,
  aPlacement,
  aPodLife,
  aTenure,
  at,
  changeFact,
  conflictFact,
  coverageFact,
  ipOf,
  placementFact,
  tenureFact,
} from '../record-builders.ts';
import { ALL, ALWAYS, type ContractStage, PROD, WEEK_S } from './contract-stage.ts';

export function retention(stage: ContractStage): void {
  test('retention removes only closed, expired records and leaves a range', async () => {
    await stage.append(
      coverageFact(aCoverage(0, 5 * WEEK_S)),
      tenureFact(aTenure('10.0.0.1', 'gone', 100, 200)),
      tenureFact(aTenure('10.0.0.2', 'at-the-edge', 100, aBoundary(WEEK_S + 1000))),
      tenureFact(aTenure('10.0.0.3', 'stays', 100, WEEK_S + 2000)),
      tenureFact(aTenure('10.0.0.4', 'open', 100)),
      placementFact(aPlacement('gone', 100, 200)),
      placementFact(aPlacement('open', 100)),
      changeFact(aChange('open', 150)),
      changeFact(aChange('open', WEEK_S + 1500)),
      anomalyFact(anAnomaly('uid-a', 150)),
      conflictFact(aConflict('10.0.0.1', 'a', 'b', 150)),
    );
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired()), []);
    await stage.engine.prune(PROD.id, at(WEEK_S + 1000));
    await stage.settle();
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired()), [
      { from: at(0), to: at(WEEK_S + 1000) },
    ]);
    const answers = [
      await stage.who('10.0.0.1', 150),
      await stage.who('10.0.0.2', 150),
      await stage.who('10.0.0.3', 150),
    ];
    assert.deepEqual(answers, [[], ['at-the-edge'], ['stays']]);
    assert.deepEqual(await stage.who('10.0.0.4', 150), ['open']);
    const placements = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.placementsOn('node-a', ALWAYS, ALL),
    );
    assert.deepEqual(
      placements.items.map(({ pod }) => pod.name),
      ['open'],
    );
    const changes = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid: 'uid-open' }, span: ALWAYS, page: ALL }),
    );
    assert.deepEqual(changes.items, [aChange('open', WEEK_S + 1500)]);
    assert.deepEqual(
      (
        await withSnapshot(stage.engine, PROD.id, (snapshot) =>
          snapshot.occurrences({ kind: 'anomaly', span: ALWAYS, page: ALL }),
        )
      ).items,
      [],
    );
    assert.deepEqual(
      await withSnapshot(stage.engine, PROD.id, (snapshot) => conflictsOf(snapshot, ipOf('10.0.0.1'), ALWAYS)),
      [],
    );
    const kept = await stage.exported();
    assert.equal(kept.includes('gone'), false);
  });

  test('what expired before it came stays hidden', async () => {
    await stage.append(coverageFact(aCoverage(0, 1000)), tenureFact(aTenure('10.0.0.1', 'ends-late', 100)));
    await stage.engine.prune(PROD.id, at(500));
    await stage.append(
      tenureFact(aTenure('10.0.0.1', 'ends-late', 100, 200)),
      tenureFact(aTenure('10.0.0.2', 'comes-late', 100, 200)),
      placementFact(aPlacement('comes-late', 100, 200)),
      changeFact(aChange('comes-late', 150)),
      changeFact(aChange('comes-late', 500)),
      anomalyFact(anAnomaly('uid-a', 150)),
      conflictFact(aConflict('10.0.0.1', 'a', 'b', 150)),
    );
    await stage.settle();
    assert.deepEqual([await stage.who('10.0.0.1', 150), await stage.who('10.0.0.2', 150)], [[], []]);
    assert.deepEqual(
      (await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.placementsOn('node-a', ALWAYS, ALL))).items,
      [],
    );
    const changes = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid: 'uid-comes-late' }, span: ALWAYS, page: ALL }),
    );
    assert.deepEqual(changes.items, [aChange('comes-late', 500)]);
    assert.deepEqual(
      (
        await withSnapshot(stage.engine, PROD.id, (snapshot) =>
          snapshot.occurrences({ kind: 'anomaly', span: ALWAYS, page: ALL }),
        )
      ).items,
      [],
    );
    assert.deepEqual(
      await withSnapshot(stage.engine, PROD.id, (snapshot) => conflictsOf(snapshot, ipOf('10.0.0.1'), ALWAYS)),
      [],
    );
    assert.equal((await stage.exported()).includes('200'), false);
  });

  test('changes can be forgotten alone: they leave a range of their own, and all else that is known of the time stays', async () => {
    await stage.append(
      coverageFact(aCoverage(0, 1000)),
      tenureFact(aTenure('10.0.0.1', 'web-1', 100, 200)),
      placementFact(aPlacement('web-1', 100, 200)),
      anomalyFact(anAnomaly('uid-a', 150)),
      changeFact(aChange('web-1', 150)),
      changeFact(aChange('web-1', 500)),
    );
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired('change')), []);
    assert.equal(await stage.engine.pruneKind(PROD.id, 'change', at(400)), 1);
    await stage.append(changeFact(aChange('late', 160)));
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired('change')), [
      { from: at(0), to: at(400) },
    ]);
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired()), []);
    assert.deepEqual(await stage.who('10.0.0.1', 150), ['web-1']);
    assert.equal(
      (await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.placementsOn('node-a', ALWAYS, ALL))).items
        .length,
      1,
    );
    assert.equal(
      (
        await withSnapshot(stage.engine, PROD.id, (snapshot) =>
          snapshot.occurrences({ kind: 'anomaly', span: ALWAYS, page: ALL }),
        )
      ).items.length,
      1,
    );
    const ofPod = (uid: string) =>
      withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid }, span: ALWAYS, page: ALL }),
      );
    assert.deepEqual((await ofPod('uid-web-1')).items, [aChange('web-1', 500)]);
    assert.deepEqual((await ofPod('uid-late')).items, []);
    const exported = (await stage.exported()).split('\n').filter((line) => line.includes('"kind":"change"'));
    assert.equal(exported.length, 1);
    await stage.engine.pruneKind(PROD.id, 'change', at(300));
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired('change')), [
      { from: at(0), to: at(400) },
    ]);
  });

  test('a record that moves to a later time is there once, and is kept by that time', async () => {
    const created = { created: at(100) };
    const end = at(100_000);
    await stage.append(coverageFact(aCoverage(0, 200_000)));
    await stage.append(occurrenceFact('life', aPodLife('web-1', 110, created)));
    await stage.append(occurrenceFact('life', aPodLife('web-1', 100_010, { ...created, filedAt: end, gone: end })));
    const lives = (subject: Subject) =>
      withSnapshot(stage.engine, PROD.id, async (snapshot) => {
        const { items } = await snapshot.occurrences({ kind: 'life', subject, span: ALWAYS, page: ALL });
        return items.map(({ gone }) => gone);
      });
    const ofPod = { by: 'uid', uid: 'uid-web-1' } as const;
    assert.deepEqual(await lives(ofPod), [end]);
    assert.equal(await stage.engine.pruneKind(PROD.id, 'life', at(50_000)), 0);
    assert.deepEqual(await lives(ofPod), [end]);
    assert.equal(await stage.engine.pruneKind(PROD.id, 'life', at(150_000)), 1);
    assert.deepEqual(await lives(ofPod), []);
  });

  test('a store that is within its limit loses nothing by being kept there', async () => {
    await stage.append(coverageFact(aCoverage(0, 1000)), tenureFact(aTenure('10.0.0.1', 'web-1', 100, 200)));
    const before = await stage.exported();
    const limit = { kind: 'bytes', bytes: 1e9 } as const;
    const { removedOfKinds, removedRecords, bytes } = await stage.engine.keepRoom(limit, at(2000));
    assert.deepEqual([removedOfKinds, removedRecords], [{}, 0]);
    assert.equal((await stage.engine.room(limit)).bytes, bytes);
    assert.equal(await stage.exported(), before);
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired()), []);
  });

  test('retention that is asked for again, or for less, keeps the range as it is', async () => {
    await stage.append(coverageFact(aCoverage(0, 1000)), tenureFact(aTenure('10.0.0.1', 'gone', 100, 200)));
    await stage.engine.prune(PROD.id, at(500));
    await stage.engine.prune(PROD.id, at(300));
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired()), [
      { from: at(0), to: at(500) },
    ]);
    await stage.engine.prune(PROD.id, at(600));
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.expired()), [
      { from: at(0), to: at(600) },
    ]);
  });
}

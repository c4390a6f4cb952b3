// Values at the edges come back as they were.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { possibleFact, possibleKey, type StoredFact } from '../../../model/fact.ts';
import { epochMillis } from '../../../model/time.ts';
import { changeUses } from '../../../observe/change-budget.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import {
  aBoundary,
  aChange,
  aCoverage,
  aHolder,
  aLiveHolder,
  aPlacement,
  aPossibleTenure,
  aTenure,
  at,
  changeFact,
  coverageFact,
  ipOf,
  liveFact,
  placementFact,
  tenureFact,
} from '../record-builders.ts';
import { ALL, ALWAYS, type ContractStage, PROD } from './contract-stage.ts';

export function fidelity(stage: ContractStage): void {
  test('a record of suppressed changes comes back as it was, only grows, and counts for what an observer goes on with', async () => {
    const counting = (changes: number) => {
      const suppressed = { budget: 'namespace', changes, last: at(100 + changes) } as const;
      return aChange('web-1', 100, { key: '', after: undefined, suppressed });
    };
    const plain = aChange('web-1', 90);
    await stage.append(changeFact(plain), changeFact(counting(3)));
    await stage.append(changeFact(counting(7)));
    await stage.append(changeFact(counting(3)));
    const { items } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid: 'uid-web-1' }, span: ALWAYS, page: ALL }),
    );
    assert.deepEqual(items, [plain, counting(7)]);
    assert.match(await stage.exported(), /"suppressed":\{"budget":"namespace","changes":7,"last":\d+\}/);
    const { state } = await stage.engine.resume(PROD.id);
    assert.deepEqual(state.changeUses, changeUses([plain, counting(7)]));
  });

  test('names with every kind of character, long values and prototype keys come back as they were', async () => {
    const strange = [
      'a\0b',
      '\x1b[31mred\x1b[0m',
      '😀 emoji',
      '=cmd()',
      '__proto__',
      'constructor',
      '',
      'ünïcödé\u2028',
    ];
    const facts = strange.flatMap((text, i): StoredFact[] => {
      const workload = { kind: text, name: text, inferred: false };
      const holder = aHolder(text, { uid: `uid-${i}`, namespace: text, node: text, workload });
      const value = { text: text.repeat(100), sha256: i % 2 === 0 ? undefined : 'f'.repeat(64) };
      const before = i % 3 === 0 ? undefined : { text: '', sha256: undefined };
      return [
        tenureFact(aTenure(`10.0.1.${i}`, holder, 100, 200)),
        placementFact(aPlacement(holder, 100, 200)),
        changeFact(aChange(holder, 100, { key: text, before, after: value, collector: text })),
        liveFact(`uid-${i}`, aLiveHolder('x', 100, { holder, annotations: [[text, value]] })),
      ];
    });
    await stage.append(...facts);
    for (const [i, text] of strange.entries()) {
      const wanted = facts.slice(i * 4, i * 4 + 4);
      const [tenure] = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.tenuresAt(ipOf(`10.0.1.${i}`), at(150)),
      );
      assert.deepEqual({ kind: 'tenure', tenure }, wanted[0]);
      const byName = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.placementsOf({ by: 'name', namespace: text, name: text }, ALWAYS, ALL),
      );
      assert.deepEqual({ kind: 'placement', placement: byName.items[0] }, wanted[1]);
      const onNode = await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.placementsOn(text, ALWAYS, ALL));
      assert.deepEqual(onNode.items, byName.items);
      const changes = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid: `uid-${i}` }, span: ALWAYS, page: ALL }),
      );
      assert.deepEqual({ kind: 'change', change: changes.items[0] }, wanted[2]);
    }
    const { state } = await stage.engine.resume(PROD.id);
    assert.deepEqual(
      state.live,
      facts.filter((fact) => fact.kind === 'live').map(({ uid, state: text }) => ({ uid, state: text })),
    );
  });

  test('pods that never showed their address come back as they were, are found by time, and can be withdrawn', async () => {
    const waiting = aPossibleTenure('waiting', 300);
    const gone = aPossibleTenure(aHolder('gone', { workload: undefined }), 100, 200, []);
    await stage.append(possibleFact(gone), possibleFact(waiting), possibleFact({ ...gone, end: undefined }));
    const within = (from: number, to: number) =>
      withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.possibleTenures({ from: at(from), to: at(to) }));
    assert.deepEqual(await within(0, 1000), [gone, waiting], 'what has ended is not reopened');
    assert.deepEqual(await within(150, 151), [gone]);
    assert.deepEqual(await within(200, 300), []);
    await stage.append({ kind: 'possible', key: possibleKey(waiting), possible: undefined });
    assert.deepEqual(await within(0, 1000), [gone]);
    await stage.append(coverageFact(aCoverage(0, 1000)));
    assert.equal(await stage.engine.prune(PROD.id, at(500)), 1);
    assert.deepEqual(await within(0, 1000), []);
  });

  test('what the observer keeps of living holders comes back as it was, whatever is in it', async () => {
    const states = ['', '[1]', 'no JSON at all', '\0\u2028 ünïcödé 😀', 'x'.repeat(100_000)];
    const kept = states.map((state, i) => ({ uid: `uid-${i}`, state }));
    await stage.append(...kept.map((one): StoredFact => ({ kind: 'live', ...one })));
    assert.deepEqual((await stage.engine.resume(PROD.id)).state.live, kept);
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.liveStates()), kept);
    const uuid = 'b7c0b3a4-0000-4000-8000-00000000000f';
    await stage.append({ kind: 'live', uid: 'uid-1', state: undefined }, { kind: 'live', uid: uuid, state: 'new' });
    const left = (await stage.engine.resume(PROD.id)).state.live.map(({ uid }) => uid);
    assert.deepEqual(left, [uuid, 'uid-0', 'uid-2', 'uid-3', 'uid-4']);
  });

  test('a value of 256 KiB comes back whole', async () => {
    const value = { text: 'x'.repeat(256 * 1024), sha256: undefined };
    await stage.append(changeFact(aChange('web-1', 100, { after: value })));
    const { items } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid: 'uid-web-1' }, span: ALWAYS, page: ALL }),
    );
    assert.equal(items[0]?.after?.text, value.text);
  });

  test('resourceVersions of any length, and such that are no numbers, are kept to the last digit', async () => {
    const versions = ['0', '', '9007199254740993', '18446744073709551616', '007', 'abc', '999999999999999', '1e5'];
    const tenures = versions.map((resourceVersion, i) =>
      aTenure(`10.0.2.${i}`, `pod-${i}`, aBoundary(100, { resourceVersion }), aBoundary(200, { resourceVersion })),
    );
    await stage.append(...tenures.map(tenureFact));
    for (const tenure of tenures)
      assert.deepEqual(
        await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(tenure.ip, at(150))),
        [tenure],
      );
  });

  test('two tenures that differ only in the version of their start are two', async () => {
    const big = '9007199254740993';
    const start = (resourceVersion: string) => aBoundary(100, { resourceVersion });
    const one = aTenure('10.0.0.7', 'web-1', start(big), 200);
    const other = aTenure('10.0.0.7', 'web-1', start('9007199254740992'), 200);
    await stage.append(tenureFact(one), tenureFact(other));
    assert.equal(
      (await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.7'), at(150)))).length,
      2,
    );
  });

  test('times before 1970, far ahead and with wide bounds come back as they were', async () => {
    const start = aBoundary(0, { notBefore: epochMillis(-5000), at: epochMillis(0), observedAt: at(0) });
    const end = aBoundary(0, { notAfter: epochMillis(8_640_000_000_000), observedAt: epochMillis(-1) });
    const tenure = aTenure('10.0.0.7', 'web-1', start, end);
    await stage.append(tenureFact(tenure));
    assert.deepEqual(
      await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.7'), epochMillis(-5000))),
      [tenure],
    );
    assert.deepEqual(
      await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.7'), at(9_999_999))),
      [tenure],
    );
  });
}

// Tenures of an address: what is stored, and who may have held it when.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSnapshot } from '../../with-snapshot.ts';
import { aBoundary, aPlacement, aTenure, at, everyKind, ipOf, placementFact, tenureFact } from '../record-builders.ts';
import { ALL, ALWAYS, type ContractStage, PROD, TEST, WEEK_S } from './contract-stage.ts';

export function tenuresAt(stage: ContractStage): void {
  test('a tenure is given back as it was stored', async () => {
    const stored = aTenure('10.0.0.7', 'web-1', 100, aBoundary(200, { notBefore: at(190), source: 'inferred' }));
    await stage.append(tenureFact(stored));
    assert.deepEqual(
      await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.7'), at(150))),
      [stored],
    );
  });

  test('storing a batch twice changes nothing', async () => {
    const facts = everyKind();
    await stage.append(...facts);
    const once = await stage.exported();
    await stage.append(...facts);
    assert.equal(await stage.exported(), once);
  });

  test('an open tenure is replaced by its closed version', async () => {
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100)));
    assert.deepEqual(await stage.who('10.0.0.7', 10_000), ['web-1']);
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)));
    assert.deepEqual(await stage.who('10.0.0.7', 10_000), []);
    assert.deepEqual(await stage.who('10.0.0.7', 150), ['web-1']);
  });

  test('what has ended is not reopened by its own earlier version', async () => {
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)), placementFact(aPlacement('web-1', 90, 200)));
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100)), placementFact(aPlacement('web-1', 90)));
    assert.deepEqual(await stage.who('10.0.0.7', 250), []);
    const { items } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.placementsOn('node-a', ALWAYS, ALL),
    );
    assert.deepEqual(items, [aPlacement('web-1', 90, 200)]);
  });

  test('an end that is written again, otherwise, replaces the one before', async () => {
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)));
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100, 150)));
    assert.deepEqual(await stage.who('10.0.0.7', 120), ['web-1']);
    assert.deepEqual(await stage.who('10.0.0.7', 180), []);
  });

  test('the bounds of a boundary count as possible, and the end itself does not', async () => {
    const start = aBoundary(100, { notBefore: at(95), notAfter: at(105) });
    const end = aBoundary(200, { notBefore: at(190), notAfter: at(210) });
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', start, end)));
    const answers: Record<number, string[]> = {};
    for (const second of [94, 95, 150, 209, 210]) answers[second] = await stage.who('10.0.0.7', second);
    assert.deepEqual(answers, { 94: [], 95: ['web-1'], 150: ['web-1'], 209: ['web-1'], 210: [] });
  });

  test('an address that was never held has no tenure, and no row is not an open one', async () => {
    await stage.append(tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)));
    assert.deepEqual(await stage.who('10.0.0.8', 150), []);
    assert.deepEqual(await stage.who('10.0.0.7', 300), []);
  });

  test('overlapping tenures are all given, also when a short one began later', async () => {
    await stage.append(
      tenureFact(aTenure('10.0.0.7', 'long', 100, 900_000)),
      tenureFact(aTenure('10.0.0.7', 'short', 200, 300)),
      tenureFact(aTenure('10.0.0.7', 'later', 400, 500)),
    );
    assert.deepEqual(await stage.who('10.0.0.7', 250), ['long', 'short']);
    assert.deepEqual(await stage.who('10.0.0.7', 350), ['long']);
    assert.deepEqual(await stage.who('10.0.0.7', 899_999), ['long']);
  });

  test('a tenure that lasted for weeks is found in each of them', async () => {
    await stage.append(tenureFact(aTenure('10.0.0.7', 'old', -3 * WEEK_S, 2 * WEEK_S)));
    for (const week of [-3, -2, -1, 0, 1])
      assert.deepEqual(await stage.who('10.0.0.7', (week + 0.5) * WEEK_S), ['old']);
    assert.deepEqual(await stage.who('10.0.0.7', 2.5 * WEEK_S), []);
  });

  test('clusters with the same addresses do not mix', async () => {
    const other = await stage.engine.takeOver(TEST);
    await stage.append(tenureFact(aTenure('10.0.0.7', 'ours', 100, 200)));
    await other.append({ facts: [tenureFact(aTenure('10.0.0.7', 'theirs', 100, 200))] });
    await stage.settle();
    assert.deepEqual(await stage.who('10.0.0.7', 150), ['ours']);
    const [theirs] = await withSnapshot(stage.engine, TEST.id, (snapshot) =>
      snapshot.tenuresAt(ipOf('10.0.0.7'), at(150)),
    );
    assert.equal(theirs?.holder.name, 'theirs');
    assert.deepEqual(await stage.engine.clusters(), [PROD, TEST]);
  });

  test('IPv4, its mapped form and IPv6 are found in any form', async () => {
    await stage.append(
      tenureFact(aTenure('::ffff:10.0.0.7', 'four', 100, 200)),
      tenureFact(aTenure('2001:DB8:0:0::1', 'six', 100, 200)),
      tenureFact(aTenure('fd00::ffff', 'local', 100, 200)),
    );
    assert.deepEqual(await stage.who('10.0.0.7', 150), ['four']);
    assert.deepEqual(await stage.who('2001:db8::1', 150), ['six']);
    assert.deepEqual(await stage.who('fd00:0:0:0:0:0:0:FFFF', 150), ['local']);
    assert.deepEqual(await stage.who('255.255.255.255', 150), []);
  });

  test('many moments are answered in the order of the questions', async () => {
    await stage.append(
      tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)),
      tenureFact(aTenure('10.0.0.8', 'web-2', 100, 200)),
    );
    const moments = [
      { ip: ipOf('10.0.0.8'), at: at(150) },
      { ip: ipOf('10.0.0.9'), at: at(150) },
      { ip: ipOf('10.0.0.7'), at: at(199) },
      { ip: ipOf('10.0.0.7'), at: at(200) },
      { ip: ipOf('10.0.0.8'), at: at(150) },
    ];
    const answers = await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAtMany(moments));
    const names = answers.map((tenures) => tenures.map((tenure) => tenure.holder.name));
    assert.deepEqual(names, [['web-2'], [], ['web-1'], [], ['web-2']]);
    assert.deepEqual(await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAtMany([])), []);
  });

  test('tenures of an address come oldest first and only where they touch the span', async () => {
    for (const [i, holder] of ['a', 'b', 'c', 'd'].entries()) {
      await stage.append(tenureFact(aTenure('10.0.0.7', holder, i * 100, i * 100 + 50)));
    }
    const span = { from: at(120), to: at(300) };
    const { items, cursor } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.tenuresOfIp(ipOf('10.0.0.7'), span, ALL),
    );
    assert.deepEqual([items.map((tenure) => tenure.holder.name), cursor], [['b', 'c'], undefined]);
  });

  test('tenures of many addresses come in the order of the questions, and not of those that have too many', async () => {
    for (const [i, holder] of ['a', 'b', 'c', 'd'].entries()) {
      await stage.append(tenureFact(aTenure(i === 3 ? '10.0.0.8' : '10.0.0.7', holder, i * 100, i * 100 + 50)));
    }
    const asked = (ip: string, from: number, to: number) => ({ ip: ipOf(ip), from: at(from), to: at(to) });
    const spans = [
      asked('10.0.0.8', 0, 1000),
      asked('10.0.0.9', 0, 1000),
      asked('10.0.0.7', 120, 300),
      asked('10.0.0.7', 0, 1000),
    ];
    const answers = await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresOfIps(spans, 2));
    const names = answers.map((tenures) => tenures?.map((tenure) => tenure.holder.name));
    assert.deepEqual(names, [['d'], [], ['b', 'c'], undefined]);
  });
}

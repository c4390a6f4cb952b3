// Every engine is the memory engine, seen from outside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryError } from '../../../errors.ts';
import type { StoredFact } from '../../../model/fact.ts';
import { occurrenceFact } from '../../../model/occurrence.ts';
import type { Tenure } from '../../../model/records.ts';
import { epochMillis } from '../../../model/time.ts';
import type { Engine } from '../../engine.ts';
import { MemoryEngine } from '../../memory/memory-engine.ts';
import type { IpSpan, Moment } from '../../snapshot.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import {
  aDeparture,
  aHolder,
  aPieceOfEvidence,
  aPlacement,
  aPodLife,
  aTenure,
  at,
  everyKind,
  ipOf,
  placementFact,
  tenureFact,
} from '../record-builders.ts';
import { type ContractStage, PROD, WEEK_S } from './contract-stage.ts';

export function sameness(stage: ContractStage): void {
  test('the canonical export is byte for byte that of the memory engine for the same facts', async () => {
    const facts = [...everyKind(), ...manyLives()];
    const reference = new MemoryEngine();
    await (await reference.takeOver(PROD)).append({ facts: [...facts].reverse() });
    for (let from = 0; from < facts.length; from += 300) await stage.append(...facts.slice(from, from + 300));
    assert.equal(await stage.exported(), await stage.exported(reference));
  });

  test('versions of one occurrence give one record, in whichever order and however often they come', async () => {
    const versions = versionsOfOne();
    const spans = [0, 90, 150, 300, 500].map((from) => ({ from: at(from), to: at(from + 100) }));
    const read = async (engine: Engine) => [
      await stage.exported(engine),
      ...(await withSnapshot(engine, PROD.id, (snapshot) =>
        Promise.all(
          (['life', 'departure', 'evidence'] as const).flatMap((kind) =>
            spans.map((span) => snapshot.occurrences({ kind, span, page: { limit: 10 } })),
          ),
        ),
      )),
    ];
    let first: unknown;
    for (const order of [
      versions,
      versions.toReversed(),
      [...versions.slice(3), ...versions.slice(0, 3), ...versions],
    ]) {
      const reference = new MemoryEngine();
      const writer = await reference.takeOver(PROD);
      for (const fact of order) await writer.append({ facts: [fact] });
      first ??= await read(reference);
      assert.deepEqual(await read(reference), first);
      for (const fact of order) await stage.append(fact);
      assert.deepEqual(await read(stage.engine), first);
      assert.deepEqual((await stage.engine.verify()).damages, []);
    }
  });

  test('random questions are answered as the memory engine answers them', async () => {
    const facts = manyLives();
    const reference = new MemoryEngine();
    await (await reference.takeOver(PROD)).append({ facts });
    for (let from = 0; from < facts.length; from += 500) await stage.append(...facts.slice(from, from + 500));
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const moments: Moment[] = [];
    const spans: IpSpan[] = [];
    for (let i = 0; i < 300; i++) {
      const ip = ipOf(`10.0.9.${next(8)}`);
      const time = at(next(6 * WEEK_S) - WEEK_S);
      assert.deepEqual(
        await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ip, time)),
        await withSnapshot(reference, PROD.id, (snapshot) => snapshot.tenuresAt(ip, time)),
        `${ip} at ${time}`,
      );
      moments.push({ ip, at: time });
      const span = { from: time, to: epochMillis(time + next(WEEK_S) * 500) };
      spans.push({ ip, ...span });
      const page = { limit: 1 + next(20) };
      const node = `node-${next(4)}`;
      assert.deepEqual(
        await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.placementsOn(node, span, page)),
        await withSnapshot(reference, PROD.id, (snapshot) => snapshot.placementsOn(node, span, page)),
      );
      const subject = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: `app-${next(5)}` } as const;
      assert.deepEqual(
        await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresOf(subject, span, page)),
        await withSnapshot(reference, PROD.id, (snapshot) => snapshot.tenuresOf(subject, span, page)),
      );
    }
    for (const most of [1, 3, 100]) {
      const found = await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresOfIps(spans, most));
      assert.deepEqual(found, await withSnapshot(reference, PROD.id, (snapshot) => snapshot.tenuresOfIps(spans, most)));
    }
    const bulk = [...moments, ...moments, ...moments];
    assert.deepEqual(
      await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAtMany(bulk)),
      await withSnapshot(reference, PROD.id, (snapshot) => snapshot.tenuresAtMany(bulk)),
    );
  });

  test('a whole store verifies and says how much it holds', async () => {
    await stage.append(...everyKind());
    const { damages, records } = await stage.engine.verify();
    assert.deepEqual(damages, []);
    assert.ok(records > 0);
    const { clusters, version } = await stage.engine.status();
    assert.ok(version >= 1);
    const [{ tenures, placements, changes, live } = { tenures: 0, placements: 0, changes: 0, live: 0 }] = clusters;
    assert.deepEqual({ tenures, placements, changes, live }, { tenures: 2, placements: 1, changes: 1, live: 1 });
  });

  test('a closed engine refuses everything with a code', async () => {
    await stage.engine.close();
    await assert.rejects(
      withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.7'), at(1))),
      { code: 'store-closed' },
    );
    await assert.rejects(stage.writer.append({ facts: [] }), HistoryError);
  });
}

/** Lives over five weeks with addresses that come again, overlaps, holders that grow, and open ends. Seeded. */
function manyLives(): StoredFact[] {
  let seed = 42;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const facts: StoredFact[] = [];
  for (let i = 0; i < 600; i++) {
    const start = next(5 * WEEK_S) - WEEK_S;
    const lasts = next(10) === 0 ? next(3 * WEEK_S) : next(4000);
    const end = next(20) === 0 ? undefined : start + lasts + 1;
    const workload = next(6) === 0 ? undefined : { kind: 'Deployment', name: `app-${next(5)}`, inferred: true };
    const uid = `${(i * 2_654_435_761) % 4_294_967_296}`.padStart(10, '0');
    const placed = aHolder(`pod-${i}`, { uid, node: `node-${next(4)}`, workload });
    const holder = next(15) === 0 ? { ...placed, workload: undefined } : placed;
    const tenure = (ip: string): Tenure => aTenure(ip, holder, start + 1, end);
    facts.push(tenureFact(tenure(`10.0.9.${next(8)}`)), placementFact(aPlacement(placed, start, end)));
    if (next(4) === 0) facts.push(tenureFact(tenure(`fd00::${next(8)}`)));
  }
  return facts;
}

/** Some differ in their time, some only in what they know, some not at all in their order. */
function versionsOfOne(): StoredFact[] {
  const disrupted = (reason: string, resourceVersion?: string, listed?: true) => {
    const seenIn = resourceVersion === undefined ? undefined : { epoch: 1, resourceVersion, ...(listed && { listed }) };
    return { reason, message: '', at: at(120), ...(seenIn && { seenIn }) };
  };
  const created = { created: at(95) };
  return [
    occurrenceFact('departure', aDeparture('web-1', 500)),
    occurrenceFact('life', aPodLife('web-1', 100, created)),
    occurrenceFact('evidence', aPieceOfEvidence('web-1', 150, { id: 'one', at: at(150), count: 3 })),
    occurrenceFact('departure', aDeparture('web-1', 110)),
    occurrenceFact('life', aPodLife('web-1', 121, { ...created, disruption: disrupted('EvictionByEvictionAPI') })),
    occurrenceFact('evidence', aPieceOfEvidence('web-1', 310, { id: 'one', at: at(310), count: 1 })),
    occurrenceFact('life', aPodLife('web-1', 125, { ...created, disruption: disrupted('DeletionByTaintManager') })),
    occurrenceFact('life', aPodLife('web-1', 125, { ...created, deletion: { requested: at(124), graceSeconds: 30 } })),
    occurrenceFact('life', aPodLife('web-1', 125, { ...created, deletion: { requested: at(124), graceSeconds: 0 } })),
    occurrenceFact('life', aPodLife('web-1', 125, { ...created, disruption: disrupted('Listed', '7', true) })),
    occurrenceFact('life', aPodLife('web-1', 125, { ...created, disruption: disrupted('Watched', '7') })),
    occurrenceFact('life', aPodLife('web-1', 125, { ...created, disruption: disrupted('A later one', '70') })),
    occurrenceFact('life', aPodLife('web-1', 126, { ...created, filedAt: at(90_000) })),
    occurrenceFact('life', aPodLife('web-1', 127, { ...created, filedAt: at(80_000) })),
  ];
}

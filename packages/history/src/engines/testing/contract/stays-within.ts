// All stays of a span at once, in columns: the same records as every other way to them gives.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary } from '../../../model/boundary.ts';
import type { StoredFact } from '../../../model/fact.ts';
import type { Holder } from '../../../model/records.ts';
import { staysWithin } from '../../../query/stays-within.ts';
import { SeededNumbers } from '../../../testing/seeded-numbers.ts';
import type { Engine } from '../../engine.ts';
import { MemoryEngine } from '../../memory/memory-engine.ts';
import { holderAt, type StayKind, TIMES } from '../../stay-columns.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import {
  aBoundary,
  aCoverage,
  aHolder,
  aPlacement,
  aTenure,
  at,
  coverageFact,
  placementFact,
  tenureFact,
} from '../record-builders.ts';
import { type ContractStage, PROD, WEEK_S } from './contract-stage.ts';

const SEED = 1611;

/** One line for each, in an order of its own. */
async function staysOf(engine: Engine, kind: StayKind, from: number, to: number): Promise<string[]> {
  const lines: string[] = [];
  await withSnapshot(engine, PROD.id, async (snapshot) => {
    lines.length = 0;
    for await (const stays of staysWithin(snapshot, kind, { from: at(from), to: at(to) })) {
      for (let i = 0; i < stays.count; i++) {
        const times = [...stays.times.subarray(i * TIMES, (i + 1) * TIMES)];
        lines.push(JSON.stringify([holderAt(stays, i), stays.ips[i] ?? '', times]));
      }
    }
  });
  return lines.sort();
}

function line(holder: Holder, ip: string, start: Boundary, end: Boundary | undefined): string {
  const three = (one: Boundary | undefined) => [one?.at ?? null, one?.notBefore ?? null, one?.notAfter ?? null];
  return JSON.stringify([holder, ip, [...three(start), ...three(end)]]);
}

export function allStays(stage: ContractStage): void {
  test('all stays within a span come back as they were, each once, from whichever place they are kept in', async () => {
    const early = aPlacement(aHolder('early', { hostNetwork: true, workload: undefined }), 100, aBoundary(200));
    const inferred = { kind: 'Deployment', name: 'cart', inferred: true };
    const late = aPlacement(aHolder('late', { node: 'node-b', namespace: 'other', workload: inferred }), WEEK_S + 5);
    const address = aTenure('fd00::7', aHolder('svc', { kind: 'Service', node: '', workload: undefined }), 150, 250);
    await stage.append(placementFact(early), placementFact(late), tenureFact(address));
    const [ofEarly, ofLate] = [early, late].map(({ pod, start, end }) => line(pod, '', start, end));
    assert.deepEqual(await staysOf(stage.engine, 'placement', 0, 2 * WEEK_S), [ofEarly, ofLate].sort());
    assert.deepEqual(await staysOf(stage.engine, 'placement', 0, 150), [ofEarly]);
    assert.deepEqual(await staysOf(stage.engine, 'placement', 200, 300), []);
    assert.deepEqual(await staysOf(stage.engine, 'placement', 3 * WEEK_S, 3 * WEEK_S + 1), [ofLate], 'it goes on');
    assert.deepEqual(await staysOf(stage.engine, 'tenure', 160, 161), [
      line(address.holder, address.ip, address.start, address.end),
    ]);
    assert.deepEqual(await staysOf(stage.engine, 'tenure', 0, 100), []);
  });

  test('of a stay that is written again, the last version is among all stays, and nothing that has expired is', async () => {
    await stage.append(
      coverageFact(aCoverage(0, 3 * WEEK_S)),
      placementFact(aPlacement('web-1', 95, 200)),
      placementFact(aPlacement('web-2', 95, 200)),
      tenureFact(aTenure('10.0.0.7', 'web-1', 95, 200)),
      tenureFact(aTenure('10.0.0.8', 'web-1', 95, 200)),
      placementFact(aPlacement('web-3', 95, WEEK_S + 2000)),
    );
    const again = [aPlacement('web-2', 95, 150), aTenure('10.0.0.8', 'web-1', 95, 150)] as const;
    await stage.writer.append({ facts: [placementFact(again[0]), tenureFact(again[1])] });
    const names = async (kind: StayKind, from: number, to: number) =>
      (await staysOf(stage.engine, kind, from, to)).map((one) => {
        const [{ name }, ip] = JSON.parse(one) as [Holder, string];
        return `${name}${ip}`;
      });
    assert.deepEqual(await names('placement', 0, 1000), ['web-1', 'web-2', 'web-3']);
    assert.deepEqual(await names('placement', 160, 161), ['web-1', 'web-3']);
    assert.deepEqual(await names('tenure', 100, 101), ['web-110.0.0.7', 'web-110.0.0.8']);
    assert.deepEqual(await names('tenure', 160, 161), ['web-110.0.0.7']);
    await stage.engine.prune(PROD.id, at(WEEK_S));
    assert.deepEqual(await names('placement', 0, 1000), ['web-3']);
    assert.deepEqual(await names('tenure', 0, 1000), []);
  });

  test('all stays of any span are those of the memory engine, however many there are', async () => {
    const numbers = new SeededNumbers(SEED);
    const facts: StoredFact[] = [];
    for (let i = 0; i < 4_500; i++) {
      const start = numbers.between(0, 5 * WEEK_S);
      const end = numbers.chance(0.2) ? undefined : start + numbers.between(1, numbers.chance(0.1) ? WEEK_S : 5000);
      const pod = aHolder(`pod-${i}`, { node: `node-${numbers.between(0, 40)}` });
      facts.push(placementFact(aPlacement(pod, start, end)));
      if (i % 9 === 0) facts.push(tenureFact(aTenure(`10.1.${i % 200}.${i % 7}`, pod, start, end)));
    }
    const reference = new MemoryEngine();
    await (await reference.takeOver(PROD)).append({ facts });
    for (let from = 0; from < facts.length; from += 2_000) await stage.append(...facts.slice(from, from + 2_000));
    const spans = Array.from({ length: 12 }, () => {
      const from = numbers.between(0, 6 * WEEK_S);
      return [from, from + numbers.between(1, numbers.chance(0.5) ? 1000 : 2 * WEEK_S)] as const;
    });
    for (const [from, to] of [[0, 6 * WEEK_S] as const, ...spans]) {
      for (const kind of ['placement', 'tenure'] as const) {
        const expected = await staysOf(reference, kind, from, to);
        assert.deepEqual(await staysOf(stage.engine, kind, from, to), expected, `${kind} ${from}..${to}, seed ${SEED}`);
      }
    }
  });
}

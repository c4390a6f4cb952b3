import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import {
  at,
  coverageFact,
  madeCoverage,
  madePlacement,
  madeTenure,
  placementFact,
  tenureFact,
} from '../../testing/made-records.ts';
import { InThreadEngine } from '../testing/in-thread-engine.ts';

const directory = scratchDirectory('row-index');
const CLUSTER = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
const WEEK_S = 7 * 86_400;
const PODS = 20_000;

test('after a week was sealed the head is small again: the pages of its index go back', async () => {
  const path = join(directory, 'store.db');
  const engine = new InThreadEngine({ path, access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  for (let from = 0; from < PODS; from += 5000) {
    const facts = Array.from({ length: 5000 }, (_, i) => {
      const n = from + i;
      const start = 1000 + n;
      const ip = `10.${n >>> 16}.${(n >>> 8) & 255}.${n & 255}`;
      const name = `pod-${n}`;
      return [
        tenureFact(madeTenure(ip, name, start, start + 500)),
        placementFact(madePlacement(name, start, start + 500)),
      ];
    });
    await writer.append({ facts: [...facts.flat(), coverageFact(madeCoverage(0, WEEK_S))] });
  }
  await engine.maintain(at(2 * WEEK_S));
  const { damages } = await engine.verify();
  assert.deepEqual(damages, []);
  await writer.append({ facts: [tenureFact(madeTenure('10.9.9.9', 'next', WEEK_S + 10))] });
  await engine.close();
  const { size } = statSync(path);
  // A megabyte of free pages is kept for what comes next.
  assert.ok(size < 1_700_000, `${size} bytes`);
});

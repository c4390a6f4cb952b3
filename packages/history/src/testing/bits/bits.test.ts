// The short form of `npm run proof -- bits`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../scratch-directory.ts';
import { bitsRun } from './bits-run.ts';

const directory = scratchDirectory('bits');
const seed = Number(process.env['PODTRAIL_SEED'] ?? 20261116);

test('fault 18: 100 random mutations of a store: no answer is wrong, and verify reports all that changed one', async (t) => {
  const { total, details } = await bitsRun({ directory: join(directory, 'on'), seed, mutations: 100 });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(total)}; PODTRAIL_SEED repeats it`);
  assert.deepEqual({ wrong: total.wrong, missed: total.missed }, { wrong: 0, missed: 0 }, details.join('\n'));
  assert.ok(total.unknown > 0 && total.unchanged > 0);
});

test('with the checks switched off the same mutations give wrong answers: the questions would notice', async (t) => {
  const { total } = await bitsRun({
    directory: join(directory, 'off'),
    seed,
    mutations: 60,
    checks: false,
    recordEvery: 0,
  });
  t.diagnostic(`seed ${seed}: ${total.wrong} wrong of ${total.answers}`);
  assert.ok(total.wrong > 0);
});

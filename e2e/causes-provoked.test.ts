// Each cause that can be provoked on kwok nodes, once, in every CI; twenty times each by `npm run proof -- causes`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUSES } from '@podtrail/history';
import { notRight } from './causes/not-right.ts';
import { NOT_PROVOKED, PROVOCATIONS } from './causes/provocations/index.ts';
import { causeRun } from './causes/run.ts';
import { rowsOf, textTable } from './causes/table.ts';

const SEED = 14;
const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given && 'needs to start a control plane of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster';

test('every cause is provoked, or it is written down why it is not', () => {
  const provoked = new Set(PROVOCATIONS.map(({ cause }) => cause));
  assert.deepEqual(
    CAUSES.filter((cause) => !provoked.has(cause)),
    [...NOT_PROVOKED.keys()],
  );
});

test(`every provoked cause is found on a real control plane (seed ${SEED})`, { skip, timeout: 300_000 }, async (t) => {
  const outcomes = await causeRun({
    provocations: PROVOCATIONS,
    seed: SEED,
    repeat: 1,
    parallel: 6,
    isAudited: true,
    log: () => {},
  });
  t.diagnostic(`\n${textTable(rowsOf(outcomes))}`);
  assert.deepEqual(notRight(PROVOCATIONS, outcomes, { isAudited: true }), []);
});

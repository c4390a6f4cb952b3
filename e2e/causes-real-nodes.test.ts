// Some causes that only a kubelet can bring about, on two real nodes, in every CI; all of them, and often, by
// `npm run proof -- causes --real-nodes 2`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notRight } from './causes/not-right.ts';
import { QUICK_REAL_PROVOCATIONS, REAL_PROVOCATIONS } from './causes/real/index.ts';
import { causeRun } from './causes/run.ts';
import { rowsOf, textTable } from './causes/table.ts';
import { ensureNodeBinaries, missingForRealNodes } from './realnodes/index.ts';

const SEED = 16;
const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given
  ? 'needs real nodes of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster'
  : (missingForRealNodes() ?? false);
// On a machine that starts bare that takes minutes, which are none of a test's.
if (skip === false) await ensureNodeBinaries();

test('what only kubelets bring about is provoked on real ones', () => {
  const provoked = new Set(REAL_PROVOCATIONS.map(({ cause }) => cause));
  const byKubelets = [
    'NodePressure',
    'StorageLimit',
    'KubeletPreemption',
    'NodeShutdown',
    'Rejected',
    'Deadline',
  ] as const;
  for (const cause of [...byKubelets, 'Reboot', 'OOMKilled', 'Crashed', 'Completed', 'SandboxReplaced'] as const) {
    assert.ok(provoked.has(cause), cause);
  }
});

test(`quick causes are found on real nodes (seed ${SEED})`, { skip, timeout: 300_000 }, async (t) => {
  const outcomes = await causeRun({
    ...{ provocations: QUICK_REAL_PROVOCATIONS, seed: SEED, repeat: 1, parallel: 4, realNodes: 2, log: () => {} },
  });
  t.diagnostic(`\n${textTable(rowsOf(outcomes))}`);
  assert.deepEqual(notRight(QUICK_REAL_PROVOCATIONS, outcomes), []);
});

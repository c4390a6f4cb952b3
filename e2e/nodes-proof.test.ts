// The proof on real nodes, in its short form for every CI: a minute of lives by every mechanism on two real nodes, to
// which nothing happens as a whole. The long form is `npm run proof -- nodes`; e2e/proof/README.md has its results.
// Runs alone: its pods live for seconds on two real nodes, and are judged to the millisecond.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodesRun } from './proof/nodes/nodes-run.ts';
import { ensureNodeBinaries, missingForRealNodes } from './realnodes/index.ts';

const SEED = 71;
const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given
  ? 'needs real nodes of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster'
  : (missingForRealNodes() ?? false);
// On a machine that starts bare that takes minutes, which are none of a test's.
if (skip === false) await ensureNodeBinaries();

test('on two real nodes no address and no packet of a minute of churn is given to the wrong pod', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'podtrail-nodes-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const run = await nodesRun({
    ...{ seed: SEED, minutes: 1, nodes: 2, addresses: 20, questions: 2_000, kills: 0, podCidrs: false, kubelets: [] },
    ...{ nodeEvents: [], out, log: () => {} },
  });
  for (const { name, asked, counts } of run.sets) t.diagnostic(`${name}: ${asked} asked, ${JSON.stringify(counts)}`);
  assert.ok(run.tenures >= 30, `only ${run.tenures} addresses were given in a minute`);
  assert.equal(run.wrong, 0, run.stories.join('\n\n'));
  for (const { name, asked, counts } of run.sets.filter((set) => set.name.includes('margin 1 s'))) {
    assert.ok(counts.right / asked > 0.5, `${name}: few are decided: ${JSON.stringify(counts)}`);
  }
});

// A small truth run in every CI: not only that nothing is answered wrongly, which a ledger that says "ambiguous" to
// everything achieves as well, but that almost everything is answered. The bars of the issue are for the long run
// (`npm run proof -- truth`).
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { truthRun } from './proof/truth-run.ts';

const SEED = 77;
const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given && 'needs to start a control plane of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster';

test(`of a hundred pods that share forty addresses, none is answered wrongly and few in doubt (seed ${SEED})`, {
  skip,
  timeout: 300_000,
}, async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'podtrail-truth-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const run = await truthRun({ seed: SEED, lives: 100, questions: 2_000, faults: false, out, log: () => {} });
  const { counts, forced } = run;
  const figures = JSON.stringify({ counts, forced });
  t.diagnostic(figures);
  assert.equal(run.wrong, 0);
  // The ledger before real kubelets were measured decided over 99 % of these (and was wrong on real nodes); 93.5 % to
  // 95 % were measured since, and 98 % is the goal of `npm run proof -- truth`. Raise this as the ledger gets sharper.
  const answered = (counts.held + counts.free) / run.asked;
  assert.ok(answered > 0.9, `only ${(answered * 100).toFixed(1)} % are held or free: ${figures}`);
});

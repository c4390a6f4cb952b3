// A small truth run in every CI: not only that nothing is answered wrongly, which a ledger that says "ambiguous" to
// everything achieves as well, but that almost everything is answered. The bars of the issue are for the long run
// (`npm run proof -- truth`).
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type TruthRunResult, truthRun } from './proof/truth-run.ts';

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
  // An eighth of the pods is deleted by force, after which an address is in doubt for some seconds: nothing says when it
  // is released. Measured: 93.5 % to 96.7 % of all, and 96.3 % to 99.3 % of what is not asked about so soon after a
  // deletion by force; the least on a machine that took twice as long, where the ledger sees slow starts and allows for
  // them. Raise these as the ledger gets sharper; 98 % of all is the goal of `npm run proof -- truth`.
  assertAnswered('of all', counts, 0.92, figures);
  const others = {
    held: counts.held - forced.held,
    free: counts.free - forced.free,
    ambiguous: counts.ambiguous - forced.ambiguous,
    unknown: counts.unknown - forced.unknown,
  };
  assertAnswered('not after a deletion by force', others, 0.95, figures);
});

function assertAnswered(what: string, counts: TruthRunResult['counts'], least: number, figures: string): void {
  const { held, free, ambiguous, unknown } = counts;
  const answered = (held + free) / (held + free + ambiguous + unknown);
  assert.ok(answered > least, `${what}, only ${(answered * 100).toFixed(1)} % are held or free: ${figures}`);
}

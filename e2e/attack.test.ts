// A short attack in every CI. The bars of the issue are for the long run (`npm run proof -- attack`), on a machine that
// does nothing else; here they are wide enough for a busy one, and narrow enough for what they are there to catch: before
// conversion had a process and a budget of its own, the same attack made the ledger lag by more than a minute and memory
// grow by half a gigabyte.
// Runs alone: it measures times and memory under an attack that loads every core.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { attackRun } from './proof/attack-run.ts';

const SEED = 11;
const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given && 'needs to start a control plane of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster';

test(`200 hostile clients on the conversion and probe ports stop neither the recorder nor the lease (seed ${SEED})`, {
  skip,
  timeout: 300_000,
}, async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'podtrail-attack-'));
  t.after(() => rm(out, { recursive: true, force: true, maxRetries: 5 }));
  const run = await attackRun({ seed: SEED, seconds: 12, clients: 200, out, log: () => {} });
  t.diagnostic(JSON.stringify(run));
  assert.ok(run.leaseKept, 'the lease was kept');
  assert.ok(run.lag.p99 <= 5_000, `the ledger lagged by ${run.lag.p99} ms at p99`);
  assert.ok(run.rssMegabytes.growth <= 200, `memory grew by ${run.rssMegabytes.growth} MB`);
  assert.ok(run.probes.mostMissedInARow <= 2, `${run.probes.mostMissedInARow} probes in a row were not answered`);
});

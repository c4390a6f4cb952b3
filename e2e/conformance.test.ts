// The sandbox is held to what the real kube-apiserver does: every case of conformance/ runs on both.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { ACCEPTED_DIFFERENCES } from './conformance/accepted-differences.ts';
import { AREAS } from './conformance/cases/index.ts';
import { DIFFERENCES_PAGE, renderDifferences } from './conformance/differences-page.ts';
import { describeDifference, runDifferential } from './conformance/differential/run-differential.ts';
import { runAreas } from './conformance/run.ts';
import { startRealServer } from './conformance/servers/real.ts';
import { startSandbox } from './conformance/servers/sandbox.ts';
import type { ServerUnderTest } from './conformance/servers/server.ts';
import { complaints, renderTable, type ServerResults, sumAssertions } from './conformance/table.ts';

const LEAST_ASSERTIONS = 1000;
const NAMES = AREAS.flatMap(({ cases }) => cases.map(({ name }) => name));
/** Random requests; `npm run conformance -- --seeds` draws more. */
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const STEPS = 60;

const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given && 'needs to start a control plane of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster';

const [sandbox, real] = await Promise.all([startSandbox(), given ? undefined : startRealServer()]);
after(() => Promise.all([sandbox.close(), real?.close()]));
const runs: ServerResults[] = await Promise.all(
  [...(real ? [real] : []), sandbox].map(async (server) => {
    return { server: server.name, results: await runAreas(server, AREAS) };
  }),
);
after(() => process.stdout.write(`${renderTable(runs, ACCEPTED_DIFFERENCES)}\n`));

for (const run of runs) {
  describe(run.server, () => {
    for (const { area } of AREAS) {
      test(area, () => {
        const wrong = complaints(run, ACCEPTED_DIFFERENCES).filter((complaint) => complaint.area === area);
        assert.equal(wrong.map(({ text }) => text).join('\n'), '');
      });
    }
    test('enough is asserted', () => {
      const asserted = sumAssertions(run.results);
      assert.ok(asserted >= LEAST_ASSERTIONS, `only ${asserted} assertions`);
    });
  });
}

test('the cases on a real API server', { skip }, () => {
  assert.deepEqual(
    runs.map(({ server }) => server),
    ['real', 'sandbox'],
  );
});

test(`random requests are answered alike by both, with the seeds 1 to ${SEEDS.length}`, { skip }, async () => {
  const found = await runDifferential(real as ServerUnderTest, sandbox, { seeds: SEEDS, steps: STEPS });
  assert.equal(found.map(describeDifference).join('\n'), '');
});

test('every case has a name of its own', () => {
  assert.deepEqual(
    NAMES.filter((name, index) => NAMES.indexOf(name) !== index),
    [],
  );
});

test('every accepted difference names a case and gives a reason', () => {
  for (const { case: name, reason } of ACCEPTED_DIFFERENCES) {
    assert.ok(NAMES.includes(name), `there is no case "${name}"`);
    assert.ok(reason.length > 20, `"${name}" needs a reason`);
  }
});

test('DIFFERENCES.md of the sandbox lists the accepted differences', async () => {
  assert.equal(await readFile(DIFFERENCES_PAGE, 'utf8'), renderDifferences(ACCEPTED_DIFFERENCES));
});

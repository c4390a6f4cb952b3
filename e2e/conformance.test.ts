// The sandbox is held to what the real kube-apiserver does: every case of conformance/ runs on both.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ACCEPTED_DIFFERENCES } from './conformance/accepted-differences.ts';
import { AREAS } from './conformance/cases/index.ts';
import { runAreas } from './conformance/run.ts';
import { startRealServer } from './conformance/servers/real.ts';
import { complaints, renderTable, type ServerResults, sumAssertions } from './conformance/table.ts';

const LEAST_ASSERTIONS = 200;
const runs: ServerResults[] = [];

after(() => process.stdout.write(`${renderTable(runs, ACCEPTED_DIFFERENCES)}\n`));

for (const start of [startRealServer]) {
  const server = await start();
  const results = await runAreas(server, AREAS).finally(() => server.close());
  const run = { server: server.name, results };
  runs.push(run);
  describe(server.name, () => {
    for (const { area } of AREAS) {
      test(area, () => {
        const wrong = complaints(run, ACCEPTED_DIFFERENCES).filter((complaint) => complaint.area === area);
        assert.equal(wrong.map(({ text }) => text).join('\n'), '');
      });
    }
    test('enough is asserted', () => {
      const asserted = sumAssertions(results);
      assert.ok(asserted >= LEAST_ASSERTIONS, `only ${asserted} assertions`);
    });
  });
}

test('every case has a name of its own', () => {
  const names = AREAS.flatMap(({ cases }) => cases.map(({ name }) => name));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

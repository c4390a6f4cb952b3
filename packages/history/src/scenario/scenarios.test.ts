import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStore } from '../engines/open-store.ts';
import { scratchDirectory } from '../testing/scratch-directory.ts';
import { parseScenario } from './parse-scenario.ts';
import { runScenario } from './run-scenario.ts';

const FOLDER = new URL('../../../../examples/scenarios/', import.meta.url);
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.trail'));
const directory = scratchDirectory('scenarios');

const STORES = [
  { name: 'in memory', url: () => 'memory:' },
  { name: 'in SQLite', url: (file: string) => `sqlite:${join(directory, `${file}.db`)}` },
];

test('there are scenarios', () => {
  assert.ok(files.length >= 8);
});

for (const { name, url } of STORES) {
  describe(`scenarios ${name}`, () => {
    for (const file of files) {
      test(file, async () => {
        const engine = await openStore(url(file), { access: 'write' });
        try {
          const scenario = parseScenario(file, readFileSync(new URL(file, FOLDER), 'utf8'));
          const outcomes = await runScenario(engine, 'scenario', scenario);
          assert.ok(outcomes.length > 0);
          assert.deepEqual(
            outcomes.map(({ ask, given }) => `${ask.line}: ${given}`),
            outcomes.map(({ ask, expected }) => `${ask.line}: ${expected}`),
          );
        } finally {
          await engine.close();
        }
      });
    }
  });
}

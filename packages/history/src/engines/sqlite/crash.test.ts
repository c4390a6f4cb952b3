import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MemoryEngine } from '../memory/memory-engine.ts';
import { at } from '../testing/record-builders.ts';
import { withSnapshot } from '../with-snapshot.ts';
import { FAILPOINTS } from './failpoints.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { CLUSTER, factsOf, live, STEPS, stepOf } from './testing/crash-story.ts';
import { exportedText } from './testing/golden-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'podtrail-crash-'));
after(() => rmSync(directory, { recursive: true, force: true }));
/** Which passings of each kind kill; once is enough where there is only one. */
const PASSINGS: Readonly<Record<string, readonly number[]>> = { append: [1, 6], seal: [1, 2] };
const recorder = join(import.meta.dirname, 'testing', 'dying-recorder.ts');

/** What the store must hold when these steps were stored, whatever happened in between. */
async function expectation(steps: number, retained: boolean): Promise<string> {
  const reference = new MemoryEngine();
  const writer = await reference.takeOver(CLUSTER);
  for (let step = 0; step < steps; step++) await writer.append({ facts: factsOf(step) });
  if (retained) await reference.prune(CLUSTER.id, at(8 * 86_400));
  return exportedText(reference);
}

for (const failpoint of FAILPOINTS) {
  for (const nth of PASSINGS[failpoint.split(':')[0]!] ?? [1]) {
    test(`fault 17: killed at ${failpoint}, passing ${nth}: acknowledged facts are there, the checkpoint is not ahead, and the rest of the story ends as without the crash`, async () => {
      const path = join(directory, `${failpoint.replace(':', '-')}-${nth}.db`);
      const run = spawnSync(process.execPath, [recorder, path, failpoint, String(nth)], { encoding: 'utf8' });
      assert.equal(run.signal, 'SIGKILL', run.stderr);
      const acknowledged = run.stdout.trim() === '' ? -1 : Number(run.stdout.trim().split('\n').at(-1));

      const engine = await SqliteEngine.open({ path, access: 'write', sealAt: 1 });
      const isThere = (await engine.clusters()).length > 0;
      const stored = isThere ? stepOf((await engine.resume(CLUSTER.id)).checkpoint?.resourceVersion) : -1;
      assert.ok(stored >= acknowledged, `step ${acknowledged} was acknowledged, ${stored} is stored`);
      assert.ok(stored <= acknowledged + 1, `step ${stored} is stored after ${acknowledged}`);
      if (isThere) {
        const retained = (await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired())).length > 0;
        assert.equal(
          await exportedText(engine),
          await expectation(stored + 1, retained),
          'the facts of the checkpoint',
        );
      }
      assert.deepEqual((await engine.verify()).damages, []);

      // The step that was under way is written again, as a recorder that goes on from its checkpoint would.
      await live(engine, Math.max(0, stored), () => {});
      await engine.prune(CLUSTER.id, at(8 * 86_400));
      assert.equal(await exportedText(engine), await expectation(STEPS, true));
      await engine.close();
    });
  }
}

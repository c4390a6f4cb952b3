// Why pods ended on real kubelets, from what the API showed of each end: `npm test` explains them again without a kubelet.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { epochMillis, explain, openStore, readCase, type Verdict, withSnapshot } from '@podtrail/history';
import { endsByNodes, endsOfPods } from '../causes/real/index.ts';
import { replay } from '../proof/nodes/replay.ts';
import { readAll } from '../proof/nodes/run-folder.ts';

const RECORDINGS = join(import.meta.dirname, 'causes');
const PROVOCATIONS = new Map(Object.entries({ ...endsOfPods, ...endsByNodes }));

describe('an end that a real kubelet brought about', async () => {
  for (const file of (await readdir(RECORDINGS)).sort()) {
    const { name, cause, sentence } = PROVOCATIONS.get(file.replace('.jsonl.gz', '')) ?? assert.fail(file);
    test(`${name}: ${cause}`, async () => {
      const verdict = (await explained(join(RECORDINGS, file))) ?? assert.fail('it did not end');
      assert.equal(verdict.cause, cause, verdict.sentence);
      assert.equal(verdict.certainty, 'certain');
      // Who preempts is read from its own life, which is not recorded here.
      if (sentence !== undefined && cause !== 'Preempted') assert.match(verdict.sentence, sentence);
    });
  }
});

async function explained(file: string): Promise<Verdict | undefined> {
  const engine = await openStore('memory:', { access: 'write' });
  try {
    const cluster = await replay(file, engine);
    const [asked] = await readAll<{ uid: string; at?: number }>(file, 'run');
    const at = asked?.at === undefined ? undefined : epochMillis(asked.at);
    const known = await withSnapshot(engine, cluster, (snapshot) => readCase(snapshot, asked?.uid ?? '', at));
    return known === undefined ? undefined : explain(known);
  } finally {
    await engine.close();
  }
}

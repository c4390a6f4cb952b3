// What real kubelets said, replayed into the ledger on every engine, and judged against what really was so. Part of
// `npm test`: it reads files and needs nothing else. A new recording: see README.md here.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from '@podtrail/history';
import { judgeRun, type NodesResult } from '../proof/nodes/judge-run.ts';
import { readTruth } from '../proof/nodes/physical-truth.ts';
import { replay } from '../proof/nodes/replay.ts';

const QUESTIONS = 300;
const SEED = 7;

/**
 * How many of the answers are still wrong, addresses and packets, 1 s away from every change; none unless told. Never
 * raised; lowered with every change of the ledger that gets more of them right.
 */
const MOST_WRONG: Readonly<Record<string, number>> = { '1.36-nodes': 1 };

const scratch = await mkdtemp(join(tmpdir(), 'podtrail-recordings-'));
after(() => rm(scratch, { recursive: true, force: true }));
const entries = await readdir(import.meta.dirname, { withFileTypes: true });
const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);

for (const name of names.sort()) {
  test(`${name}: what real kubelets said is answered alike on every engine, and not worse than before`, async (t) => {
    const directory = join(import.meta.dirname, name);
    const memory = await judgeOn('memory:', directory);
    const sqlite = await judgeOn(`sqlite:${join(scratch, `${name}.db`)}`, directory);
    assert.deepEqual(sqlite, memory);
    for (const { name: set, counts } of memory.sets) t.diagnostic(`${set}: ${JSON.stringify(counts)}`);
    const most = MOST_WRONG[name] ?? 0;
    assert.ok(
      memory.wrong <= most,
      `${memory.wrong} wrong, at most ${most}:\n${memory.stories.slice(0, 5).join('\n\n')}`,
    );
  });
}

async function judgeOn(store: string, directory: string): Promise<NodesResult> {
  const engine = await openStore(store, { access: 'write' });
  await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
  const cluster = await replay(directory, engine);
  const truth = await readTruth(directory);
  return await judgeRun(directory, truth, engine, cluster, { questions: QUESTIONS, seed: SEED });
}

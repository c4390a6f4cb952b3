// What real kubelets said, replayed into the ledger on every engine, and judged against what really was so. Part of
// `npm test`: it reads files and needs nothing else. A new recording: see README.md here.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Engine, openStore } from '@podtrail/history';
import { judgeRun, type NodesResult } from '../proof/nodes/judge-run.ts';
import { readTruth } from '../proof/nodes/physical-truth.ts';
import { replay } from '../proof/nodes/replay.ts';

const QUESTIONS = 300;
/** Of a recording of one mechanism: it is a minute long and has a handful of addresses. */
const FEW_QUESTIONS = 30;
const SEED = 7;
const MECHANISMS = 'mechanisms';
/** Folders of single files; `causes` are without the physical truth: kubelet-causes.test.ts has them. */
const SINGLE = [MECHANISMS, 'causes'];

const scratch = await mkdtemp(join(tmpdir(), 'podtrail-recordings-'));
after(() => rm(scratch, { recursive: true, force: true }));
const entries = await readdir(import.meta.dirname, { withFileTypes: true });
const mixed = entries.filter((entry) => entry.isDirectory() && !SINGLE.includes(entry.name)).map(({ name }) => name);
const single = await readdir(join(import.meta.dirname, MECHANISMS));

for (const name of mixed.sort()) {
  test(`${name}: what real kubelets said is answered alike on every engine, and never wrongly`, async (t) => {
    const directory = join(import.meta.dirname, name);
    const judged: NodesResult[] = [];
    for (const engine of [await openStore('memory:', { access: 'write' }), await openFile(name)]) {
      await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
      judged.push(await judgeOn(engine, directory, QUESTIONS));
    }
    const [memory, sqlite] = judged as [NodesResult, NodesResult];
    assert.deepEqual(sqlite, memory);
    for (const { name: set, counts } of memory.sets) t.diagnostic(`${set}: ${JSON.stringify(counts)}`);
    assertNoneWrong(memory);
  });
}

// Every one is a cluster of its own, all of them in one store of each kind: to make a store takes longer than a replay.
const stores = [await openStore('memory:', { access: 'write' }), await openFile('mechanisms')] as const;
after(() => Promise.all(stores.map((engine) => engine.close())));

for (const file of single.sort()) {
  const name = file.replace('.jsonl.gz', '');
  test(`${name}: a few lives by this mechanism alone are answered alike on every engine, and never wrongly`, async () => {
    const directory = join(import.meta.dirname, MECHANISMS, file);
    const memory = await judgeOn(stores[0], directory, FEW_QUESTIONS);
    assert.deepEqual(await judgeOn(stores[1], directory, FEW_QUESTIONS), memory);
    assert.ok(memory.tenures > 0, 'no reservation in the recording');
    assertNoneWrong(memory);
  });
}

/** Addresses and packets, 1 s away from every change. */
function assertNoneWrong({ wrong, stories }: NodesResult): void {
  assert.equal(wrong, 0, `${wrong} wrong:\n${stories.slice(0, 5).join('\n\n')}`);
}

function openFile(name: string): Promise<Engine> {
  return openStore(`sqlite:${join(scratch, `${name}.db`)}`, { access: 'write' });
}

async function judgeOn(engine: Engine, directory: string, questions: number): Promise<NodesResult> {
  const cluster = await replay(directory, engine);
  const truth = await readTruth(directory);
  return await judgeRun(directory, truth, engine, cluster, { questions, seed: SEED });
}

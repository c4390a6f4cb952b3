// Invariants 10 and 11 at every write of the SQLite store: the process dies at any failpoint, the files are as it left
// them, and the next one finds what was acknowledged, a checkpoint that is not ahead, and goes on as if nothing was.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Engine } from '../engines/engine.ts';
import type { Batch, Writer } from '../engines/ledger-writer.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { FAILPOINTS } from '../engines/sqlite/failpoints.ts';
import { CrashCamera, Killed, removeStore } from '../engines/sqlite/testing/crash-camera.ts';
import { InThreadEngine } from '../engines/sqlite/testing/in-thread-engine.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { type Plan, plans } from './properties/plans.ts';
import { propertySuite } from './properties/property-suite.ts';
import { linesOf, sameText } from './properties/stored.ts';
import { record } from './recorded-run.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { simulateCluster } from './simulated-cluster.ts';
import { simulateWatch } from './simulated-watch.ts';
import { FOREVER } from './sqlite-subject.ts';

const CLUSTER = { id: 'killed', name: 'killed' };
const APPENDS_IN_ONE = 20;
const MONTH_MS = 30 * 86_400_000;
const directory = scratchDirectory('kill');

/** What is done to a store, one after the other; each may be done again. */
type Step =
  | { readonly kind: 'append'; readonly batch: Batch }
  | { readonly kind: 'maintain' }
  | { readonly kind: 'retain'; readonly before: EpochMillis };

propertySuite({ name: 'the SQLite engine, killed at any write', open: async () => new MemoryEngine() }, (suite) => {
  let stores = 0;
  suite.check(
    '10, 11: killed at any write: the acknowledged is there, the checkpoint is not ahead, and the rest ends as without',
    fc.tuple(plans(['crash', 'expire', 'rewind']), fc.constantFrom(...FAILPOINTS), fc.integer({ min: 1, max: 3 })),
    async ([plan, failpoint, nth]) => {
      const steps = await stepsOf(plan);
      const path = join(directory, `${++stores}.db`);
      const camera = new CrashCamera(path, failpoint, nth);
      const { acknowledged, fence } = await live(path, steps, camera);
      if (!camera.hasTaken) camera.take();

      const engine = new InThreadEngine({ path: camera.picture, access: 'write', sealAt: 1 });
      assert.deepEqual((await engine.verify()).damages, []);
      const isThere = (await engine.clusters()).length > 0;
      const stored = isThere ? await storedStep(engine, steps) : -1;
      assert.ok(stored >= acknowledged, `step ${acknowledged} was acknowledged, ${stored} is the last that is stored`);
      const next = steps.findIndex(({ kind }, i) => i > acknowledged && kind === 'append');
      assert.ok(stored <= Math.max(acknowledged, next), `step ${stored} is stored after ${acknowledged}`);
      if (isThere) {
        const done = steps.slice(0, stored + 1);
        // Retention has no checkpoint: the range that it leaves shows whether it was done.
        for (const step of steps.slice(stored + 1)) {
          if (step.kind === 'append' || (step.kind === 'retain' && !(await isExpired(engine, step.before)))) break;
          done.push(step);
        }
        sameText(await linesOf(engine, CLUSTER.id), await expectation(done));
      }

      const writer = await engine.takeOver(CLUSTER);
      assert.ok(writer.fence > fence, 'no two writers have the same token');
      // The last append is repeated, as a recorder does that goes on from its checkpoint.
      for (const step of steps.slice(Math.max(0, stored))) await take(engine, writer, step);
      sameText(await linesOf(engine, CLUSTER.id), await expectation(steps));
      await engine.close();
      removeStore(path);
      removeStore(camera.picture);
      return { [camera.hasTaken ? failpoint : 'after the end']: 1 };
    },
    { wanted: ['after the end', ...FAILPOINTS] },
  );
});

/** A recorder's appends, with sealing after every third one, retention in the midst, and of whole weeks at the end. */
async function stepsOf({ cluster: clusterPlan, watch }: Plan): Promise<Step[]> {
  const cluster = simulateCluster(clusterPlan);
  const { lives } = simulateWatch(cluster, watch);
  const batches = await record(new MemoryEngine(), CLUSTER.id, lives, { gather: APPENDS_IN_ONE });
  const middle = Math.floor(batches.length / 2);
  const steps = batches.flatMap(({ facts, checkpoint }, i): Step[] => {
    // The time of a checkpoint shows which append it was of.
    const numbered = { epoch: 1, resourceVersion: '0', ...checkpoint, at: epochMillis(i) };
    return [
      { kind: 'append', batch: { facts, checkpoint: numbered } },
      ...(i % 3 === 1 ? [{ kind: 'maintain' } as const] : []),
      ...(i === middle ? [{ kind: 'retain', before: epochMillis(cluster.from + 30_000) } as const] : []),
    ];
  });
  return [...steps, { kind: 'retain', before: epochMillis(cluster.from + MONTH_MS) }];
}

async function take(engine: Engine, writer: Writer, step: Step): Promise<void> {
  switch (step.kind) {
    case 'append':
      return await writer.append(step.batch);
    case 'maintain':
      return await engine.maintain(FOREVER);
    case 'retain':
      await engine.prune(CLUSTER.id, step.before);
  }
}

/** Until the camera ends it. Returns the last append that was acknowledged, and the token that the writer had. */
async function live(path: string, steps: readonly Step[], camera: CrashCamera) {
  let engine: Engine | undefined;
  let acknowledged = -1;
  let fence = 0;
  try {
    engine = new InThreadEngine({ path, access: 'write', sealAt: 1 }, { failpoints: camera });
    const writer = await engine.takeOver(CLUSTER);
    fence = writer.fence;
    for (const [i, step] of steps.entries()) {
      await take(engine, writer, step);
      if (step.kind === 'append') acknowledged = i;
    }
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    await engine?.close();
  }
  return { acknowledged, fence };
}

/** Which append the checkpoint is of. */
async function storedStep(engine: Engine, steps: readonly Step[]): Promise<number> {
  const { checkpoint } = await engine.resume(CLUSTER.id);
  return steps.findIndex((step) => step.kind === 'append' && step.batch.checkpoint?.at === checkpoint?.at);
}

async function isExpired(engine: Engine, before: EpochMillis): Promise<boolean> {
  return (await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired())).some(({ to }) => to >= before);
}

/** What a ledger holds to which exactly this was done. */
async function expectation(steps: readonly Step[]): Promise<string> {
  const memory = new MemoryEngine();
  const writer = await memory.takeOver(CLUSTER);
  for (const step of steps) await take(memory, writer, step);
  return await linesOf(memory, CLUSTER.id);
}

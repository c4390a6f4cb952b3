// Two recorders of one simulated cluster with outages of their own: what is answered from both is never wrong, and more is
// answered than by either.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { LedgerReader } from '../engines/snapshot.ts';
import type { Answer } from '../query/answer.ts';
import { plans } from '../testing/properties/plans.ts';
import { record } from '../testing/recorded-run.ts';
import { simulateCluster } from '../testing/simulated-cluster.ts';
import { simulateWatch } from '../testing/simulated-watch.ts';
import { answerAll, questionsOf, wrongness } from '../testing/truth.ts';
import { partOf } from './part.ts';
import { UnionSnapshot } from './union-snapshot.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20_261_116);
const RUNS = Number(process.env['PODTRAIL_UNION_RUNS'] ?? 1_000);
const ALL_IN_ONE = 100_000;

// Recorders of pods alone, and those that follow what "free" rests on beside them, as the operator does.
for (const alsoFollows of [[], ['Node', 'Service']] as const)
  test(`the union of two recorders of ${['Pod', ...alsoFollows]} is never wrong, never forgets, and fills the gaps of both`, async (t) => {
    const counts = { questions: 0, 'unknown to the first': 0, 'answered by the union': 0, 'less sure than one': 0 };
    const property = fc.asyncProperty(plans(), plans(), async ({ cluster: plan, watch: first }, { watch: second }) => {
      const cluster = simulateCluster(plan);
      const engines = await Promise.all(
        [first, second].map(async (watch, i) => {
          const engine = new MemoryEngine();
          const options = { gather: ALL_IN_ONE, collector: `replica-${i}`, alsoFollows };
          await record(engine, 'c', simulateWatch(cluster, watch).lives, options);
          return engine;
        }),
      );
      const [one, two] = engines as [MemoryEngine, MemoryEngine];
      const union = unionOf(one, two);
      const questions = questionsOf(cluster, first.seed, 30);
      const answers = await Promise.all([one, two, union].map((reader) => answerAll(reader, 'c', questions)));
      for (const [i, question] of questions.entries()) {
        const [own, peers, both] = answers.map((some) => some[i]) as [Answer, Answer, Answer];
        counts.questions++;
        assert.equal(wrongness(question, both), undefined, `${both.answer} of ${own.answer} and ${peers.answer}`);
        // What one is sure of is not unknown to both. A candidate may be: the other has seen that it was gone by then.
        if (isSure(own) || isSure(peers)) assert.notEqual(both.answer, 'unknown', `${own.answer} and ${peers.answer}`);
        if (own.answer === 'unknown') counts['unknown to the first']++;
        if (own.answer === 'unknown' && isSure(both)) counts['answered by the union']++;
        if (!isSure(both) && (isSure(own) || isSure(peers))) counts['less sure than one']++;
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
    t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}; PODTRAIL_SEED repeats it`);
    assert.ok(counts['answered by the union'] > counts['unknown to the first'] / 2);
  });

function isSure({ answer }: Answer): boolean {
  return answer === 'held' || answer === 'free';
}

function unionOf(...readers: readonly [LedgerReader, LedgerReader]): LedgerReader {
  return {
    clusters: () => readers[0].clusters(),
    snapshot: async (cluster) => {
      const [first, ...others] = await Promise.all(
        readers.map(async (reader) => await partOf(await reader.snapshot(cluster))),
      );
      assert.ok(first);
      return new UnionSnapshot([first, ...others]);
    },
  };
}

// Invariants 9 and 12: the ledger is a function of what was observed, and of nothing else.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { epochMillis } from '../../model/time.ts';
import { isDoubtful } from '../../observe/boundaries.ts';
import type { Observation } from '../../observe/observation.ts';
import type { Answer } from '../../query/answer.ts';
import { answerAll, questionsOf } from '../truth.ts';
import { logOf, plans } from './plans.ts';
import { type PropertySubject, propertySuite } from './property-suite.ts';
import { keyOf, linesOf, recordsOf, sameText } from './stored.ts';

export function replayProperties(subject: PropertySubject): void {
  propertySuite(subject, (suite) => {
    suite.check(
      '9: any prefix replayed gives the same bytes, duplicates change nothing, more only extends, closes or appends',
      fc.tuple(plans(['stall', 'reconnect', 'expire']), fc.nat(), fc.nat()),
      async ([plan, cut, twice]) => {
        const { engine } = suite;
        const log = logOf(plan);
        const prefix = log.slice(0, 1 + (cut % log.length));
        const one = await suite.store(prefix);
        const exported = await linesOf(engine, one);
        const index = twice % prefix.length;
        // Observed twice at once, or once more at the end.
        const isLate = twice % 2 === 1;
        const duplicated = isLate
          ? [...prefix, prefix[index] as Observation]
          : [...prefix.slice(0, index + 1), ...prefix.slice(index)];
        for (const variant of [prefix, duplicated]) {
          sameText(await linesOf(engine, await suite.store(variant)), exported);
        }
        const whole = await recordsOf(engine, await suite.store(log));
        const afterwards = new Map(whole.tenures.map((tenure) => [keyOf(tenure), tenure]));
        const { tenures } = await recordsOf(engine, one);
        for (const tenure of tenures) {
          const later = afterwards.get(keyOf(tenure));
          // A doubt about the beginning may be over later; nothing else of it changes.
          const known = isDoubtful(tenure.start) ? later?.start.notAfter : undefined;
          const start = known === undefined ? tenure.start : { ...tenure.start, notAfter: known };
          assert.deepEqual(later?.start, start, 'what has begun has begun');
          if (tenure.end === undefined) continue;
          // An end that was open for want of proof may be known later; nothing else of it changes.
          const by = isDoubtful(tenure.end) ? later?.end?.notAfter : undefined;
          const end = by === undefined ? tenure.end : { ...tenure.end, notAfter: by };
          assert.deepEqual(later?.end, end, 'what has ended has ended');
        }
        return {
          'tenures that go on': tenures.length,
          'with suppressed changes': exported.includes('"suppressed":') ? 1 : 0,
          'late duplicates': isLate ? 1 : 0,
          'duplicates at once': isLate ? 0 : 1,
        };
      },
    );
  });
}

/** Also for those whose other properties are not asked one by one. */
export function samenessProperties(subject: PropertySubject): void {
  propertySuite(subject, (suite) => {
    suite.check(
      '12: the same log gives the same records and answers as in memory, and the same is left by retention',
      fc.tuple(plans(), fc.integer({ min: 5, max: 95 })),
      async ([plan, second]) => {
        const { engine } = suite;
        const { id, cluster } = await suite.play(plan);
        const memory = new MemoryEngine();
        const twin = await suite.play(plan, memory);
        assert.deepEqual(await engine.resume(id), await memory.resume(twin.id));
        const questions = questionsOf(cluster, plan.watch.seed, 10);
        const plain = ({ cluster: _, ...answer }: Answer) => answer;
        const compareRecords = async (): Promise<void> =>
          sameText(await linesOf(engine, id), await linesOf(memory, twin.id));
        const compareAnswers = async (): Promise<void> =>
          assert.deepEqual(
            (await answerAll(engine, id, questions)).map(plain),
            (await answerAll(memory, twin.id, questions)).map(plain),
          );
        await compareRecords();
        await compareAnswers();
        const limit = epochMillis(cluster.from + second * 1000);
        await engine.prune(id, limit);
        await memory.prune(twin.id, limit);
        await compareAnswers();
        return { answers: questions.length };
      },
    );
  });
}

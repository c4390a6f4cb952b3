// Invariants 7 and 14: what is answered in gaps and after retention. And the bar above them all: no answer is wrong.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withSnapshot } from '../../engines/with-snapshot.ts';
import { epochMillis } from '../../model/time.ts';
import type { Answer } from '../../query/answer.ts';
import { gapAt, stretchAt, watchedTime } from '../../query/watched-time.ts';
import type { SimulatedCluster } from '../simulated-cluster.ts';
import type { SimulatedWatch } from '../simulated-watch.ts';
import { answerAll, type Question, questionsOf, wrongness } from '../truth.ts';
import { plans } from './plans.ts';
import { type PropertySubject, propertySuite } from './property-suite.ts';
import { keyOf, recordsOf, summary } from './stored.ts';

/** The rarest mistakes found so far took one in ten thousand. */
const TRUTH_RUNS = 10_000;

export function answerProperties(subject: PropertySubject): void {
  propertySuite(subject, (suite) => {
    suite.check(
      '7: every instant since the first record is covered or in a gap, and answers in a gap say so',
      plans(['expire', 'crash-expired', 'rewind']),
      async (plan) => {
        const { id, cluster } = await suite.play(plan);
        const coverage = await withSnapshot(suite.engine, id, (snapshot) => snapshot.coverage());
        const watched = watchedTime(coverage);
        for (const { from, confirmed, to } of coverage) {
          assert.ok(from <= confirmed && confirmed <= to, 'from ≤ confirmed ≤ to');
        }
        const { first, last } = watched;
        assert.ok(first !== undefined && last !== undefined);
        for (let at = first; at <= last; at = epochMillis(at + 700)) {
          assert.ok((stretchAt(watched, at) === undefined) === (gapAt(watched, at) !== undefined), `${at}`);
        }
        const questions = questionsOf(cluster, plan.watch.seed, 30);
        let inGaps = 0;
        for (const answer of await answerAll(suite.engine, id, questions)) {
          const isInGap = gapAt(watched, answer.at) !== undefined;
          assert.equal(answer.coverage.gaps.length, isInGap || answer.reason === 'gap' ? 1 : 0);
          if (isInGap) assert.notEqual(answer.answer, 'free');
          if (isInGap) inGaps++;
        }
        return { gaps: watched.gaps.length, 'answers in gaps': inGaps };
      },
    );

    suite.check(
      '14: after retention an answer is what it was, or unknown (expired), and never free in its place',
      fc.tuple(plans(), fc.integer({ min: 5, max: 95 })),
      async ([plan, second]) => {
        const { id, cluster } = await suite.play(plan);
        const questions = questionsOf(cluster, plan.watch.seed, 30);
        const answersBefore = await answerAll(suite.engine, id, questions);
        const limit = epochMillis(cluster.from + second * 1000);
        const { tenures } = await recordsOf(suite.engine, id);
        await suite.engine.prune(id, limit);
        let forgotten = 0;
        for (const [i, answer] of (await answerAll(suite.engine, id, questions)).entries()) {
          const earlier = answersBefore[i] as Answer;
          if (answer.at >= limit) assert.equal(summary(answer), summary(earlier));
          if (summary(answer) === summary(earlier)) continue;
          const isExpired = answer.answer === 'unknown' && answer.reason !== 'gap';
          assert.ok(isExpired || answer.answer === 'ambiguous', `${summary(earlier)} became ${summary(answer)}`);
          forgotten++;
        }
        const left = (await recordsOf(suite.engine, id)).tenures;
        const leftKeys = new Set(left.map(keyOf));
        const lasting = tenures.filter(({ end }) => end === undefined || end.notAfter >= limit);
        assert.ok(
          lasting.every((tenure) => leftKeys.has(keyOf(tenure))),
          'what lasts is kept',
        );
        assert.equal(left.length, lasting.length, 'what has expired is gone');
        return { 'expired answers': forgotten, 'expired tenures': tenures.length - left.length };
      },
    );
  });
}

/** Asked of one engine: the others give the same answers (12). */
export function truthProperties(subject: PropertySubject): void {
  propertySuite(subject, (suite) => {
    let asked = 0;
    let answered = 0;
    suite.check(
      'truth: where it is certain by two seconds, no answer is wrong',
      plans(),
      async (plan) => {
        const { id, cluster, watch } = await suite.play(plan);
        const questions = questionsOf(cluster, plan.watch.seed, 30);
        for (const [i, answer] of (await answerAll(suite.engine, id, questions)).entries()) {
          const question = questions[i] as Question;
          assert.equal(wrongness(question, answer), undefined);
          if (plan.watch.probeMs === 0 || question.close || isBlind(cluster, watch, question.at)) continue;
          asked++;
          if (answer.answer === 'held' || answer.answer === 'free') answered++;
        }
        return { questions: questions.length };
      },
      { runs: TRUTH_RUNS },
    );

    test('truth: outside of gaps, stalls and replays at least 99 % are answered held or free', (t) => {
      t.diagnostic(`${answered} of ${asked} answered (${((100 * answered) / asked).toFixed(2)} %)`);
      assert.ok(asked > TRUTH_RUNS && answered / asked >= 0.99);
    });
  });
}

/** Close to a time in which nothing was delivered to the recorder, or before it began. */
function isBlind({ from }: SimulatedCluster, { blind }: SimulatedWatch, at: number): boolean {
  return at < from + 4000 || blind.some((span) => at > span.from - 10_000 && at < span.to + 6000);
}

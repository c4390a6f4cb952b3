// Invariants 10 and 11: what a recorder that dies may leave, and what the next one must find.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { withSnapshot } from '../../engines/with-snapshot.ts';
import type { StoredFact } from '../../model/fact.ts';
import type { Observation } from '../../observe/observation.ts';
import type { Answer } from '../../query/answer.ts';
import { watchedTime } from '../../query/watched-time.ts';
import { answerAll, questionsOf } from '../truth.ts';
import { logOf, plans } from './plans.ts';
import { type PropertySubject, propertySuite } from './property-suite.ts';
import { linesOf, sameText, summary } from './stored.ts';

/** What a crashed watch may have recorded before without a delivery: the longest delivery and a probe. */
const UNPROVEN_MS = 25_000;

export function crashProperties(subject: PropertySubject): void {
  propertySuite(subject, (suite) => {
    suite.check(
      '10: crash anywhere and restart: the same answers, or doubt, and gaps that cover only the outage',
      plans(['crash', 'crash-expired']),
      async (plan) => {
        const { id, cluster, watch } = await suite.play(plan);
        const steady = new MemoryEngine();
        const calm = await suite.play({ ...plan, watch: { ...plan.watch, faults: [] } }, steady);
        const questions = questionsOf(cluster, plan.watch.seed, 25);
        const answers = await answerAll(suite.engine, id, questions);
        let compared = 0;
        for (const [i, undisturbed] of (await answerAll(steady, calm.id, questions)).entries()) {
          const answer = answers[i] as Answer;
          if (answer.answer !== 'held' && answer.answer !== 'free') continue;
          if (undisturbed.answer !== 'held' && undisturbed.answer !== 'free') continue;
          assert.equal(summary(answer), summary(undisturbed));
          compared++;
        }
        const { gaps } = watchedTime(await withSnapshot(suite.engine, id, (snapshot) => snapshot.coverage()));
        const before = plan.watch.probeMs > 0 ? UNPROVEN_MS : Number.POSITIVE_INFINITY;
        const isOutage = (time: number) =>
          watch.blind.some(({ from, to }) => time >= from - before && time <= to + 1000);
        for (const gap of gaps) assert.ok(isOutage(gap.from) && isOutage(gap.to), 'gaps begin and end with outages');
        return { restarts: watch.lives.length - 1, gaps: gaps.length, answers: compared };
      },
    );

    suite.check(
      '11: the checkpoint is that of the last durable append, and a stale writer changes nothing',
      fc.tuple(plans(['crash']), fc.nat()),
      async ([plan, cut]) => {
        const { engine } = suite;
        const log = logOf(plan);
        const durable = log.slice(0, 1 + (cut % log.length));
        const id = await suite.store(durable);
        const { checkpoint } = await engine.resume(id);
        assert.equal(checkpoint?.resourceVersion, durable.flatMap(versionOf).at(-1));
        const stale = await engine.takeOver({ id, name: id });
        await engine.takeOver({ id, name: id });
        const lines = await linesOf(engine, id);
        const fact: StoredFact = { kind: 'live', uid: 'nobody', state: undefined };
        await assert.rejects(stale.append({ facts: [fact], checkpoint }), { code: 'stale-writer' });
        sameText(await linesOf(engine, id), lines);
        return { 'stale writers': 1 };
      },
    );
  });
}

function versionOf(observation: Observation): string[] {
  switch (observation.kind) {
    case 'event':
      return observation.seen.kind === 'Pod' ? [observation.seen.object.metadata.resourceVersion] : [];
    case 'listed':
    case 'progress':
      return observation.resource === 'Pod' ? [observation.resourceVersion] : [];
    default:
      return [];
  }
}

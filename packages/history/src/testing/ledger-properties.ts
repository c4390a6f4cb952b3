// The invariants of the ledger as properties, for every engine: called by one test file for each. Runs are small and
// many; the seed is printed, and PODTRAIL_SEED repeats a run.
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../engines/engine.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Fact } from '../model/fact.ts';
import type { Coverage, Tenure } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import type { Observation } from '../observe/observation.ts';
import type { Answer } from '../query/answer.ts';
import { exportLines } from '../query/export.ts';
import { gapAt, stretchAt, watchedTime } from '../query/watched-time.ts';
import { record } from './recorded-run.ts';
import { type ClusterPlan, type SimulatedCluster, simulateCluster } from './simulated-cluster.ts';
import { type Fault, type SimulatedWatch, simulateWatch, type WatchPlan } from './simulated-watch.ts';
import { type Happening, tellStory } from './story.ts';
import { answerAll, type Question, questionsOf, wrongness } from './truth.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20_261_115);
const RUNS = 1000;
/** Whoever only wants to know whether something fails need not wait for the smallest case. */
const SHRINKS = process.env['PODTRAIL_SHRINK'] !== 'never';
/** Enough for every life of a simulated recorder: engines with dear transactions get one for each. */
const ALL_IN_ONE = 100_000;
const RUNS_IN_ONE_STORE = 50;

export interface PropertySubject {
  readonly name: string;
  open(): Promise<Engine>;
  /** Between writing and asking, so that the same answers must come from wherever the engine keeps old records. */
  settle?(engine: Engine): Promise<void>;
}

interface Plan {
  readonly cluster: ClusterPlan;
  readonly watch: WatchPlan;
}

const KINDS: readonly Fault['kind'][] = ['stall', 'reconnect', 'expire', 'crash', 'crash-expired', 'rewind'];

const clusterPlans = fc.record({ seed: fc.nat(), pods: fc.integer({ min: 1, max: 12 }), seconds: fc.constant(100) });

function plans(kinds: readonly Fault['kind'][] = KINDS): fc.Arbitrary<Plan> {
  const fault = fc.record({
    kind: fc.constantFrom(...kinds),
    atSecond: fc.integer({ min: 4, max: 80 }),
    seconds: fc.integer({ min: 1, max: 60 }),
  });
  const watch = fc.record({
    seed: fc.nat(),
    faults: fc.array(fault, { maxLength: 3 }),
    probeMs: fc.constantFrom(0, 1000, 3000),
    repeatEvery: fc.constantFrom(0, 3),
  });
  return fc.record({ cluster: clusterPlans, watch });
}

const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.record({
    pod: fc.integer({ min: 1, max: 3 }),
    what: fc.constantFrom<Happening['what']>('shows', 'shows', 'blanks', 'completes', 'is deleted', 'changes node'),
    address: fc.integer({ min: 1, max: 2 }),
  }),
  { maxLength: 14 },
);

interface Run {
  readonly id: string;
  readonly cluster: SimulatedCluster;
  readonly watch: SimulatedWatch;
}

export function ledgerProperties({ name, open, settle = async () => {} }: PropertySubject): void {
  describe(`the ledger on ${name}`, () => {
    let engine: Engine;
    let runs = 0;
    before(async () => {
      engine = await open();
    });
    after(() => engine.close());
    const check = checker(async () => {
      await engine.close();
      engine = await open();
    });
    const play = async ({ cluster: plan, watch: watchPlan }: Plan, into: Engine = engine): Promise<Run> => {
      const cluster = simulateCluster(plan);
      const watch = simulateWatch(cluster, watchPlan);
      const id = `run-${++runs}`;
      await record(into, id, watch.lives, ALL_IN_ONE);
      if (into === engine) await settle(engine);
      return { id, cluster, watch };
    };
    const store = async (log: readonly Observation[]): Promise<string> => {
      const id = `run-${++runs}`;
      await record(engine, id, [{ appends: [log], lost: 0 }]);
      await settle(engine);
      return id;
    };

    check(
      '1, 2, 6, 8: bounds nest, tenures do not overlap, boundaries have provenance, inferred ends have room',
      plans(),
      async (plan) => {
        const { id } = await play(plan);
        const { tenures, intervals } = await recordsOf(engine, id);
        for (const { start, end } of intervals) {
          wellBounded(start);
          if (end === undefined) continue;
          wellBounded(end);
          assert.ok(
            start.at <= end.at && start.notBefore <= end.notBefore && start.notAfter <= end.notAfter,
            'start ≤ end',
          );
          if (end.source !== 'inferred') continue;
          assert.ok(end.notBefore < end.notAfter, 'an inferred end is not a point');
          assert.equal(end.notAfter, end.observedAt, 'it reaches to the first missing');
        }
        for (const ofOne of groups(tenures, ({ ip, holder }) => `${holder.uid} ${ip}`)) noOverlap(ofOne);
      },
    );

    check(
      '3, 4, 5: conflicts are stored, tenures end at the first end, a node that changes is an anomaly',
      happenings,
      async (told) => {
        const { log, expected } = tellStory(told);
        const id = await store(log);
        const { facts, tenures } = await recordsOf(engine, id);
        const conflicts = facts.flatMap((fact) => (fact.kind === 'conflict' ? [fact.conflict] : []));
        const found = conflicts.map(({ ip, holders: [one, other] }) => `${ip} ${one.uid} ${other.uid}`);
        assert.deepEqual(new Set(found), expected.conflicts);
        for (const [key, version] of expected.ends) {
          const [uid, ip] = key.split(' ');
          const first = tenures.find((tenure) => tenure.holder.uid === uid && tenure.ip === ip);
          assert.ok(first !== undefined, `${key} has a tenure`);
          assert.equal(first.end?.resourceVersion, version, `${key} ends where it should`);
        }
        const anomalies = facts.flatMap((fact) => (fact.kind === 'anomaly' ? [fact.anomaly] : []));
        assert.deepEqual(new Set(anomalies.map(({ uid }) => uid)), expected.moved);
        const placed = facts.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement.pod] : []));
        assert.equal(new Set(placed.map((pod) => pod.uid)).size, placed.length, 'one placement for a UID');
        assert.ok(placed.every((pod) => pod.node === 'node-a'));
      },
    );

    check(
      '7: every instant since the first record is covered or in a gap, and answers in a gap say so',
      plans(['expire', 'crash-expired', 'rewind']),
      async (plan) => {
        const { id, cluster } = await play(plan);
        const coverage = await engine.coverage(id);
        const watched = watchedTime(coverage);
        for (const one of coverage) wellCovered(one);
        const { first, last } = watched;
        assert.ok(first !== undefined && last !== undefined);
        for (let at = first; at <= last; at = epochMillis(at + 700)) {
          assert.ok((stretchAt(watched, at) === undefined) === (gapAt(watched, at) !== undefined), `${at}`);
        }
        const questions = questionsOf(cluster, plan.watch.seed, 30);
        for (const answer of await answerAll(engine, id, questions)) {
          const isInGap = gapAt(watched, answer.at) !== undefined;
          assert.equal(answer.coverage.gaps.length, isInGap ? 1 : 0);
          if (isInGap) assert.notEqual(answer.answer, 'free');
        }
      },
    );

    check(
      '9: any prefix replayed gives the same bytes, duplicates change nothing, more only extends, closes or appends',
      fc.tuple(plans(['stall', 'reconnect', 'expire']), fc.nat(), fc.nat()),
      async ([plan, cut, twice]) => {
        const log = logOf(plan);
        const prefix = log.slice(0, 1 + (cut % log.length));
        const one = await store(prefix);
        const exported = await linesOf(engine, one);
        const index = twice % prefix.length;
        const repeated = [...prefix.slice(0, index + 1), ...prefix.slice(index)];
        const late = [...prefix, prefix[index] as Observation];
        for (const variant of [prefix, repeated, late]) {
          sameText(await linesOf(engine, await store(variant)), exported);
        }
        const whole = await recordsOf(engine, await store(log));
        const known = new Map(whole.tenures.map((tenure) => [keyOf(tenure), tenure]));
        for (const tenure of (await recordsOf(engine, one)).tenures) {
          const later = known.get(keyOf(tenure));
          assert.deepEqual(later?.start, tenure.start, 'what has begun has begun');
          if (tenure.end !== undefined) assert.deepEqual(later?.end, tenure.end, 'what has ended has ended');
        }
      },
    );

    check(
      '10: crash anywhere and restart: the same answers, or doubt, and gaps that cover only the outage',
      plans(['crash', 'crash-expired']),
      async (plan) => {
        const { id, cluster, watch } = await play(plan);
        const steady = new MemoryEngine();
        const calm = await play({ ...plan, watch: { ...plan.watch, faults: [] } }, steady);
        const questions = questionsOf(cluster, plan.watch.seed, 25);
        const answers = await answerAll(engine, id, questions);
        for (const [i, undisturbed] of (await answerAll(steady, calm.id, questions)).entries()) {
          const answer = answers[i] as Answer;
          if (answer.answer !== 'held' && answer.answer !== 'free') continue;
          if (undisturbed.answer !== 'held' && undisturbed.answer !== 'free') continue;
          assert.equal(summary(answer), summary(undisturbed));
        }
        const { gaps } = watchedTime(await engine.coverage(id));
        for (const gap of gaps) {
          const least = plan.watch.probeMs > 0 ? 25_000 : Number.POSITIVE_INFINITY;
          const isOutage = (time: number) =>
            watch.blind.some(({ from, to }) => time >= from - least && time <= to + 1000);
          assert.ok(isOutage(gap.from) && isOutage(gap.to), 'gaps begin and end with outages');
        }
      },
    );

    check(
      '11: the checkpoint is that of the last durable append, and a stale writer changes nothing',
      fc.tuple(plans(['crash']), fc.nat()),
      async ([plan, cut]) => {
        const log = logOf(plan);
        const durable = log.slice(0, 1 + (cut % log.length));
        const id = await store(durable);
        const versions = durable.flatMap(versionOf);
        const { checkpoint } = await engine.resumption(id);
        assert.equal(checkpoint?.resourceVersion, versions.at(-1));
        const stale = await engine.takeOver({ id, name: id });
        await engine.takeOver({ id, name: id });
        const lines = await linesOf(engine, id);
        const fact: Fact = { kind: 'live', uid: 'nobody', live: undefined };
        await assert.rejects(stale.append({ facts: [fact], checkpoint }), { code: 'stale-writer' });
        sameText(await linesOf(engine, id), lines);
      },
    );

    check('12: the same log gives the same records and answers as in memory', plans(), async (plan) => {
      const { id, cluster } = await play(plan);
      const memory = new MemoryEngine();
      const twin = await play(plan, memory);
      sameText(await linesOf(engine, id), await linesOf(memory, twin.id));
      const questions = questionsOf(cluster, plan.watch.seed, 10);
      const plain = ({ cluster: _, ...answer }: Answer) => answer;
      const answers = (await answerAll(engine, id, questions)).map(plain);
      assert.deepEqual(answers, (await answerAll(memory, twin.id, questions)).map(plain));
    });

    check(
      '14: after retention an answer is what it was, or unknown (expired), and never free in its place',
      fc.tuple(plans(), fc.integer({ min: 5, max: 95 })),
      async ([plan, second]) => {
        const { id, cluster } = await play(plan);
        const questions = questionsOf(cluster, plan.watch.seed, 30);
        const answersBefore = await answerAll(engine, id, questions);
        const limit = epochMillis(cluster.from + second * 1000);
        const open = (await recordsOf(engine, id)).tenures.filter(({ end }) => end === undefined);
        await engine.retain(id, limit);
        for (const [i, answer] of (await answerAll(engine, id, questions)).entries()) {
          const earlier = answersBefore[i] as Answer;
          if (answer.at >= limit || summary(answer) === summary(earlier)) {
            if (answer.at >= limit) assert.equal(summary(answer), summary(earlier));
            continue;
          }
          const isExpired = answer.answer === 'unknown' && answer.reason !== 'gap';
          assert.ok(isExpired || answer.answer === 'ambiguous', `${summary(earlier)} became ${summary(answer)}`);
        }
        const left = new Set((await recordsOf(engine, id)).tenures.map(keyOf));
        assert.ok(
          open.every((tenure) => left.has(keyOf(tenure))),
          'what lasts is kept',
        );
      },
    );

    let asked = 0;
    let answered = 0;
    check('truth: where it is certain by two seconds, no answer is wrong', plans(), async (plan) => {
      const { id, cluster, watch } = await play(plan);
      const questions = questionsOf(cluster, plan.watch.seed, 30);
      for (const [i, answer] of (await answerAll(engine, id, questions)).entries()) {
        const question = questions[i] as Question;
        assert.equal(wrongness(question, answer), undefined);
        if (plan.watch.probeMs === 0 || question.close || isBlind(cluster, watch, question.at)) continue;
        asked++;
        if (answer.answer === 'held' || answer.answer === 'free') answered++;
      }
    });

    test('truth: outside of gaps, stalls and replays at least 99 % are answered held or free', (t) => {
      t.diagnostic(`${answered} of ${asked} answered (${((100 * answered) / asked).toFixed(2)} %)`);
      assert.ok(asked > RUNS && answered / asked >= 0.99);
    });
  });
}

/**
 * For engines with dear transactions: whatever log the properties of the memory engine hold for, this engine keeps the
 * same records of it, gives the same answers, and forgets the same; so they hold here, too.
 */
export function sameAsMemory({ name, open, settle = async () => {} }: PropertySubject): void {
  describe(`the ledger on ${name}, beside that in memory`, () => {
    let engine: Engine;
    let memory: Engine;
    let runs = 0;
    before(async () => {
      engine = await open();
      memory = new MemoryEngine();
    });
    after(() => engine.close());
    const check = checker(async () => {
      await engine.close();
      engine = await open();
      memory = new MemoryEngine();
    });
    const compare = async (id: string, questions: readonly Question[]): Promise<void> => {
      sameText(await linesOf(engine, id), await linesOf(memory, id));
      assert.deepEqual(await answerAll(engine, id, questions), await answerAll(memory, id, questions));
    };

    check(
      '1–12, 14: simulated recorders, killed or not',
      fc.tuple(plans(), fc.integer({ min: 5, max: 95 })),
      async ([plan, second]) => {
        const cluster = simulateCluster(plan.cluster);
        const { lives } = simulateWatch(cluster, plan.watch);
        const questions = questionsOf(cluster, plan.watch.seed, 10);
        const id = `run-${++runs}`;
        for (const each of [engine, memory]) await record(each, id, lives, ALL_IN_ONE);
        await settle(engine);
        assert.deepEqual(await engine.resumption(id), await memory.resumption(id));
        await compare(id, questions);
        const stale = await engine.takeOver({ id, name: id });
        await engine.takeOver({ id, name: id });
        await assert.rejects(stale.append({ facts: [{ kind: 'live', uid: 'x', live: undefined }] }), {
          code: 'stale-writer',
        });
        for (const each of [engine, memory]) await each.retain(id, epochMillis(cluster.from + second * 1000));
        await compare(id, questions);
      },
    );

    check('3, 4, 5, 9: made-up stories, also told twice', happenings, async (told) => {
      const { log } = tellStory(told);
      const id = `run-${++runs}`;
      const life = { appends: [[...log, ...log]], lost: 0 };
      for (const each of [engine, memory]) await record(each, id, [life]);
      await settle(engine);
      await compare(id, []);
    });
  });
}

/** Makes properties of a suite; `renew` opens a fresh store now and then, so that runs do not slow each other down. */
function checker(renew: () => Promise<void>) {
  return <T>(title: string, arbitrary: fc.Arbitrary<T>, body: (value: T) => Promise<void>): void => {
    test(title, async (t: TestContext) => {
      t.diagnostic(`seed ${SEED}, ${RUNS} runs; PODTRAIL_SEED repeats it`);
      let rest = 0;
      const property = fc.asyncProperty(arbitrary, body).beforeEach(async () => {
        if (rest-- > 0) return;
        rest = RUNS_IN_ONE_STORE;
        await renew();
      });
      await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: !SHRINKS });
    });
  };
}

/** The log of a recorder that is never killed. */
function logOf({ cluster, watch }: Plan): Observation[] {
  const faults = watch.faults.filter(({ kind }) => kind !== 'crash' && kind !== 'crash-expired');
  const [life] = simulateWatch(simulateCluster(cluster), { ...watch, faults }).lives;
  return life?.appends.flat() ?? [];
}

/** One text: a difference is told in short. */
async function linesOf(engine: Engine, cluster: string): Promise<string> {
  return (await Array.fromAsync(exportLines(engine, cluster))).join('\n');
}

async function recordsOf(engine: Engine, cluster: string) {
  const facts = await Array.fromAsync(engine.records(cluster));
  const tenures = facts.flatMap((fact) => (fact.kind === 'tenure' ? [fact.tenure] : []));
  const placements = facts.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement] : []));
  tenures.sort((a, b) => a.start.at - b.start.at || Number(a.start.resourceVersion) - Number(b.start.resourceVersion));
  return { facts, tenures, intervals: [...tenures, ...placements] };
}

function sameText(actual: string, expected: string): void {
  const lines = expected.split('\n');
  const differing = actual.split('\n').find((line, i) => line !== lines[i]);
  assert.ok(actual === expected, `the exports differ, first in ${differing}`);
}

function wellBounded(boundary: Boundary): void {
  const { at, notBefore, notAfter, source, epoch, resourceVersion, observedAt, collector } = boundary;
  assert.ok(notBefore <= at && at <= notAfter, 'notBefore ≤ at ≤ notAfter');
  assert.ok(notAfter <= observedAt, 'nothing is known before it is seen');
  assert.ok(['watch', 'list', 'inferred'].includes(source) && epoch >= 1 && /^\d+$/.test(resourceVersion));
  assert.equal(collector, 'simulated');
}

function wellCovered({ from, confirmed, to }: Coverage): void {
  assert.ok(from <= confirmed && confirmed <= to, 'from ≤ confirmed ≤ to');
}

function noOverlap(tenures: readonly Tenure[]): void {
  for (const [i, { end }] of tenures.entries()) {
    const next = tenures[i + 1];
    if (next === undefined) continue;
    assert.ok(end !== undefined && end.at <= next.start.at, 'one UID’s tenures of one address do not overlap');
    assert.ok(end.notBefore <= next.start.notAfter, 'nor do the times in which they are certain');
  }
}

function groups<T>(items: readonly T[], keyOfItem: (item: T) => string): T[][] {
  return [...Map.groupBy(items, keyOfItem).values()];
}

function keyOf({ ip, holder, start }: Tenure): string {
  return `${ip} ${holder.uid} ${start.epoch} ${start.resourceVersion}`;
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

function summary({ answer, reason, holders }: Answer): string {
  return [answer, reason, ...holders.map((holder) => holder.uid)].join(' ');
}

/** Close to a time in which the recorder was not told what happened, or before it began. */
function isBlind({ from }: SimulatedCluster, { blind }: SimulatedWatch, at: number): boolean {
  return at < from + 4000 || blind.some((span) => at > span.from - 10_000 && at < span.to + 6000);
}

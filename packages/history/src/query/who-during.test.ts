import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import { openStore } from '../engines/open-store.ts';
import { allRecords, withSnapshot } from '../engines/with-snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import {
  aLedger,
  below,
  boundary,
  CLUSTER,
  coverage,
  DAY,
  HOUR,
  holder,
  IPS,
  MINUTE,
} from '../testing/random-ledger.ts';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import type { Answer } from './answer.ts';
import { who } from './who.ts';
import { type DuringAnswer, whoDuring } from './who-during.ts';

const IP = '10.9.9.9' as IpAddress;

/** What `who` says at these instants of the window, each until the next of them, put together. */
async function pointwise(engine: Engine, ip: IpAddress, instants: readonly number[], end: number, now: EpochMillis) {
  const from = instants[0] as number;
  const whole = end - from;
  const shares = { held: 0, free: 0, ambiguous: 0, unknown: 0 };
  const possible = new Map<string, number>();
  const certain = new Map<string, number>();
  const answers: Answer[] = [];
  for (const [i, at] of instants.entries()) {
    const answer = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
      who(snapshot, { ip, at: epochMillis(at), now }),
    );
    const share = ((instants[i + 1] ?? end) - at) / whole;
    answers.push(answer);
    shares[answer.answer] += share;
    for (const uid of new Set(answer.holders.map((one) => one.uid))) {
      possible.set(uid, (possible.get(uid) ?? 0) + share);
      if (answer.answer === 'held') certain.set(uid, (certain.get(uid) ?? 0) + share);
    }
  }
  let answer: Answer['answer'] = 'ambiguous';
  if (answers.every((a) => a.answer === 'held') && possible.size === 1) answer = 'held';
  else if (answers.every((a) => a.answer === 'free')) answer = 'free';
  else if (possible.size === 0) answer = 'unknown';
  const isOnly =
    answer === 'ambiguous' &&
    possible.size === 1 &&
    answers.every((a) => (a.answer === 'ambiguous' ? a.isOnly : a.answer !== 'unknown' && !a.provisional));
  return { answer, isOnly, provisional: answers.some((a) => a.provisional), shares, possible, certain };
}

function assertSame(found: DuringAnswer, expected: Awaited<ReturnType<typeof pointwise>>, where: string): void {
  const close = (a: number, b: number, what: string) =>
    assert.ok(Math.abs(a - b) < 1e-9, `${where}: ${what} ${a} ${b}`);
  assert.equal(found.answer, expected.answer, where);
  assert.equal(found.isOnly, expected.isOnly, where);
  assert.equal(found.provisional, expected.provisional, where);
  for (const kind of ['held', 'free', 'ambiguous', 'unknown'] as const)
    close(found.shares[kind], expected.shares[kind], kind);
  assert.deepEqual(found.holders.map(({ uid }) => uid).sort(), [...expected.possible.keys()].sort(), where);
  for (const { uid, overlap } of found.holders) {
    assert.ok(overlap.possible <= 1 + 1e-9, where);
    close(overlap.possible, expected.possible.get(uid) ?? 0, uid);
    close(overlap.certain, expected.certain.get(uid) ?? 0, uid);
  }
}

/** Everything at which anything begins or ends, as the store has it. */
async function breakpoints(engine: Engine, now: number): Promise<number[]> {
  const points = [now, now + 1];
  for await (const fact of allRecords(engine, CLUSTER.id)) {
    if (fact.kind === 'coverage') {
      const { from, to, confirmed } = fact.coverage;
      for (const at of [from, to, confirmed, confirmed - 5000]) points.push(at, at + 1);
    }
    const record = fact.kind === 'tenure' ? fact.tenure : fact.kind === 'placement' ? fact.placement : undefined;
    for (const bound of [record?.start, record?.end])
      if (bound !== undefined) points.push(bound.notBefore, bound.notAfter);
  }
  for (const { from, to } of await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired()))
    points.push(from, to);
  return [...new Set(points)].sort((a, b) => a - b);
}

test('a window is answered as who answers at each of its breakpoints, with the share of each holder', async () => {
  const seed = 20261116;
  const numbers = new SeededNumbers(seed);
  const seen = new Set<string>();
  for (let run = 0; run < 9; run++) {
    const engine = await aLedger(numbers);
    if (run % 3 === 2) await engine.prune(CLUSTER.id, epochMillis(4 * HOUR));
    const now = epochMillis(run % 2 === 0 ? DAY + 2000 : DAY + HOUR);
    const points = await breakpoints(engine, now);
    for (let n = 0; n < 60; n++) {
      const from = below(numbers, DAY + 2 * HOUR) - HOUR;
      const to = from + below(numbers, [1, MINUTE, 10 * MINUTE, HOUR][n % 4]!);
      const ip = IPS[below(numbers, IPS.length)]!;
      const within = [from, ...points.filter((at) => at > from && at <= to)];
      const question = { cluster: CLUSTER.id, ip, from: epochMillis(from), to: epochMillis(to), now };
      const found = await withSnapshot(engine, question.cluster, (snapshot) => whoDuring(snapshot, question));
      const expected = await pointwise(engine, ip, within, to + 1, now);
      assertSame(found, expected, `seed ${seed}, run ${run}, ${ip} from ${from} to ${to}`);
      seen.add(found.answer);
    }
  }
  assert.equal(seen.size, 4);
});

test('around every kind of boundary a window is answered as who answers at each of its milliseconds', async () => {
  const seed = 4712;
  const numbers = new SeededNumbers(seed);
  for (let run = 0; run < 4; run++) {
    const engine = await aLedger(numbers);
    if (run === 3) await engine.prune(CLUSTER.id, epochMillis(4 * HOUR));
    const now = epochMillis(run % 2 === 0 ? DAY + 2000 : DAY + HOUR);
    const points = await breakpoints(engine, now);
    const critical = points.filter((at) => run === 0 || at < 0 || at % HOUR < 2 || below(numbers, 8) === 0);
    for (const point of critical.slice(0, 220)) {
      const from = point - below(numbers, 6);
      const to = from + below(numbers, 9);
      const ip = IPS[below(numbers, IPS.length)]!;
      const question = { cluster: CLUSTER.id, ip, from: epochMillis(from), to: epochMillis(to), now };
      const every = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      const expected = await pointwise(engine, ip, every, to + 1, now);
      assertSame(
        await withSnapshot(engine, question.cluster, (snapshot) => whoDuring(snapshot, question)),
        expected,
        `seed ${seed}, run ${run}, ${ip} ${from}-${to}`,
      );
    }
  }
});

async function aSmallLedger(): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const pod = (name: string, from: number, to: number, version: number, slack = 0) => ({
    kind: 'tenure' as const,
    tenure: {
      ip: IP,
      holder: holder('Pod', name),
      start: boundary(from - slack, from, from, version),
      end: boundary(to, to, to + slack, version + 1),
    },
  });
  const facts = [
    coverage(0, HOUR, { opened: 'start' }),
    coverage(2 * HOUR, 3 * HOUR),
    pod('short', 20_000, 34_000, 1),
    pod('next', 40_000, 60_000, 3, 5000),
    pod('across', HOUR - 10_000, 2 * HOUR + 10_000, 5),
  ];
  await (await engine.takeOver(CLUSTER)).append({ facts });
  return engine;
}

const during = async (engine: Engine, from: number, to: number) =>
  await withSnapshot(engine, CLUSTER.id, (snapshot) =>
    whoDuring(snapshot, { ip: IP, from: epochMillis(from), to: epochMillis(to) }),
  );

test('a pod that lived 14 s inside a row of a minute is a candidate with its part of the window, not missed', async () => {
  const found = await during(await aSmallLedger(), 0, 34_999);
  assert.equal(found.answer, 'ambiguous');
  assert.deepEqual(
    found.holders.map(({ name, overlap }) => [name, overlap]),
    [['short', { from: 20_000, to: 33_999, possible: 14 / 35, certain: 14 / 35 }]],
  );
  assert.deepEqual(found.shares, { held: 14 / 35, free: 21 / 35, ambiguous: 0, unknown: 0 });
});

test('held only by one pod throughout, also over a gap that it bridges; free only if nobody did at any instant', async () => {
  const engine = await aSmallLedger();
  assert.equal((await during(engine, 20_000, 33_999)).answer, 'held');
  assert.equal((await during(engine, 19_999, 33_999)).answer, 'ambiguous');
  assert.equal((await during(engine, 20_000, 34_000)).answer, 'ambiguous');
  assert.equal((await during(engine, HOUR - 10_000, 2 * HOUR + 9_999)).answer, 'held');
  assert.equal((await during(engine, 0, 19_999)).answer, 'free');
  assert.equal((await during(engine, 34_000, 34_999)).answer, 'free');
  assert.equal((await during(engine, 34_000, 35_000)).answer, 'ambiguous');
});

test('a window that is watched in part is unknown while nobody is a candidate, and ambiguous with candidates', async () => {
  const engine = await aSmallLedger();
  const after = await during(engine, 3 * HOUR - 1000, 3 * HOUR + 1000);
  assert.deepEqual([after.answer, after.reason, after.holders], ['unknown', 'after-last-record', []]);
  const before = await during(engine, -10, 10);
  assert.deepEqual([before.answer, before.reason], ['unknown', 'before-first-record']);
  const both = await during(engine, -10_000, 24_999);
  assert.deepEqual([both.answer, both.holders.map(({ name }) => name)], ['ambiguous', ['short']]);
  assert.ok(both.shares.unknown > 0.28);
});

test('one candidate is not the only one while another may have got the address and has not shown it yet', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  const end = HOUR - 4000;
  const tenure = {
    ip: IP,
    holder: holder('Pod', 'before'),
    start: boundary(1000, 1000, 1000, 1),
    end: boundary(end, end, end, 2),
  };
  const facts = [coverage(0, HOUR, { opened: 'start', ended: false }), { kind: 'tenure' as const, tenure }];
  await (await engine.takeOver(CLUSTER)).append({ facts });
  assert.equal((await during(engine, end - 10_000, end - 1)).answer, 'held');
  const soon = await during(engine, end - 10_000, HOUR - 1000);
  assert.deepEqual([soon.answer, soon.provisional, soon.isOnly], ['ambiguous', true, false]);
});

test('two pods that followed each other are two candidates, the one that had more of the window first', async () => {
  const { answer, holders } = await during(await aSmallLedger(), 30_000, 59_999);
  assert.equal(answer, 'ambiguous');
  assert.deepEqual(
    holders.map(({ name, overlap }) => [name, overlap.possible, overlap.certain]),
    [
      ['next', 25 / 30, 20 / 30],
      ['short', 4 / 30, 4 / 30],
    ],
  );
});

test('a window of one instant is the instant, and one that ends before it begins is refused', async () => {
  const engine = await aSmallLedger();
  assert.equal((await during(engine, 37_000, 37_000)).answer, 'ambiguous');
  await assert.rejects(during(engine, 2, 1), { code: 'bad-span' });
});

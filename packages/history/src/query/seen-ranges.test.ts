import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import { openStore } from '../engines/open-store.ts';
import type { LedgerReader } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { StoredFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Holder } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { storedFact } from '../observe/live-state.ts';
import { boundary, CLUSTER, coverage, DAY, HOUR, holder, MINUTE } from '../testing/random-ledger.ts';
import { readerWith } from '../testing/reader-with.ts';
import type { Answer } from './answer.ts';
import { AnswerWindows } from './answer-windows.ts';
import { who } from './who.ts';

/** Somebody who has an address now, or had one. */
function having(who: Holder, ip: string, from: number, to?: number): StoredFact[] {
  const start = boundary(from, from, from, from + 1);
  const end = to === undefined ? undefined : boundary(to, to, to, to + 1);
  const tenure = { ip: ip as IpAddress, holder: who, start, end };
  if (end !== undefined) return [{ kind: 'tenure', tenure }];
  const rest = { terminal: false, blankSince: undefined, networkReadyAt: undefined, networkLostAt: undefined };
  const live = { holder: who, epoch: 1, resourceVersion: '1', seenAt: epochMillis(from), tenures: [tenure] };
  return [
    { kind: 'tenure', tenure },
    storedFact({ kind: 'live', uid: who.uid, live: { ...live, ...rest, placement: undefined, annotations: [] } }),
  ];
}

async function aStore(...facts: readonly StoredFact[]): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const watched = coverage(0, DAY, { opened: 'start', ended: false });
  const all = [
    watched,
    ...having(holder('Pod', 'web'), '10.0.0.7', HOUR),
    ...having(holder('Pod', 'old'), '10.0.0.8', HOUR, 2 * HOUR),
    ...having(holder('Pod', 'new'), '10.0.0.8', 20 * HOUR, 21 * HOUR),
    ...having(holder('Node', 'node-a'), '192.168.0.1', HOUR),
    ...having(holder('Service', 'cart'), '10.96.0.10', HOUR),
    ...facts,
  ];
  await (await engine.takeOver(CLUSTER)).append({ facts: all });
  return engine;
}

const ask = async (engine: Engine, ip: string, at: number) =>
  await withSnapshot(engine, CLUSTER.id, (snapshot) =>
    who(snapshot, { ip: ip as IpAddress, at: epochMillis(at), now: epochMillis(DAY + 1000) }),
  );

const OUTSIDE: readonly (readonly [sentence: string, ip: string, at: number, reason: string | undefined])[] = [
  ['a public address, of any time', '8.8.8.8', 10 * HOUR, 'outside'],
  ['a public address, right now', '8.8.8.8', DAY, 'outside'],
  ['a public IPv6 address', '2001:4860:4860::8888', 10 * HOUR, 'outside'],
  ['an address of a range that pods use', '10.0.0.99', 10 * HOUR, undefined],
  ['an address of the same private block, far away', '10.250.1.1', 10 * HOUR, undefined],
  ['an address beside that of a node', '192.168.44.1', 10 * HOUR, undefined],
  ['a private block that nobody uses', '172.20.1.1', 10 * HOUR, 'outside'],
  ['the same, so lately that a new range would not have shown yet', '172.20.1.1', DAY - 5 * MINUTE, undefined],
  ['an address that somebody had before', '10.0.0.8', 10 * HOUR, undefined],
];

for (const [sentence, ip, at, reason] of OUTSIDE) {
  test(`free, and ${reason ?? 'not outside'}: ${sentence}`, async () => {
    const answer = await ask(await aStore(), ip, at);
    assert.deepEqual([answer.answer, answer.reason], ['free', reason]);
  });
}

test('once a pod has a public address, no public address of that family is outside, of the other it is', async () => {
  const engine = await aStore(...having(holder('Pod', 'open'), '203.0.113.7', HOUR));
  assert.equal((await ask(engine, '8.8.8.8', 10 * HOUR)).reason, undefined);
  assert.equal((await ask(engine, '2001:db8::1', 10 * HOUR)).reason, 'outside');
});

test('the public address of a node makes its block one that is used, and no other', async () => {
  const engine = await aStore(...having(holder('Node', 'node-b'), '203.0.113.7', HOUR));
  assert.equal((await ask(engine, '203.0.200.1', 10 * HOUR)).reason, undefined);
  assert.equal((await ask(engine, '8.8.8.8', 10 * HOUR)).reason, 'outside');
});

test('a range that was used and is no longer is not outside', async () => {
  const engine = await aStore(...having(holder('Pod', 'gone'), '172.20.1.9', HOUR, 2 * HOUR));
  assert.equal((await ask(engine, '172.20.1.1', 10 * HOUR)).reason, undefined);
});

test('what was not watched is unknown, also outside', async () => {
  const answer = await ask(await aStore(), '8.8.8.8', -HOUR);
  assert.deepEqual([answer.answer, answer.reason], ['unknown', 'before-first-record']);
});

test('with free comes who had the address before and after, however long ago', async () => {
  const { answer, last, next } = await ask(await aStore(), '10.0.0.8', 10 * HOUR);
  assert.deepEqual(
    [answer, last?.name, last?.end?.at, next?.name, next?.start.at],
    ['free', 'old', 2 * HOUR, 'new', 20 * HOUR],
  );
  const after = await ask(await aStore(), '10.0.0.8', 23 * HOUR);
  assert.deepEqual([after.last?.name, after.next], ['new', undefined]);
  const never = await ask(await aStore(), '10.0.0.99', 10 * HOUR);
  assert.deepEqual([never.last, never.next], [undefined, undefined]);
  assert.equal((await ask(await aStore(), '10.0.0.7', 10 * HOUR)).last, undefined);
});

test('windows say of free addresses what who says, asked once and kept', async () => {
  const engine = await aStore();
  let reads = 0;
  const counting = readerWith(engine, (snapshot) => ({
    tenuresAtMany: (moments) => {
      reads++;
      return snapshot.tenuresAtMany(moments);
    },
    liveStates: () => {
      reads++;
      return snapshot.liveStates();
    },
  }));
  const format = (
    answer: string,
    _h: unknown,
    _p: boolean,
    _o: unknown,
    free?: Pick<Answer, 'reason' | 'last' | 'next'>,
  ) => [answer, free?.reason, free?.last?.name, free?.next?.name] as const;
  const windows = new AnswerWindows(counting, {
    cluster: CLUSTER.id,
    format,
    aboutFree: true,
    now: () => epochMillis(DAY + 1000),
  });
  const moments = ['8.8.8.8', '10.0.0.8', '10.0.0.99', '172.20.1.1', '10.0.0.7'].map((ip) => ip as IpAddress);
  for (let again = 0; again < 2; again++) {
    reads = 0;
    for (const ip of moments) {
      const window = windows.of(ip);
      const at = epochMillis(10 * HOUR + again * MINUTE);
      windows.want(window, at);
      await windows.read();
      const [answers] =
        windows.answer(window, at) === undefined ? await windows.askEach([{ ip, at }]) : [windows.answer(window, at)];
      const { answer, reason, last, next } = await ask(engine, ip, at);
      assert.deepEqual(answers, [answer, reason, last?.name, next?.name], ip);
    }
    assert.equal(reads > 0, again === 0, 'the second time it is known');
  }
  const during = { ip: '10.0.0.8' as IpAddress, from: epochMillis(10 * HOUR), to: epochMillis(11 * HOUR) };
  assert.deepEqual(windows.answer(windows.of(during.ip), during.from, during.to), ['free', undefined, 'old', 'new']);
});

/** What windows say of free addresses: the answer and its reason. */
function reasons(engine: LedgerReader) {
  return new AnswerWindows(engine, {
    cluster: CLUSTER.id,
    format: (answer, _h, _p, _o, free) => [answer, free?.reason] as const,
    aboutFree: true,
    now: () => epochMillis(DAY + 2 * HOUR),
  });
}

test('what came into use during a long run of questions is not outside any more', async () => {
  const engine = await aStore();
  const windows = reasons(engine);
  const ip = '172.20.1.1' as IpAddress;
  const early = epochMillis(DAY - HOUR);
  assert.deepEqual(await windows.askEach([{ ip, at: early }]), [['free', 'outside']]);
  const recorder = await engine.takeOver(CLUSTER);
  await recorder.append({
    facts: [
      coverage(0, DAY + HOUR, { opened: 'start', ended: false }),
      ...having(holder('Pod', 'far'), '172.20.9.9', DAY),
    ],
  });
  const late = epochMillis(DAY + HOUR / 2);
  assert.deepEqual(await windows.askEach([{ ip, at: late }]), [['free', undefined]]);
  assert.deepEqual(await windows.askEach([{ ip: '172.31.1.1' as IpAddress, at: late }]), [['free', undefined]]);
});

test('that a private address was outside earlier is not said of the last minutes, in which it could have been new', async () => {
  const engine = await aStore();
  const windows = reasons(engine);
  const ip = '172.20.1.1' as IpAddress;
  const window = windows.of(ip);
  const [early, late] = [epochMillis(DAY - HOUR), epochMillis(DAY - 5 * MINUTE)];
  for (const at of [early, late]) windows.want(window, at);
  await windows.read();
  const answers = [];
  for (const at of [early, late]) answers.push(windows.answer(window, at) ?? (await windows.askEach([{ ip, at }]))[0]);
  assert.deepEqual(answers, [
    ['free', 'outside'],
    ['free', undefined],
  ]);
  for (const [i, at] of [early, late].entries()) assert.equal((await ask(engine, ip, at)).reason, answers[i]?.[1]);
});

test('many rows about one free address ask the ledger once, and its tenures are not read again', async () => {
  const engine = await aStore();
  const asked: IpAddress[] = [];
  const counting = readerWith(engine, (snapshot) => ({
    tenuresOfIps: (spans, most) => {
      asked.push(...spans.map((span) => span.ip));
      return snapshot.tenuresOfIps(spans, most);
    },
  }));
  const windows = reasons(counting);
  const ip = '8.8.8.8' as IpAddress;
  const window = windows.of(ip);
  const stretches = Array.from({ length: 100 }, (_, i) => ({
    ip,
    from: epochMillis(10 * HOUR + i * 1000),
    to: epochMillis(10 * HOUR + i * 1000 + 500),
  }));
  for (const { from, to } of stretches) windows.want(window, from, to);
  await windows.read();
  const answers = await windows.askEachDuring(stretches);
  assert.ok(answers.every((said) => said === answers[0]));
  assert.deepEqual(answers[0], ['free', 'outside']);
  assert.deepEqual(asked, [ip, ip], 'once for the window, once for whether anybody ever had it');
});

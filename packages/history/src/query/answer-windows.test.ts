import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import { openStore } from '../engines/open-store.ts';
import type { Moment } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { epochMillis } from '../model/time.ts';
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
import { readerWith } from '../testing/reader-with.ts';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import type { AnsweredHolder } from './answer.ts';
import { AnswerWindows } from './answer-windows.ts';
import { who } from './who.ts';
import { type Overlap, whoDuring } from './who-during.ts';

/** As `attribute` does: what windows cannot tell is asked for row by row. */
async function ask<T>(windows: AnswerWindows<T>, moments: readonly Moment[]): Promise<T[]> {
  const asked = moments.map((moment) => ({ ...moment, window: windows.of(keyOf(moment.ip)) }));
  for (const { window, at } of asked) windows.want(window, at);
  await windows.read();
  const answers = asked.map(({ window, at }) => windows.answer(window, at));
  const rest = await windows.askEach(asked.filter((_, i) => answers[i] === undefined));
  return answers.map((answer) => answer ?? (rest.shift() as T));
}

function keyOf(ip: IpAddress): number | IpAddress {
  return ip.includes(':') ? ip : ip.split('.').reduce((bits, part) => (bits << 8) | Number(part), 0);
}

const asIs = (
  answer: string,
  holders: readonly AnsweredHolder[],
  provisional: boolean,
  _overlaps?: unknown,
  _free?: unknown,
  isOnly = false,
) => ({ answer, holders, provisional, isOnly });

function withOverlaps(
  answer: string,
  holders: readonly AnsweredHolder[],
  provisional: boolean,
  overlaps?: readonly Overlap[],
) {
  return { answer, holders, provisional, overlaps };
}

async function expected(engine: Engine, moments: readonly Moment[], now: number | undefined) {
  const asker = now === undefined ? {} : { now: epochMillis(now) };
  const answers = await Promise.all(
    moments.map((moment) => withSnapshot(engine, CLUSTER.id, (snapshot) => who(snapshot, { ...moment, ...asker }))),
  );
  return answers.map(({ answer, holders, provisional, isOnly }) => ({ answer, holders, provisional, isOnly }));
}

test('windows give the answers of who: in order and in none, in gaps, expired, beyond what is settled, kept or not', async () => {
  const seed = 4711;
  const numbers = new SeededNumbers(seed);
  const seen = new Set<string>();
  for (let run = 0; run < 24; run++) {
    const engine = await aLedger(numbers);
    if (run % 3 === 2) await engine.prune(CLUSTER.id, epochMillis(4 * HOUR));
    const now = run % 2 === 0 ? DAY + 2000 : DAY + HOUR;
    const mostKept = run % 4 === 3 ? 60 : 100_000;
    const windows = new AnswerWindows(engine, {
      cluster: CLUSTER.id,
      now: () => epochMillis(now),
      format: asIs,
      mostKept,
    });
    const times = Array.from({ length: 900 }, () => below(numbers, DAY + 3 * HOUR) - HOUR);
    // Right at the bounds is where mistakes live.
    for (const { start, end } of (
      await withSnapshot(engine, CLUSTER.id, (snapshot) =>
        snapshot.tenuresOfIp(IPS[3]!, { from: epochMillis(0), to: epochMillis(DAY) }, { limit: 20 }),
      )
    ).items) {
      for (const bound of [start, end ?? start])
        times.push(bound.notBefore, bound.notBefore - 1, bound.notAfter, bound.notAfter - 1);
    }
    times.push(
      5 * HOUR,
      5 * HOUR + 1,
      6 * HOUR - 1,
      15 * HOUR,
      15 * HOUR + 1,
      DAY - HOUR,
      DAY - HOUR - 1,
      DAY,
      DAY + 1,
      now,
      now + 1,
    );
    if (run % 4 !== 1) times.sort((a, b) => a - b);
    const moments = times.map(
      (at, i): Moment => ({ ip: IPS[i % 5 === 0 ? 3 : below(numbers, IPS.length)]!, at: epochMillis(at) }),
    );
    for (let i = 0; i < moments.length; i += 150) {
      const some = moments.slice(i, i + 150);
      const answers = await ask(windows, some);
      const truth = await expected(engine, some, now);
      for (const [n, moment] of some.entries()) {
        assert.deepEqual(answers[n], truth[n], `seed ${seed}, run ${run}, ${moment.ip} at ${moment.at}`);
        seen.add(`${truth[n]?.answer} ${truth[n]?.holders[0]?.kind ?? ''}`);
      }
    }
  }
  assert.deepEqual([...seen].sort(), [
    'ambiguous Node',
    'ambiguous Pod',
    'ambiguous Service',
    'free ',
    'held Pod',
    'held Service',
    'unknown ',
  ]);
});

test('windows answer stretches of time as whoDuring does, and one that changes within is asked for alone', async () => {
  const seed = 815;
  const numbers = new SeededNumbers(seed);
  let direct = 0;
  for (let run = 0; run < 8; run++) {
    const engine = await aLedger(numbers);
    if (run % 3 === 2) await engine.prune(CLUSTER.id, epochMillis(4 * HOUR));
    const now = epochMillis(run % 2 === 0 ? DAY + 2000 : DAY + HOUR);
    const windows = new AnswerWindows(engine, { cluster: CLUSTER.id, now: () => now, format: withOverlaps });
    const starts = Array.from({ length: 400 }, () => below(numbers, DAY + 3 * HOUR) - HOUR);
    if (run % 4 !== 1) starts.sort((a, b) => a - b);
    const stretches = starts.map((from, i) => ({
      ip: IPS[below(numbers, IPS.length)]!,
      from: epochMillis(from),
      to: epochMillis(from + below(numbers, [1, MINUTE, 30 * MINUTE][i % 3]!)),
    }));
    for (let i = 0; i < stretches.length; i += 100) {
      const some = stretches.slice(i, i + 100);
      const asked = some.map((stretch) => ({ ...stretch, window: windows.of(keyOf(stretch.ip)) }));
      for (const { window, from, to } of asked) windows.want(window, from, to);
      await windows.read();
      const answers = asked.map(({ window, from, to }) => windows.answer(window, from, to));
      direct += answers.filter((answer) => answer !== undefined).length;
      const rest = await windows.askEachDuring(some.filter((_, n) => answers[n] === undefined));
      for (const [n, stretch] of some.entries()) {
        const { answer, holders, provisional } = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
          whoDuring(snapshot, { ...stretch, now }),
        );
        const found = answers[n] ?? rest.shift();
        const where = `seed ${seed}, run ${run}, ${JSON.stringify(stretch)}`;
        assert.deepEqual([found?.answer, found?.provisional], [answer, provisional], where);
        assert.deepEqual(new Set(found?.holders.map(({ uid }) => uid)), new Set(holders.map(({ uid }) => uid)), where);
        if (found?.overlaps !== undefined)
          assert.deepEqual(
            found.overlaps,
            holders.map(({ overlap }) => overlap),
            where,
          );
        else for (const { overlap } of holders) assert.equal(overlap.possible, 1, where);
      }
    }
  }
  assert.ok(direct > 1000, `${direct} were answered from windows`);
});

test('what is settled is read once for an address, what is not for every batch, and neither row by row', async () => {
  const engine = await aLedger(new SeededNumbers(1));
  const asked: IpAddress[] = [];
  let alone = 0;
  const counting = readerWith(engine, (snapshot) => ({
    tenuresOfIps: (spans, most) => {
      asked.push(...spans.map(({ ip }) => ip));
      return snapshot.tenuresOfIps(spans, most);
    },
    tenuresAtMany: (moments) => {
      alone += moments.length;
      return snapshot.tenuresAtMany(moments);
    },
  }));
  const windows = new AnswerWindows(counting, { cluster: CLUSTER.id, format: asIs });
  for (let batch = 0; batch < 10; batch++) {
    const times = Array.from({ length: 500 }, (_, i) => 2 * HOUR + batch * MINUTE + i);
    await ask(
      windows,
      times.map((at, i): Moment => ({ ip: IPS[i % IPS.length]!, at: epochMillis(at) })),
    );
  }
  assert.deepEqual([asked.length, new Set(asked).size, alone], [IPS.length, IPS.length, 0]);
  await ask(windows, [
    { ip: IPS[0]!, at: epochMillis(DAY) },
    { ip: IPS[1]!, at: epochMillis(DAY) },
  ]);
  assert.deepEqual([asked.length, alone], [IPS.length, 2]);
});

test('what is wanted of an address while a reading of it begins is read with it: neither takes the place of the other', async () => {
  const engine = await aLedger(new SeededNumbers(1));
  let readings = 0;
  const counting = readerWith(engine, (snapshot) => ({
    tenuresOfIps: (spans, most) => {
      readings += spans.length;
      return snapshot.tenuresOfIps(spans, most);
    },
  }));
  const windows = new AnswerWindows(counting, { cluster: CLUSTER.id, format: asIs });
  const window = windows.of(IPS[0]!);
  windows.want(window, 2 * HOUR);
  const first = windows.read();
  windows.want(window, 15 * HOUR);
  await Promise.all([first, windows.read()]);
  assert.ok(windows.answer(window, 2 * HOUR) !== undefined, 'the first is answered from the window');
  assert.ok(windows.answer(window, 15 * HOUR) !== undefined, 'and so is the second');
  assert.equal(readings, 1);
});

test('what may still change is asked for again, and what retention takes is not answered from memory', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const ip = '10.9.9.9' as IpAddress;
  const open = { ip, holder: holder('Pod', 'p'), start: boundary(0, 0, 0, 9000), end: undefined };
  const until = (confirmed: number) =>
    coverage(0, DAY, { confirmed: epochMillis(confirmed), ended: false, opened: 'start' });
  await writer.append({ facts: [until(HOUR), { kind: 'tenure', tenure: open }] });
  const windows = new AnswerWindows(engine, { cluster: CLUSTER.id, format: (answer) => answer });
  const moments = [1000, 2000, 10 * HOUR].map((at): Moment => ({ ip, at: epochMillis(at) }));
  assert.deepEqual(await ask(windows, moments), ['held', 'held', 'held']);
  const end = boundary(2 * HOUR, 2 * HOUR, 2 * HOUR, 9001);
  await writer.append({ facts: [until(11 * HOUR), { kind: 'tenure', tenure: { ...open, end } }] });
  assert.deepEqual(await ask(windows, moments), ['held', 'held', 'free']);
  // Once more, so that all of them lie in what is kept.
  assert.deepEqual(await ask(windows, moments), ['held', 'held', 'free']);
  await engine.prune(CLUSTER.id, epochMillis(3 * HOUR));
  assert.deepEqual(await ask(windows, moments), ['unknown', 'unknown', 'free']);
});

test('right after a gap what lies in it is as provisional as for who, and asked for again', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const ip = '10.9.9.9' as IpAddress;
  const open = { ip, holder: holder('Pod', 'p'), start: boundary(0, 0, 0, 9000), end: undefined };
  const again = (confirmed: number) =>
    coverage(2 * HOUR, 3 * HOUR, { confirmed: epochMillis(confirmed), ended: false, opened: 'expired' });
  await writer.append({
    facts: [coverage(0, HOUR, { opened: 'start' }), again(2 * HOUR), { kind: 'tenure', tenure: open }],
  });
  const format = (answer: string, _holders: unknown, provisional: boolean) => `${answer} ${provisional}`;
  const windows = new AnswerWindows(engine, { cluster: CLUSTER.id, format });
  const inGap: Moment[] = [{ ip, at: epochMillis(1.5 * HOUR) }];
  const { provisional } = await withSnapshot(engine, CLUSTER.id, (snapshot) => who(snapshot, { ...inGap[0]! }));
  assert.deepEqual([provisional, await ask(windows, inGap)], [true, ['held true']]);
  const end = boundary(1.2 * HOUR, 1.2 * HOUR, 1.2 * HOUR, 9001);
  await writer.append({ facts: [again(3 * HOUR), { kind: 'tenure', tenure: { ...open, end } }] });
  assert.notDeepEqual(await ask(windows, inGap), ['held true']);
});

test('an address to which too much happened is asked for row by row, with the same answers', async () => {
  const engine = await aLedger(new SeededNumbers(3));
  const narrow = readerWith(engine, (snapshot) => ({ tenuresOfIps: (spans) => snapshot.tenuresOfIps(spans, 2) }));
  const windows = new AnswerWindows(narrow, { cluster: CLUSTER.id, format: asIs });
  const moments = Array.from(
    { length: 500 },
    (_, i): Moment => ({ ip: IPS[i % IPS.length]!, at: epochMillis(i * 150_000) }),
  );
  for (let i = 0; i < moments.length; i += 100) {
    const some = moments.slice(i, i + 100);
    assert.deepEqual(await ask(windows, some), await expected(engine, some, undefined));
  }
});

test('what retention takes while the windows are read is not called free', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  const ip = '10.0.0.7' as IpAddress;
  const tenure = {
    ip,
    holder: holder('Pod', 'web-1'),
    start: boundary(1, 1, 1, 1),
    end: boundary(HOUR, HOUR, HOUR, 2),
  };
  const writer = await engine.takeOver(CLUSTER);
  await writer.append({ facts: [coverage(0, DAY), { kind: 'tenure', tenure }] });
  const reader = readerWith(engine, (snapshot) => ({
    tenuresOfIps: async (...asked) => {
      await engine.prune(CLUSTER.id, epochMillis(2 * HOUR));
      return await snapshot.tenuresOfIps(...asked);
    },
  }));
  const windows = new AnswerWindows<string>(reader, { cluster: CLUSTER.id, format: (answer) => answer });
  const window = windows.of(ip);
  const answer = async (): Promise<string | undefined> => {
    windows.want(window, MINUTE);
    await windows.read();
    return windows.answer(window, MINUTE) ?? (await windows.askEach([{ ip, at: epochMillis(MINUTE) }]))[0];
  };
  assert.deepEqual([await answer(), await answer()], ['held', 'unknown'], 'as of its snapshot, then as of the next');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryError } from '@podtrail/history';
import { IPS, ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { epochMillis, type Snapshot } from '@podtrail/history/wire';
import { GatheredReads } from './gathered-reads.ts';

const HOUR_MS = 3_600_000;

test('what is asked for together is what each would have got alone, and is one read', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const numbers = new SeededNumbers(seed);
    const engine = await ledgerOf(ledgerFacts(numbers));
    const snapshot = await engine.snapshot('c');
    const { counted, calls } = counting(snapshot);
    const gathered = new GatheredReads(counted);
    const moments = Array.from({ length: 30 }, () => ({
      ip: IPS[numbers.between(0, IPS.length - 1)] as (typeof IPS)[number],
      at: epochMillis(numbers.between(0, 24 * HOUR_MS)),
    }));
    const spanOf = (at: number) => ({ from: epochMillis(at), to: epochMillis(at + numbers.between(1, HOUR_MS)) });
    const spans = moments.map(({ at }) => spanOf(at));
    const [tenures, possible] = await Promise.all([
      Promise.all(moments.map(({ ip, at }) => gathered.tenuresAt(ip, at))),
      Promise.all(spans.map((span) => gathered.possibleTenures(span))),
    ]);
    assert.deepEqual(calls, { tenuresAt: 0, tenuresAtMany: 1, possibleTenures: 1 }, `seed ${seed}`);
    for (const [i, { ip, at }] of moments.entries()) {
      assert.deepEqual(tenures[i], await snapshot.tenuresAt(ip, at), `seed ${seed}`);
      assert.deepEqual(possible[i], await snapshot.possibleTenures(spans[i]!), `seed ${seed}`);
    }
    await snapshot.close();
  }
});

test('one that is asked for alone is asked for as it is', async () => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const snapshot = await engine.snapshot('c');
  const { counted, calls } = counting(snapshot);
  await new GatheredReads(counted).tenuresAt(IPS[0]!, epochMillis(0));
  assert.deepEqual(calls, { tenuresAt: 1, tenuresAtMany: 0, possibleTenures: 0 });
});

test('a part of the store that one of them needs is damaged: only that one is refused', async () => {
  const damaged = new HistoryError('damaged', 'head, tenure 7');
  const gathered = new GatheredReads({
    tenuresAt: async (_, at) => {
      if (at === 2) throw damaged;
      return [];
    },
    tenuresAtMany: () => Promise.reject(damaged),
    possibleTenures: async () => [],
  });
  const found = await Promise.allSettled([1, 2, 3].map((at) => gathered.tenuresAt(IPS[0]!, epochMillis(at))));
  assert.deepEqual(
    found.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('where many pods never showed their address, each moment reads its own for a while', async () => {
  const asked: number[] = [];
  const many = Array.from({ length: 600 }, (_, i) => ({ start: { notBefore: i }, end: { notAfter: i + 1 } }));
  const source = {
    tenuresAt: async () => [],
    tenuresAtMany: async () => [],
    possibleTenures: async ({ from, to }: { readonly from: number; readonly to: number }) => {
      asked.push(to - from);
      return many.filter(({ start, end }) => start.notBefore < to && end.notAfter > from);
    },
  } as unknown as Snapshot;
  const manner = { turnsApart: 0 };
  const spans = [0, 599].map((at) => ({ from: epochMillis(at), to: epochMillis(at + 1) }));
  for (const expected of [[600], [1, 1]]) {
    const gathered = new GatheredReads(source, manner);
    const found = await Promise.all(spans.map((span) => gathered.possibleTenures(span)));
    assert.deepEqual(found, [[many[0]], [many[599]]]);
    assert.deepEqual(asked.splice(0), expected);
  }
});

function counting(snapshot: Snapshot) {
  const calls = { tenuresAt: 0, tenuresAtMany: 0, possibleTenures: 0 };
  const counted = new Proxy(snapshot, {
    get: (of, key) => {
      if (Object.hasOwn(calls, key)) calls[key as keyof typeof calls]++;
      const value = Reflect.get(of, key) as unknown;
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  return { counted, calls };
}

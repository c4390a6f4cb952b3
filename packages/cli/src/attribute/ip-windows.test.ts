import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Boundary,
  type Engine,
  epochMillis,
  type Fact,
  type IpAddress,
  type Moment,
  openStore,
} from '@podtrail/history';
import { seededRandom } from '@podtrail/machinery';
import { IpWindows } from './ip-windows.ts';

const CLUSTER = { id: 'c', name: 'c' };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function boundary(notBefore: number, at: number, notAfter: number, version: number): Boundary {
  const provenance = { source: 'watch' as const, epoch: 1, resourceVersion: String(version), collector: 'c' };
  const times = { at: epochMillis(at), notBefore: epochMillis(notBefore), notAfter: epochMillis(notAfter) };
  return { ...provenance, ...times, observedAt: epochMillis(notAfter) };
}

const ipOf = (n: number) => `10.0.0.${n}` as IpAddress;

async function aLedger(random: () => number, confirmed: number): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const facts: Fact[] = [];
  for (let i = 0; i < 400; i++) {
    const start = Math.floor(random() * DAY);
    const end = start + Math.floor(random() * 2 * HOUR);
    const holder = {
      kind: 'Pod' as const,
      namespace: 'n',
      name: `p${i}`,
      uid: `u${i}`,
      node: 'x',
      workload: undefined,
      hostNetwork: false,
    };
    const slack = () => Math.floor(random() * 60_000);
    const ends = random() < 0.1 ? undefined : boundary(end - slack(), end, end + slack(), 2 * i + 1);
    facts.push({
      kind: 'tenure',
      tenure: { ip: ipOf(i % 20), holder, start: boundary(start - slack(), start, start + slack(), 2 * i), end: ends },
    });
  }
  const coverage = {
    scope: { kind: 'cluster' as const },
    epoch: 1,
    collector: 'c',
    from: epochMillis(0),
    to: epochMillis(DAY),
    confirmed: epochMillis(confirmed),
    ended: false,
    opened: 'start' as const,
  };
  await (await engine.takeOver(CLUSTER)).append({ facts: [...facts, { kind: 'coverage', coverage }] });
  return engine;
}

test('windows give what the engine gives, for logs in order and without, also beyond what is settled', async () => {
  const seed = 4711;
  const random = seededRandom(seed);
  const engine = await aLedger(random, 20 * HOUR);
  for (const isOrdered of [true, false]) {
    const windows = new IpWindows(engine);
    const times = Array.from({ length: 6000 }, () => Math.floor(random() * (DAY + HOUR)));
    if (isOrdered) times.sort((a, b) => a - b);
    for (let i = 0; i < times.length; i += 500) {
      const moments = times
        .slice(i, i + 500)
        .map((at): Moment => ({ ip: ipOf(Math.floor(random() * 22)), at: epochMillis(at) }));
      const expected = await engine.tenuresAtMany(CLUSTER.id, moments);
      assert.deepEqual(
        await windows.tenuresAtMany(CLUSTER.id, moments),
        expected,
        `seed ${seed}, ordered ${isOrdered}, from ${i}`,
      );
    }
  }
});

test('the engine is asked once for an address, not once for a row', async () => {
  const engine = await aLedger(seededRandom(1), DAY);
  let asked = 0;
  const counting = {
    coverage: engine.coverage.bind(engine),
    tenuresOfIp: (...args: Parameters<Engine['tenuresOfIp']>) => {
      asked++;
      return engine.tenuresOfIp(...args);
    },
    tenuresAtMany: async () => assert.fail('every row lies in a window'),
  };
  const windows = new IpWindows(counting);
  for (let batch = 0; batch < 10; batch++) {
    const moments = Array.from(
      { length: 1000 },
      (_, i): Moment => ({ ip: ipOf(i % 20), at: epochMillis(batch * 60_000 + i) }),
    );
    await windows.tenuresAtMany(CLUSTER.id, moments);
  }
  assert.equal(asked, 20);
});

test('what may still change is asked for anew: an end that comes later is not missed', async () => {
  const engine = await aLedger(seededRandom(2), HOUR);
  const writer = await engine.takeOver(CLUSTER);
  const holder = {
    kind: 'Pod' as const,
    namespace: 'n',
    name: 'p',
    uid: 'u',
    node: 'x',
    workload: undefined,
    hostNetwork: false,
  };
  const open = { ip: '10.9.9.9' as IpAddress, holder, start: boundary(0, 0, 0, 9000), end: undefined };
  await writer.append({ facts: [{ kind: 'tenure', tenure: open }] });
  const windows = new IpWindows(engine);
  const at = (time: number): Moment => ({ ip: open.ip, at: epochMillis(time) });
  const moments = [at(1000), at(2000), at(10 * HOUR)];
  assert.equal((await windows.tenuresAtMany(CLUSTER.id, moments))[2]?.length, 1);
  const end = boundary(2 * HOUR, 2 * HOUR, 2 * HOUR, 9001);
  await writer.append({ facts: [{ kind: 'tenure', tenure: { ...open, end } }] });
  const again = await windows.tenuresAtMany(CLUSTER.id, moments);
  assert.deepEqual(
    again.map((tenures) => tenures.length),
    [1, 1, 0],
  );
});

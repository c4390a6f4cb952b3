import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, withSnapshot } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { aStory, at, CLUSTER } from '../testing/story.ts';

const YEAR = 365 * 24 * 3600;

/** The story, and then a recorder whose clock was a year ahead. */
async function stuckStory(): Promise<Engine> {
  const engine = await aStory();
  const writer = await engine.takeOver(CLUSTER);
  const present = (await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.coverage())).at(-1);
  assert.ok(present !== undefined);
  const [to, confirmed] = [at(YEAR), at(YEAR)];
  await writer.append({ facts: [{ kind: 'coverage', coverage: { ...present, to, confirmed } }] });
  return engine;
}

const NOW = at(300);
const ask = (engine: Engine, words: string, now = NOW) => run(words.split(' '), { engine, now });

test('a store that reaches into the future: doctor says so, a dry run says what would be done, --yes does it, and it is well', async () => {
  const engine = await stuckStory();
  const doctor = await ask(engine, 'doctor');
  assert.match(
    doctor.out,
    /recording prod-eu +warning +the store was watched until 2027-11-15T10:00:00Z, which is in the/,
  );
  assert.match(doctor.err, /podtrail store repair/);

  const plan = await ask(engine, 'store repair');
  assert.equal(plan.code, 0);
  assert.match(plan.out, /would be taken back/);
  assert.match(plan.out, /coverage +2/);
  assert.match(plan.err, /nothing was changed: --yes does it/);
  assert.match((await ask(engine, 'doctor')).out, /in the future/);

  const done = await ask(engine, 'store repair --yes');
  assert.equal(done.code, 0);
  assert.match(done.out, /was taken back/);
  assert.doesNotMatch((await ask(engine, 'doctor')).out, /in the future/);
  assert.match((await ask(engine, 'store repair')).out, /nothing lies in the future/);
  const held = await ask(engine, 'who 10.0.0.7 --at 2026-11-15T10:00:30Z');
  assert.match(held.out, /was held by pod shop\/web-1/, 'records are kept');
});

test('--since takes back what a clock claimed that was wrong by less', async () => {
  const engine = await stuckStory();
  const { out } = await ask(engine, 'store repair --since 2026-11-15T10:02:50Z --yes');
  assert.match(out, /from 2026-11-15T10:02:50Z/);
  assert.equal((await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.coverage())).at(-1)?.to, at(170));
});

test('a machine whose own clock is before the first record repairs nothing', async () => {
  const engine = await stuckStory();
  const { code, err } = await ask(engine, 'store repair --yes', at(-3600));
  assert.equal(code, 1);
  assert.match(err, /before the first record/);
  assert.equal((await ask(engine, 'store repair --yes --now 2026-11-15T10:05:00Z', at(-3600))).code, 0);
});

test('retain: a clock that is far ahead of the newest record removes nothing, unless it is forced', async () => {
  const engine = await aStory();
  const refused = await ask(engine, 'store retain --before 24h', at(60 * 24 * 3600));
  assert.equal(refused.code, 1);
  assert.match(refused.err, /last watched 59d ago/);
  assert.match(refused.err, /--force/);
  assert.deepEqual(await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired()), []);
  assert.equal((await ask(engine, 'store retain --before 24h --force', at(60 * 24 * 3600))).code, 0);
  assert.equal((await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired())).length, 1);
});

test('retain: a time that is named as a date needs no clock', async () => {
  const engine = await aStory();
  const { code } = await ask(engine, 'store retain --before 2026-11-15T10:01:00Z', at(60 * 24 * 3600));
  assert.equal(code, 0);
});

test('anomalies are shown by doctor and store status, with the node named', async () => {
  const engine = await aStory();
  const writer = await engine.takeOver(CLUSTER);
  const provenance = { source: 'watch', epoch: 1, collector: 'c', observedAt: at(190) } as const;
  const skew = (n: number, node: string) => ({
    ...{ ...provenance, resourceVersion: String(900 + n), what: 'clock-skew', uid: `u${n}` },
    detail: `pod shop/p${n} on node ${node}: its network came up 3600000 ms after it was seen`,
  });
  const hidden = {
    ...{ ...provenance, resourceVersion: '950', what: 'unparsable-address', uid: 'u9' },
    detail: 'pod shop/p9 on node node-c: status.podIPs[0] "***" is not an address',
  };
  const all = [skew(1, 'node-a'), skew(2, 'node-a'), skew(3, 'node-b'), hidden] as const;
  await writer.append({ facts: all.map((anomaly) => ({ kind: 'anomaly', anomaly }) as never) });
  const doctor = await ask(engine, 'doctor', at(201));
  assert.match(
    doctor.out,
    /clocks of prod-eu +warning +3 anomalies in the last 24h, on nodes node-a, node-b: pod shop/,
  );
  assert.match(doctor.out, /addresses of prod-eu +warning +1 anomaly in the last 24h, on node node-c: pod shop\/p9/);
  const status = await ask(engine, 'store status -o json', at(201));
  const { clusters } = JSON.parse(status.out) as { clusters: { anomalies: unknown }[] };
  assert.deepEqual(clusters[0]?.anomalies, [
    { what: 'clock-skew', count: 3, nodes: ['node-a', 'node-b'], latest: skew(3, 'node-b').detail },
    { what: 'unparsable-address', count: 1, nodes: ['node-c'], latest: hidden.detail },
  ]);
  const table = await ask(engine, 'store status', at(201));
  assert.match(table.out, /ANOMALIES/);
  assert.match(table.err, /prod-eu: clock-skew: 3 anomalies in the last 24h, on nodes node-a, node-b/);
});

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Engine, epochMillis } from '@podtrail/history';
import { type Attributed, type Attribution, inUse } from '@podtrail/history/wire';
import { run } from '../testing/run-in-process.ts';
import { aStory, at } from '../testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

const attribute = (words: string, input: string) =>
  run(['attribute', '-', ...words.split(' ').filter((word) => word !== '')], { engine, now: at(201), input });

const somebody = (since: number, until: number): Attributed => ({
  ...{ kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u', node: 'n', workload: undefined },
  ...{ from: epochMillis(since), to: epochMillis(until), since: epochMillis(since), until: epochMillis(until) },
});
const FREE: Attribution = { answer: 'free', holders: [], provisional: false };

test('the one candidate of an address that was in use is its holder; of two neither is', () => {
  const one: Attribution = { answer: 'ambiguous', holders: [somebody(0, 1)], provisional: false, isOnly: true };
  assert.deepEqual([inUse(one, 0, 0).answer, inUse(one, 0, 0).basis], ['held', 'traffic']);
  assert.equal(inUse(one, 0, 0), inUse(one, 5, 5), 'one for all rows');
  const two = { ...one, isOnly: false };
  assert.equal(inUse(two, 0, 0), two);
});

test('traffic of an address of the cluster that certainly nobody had contradicts, clocks allowed for', () => {
  const between = { ...FREE, last: somebody(0, 100_000), next: somebody(200_000, 300_000) };
  assert.equal(inUse(between, 150_000, 160_000).reason, 'contradicted');
  assert.equal(inUse(between, 150_000, 160_000).answer, 'free', 'never bent');
  assert.equal(inUse(between, 104_000, 110_000), between);
  assert.equal(inUse(between, 150_000, 196_000), between);
  assert.equal(inUse(FREE, 0, 0), FREE, 'an address that nobody of the cluster ever had is others’ to use');
  const outside = { ...between, reason: 'outside' as const };
  assert.equal(inUse(outside, 150_000, 160_000), outside);
  const provisional = { ...between, provisional: true };
  assert.equal(inUse(provisional, 150_000, 160_000), provisional);
});

test('sources of flow logs were in use: by default there, with --traffic elsewhere, with --no-traffic nowhere', async () => {
  const start = Math.floor(at(59) / 1000);
  const vpc = `2 123456789010 eni-1 10.0.0.7 10.0.0.7 1 2 6 1 1 ${start} ${start + 2} ACCEPT OK\n`;
  const flow = await attribute('-o jsonl', vpc);
  const row = JSON.parse(flow.out);
  assert.deepEqual([row.src_answer, row.src_pod, row.src_basis], ['held', 'web-1', 'traffic']);
  assert.deepEqual([row.dst_answer, row.dst_candidates.length], ['ambiguous', 1]);
  assert.match(flow.err, /; 1 held by the evidence of their traffic/);
  assert.match((await attribute('', vpc)).out, / held Pod shop web-1 .* traffic - - ambiguous /);
  assert.equal(JSON.parse((await attribute('-o jsonl --no-traffic', vpc)).out).src_answer, 'ambiguous');
  assert.equal(JSON.parse((await attribute('-o jsonl --traffic', vpc)).out).dst_answer, 'held');
  const csv = 't,src\n2026-11-15T10:00:59.5Z,10.0.0.7\n';
  assert.match((await attribute('--ip src --time t', csv)).out, /,ambiguous,/);
  assert.match((await attribute('--ip src --time t --traffic', csv)).out, /,held,Pod,shop,web-1,/);
  const json = '{"t":"2026-11-15T10:00:59.5Z","src":"10.0.0.7"}\n';
  assert.match((await attribute('--ip src --time t --traffic', json)).out, /"answer":"held".*"basis":"traffic"/);
});

test('in a gap somebody else may have had it, and a node’s address stays ambiguous', async () => {
  const csv = 't,src\n2026-11-15T10:02:00Z,10.0.0.7\n2026-11-15T10:00:30Z,192.168.0.1\n2026-11-15T10:02:30Z,10.0.0.9\n';
  const plain = await attribute('--ip src --time t', csv);
  assert.equal((await attribute('--ip src --time t --traffic', csv)).out, plain.out);
});

test('who --seen: one candidate is the holder, with its basis', async () => {
  const ask = (words: string) => run(['who', ...words.split(' ')], { engine, now: at(201) });
  assert.equal((await ask('10.0.0.7 --at 2026-11-15T10:00:59.5Z')).code, 4);
  const { code, out } = await ask('10.0.0.7 --at 2026-11-15T10:00:59.5Z --seen -o json');
  assert.deepEqual([code, JSON.parse(out).answer, JSON.parse(out).basis], [0, 'held', 'traffic']);
  assert.match(
    (await ask('10.0.0.7 --at 2026-11-15T10:00:59.5Z --seen')).out,
    /was held by pod shop\/web-1 .*: it was in use, and nobody else can have had it\./,
  );
  assert.equal((await ask('10.0.0.7 --at 2026-11-15T10:01:05Z --seen')).code, 3);
  assert.equal((await ask('10.0.0.8 --at 2026-11-15T10:02:00Z --seen')).code, 5);
});

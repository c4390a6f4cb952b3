import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { aLedgerWithAnomalies, aStory, at } from '../testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aLedgerWithAnomalies();
});

const ask = (words: string) => run(`anomalies ${words}`.trim().split(' '), { engine, now: at(91) });

test('what cannot be right, in the order in which it was seen', async () => {
  const { code, out, err } = await ask('');
  assert.deepEqual([code, err], [0, '']);
  assert.equal(
    out,
    `SEEN                   WHAT                 DETAIL
2026-11-15T10:00:20Z   node-changed         pod shop/web-1 on node node-b: it was on node-a before
2026-11-15T10:00:30Z   unparsable-address   pod shop/odd-1 on node node-a: status.podIPs[0] "pending" is not an address
`,
  );
});

test('a page, and the next', async () => {
  const first = await ask('--limit 1 -o jsonl');
  assert.match(first.out, /node-changed/);
  const cursor = /--cursor (\S+)/.exec(first.err)?.[1];
  assert.match((await ask(`--limit 1 --cursor ${cursor} -o csv`)).out, /unparsable-address/);
});

test('none within the time asked about is exit code 3, with a sentence', async () => {
  const { code, out, err } = await ask('--until 2026-11-15T10:00:15Z');
  assert.deepEqual(
    [code, out, err],
    [3, '', '--until 2026-11-15T10:00:15.000Z\nthere is no record of an anomaly in that time\n'],
  );
  assert.equal((await run(['anomalies'], { engine: await aStory(), now: at(201) })).code, 3);
});

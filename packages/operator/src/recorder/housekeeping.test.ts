import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@podtrail/machinery/testing';
import { keepHouse } from './housekeeping.ts';
import type { Housekept } from './recorder-listener.ts';

const HOUR = 3_600_000;

/** An engine that notes what it is asked to do; the first maintenance fails. */
async function houseKept(
  hours: number,
  options: { retentionMs?: number; evidenceRetentionMs?: number; aheadMs?: number } = {},
) {
  const clock = new ManualClock(1_000 * HOUR);
  const maintained: number[] = [];
  const retained: (readonly [cluster: string, before: number])[] = [];
  const pruned: string[] = [];
  const done: Housekept[] = [];
  const engine = {
    maintain: async (now: number) => {
      maintained.push(now);
      if (maintained.length === 1) throw new Error('disk');
    },
    prune: async (cluster: string, before: number) => retained.push([cluster, before]),
    pruneKind: async (_: string, kind: string, before: number) => pruned.push(`${kind} ${before}`),
  };
  const stop = new AbortController();
  const { retentionMs, evidenceRetentionMs } = options;
  const house = { engine, cluster: 'c', clock, retentionMs, evidenceRetentionMs };
  const kept = keepHouse({ ...house, onDone: (one) => done.push(one) }, stop.signal);
  clock.jumpWall(options.aheadMs ?? 0);
  await clock.advance(hours * HOUR);
  stop.abort();
  await kept;
  return { maintained, retained, pruned, done };
}

test('the store is maintained every five minutes, and a failure of it is reported and ends nothing', async () => {
  const { maintained, retained, done } = await houseKept(1);
  assert.equal(maintained.length, 12);
  assert.equal(maintained[0], 1_000 * HOUR + 300_000);
  assert.match(String(done[0]?.error), /disk/);
  assert.deepEqual([done[1]?.what, done[1]?.error], ['maintain', undefined]);
  assert.deepEqual(retained, [], 'without a retention all is kept');
});

test('with a retention, what ended longer ago is forgotten once an hour', async () => {
  const { retained } = await houseKept(3, { retentionMs: 30 * 24 * HOUR });
  const first = 1_000 * HOUR + 300_000 - 30 * 24 * HOUR;
  assert.deepEqual(retained, [
    ['c', first],
    ['c', first + HOUR],
    ['c', first + 2 * HOUR],
  ]);
});

test('fault 21: a clock that was set ahead makes nothing look old', async () => {
  const { retained, done } = await houseKept(1, { retentionMs: 30 * 24 * HOUR, aheadMs: 365 * 24 * HOUR });
  assert.deepEqual(retained, []);
  assert.match(String(done.find(({ what }) => what === 'retain')?.error), /clock was set ahead/);
});

test('what causes are found from has a retention of its own, all of it together', async () => {
  const { retained, pruned, done } = await houseKept(1, { evidenceRetentionMs: 24 * HOUR });
  const before = 1_000 * HOUR + 300_000 - 24 * HOUR;
  assert.deepEqual(retained, []);
  assert.deepEqual(pruned, [`life ${before}`, `departure ${before}`, `evidence ${before}`]);
  assert.equal(done.find(({ what }) => what === 'retain')?.removed, 6);
});

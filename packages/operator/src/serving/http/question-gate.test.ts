import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuestionGate } from './question-gate.ts';

const busy = { status: 503, code: 'busy', headers: { 'retry-after': '1' } };

test('so many at once, the next wait in their order, and whoever finds the queue full is sent away', async () => {
  const gate = new QuestionGate({ atOnce: 2, mostWaiting: 2, waitMs: 60_000 });
  const asked: number[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const running = ends.map((end, i) =>
    gate.run(async () => {
      asked.push(i);
      await end.promise;
      return i;
    }),
  );
  await assert.rejects(
    gate.run(async () => 9),
    busy,
  );
  assert.deepEqual(asked, [0, 1]);
  ends[1]?.resolve();
  assert.equal(await running[1], 1);
  assert.deepEqual(asked, [0, 1, 2]);
  for (const end of ends) end.resolve();
  assert.deepEqual(await Promise.all(running), [0, 1, 2, 3]);
  assert.equal(await gate.run(async () => 5), 5, 'a place that was left is free again');
});

test('whoever waits too long is sent away; a question that fails leaves its place', async () => {
  const gate = new QuestionGate({ atOnce: 1, mostWaiting: 2, waitMs: 20 });
  const end = Promise.withResolvers<void>();
  const first = gate.run(() => end.promise.then(() => Promise.reject(new Error('no'))));
  await assert.rejects(
    gate.run(async () => 1),
    busy,
  );
  end.resolve();
  await assert.rejects(first, /no/);
  assert.equal(await gate.run(async () => 2), 2);
});

test('who goes while waiting leaves the queue, and is not asked for', async () => {
  const gate = new QuestionGate({ atOnce: 1, mostWaiting: 1, waitMs: 60_000 });
  const end = Promise.withResolvers<void>();
  const first = gate.run(() => end.promise);
  const client = new AbortController();
  const reason = new Error('gone');
  const waiting = gate.run(async () => assert.fail('nobody waits for this'), { gone: client.signal });
  assert.equal(gate.waiting, 1);
  client.abort(reason);
  await assert.rejects(waiting, reason);
  assert.equal(gate.waiting, 0, 'the next one finds room');
  const next = gate.run(async () => 2);
  end.resolve();
  await first;
  assert.equal(await next, 2);
  assert.deepEqual([gate.asking, gate.waiting], [0, 0]);
});

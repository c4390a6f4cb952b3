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

test('one caller has some of the places only: others come in before its next ones, and leave none behind', async () => {
  const gate = new QuestionGate({ atOnce: 3, mostOfOne: 2, mostWaiting: 9, waitMs: 60_000 });
  const { signal: gone } = new AbortController();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, id: string) =>
    gate.run(
      () => {
        begun.push(id);
        return new Promise<void>((resolve) => ends.set(id, resolve));
      },
      { gone, caller: { name } },
    );
  const all = ['jane-1', 'jane-2', 'jane-3', 'sam-1', 'sam-2'].map((id) => ask(id.replace(/-.*/, ''), id));
  assert.deepEqual(begun, ['jane-1', 'jane-2', 'sam-1']);
  assert.deepEqual([gate.asking, gate.waiting], [3, 2]);
  ends.get('sam-1')?.();
  await all[3];
  assert.deepEqual(begun.slice(3), ['sam-2'], 'jane has all that one may have');
  ends.get('jane-1')?.();
  await all[0];
  assert.deepEqual(begun.slice(4), ['jane-3']);
  for (const id of ['jane-2', 'jane-3', 'sam-2']) ends.get(id)?.();
  await Promise.all(all);
  assert.deepEqual([gate.asking, gate.waiting], [0, 0]);
  assert.equal(await gate.run(async () => 1, { gone, caller: { name: 'jane' } }), 1);
});

test('one caller has so many places in the queue; who has none takes one of who has most when it is full', async () => {
  const gate = new QuestionGate({ atOnce: 1, mostWaiting: 4, mostWaitingOfOne: 3, waitMs: 60_000 });
  const release = Promise.withResolvers<void>();
  const said: string[] = [];
  const ask = (name: string, which: string) =>
    gate
      .run(() => release.promise, { gone: new AbortController().signal, caller: { name } })
      .then(
        () => said.push(`${which} answered`),
        ({ status }) => said.push(`${which} ${status}`),
      );
  const asked = ['evil-0', 'evil-1', 'evil-2', 'evil-3', 'evil-4', 'sam-1', 'jane-1', 'jane-2'].map((which) =>
    ask(which.split('-')[0] as string, which),
  );
  assert.equal(gate.waiting, 4);
  release.resolve();
  await Promise.all(asked);
  const answered = ['evil-0', 'evil-1', 'evil-2', 'sam-1', 'jane-1'];
  assert.deepEqual(
    said.sort(),
    [...answered.map((one) => `${one} answered`), 'evil-3 503', 'evil-4 503', 'jane-2 503'].sort(),
  );
});

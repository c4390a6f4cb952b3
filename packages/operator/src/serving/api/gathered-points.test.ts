import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { HistoryError } from '@podtrail/history';
import { IPS } from '@podtrail/history/testing';
import { epochMillis, type Point } from '@podtrail/history/wire';
import { GatheredPoints } from './gathered-points.ts';

const PROD = { id: 'c', name: 'prod' };

function point(at: number): Point {
  return { ip: IPS[0]!, at: epochMillis(at), now: epochMillis(9), seen: false };
}

/** Each call waits until the test says what comes of it. */
function source() {
  const calls: { readonly asked: readonly number[]; answer(open?: readonly number[]): void; fail(): void }[] = [];
  return {
    calls,
    answerPoints: (_: unknown, points: readonly Point[]) =>
      new Promise<{ texts: readonly string[]; open: readonly number[] }>((resolve, reject) => {
        const asked = points.map(({ at }) => Number(at));
        calls.push({
          asked,
          answer: (open = []) => resolve({ texts: asked.map(String), open }),
          fail: () => reject(new HistoryError('snapshot-too-old', 'a file was replaced')),
        });
      }),
  };
}

test('those of one turn go together; those that come meanwhile go together beside them, and the rest after', async () => {
  const { calls, answerPoints } = source();
  const points = new GatheredPoints({ answerPoints }, false);
  const first = [1, 2].map((at) => points.ask(PROD, point(at)));
  assert.equal(calls.length, 0);
  await turn();
  const second = [3, 4].map((at) => points.ask(PROD, point(at)));
  await turn();
  const third = [5, 6].map((at) => points.ask(PROD, point(at)));
  await turn();
  assert.deepEqual(
    calls.map(({ asked }) => asked),
    [
      [1, 2],
      [3, 4],
    ],
  );
  calls[0]?.answer();
  assert.deepEqual(await Promise.all(first), ['1', '2']);
  assert.deepEqual(calls[2]?.asked, [5, 6]);
  calls[1]?.answer();
  calls[2]?.answer();
  assert.deepEqual(await Promise.all([...second, ...third]), ['3', '4', '5', '6']);
  const last = points.ask(PROD, point(7));
  await turn();
  calls[3]?.answer();
  assert.equal(await last, '7');
});

test('many of one turn go in batches, two of which are under way at once, each in a turn of its own', async () => {
  const { calls, answerPoints } = source();
  const points = new GatheredPoints({ answerPoints }, false);
  const asked = Array.from({ length: 70 }, (_, i) => points.ask(PROD, point(i)));
  const sizes = () => calls.map((call) => call.asked.length);
  await turn();
  assert.deepEqual(sizes(), [32]);
  await turn();
  await turn();
  assert.deepEqual(sizes(), [32, 32]);
  calls[1]?.answer();
  await asked[32];
  assert.deepEqual(sizes(), [32, 32, 6]);
  calls[0]?.answer();
  calls[2]?.answer();
  assert.deepEqual(
    await Promise.all(asked),
    Array.from({ length: 70 }, (_, i) => `${i}`),
  );
});

test('clusters do not wait for each other', async () => {
  const { calls, answerPoints } = source();
  const points = new GatheredPoints({ answerPoints }, false);
  void points.ask(PROD, point(1));
  await turn();
  void points.ask({ id: 'd', name: 'other' }, point(2));
  await turn();
  assert.deepEqual(
    calls.map(({ asked }) => asked),
    [[1], [2]],
  );
});

test('what fails together is asked alone, and what came meanwhile is not held up by it', async () => {
  const { calls, answerPoints } = source();
  const points = new GatheredPoints({ answerPoints }, false);
  const first = points.ask(PROD, point(1));
  await turn();
  const second = points.ask(PROD, point(2));
  calls[0]?.fail();
  assert.equal(await first, undefined);
  calls[1]?.answer();
  assert.equal(await second, '2');
});

test('an answer that leaves something open is left to a snapshot where there are peers, and stands where there are none', async () => {
  for (const hasPeers of [true, false]) {
    const { calls, answerPoints } = source();
    const points = new GatheredPoints({ answerPoints }, hasPeers);
    const asked = [1, 2].map((at) => points.ask(PROD, point(at)));
    await turn();
    calls[0]?.answer([1]);
    assert.deepEqual(await Promise.all(asked), ['1', hasPeers ? undefined : '2']);
  }
});

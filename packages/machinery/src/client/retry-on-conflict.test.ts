// Read, change, write; and again after a conflict.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../errors.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const conflict = () => new ApiError(409, { reason: 'Conflict' }, undefined);

test('a conflict is tried again from the reading, with growing waits', async () => {
  const clock = new ManualClock();
  const waits: number[] = [];
  let tries = 0;
  const result = retryOnConflict(
    async () => {
      if (++tries < 4) throw conflict();
      return 'written';
    },
    { clock, random: () => 0 },
  );
  for (let i = 0; i < 3; i++) {
    await clock.untilPending(1);
    waits.push(clock.delays[0]!);
    await clock.advance(clock.delays[0]!);
  }
  assert.equal(await result, 'written');
  assert.deepEqual([tries, waits], [4, [10, 20, 40]]);
});

test('after the last try the conflict itself is thrown', async () => {
  const clock = new ManualClock();
  const last = conflict();
  let tries = 0;
  const result = assert.rejects(
    retryOnConflict(
      async () => {
        throw ++tries === 3 ? last : conflict();
      },
      { clock, random: () => 0, attempts: 3, firstDelayMs: 1 },
    ),
    (error) => error === last,
  );
  await clock.untilPending(1);
  await clock.advance(1);
  await clock.untilPending(1);
  await clock.advance(2);
  await result;
  assert.equal(clock.pending, 0);
});

for (const [what, error] of [
  ['an object that exists already', new ApiError(409, { reason: 'AlreadyExists' }, undefined)],
  ['an object that is gone', new ApiError(404, { reason: 'NotFound' }, undefined)],
  ['a bug', new TypeError('x is undefined')],
] as const) {
  test(`${what} is no conflict`, async () => {
    let tries = 0;
    await assert.rejects(
      retryOnConflict(async () => {
        tries++;
        throw error;
      }),
      (thrown) => thrown === error,
    );
    assert.equal(tries, 1);
  });
}

test('an abort ends the waiting', async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const result = assert.rejects(
    retryOnConflict(() => Promise.reject(conflict()), { clock, signal: abort.signal }),
    { name: 'AbortError' },
  );
  await clock.untilPending(1);
  abort.abort();
  await result;
  assert.equal(clock.pending, 0);
});

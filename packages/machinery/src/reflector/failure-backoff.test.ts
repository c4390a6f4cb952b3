import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '../errors.ts';
import { FailureBackoff } from './failure-backoff.ts';

const LONGEST_DRAW = () => 1;
const reset = new ConnectionError('reset', 'the connection broke');
const internal = new ApiError(500, { reason: 'InternalError', message: 'etcd is away' }, undefined);

test('pauses double for each kind of failure by itself, and start over after a watch that lived', () => {
  const backoff = new FailureBackoff(LONGEST_DRAW);
  assert.deepEqual([backoff.after(reset), backoff.after(reset), backoff.after(internal)], [100, 200, 800]);
  assert.deepEqual([backoff.after(internal), backoff.server()], [1600, 3200]);
  backoff.reset();
  assert.deepEqual([backoff.after(reset), backoff.after(internal)], [100, 800]);
});

test('a server that says when to come again is given that time and up to a tenth more', () => {
  const busy = new ApiError(429, { reason: 'TooManyRequests', message: 'busy' }, 7_000);
  const backoff = new FailureBackoff(LONGEST_DRAW);
  assert.deepEqual([Math.round(backoff.after(busy)), Math.round(backoff.after(busy))], [7_700, 7_700]);
});

test('a server that asks for no pause, or for the same short one again and again, gets pauses that double', () => {
  for (const retryAfterMs of [0, 100]) {
    const busy = new ApiError(429, { reason: 'TooManyRequests', message: 'busy' }, retryAfterMs);
    const backoff = new FailureBackoff(LONGEST_DRAW);
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map(() => backoff.after(busy)),
      [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000],
    );
  }
});

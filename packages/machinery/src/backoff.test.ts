import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff, exponentialDelay } from './backoff.ts';

const LIMITS = { firstMs: 100, longestMs: 2_000 };

test('a delay doubles with each failure, up to the longest, however many there were', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 5_000].map((failures) => exponentialDelay(LIMITS, failures)),
    [100, 200, 400, 800, 1_600, 2_000, 2_000],
  );
});

test('a first delay of 0 stays 0, also after more failures than a number has powers of two for', () => {
  assert.equal(exponentialDelay({ firstMs: 0, longestMs: 1_000 }, 2_000), 0);
});

test('of a backoff half is drawn: never less than half, never more than all; a reset forgets the failures', () => {
  const draws = [0, 1, 0.5, 0];
  const backoff = new Backoff(LIMITS, () => draws.shift() ?? 0);
  assert.deepEqual([backoff.next(), backoff.next(), backoff.next()], [50, 200, 300]);
  backoff.reset();
  assert.equal(backoff.next(), 50);
});

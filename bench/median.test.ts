import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from './median.ts';

test('the median of an odd count is the middle value whatever the order', () => {
  assert.equal(median([9, 1, 5]), 5);
});

test('the median of an even count lies between the two in the middle', () => {
  assert.equal(median([10, 1, 4, 2]), 3);
});

test('the median sorts by number and leaves its argument as it was', () => {
  const values = [100, 9, 20];
  assert.equal(median(values), 20);
  assert.deepEqual(values, [100, 9, 20]);
});

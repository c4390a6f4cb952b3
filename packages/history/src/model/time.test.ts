import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { type EpochMillis, toText } from './time.ts';

test('an instant is printed as Date prints it, whichever was printed before', () => {
  const numbers = new SeededNumbers(5);
  const edges = [
    0,
    -1,
    1,
    999,
    86_399_999,
    86_400_000,
    -86_400_000,
    0.5,
    8.64e15,
    -8.64e15,
    Date.UTC(10_000, 0, 1, 12),
  ];
  for (let n = 0; n < 20_000; n++) {
    const day = numbers.between(-800_000, 3_000_000) * 86_400_000;
    const instant = n < edges.length ? edges[n]! : day + numbers.between(0, 86_399_999);
    const near = instant + numbers.between(-2_000, 2_000);
    for (const at of [instant, near, instant])
      if (Math.abs(at) <= 8.64e15) assert.equal(toText(at as EpochMillis), new Date(at).toISOString());
  }
});

test('what is no instant is refused, and the next one is printed right', () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, 8.64e15 + 86_400_000])
    assert.throws(() => toText(at as EpochMillis), RangeError);
  assert.equal(toText(8.64e15 as EpochMillis), '+275760-09-13T00:00:00.000Z');
  assert.equal(toText(0 as EpochMillis), '1970-01-01T00:00:00.000Z');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesAround } from './times-around.ts';

const HOUR = 3_600_000;
const at = Date.UTC(2026, 10, 18, 12);

test('a link shows what led to an instant and what came after, and goes on with time where that is now', () => {
  const since = '2026-11-18T09:00:00.000Z';
  assert.deepEqual(timesAround(at, at + 2 * HOUR), { since, until: '2026-11-18T13:00:00.000Z' });
  assert.deepEqual(timesAround(at, at + HOUR / 2), { since });
});

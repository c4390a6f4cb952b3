import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanAround } from './span-around.ts';

test('an hour on each side, and nothing of what has not come', () => {
  const now = Date.UTC(2026, 10, 15, 12);
  assert.deepEqual(spanAround('2026-11-15T10:00:00.000Z', now), {
    since: '2026-11-15T09:00:00.000Z',
    until: '2026-11-15T11:00:00.000Z',
  });
  assert.equal(spanAround('2026-11-15T11:50:00.000Z', now)['until'], '2026-11-15T12:00:00.000Z');
});

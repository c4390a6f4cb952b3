import assert from 'node:assert/strict';
import { test } from 'node:test';
import { microTime } from './micro-time.ts';

test('a MicroTime has six decimals', () => {
  assert.equal(microTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678)), '2026-01-02T03:04:05.678000Z');
});

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ahead, learnTime, serverNow } from './server-clock.ts';

const AT = Date.UTC(2026, 10, 18, 12);
const DATE = new Date(AT).toUTCString();
const HOUR = 3_600_000;

beforeEach(() => {
  ahead.value = 0;
});

test('a browser that is an hour ahead or behind takes the time of the server', () => {
  for (const off of [HOUR, -HOUR]) {
    learnTime(DATE, AT + off + 100, AT + off + 300);
    assert.ok(Math.abs(ahead.value + off) <= 1_000, `${ahead.value}`);
    assert.ok(Math.abs(serverNow() - Date.now() + off) <= 1_000);
  }
});

test('a clock that is right stays as it is, also where the answer took long', () => {
  learnTime(DATE, AT + 100, AT + 400);
  learnTime(DATE, AT - 60_000, AT + 200);
  learnTime(DATE, AT + 1_900, AT + 2_900);
  assert.equal(ahead.value, 0);
});

test('what was learnt does not change with every answer', () => {
  learnTime(DATE, AT + HOUR, AT + HOUR + 50);
  const learnt = ahead.value;
  for (let ms = 0; ms < 1_000; ms += 100) learnTime(DATE, AT + HOUR + ms, AT + HOUR + ms + 20);
  assert.equal(ahead.value, learnt);
});

test('an answer without a date says nothing', () => {
  learnTime(null, AT, AT);
  learnTime('soon', AT, AT);
  assert.equal(ahead.value, 0);
});

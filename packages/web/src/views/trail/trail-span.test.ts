import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, resolveSpan } from '../../times/span.ts';
import { everyMs, relativeText, spanTexts } from './trail-span.ts';

const HOUR = 3_600_000;
const now = Date.parse('2026-11-15T10:00:00Z');

test('a span that ends now has a length and no end, so that it goes on with time', () => {
  assert.deepEqual(spanTexts({ from: now - 6 * HOUR, to: now }, now), { since: '6h', until: undefined });
  assert.equal(spanTexts({ from: now - 6 * HOUR, to: now }, now + 2_000).since, '6h', 'a moment later it is as long');
});

test('any other span is absolute', () => {
  assert.deepEqual(spanTexts({ from: now - 6 * HOUR, to: now - HOUR }, now), {
    ...{ since: '2026-11-15T04:00:00.000Z', until: '2026-11-15T09:00:00.000Z' },
  });
  assert.notEqual(spanTexts({ from: now - 500, to: now }, now).until, undefined, 'milliseconds have no relative text');
});

test('what is written into the URL is read back as the same span', () => {
  for (const [from, to] of [
    [now - 5_432_000, now],
    [now - 9 * HOUR, now - HOUR],
    [now - 123_456, now - 23_456],
  ] as const) {
    const { since, until } = spanTexts({ from, to }, now);
    assert.deepEqual(resolveSpan({ since, until }, now, 1), { from, to });
  }
});

test('lengths are as the URL reads them', () => {
  assert.equal(relativeText(26 * HOUR + 61_000), '1d2h1m1s');
  assert.equal(relativeText(10), '1s');
  assert.equal(parseDuration(relativeText(5 * HOUR)), 5 * HOUR);
});

test('what follows now is asked for about when it has moved by a pixel', () => {
  assert.deepEqual(
    [60_000, 6 * HOUR, 168 * HOUR].map((span) => everyMs({ from: 0, to: span })),
    [5_000, 21_600, 30_000],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText, isLive, parseDuration, parseInstant, resolveSpan } from './span.ts';

const now = Date.UTC(2026, 10, 18, 12);
const HOUR = 3_600_000;

test('durations are those of Go and kubectl', () => {
  assert.equal(parseDuration('90s'), 90_000);
  assert.equal(parseDuration('1h30m'), 1.5 * HOUR);
  assert.equal(parseDuration('1.5h'), 1.5 * HOUR);
  assert.equal(parseDuration('2d'), 48 * HOUR);
  for (const text of ['', 'h', '1', '1y', '-1h', '1h ', '9999999d']) assert.equal(parseDuration(text), undefined, text);
});

test('an instant is absolute, an age, or now', () => {
  assert.equal(parseInstant('now', now), now);
  assert.equal(parseInstant('15m ago', now), now - HOUR / 4);
  assert.equal(parseInstant('6h', now), now - 6 * HOUR);
  assert.equal(parseInstant('2026-11-18T11:00:00Z', now), now - HOUR);
  assert.equal(parseInstant('2026-11-18 12:00:00+01:00', now), now - HOUR);
  assert.equal(parseInstant('1794999600', now), 1_794_999_600_000);
  assert.equal(parseInstant('1794999600000', now), 1_794_999_600_000);
});

test('a time without a zone is no instant', () => {
  for (const text of ['2026-11-18T11:00:00', '11:00', 'yesterday', '2026-13-18T11:00:00Z', ''])
    assert.equal(parseInstant(text, now), undefined, text);
});

test('a day that no month has is none, and not one of the next month', () => {
  for (const text of ['2026-11-31T10:05:00Z', '2026-02-29 10:05+01:00', '2026-02-30T10:05:00Z'])
    assert.equal(parseInstant(text, now), undefined, text);
  assert.equal(parseInstant('2024-02-29T10:05:00Z', now), Date.UTC(2024, 1, 29, 10, 5));
});

test('a span ends now unless it says when, and begins before it ends', () => {
  assert.deepEqual(resolveSpan({}, now, HOUR), { from: now - HOUR, to: now });
  assert.deepEqual(resolveSpan({ since: '2h', until: '1h' }, now, HOUR), { from: now - 2 * HOUR, to: now - HOUR });
  assert.deepEqual(resolveSpan({ since: '1h', until: '2h' }, now, HOUR), { from: now - 3 * HOUR, to: now - 2 * HOUR });
  assert.equal(isLive({}), true);
  assert.equal(isLive({ until: '2026-11-18T11:00:00Z' }), false);
});

test('durations are read at a glance', () => {
  const cases: readonly [number, string][] = [
    [250, '250 ms'],
    [1_500, '1.5 s'],
    [42_000, '42 s'],
    [242_000, '4 min 2 s'],
    [27 * HOUR, '1 d 3 h'],
    [2 * HOUR, '2 h'],
  ];
  for (const [ms, text] of cases) assert.equal(durationText(ms), text);
});

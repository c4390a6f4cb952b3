import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Boundary, epochMillis, NOT_KNOWN_YET } from '@podtrail/history';
import { parseDuration, showDuration } from './duration.ts';
import { parseTime } from './parse-time.ts';
import { showBoundary, showSpan, showTime } from './show-time.ts';
import { parseZone, UTC, type Zone } from './zone.ts';

const T = Date.UTC(2026, 10, 15, 10, 5, 3);
const BERLIN = parseZone('Europe/Berlin') as Zone;

function boundary(at: number, notBefore: number, notAfter: number): Boundary {
  const [a, b, c] = [epochMillis(at), epochMillis(notBefore), epochMillis(notAfter)];
  return {
    at: a,
    notBefore: b,
    notAfter: c,
    source: 'watch',
    epoch: 1,
    resourceVersion: '1',
    observedAt: c,
    collector: 'c',
  };
}

test('a time carries its zone and reads back as the same instant', () => {
  assert.equal(showTime(T, UTC), '2026-11-15T10:05:03Z');
  assert.equal(showTime(T, BERLIN), '2026-11-15T11:05:03+01:00');
  assert.equal(showTime(T + 7, parseZone('-03:30') as Zone), '2026-11-15T06:35:03.007-03:30');
  for (const zone of [UTC, BERLIN]) {
    const parsed = parseTime(showTime(T + 250, zone), 0, UTC);
    assert.ok(parsed.ok && parsed.at === T + 250);
  }
});

test('a span names the day once', () => {
  assert.equal(showSpan(T, T + 60_000, UTC), '2026-11-15T10:05:03Z to 10:06:03Z');
  assert.equal(showSpan(T, T + 86_400_000, UTC), '2026-11-15T10:05:03Z to 2026-11-16T10:05:03Z');
});

test('a boundary shows how sure it is', () => {
  assert.equal(showBoundary(boundary(T, T, T), UTC), '2026-11-15T10:05:03Z');
  assert.equal(showBoundary(boundary(T, T - 1000, T + 1000), UTC), '2026-11-15T10:05:03Z ±1s');
  assert.equal(showBoundary(boundary(T + 100, T + 70, T + 100), UTC), '2026-11-15T10:05:03.100Z ±30ms');
  assert.equal(showBoundary(boundary(T + 600, T, T + 1600), UTC), '2026-11-15T10:05:03Z ±2s');
  assert.equal(showBoundary(boundary(T + 60_000, T, T + 60_500), UTC), '2026-11-15T10:05:03Z..10:06:04Z');
  assert.equal(showBoundary(boundary(T + 100, T + 100, NOT_KNOWN_YET), UTC), '2026-11-15T10:05:03Z or later');
});

test('the margin that is shown always covers the bounds', () => {
  for (let i = 0; i < 500; i++) {
    const at = T + i * 7;
    const { notBefore, notAfter, ...rest } = boundary(at, at - ((i * 13) % 5000), at + ((i * 29) % 5000));
    const text = showBoundary({ notBefore, notAfter, ...rest }, UTC);
    const match = /^(\S+?)(?: ±(\d+)(ms|s))?$/.exec(text);
    const shown = Date.parse(match?.[1] ?? '');
    const margin = match?.[2] === undefined ? 0 : Number(match[2]) * (match[3] === 's' ? 1000 : 1);
    assert.ok(shown - margin <= notBefore && shown + margin >= notAfter, text);
  }
});

test('ages read as kubectl has them', () => {
  const ages: readonly (readonly [number, string])[] = [
    [-5, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [125_000, '2m5s'],
    [3_600_000, '60m'],
    [5 * 3_600_000 + 60_000, '5h1m'],
    [30 * 3_600_000, '30h'],
    [50 * 3_600_000, '2d2h'],
    [400 * 86_400_000, '400d'],
    [3 * 365 * 86_400_000, '3y'],
  ];
  for (const [ms, text] of ages) assert.equal(showDuration(ms), text);
});

test('durations are those of Go and nothing else', () => {
  assert.equal(parseDuration('1h0m0.5s'), 3_600_500);
  assert.equal(parseDuration('.5s'), 500);
  for (const wrong of ['', '5', '5 m', 'm', '1h30', '1d', '5M', '1e3s'])
    assert.equal(parseDuration(wrong), undefined, wrong);
});

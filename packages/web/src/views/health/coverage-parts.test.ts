import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GapDocument } from '@podtrail/history/wire';
import { NOW, watched } from '../../testing/records.ts';
import { instantText } from '../../times/span.ts';
import { gapRows, lagOf, shareText, stripParts, watchedShare } from './coverage-parts.ts';

const span = { from: NOW - 1_000, to: NOW };
const gap = (from: number, to: number | null, reason: GapDocument['reason'] = 'start'): GapDocument => ({
  ...{ from: instantText(NOW + from), to: to === null ? null : instantText(NOW + to), reason },
});
const rowsOf = (...gaps: readonly GapDocument[]) => gapRows(watched(NOW - 9_999, gaps), span);

test('gaps are clipped to the span, oldest first, and say whether they go on', () => {
  const rows = rowsOf(gap(-100, null), gap(-2_000, -900), gap(-5_000, -4_000));
  assert.equal(rowsOf(gap(-100, 10))[0]?.goesOn, true);
  assert.deepEqual(
    rows.map(({ from, to, beganBefore, goesOn }) => [from - NOW, to - NOW, beganBefore, goesOn]),
    [
      [-1_000, -900, true, false],
      [-100, 0, false, true],
    ],
  );
});

test('each reason has words for why and for what it means', () => {
  const [row] = rowsOf(gap(-500, -400, 'pods-only'));
  assert.match(row?.why ?? '', /Services and nodes were not/);
  assert.match(row?.means ?? '', /Addresses of pods are known/);
  const [newer] = rowsOf(gap(-500, -400, 'constructor' as GapDocument['reason']));
  assert.equal(newer?.why, 'constructor');
});

test('what was watched is counted once, also where gaps overlap, and pods alone are watched', () => {
  assert.equal(watchedShare(rowsOf(), span), 1);
  assert.equal(watchedShare(rowsOf(gap(-500, -250)), span), 0.75);
  assert.equal(watchedShare(rowsOf(gap(-500, -250), gap(-400, -100)), span), 0.6);
  assert.equal(watchedShare(rowsOf(gap(-500, -100), gap(-400, -300), gap(-250, -200)), span), 0.6);
  assert.equal(watchedShare(rowsOf(gap(-500, -250, 'pods-only')), span), 1);
});

test('a share with a gap is never all', () => {
  const cases: readonly [number, string][] = [
    [1, '100 %'],
    [0.756, '76 %'],
    [0.9, '90.0 %'],
    [0.996, '99.6 %'],
    [0.9996, '99.96 %'],
    [0.99999, '99.999 %'],
    [0.9999999, 'more than 99.999 %'],
  ];
  for (const [share, text] of cases) assert.equal(shareText(share), text);
});

test('a gap of a moment is still drawn, within the strip', () => {
  const parts = stripParts(rowsOf(gap(-600, -400), gap(-1, null)), span);
  assert.deepEqual([parts[0]?.x, parts[0]?.width], [0.4, 0.2]);
  const last = parts[1];
  assert.ok(last !== undefined && last.width > 0.001 && last.x + last.width <= 1);
});

test('how late the ledger is says what that means', () => {
  const state = (ms: number) => lagOf(instantText(NOW - ms), NOW, NOW)?.state;
  assert.deepEqual([-60_000, -100, 900, 5_000, 5_001, 60_000, 61_000].map(state), [
    ...['ahead', 'watching', 'watching', 'watching', 'late', 'late', 'silent'],
  ]);
  assert.equal(lagOf(instantText(NOW + 100), NOW, NOW)?.ms, 0);
  assert.equal(lagOf(null, NOW, NOW), undefined);
});

test('an answer that is old says nothing of now, and its age grows', () => {
  const lag = (age: number) => lagOf(instantText(NOW - 300), NOW, NOW + age);
  assert.deepEqual([lag(6_000)?.state, lag(6_000)?.ms], ['watching', 300]);
  assert.deepEqual([lag(40_000)?.state, lag(40_000)?.ms], ['old', 40_300]);
});

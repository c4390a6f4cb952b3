import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsLoading, spanToLoad } from './level-of-detail.ts';

const now = 100_000;
const view = { from: 40_000, to: 60_000 };

test('what was asked for is enough, and for moving a little', () => {
  const loaded = { ...spanToLoad(view, now), detail: 'intervals' as const };
  assert.deepEqual([loaded.from, loaded.to], [30_000, 70_000]);
  assert.equal(needsLoading(view, loaded, now), false);
  assert.equal(needsLoading({ from: 31_000, to: 51_000 }, loaded, now), false);
  assert.equal(needsLoading({ from: 49_000, to: 69_000 }, loaded, now), false);
});

test('time beyond what was asked for is asked for', () => {
  const loaded = { ...spanToLoad(view, now), detail: 'intervals' as const };
  assert.equal(needsLoading({ from: 20_000, to: 40_000 }, loaded, now), true);
  assert.equal(needsLoading({ from: 60_000, to: 80_000 }, loaded, now), true);
  assert.equal(needsLoading({ from: 20_000, to: 80_000 }, loaded, now), true);
  assert.equal(needsLoading(view, undefined, now), true);
});

test('zooming into counts asks for the intervals, zooming into intervals asks for nothing', () => {
  const loaded = spanToLoad(view, now);
  const near = { from: 48_000, to: 52_000 };
  assert.equal(needsLoading(near, { ...loaded, detail: 'density' }, now), true);
  assert.equal(needsLoading(near, { ...loaded, detail: 'intervals' }, now), false);
  assert.equal(needsLoading(view, { ...loaded, detail: 'density' }, now), false, 'or it would ask for ever');
});

test('of the future nothing is asked for', () => {
  const late = { from: 90_000, to: 130_000 };
  const loaded = spanToLoad(late, now);
  assert.equal(loaded.to, now);
  assert.equal(needsLoading(late, { ...loaded, detail: 'intervals' }, now), false);
  const future = spanToLoad({ from: 200_000, to: 210_000 }, now);
  assert.ok(future.to > future.from);
});

test('no more is asked for than a server answers: 400 days', () => {
  const day = 24 * 3_600_000;
  const now = 2_000 * day;
  const { from, to } = spanToLoad({ from: now - 400 * day, to: now }, now);
  assert.ok(to - from <= 400 * day, `${(to - from) / day} days`);
});

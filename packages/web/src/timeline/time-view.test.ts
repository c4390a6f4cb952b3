import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brushed, moveBy, pinch, reveal, timeAt, upTo, xOf, zoomAt } from './time-view.ts';

const view = { from: 1_000, to: 2_000 };

test('a place is a time and back', () => {
  assert.equal(xOf(view, 500, 1_250), 125);
  assert.equal(timeAt(view, 500, 125), 1_250);
});

test('what is under the cursor stays there', () => {
  for (const factor of [0.5, 2]) {
    const zoomed = zoomAt(view, 1_250, factor);
    assert.equal(zoomed.to - zoomed.from, 1_000 * factor);
    assert.equal(xOf(zoomed, 500, 1_250), 125);
  }
});

test('nobody zooms beyond milliseconds or what the server answers about', () => {
  const near = zoomAt(view, 1_500, 1e-9);
  assert.equal(near.to - near.from, 50);
  const far = zoomAt(view, 1_500, 1e12);
  assert.equal(far.to - far.from, 400 * 86_400_000);
});

test('fingers keep the times under them', () => {
  const before = [1_200, 1_400] as const;
  const after = [1_100, 1_600] as const;
  const pinched = pinch(view, before, after);
  assert.equal(Math.round(xOf(pinched, 1000, before[0])), Math.round(xOf(view, 1000, after[0])));
  assert.equal(Math.round(xOf(pinched, 1000, before[1])), Math.round(xOf(view, 1000, after[1])));
});

test('a brush works in both directions, and is never empty', () => {
  assert.deepEqual(brushed(1_900, 1_200, 9_000), { from: 1_200, to: 1_900 });
  assert.equal(brushed(1_500, 1_500, 9_000).to > 1_500, true);
  assert.deepEqual(brushed(1_200, 1_900, 1_600), { from: 1_200, to: 1_600 }, 'no further than now');
});

test('nothing is shown of what has not come, and what is shown keeps its length', () => {
  assert.deepEqual(upTo({ from: 1_000, to: 2_000 }, 1_500), { from: 500, to: 1_500 });
  assert.deepEqual(upTo({ from: 1_000, to: 2_000 }, 2_000), { from: 1_000, to: 2_000 });
});

test('moving keeps the length', () => {
  assert.deepEqual(moveBy(view, -300), { from: 700, to: 1_700 });
});

test('what is shown is not moved, what is not is brought to the middle', () => {
  assert.equal(reveal(view, 1_900, 2_500), view);
  assert.equal(reveal(view, 0, 9_000), view, 'what began before and goes on does not take the reader to another time');
  assert.deepEqual(reveal(view, 5_000, 5_200), { from: 4_600, to: 5_600 });
  const long = reveal(view, 5_000, 50_000);
  assert.ok(long.from < 5_000 && long.to > 5_000, 'the beginning of what is longer than the view');
});

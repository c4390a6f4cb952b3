import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexIntervals } from './interval-index.ts';
import { selectionAfterKey, viewAfterKey } from './keyboard.ts';
import { fewIntervals } from './testing/few-intervals.ts';

const view = { from: 0, to: 1_000 };
// Lane 0 has two rows: places 0 and 1 in the first, 2 in the second. Lane 2 has one.
const index = indexIntervals(
  fewIntervals([
    [0, 0, 100],
    [0, 50, 200],
    [0, 300, 400],
    [2, 310, 500],
  ]),
);
const start = (place: number) => (place === -1 ? undefined : index.start[place]);

test('arrows move, plus and minus zoom in the middle, t goes to now', () => {
  assert.deepEqual(viewAfterKey('ArrowLeft', view, 9_000), { from: -150, to: 850 });
  assert.deepEqual(viewAfterKey('ArrowRight', view, 9_000), { from: 150, to: 1_150 });
  assert.deepEqual(viewAfterKey('+', view, 9_000), { from: 200, to: 800 });
  assert.deepEqual(viewAfterKey('=', view, 9_000), viewAfterKey('+', view, 9_000));
  assert.deepEqual(viewAfterKey('t', view, 9_000), { from: 8_000, to: 9_000 });
  assert.equal(viewAfterKey('x', view, 9_000), undefined);
  const out = viewAfterKey('-', view, 9_000)!;
  assert.equal(Math.round(out.to - out.from), 1_667);
});

test('brackets walk through a lane by start, whatever the row', () => {
  let place = selectionAfterKey(']', index, -1, view);
  const walked = [start(place)];
  for (let n = 0; n < 3; n++) walked.push(start((place = selectionAfterKey(']', index, place, view))));
  assert.deepEqual(walked, [0, 50, 300, undefined], 'it ends with the lane');
  place = index.start.indexOf(300);
  assert.equal(start((place = selectionAfterKey('[', index, place, view))), 50);
  assert.equal(start((place = selectionAfterKey('[', index, place, view))), 0);
  assert.equal(selectionAfterKey('[', index, place, view), -1);
});

test('intervals that begin together are all reached', () => {
  const same = indexIntervals(
    fewIntervals([
      [0, 10, 20],
      [0, 10, 30],
      [0, 10, 40],
    ]),
  );
  const walked = new Set([0]);
  for (let place = 0, n = 0; n < 2; n++) walked.add((place = selectionAfterKey(']', same, place, view)));
  assert.deepEqual(walked, new Set([0, 1, 2]));
});

test('up and down go to what is there at the same time, past rows with nothing', () => {
  const last = index.start.indexOf(310);
  assert.equal(start(selectionAfterKey('ArrowDown', index, index.start.indexOf(50), view)), 310);
  assert.equal(start(selectionAfterKey('ArrowUp', index, last, view)), 50);
  assert.equal(selectionAfterKey('ArrowDown', index, last, view), -1);
});

test('with nothing selected the first that is shown is', () => {
  assert.equal(start(selectionAfterKey(']', index, -1, { from: 250, to: 350 })), 300);
  assert.equal(selectionAfterKey(']', index, -1, { from: 900, to: 950 }), -1);
});

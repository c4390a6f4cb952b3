import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstEndingAfter, indexIntervals } from './interval-index.ts';
import { fewIntervals } from './testing/few-intervals.ts';
import { madeTimeline } from './testing/made-timeline.ts';

test('intervals of a row do not overlap, and none is lost', () => {
  const seed = Math.floor(Math.random() * 1e9);
  const document = madeTimeline({ intervals: 2_000, lanes: 9, depth: 7, from: 1_000_000, to: 90_000_000, seed });
  const index = indexIntervals(document);
  assert.deepEqual(new Set(index.holder), new Set(document.intervals.holder), `seed ${seed}`);
  for (let row = 0; row + 1 < index.rowStarts.length; row++)
    for (let place = index.rowStarts[row]! + 1; place < index.rowStarts[row + 1]!; place++) {
      assert.ok(index.end[place - 1]! <= index.start[place]!, `seed ${seed}, row ${row}`);
      assert.equal(index.rowOf[place], row, `seed ${seed}`);
    }
  for (let place = 0; place < index.count; place++) {
    const n = document.intervals.holder.indexOf(index.holder[place]!);
    assert.equal(index.rowLane[index.rowOf[place]!], document.intervals.lane[n], `seed ${seed}`);
    assert.equal(index.start[place], document.base + document.intervals.start[n]!, `seed ${seed}`);
  }
});

test('a row is used again as soon as it is free', () => {
  const { laneRows, rowOf } = indexIntervals(
    fewIntervals([
      [0, 0, 10],
      [0, 5, 20],
      [0, 10, 15],
      [1, 3, 4],
    ]),
  );
  assert.deepEqual([...laneRows], [0, 2, 3]);
  assert.deepEqual([...rowOf], [0, 0, 1, 2]);
});

test('a lane without intervals has a row', () => {
  const document = fewIntervals([[2, 0, 10]]);
  assert.deepEqual([...indexIntervals(document).laneRows], [0, 1, 2, 3]);
});

test('the order of the document does not matter', () => {
  const sorted = indexIntervals(
    fewIntervals([
      [0, 0, 10],
      [0, 20, 30],
      [1, 1, 4],
      [1, 6, null],
    ]),
  );
  const shuffled = indexIntervals(
    fewIntervals([
      [1, 6, null],
      [0, 20, 30],
      [1, 1, 4],
      [0, 0, 10],
    ]),
  );
  assert.deepEqual(shuffled.start, sorted.start);
  assert.deepEqual(shuffled.end, sorted.end);
});

test('what lasts has no end', () => {
  const { end, endNotAfter } = indexIntervals(fewIntervals([[0, 5, null]]));
  assert.deepEqual([end[0], endNotAfter[0]], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test('the first that ends after an instant is found by halves', () => {
  const index = indexIntervals(
    fewIntervals([
      [0, 0, 10],
      [0, 20, 30],
      [0, 40, null],
    ]),
  );
  assert.deepEqual(
    [-5, 9, 10, 25, 30, 1e9].map((at) => firstEndingAfter(index, 0, at)),
    [0, 0, 1, 1, 2, 2],
  );
});

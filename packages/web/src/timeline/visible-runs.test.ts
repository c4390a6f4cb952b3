import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IntervalIndex, indexIntervals } from './interval-index.ts';
import { fewIntervals } from './testing/few-intervals.ts';
import { madeRandom, madeTimeline } from './testing/made-timeline.ts';
import { visibleRuns } from './visible-runs.ts';

interface Drawn {
  readonly intervals: number[];
  readonly runs: { first: number; count: number; from: number; to: number }[];
}

function drawn(index: IntervalIndex, row: number, from: number, to: number, pixel: number): Drawn {
  const found: Drawn = { intervals: [], runs: [] };
  visibleRuns(index, row, from, to, pixel, {
    interval: (place) => void found.intervals.push(place),
    run: (first, count, from, to) => void found.runs.push({ first, count, from, to }),
  });
  return found;
}

test('intervals that can be seen are drawn one by one', () => {
  const index = indexIntervals(
    fewIntervals([
      [0, 0, 10],
      [0, 12, 30],
      [0, 40, 50],
    ]),
  );
  assert.deepEqual(drawn(index, 0, 0, 100, 1), { intervals: [0, 1, 2], runs: [] });
});

test('intervals below a pixel that touch become a run', () => {
  const index = indexIntervals(
    fewIntervals([
      [0, 0, 1],
      [0, 2, 3],
      [0, 4, 5],
      [0, 40, 60],
      [0, 61, 62],
    ]),
  );
  assert.deepEqual(drawn(index, 0, 0, 100, 10), {
    intervals: [3, 4],
    runs: [{ first: 0, count: 3, from: 0, to: 5 }],
  });
});

test('whatever is visible is drawn once, and at most as often as there are pixels', () => {
  const seed = Math.floor(Math.random() * 1e9);
  const random = madeRandom(seed);
  const index = indexIntervals(madeTimeline({ intervals: 20_000, lanes: 3, depth: 2, from: 0, to: 1e9, seed }));
  for (let turn = 0; turn < 200; turn++) {
    const row = Math.floor(random() * (index.rowStarts.length - 1));
    const from = random() * 1e9;
    const to = from + 1e9 * random() ** 4;
    const pixel = (to - from) / 500;
    const { intervals, runs } = drawn(index, row, from, to, pixel);
    const times = new Map<number, number>();
    const count = (place: number) => times.set(place, (times.get(place) ?? 0) + 1);
    for (const place of intervals) count(place);
    for (const { first, count: many, from: runFrom, to: runTo } of runs)
      for (let place = first; place < first + many; place++) {
        count(place);
        assert.ok(
          index.end[place]! - index.start[place]! < pixel,
          `seed ${seed}: a run has only what is below a pixel`,
        );
        assert.ok(index.start[place]! >= runFrom && index.end[place]! <= runTo, `seed ${seed}: a run covers all of it`);
      }
    for (let place = index.rowStarts[row]!; place < index.rowStarts[row + 1]!; place++) {
      if (index.end[place]! <= from || index.start[place]! > to) continue;
      assert.equal(times.get(place), 1, `seed ${seed}, turn ${turn}, place ${place}`);
    }
    assert.ok(intervals.length + runs.length <= 2 * 500 + 4, `seed ${seed}: ${intervals.length} and ${runs.length}`);
  }
});

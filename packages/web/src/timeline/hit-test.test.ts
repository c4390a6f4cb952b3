import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalAt } from './hit-test.ts';
import { indexIntervals } from './interval-index.ts';
import { layOutLanes, rowTop } from './lane-layout.ts';
import { fewIntervals } from './testing/few-intervals.ts';
import { madeRandom, madeTimeline } from './testing/made-timeline.ts';

test('what is under a point is what a look at every interval finds', () => {
  const seed = Math.floor(Math.random() * 1e9);
  const random = madeRandom(seed);
  const index = indexIntervals(madeTimeline({ intervals: 3_000, lanes: 20, depth: 4, from: 0, to: 1e8, seed }));
  const layout = layOutLanes(index.laneRows);
  for (let turn = 0; turn < 2_000; turn++) {
    const row = Math.floor(random() * (index.rowStarts.length - 1));
    const y = rowTop(layout, index.laneRows, index.rowLane[row]!, row) + 2;
    const at = random() * 1e8;
    let expected = -1;
    for (let place = 0; place < index.count; place++)
      if (index.rowOf[place] === row && index.start[place]! <= at && index.end[place]! > at) expected = place;
    assert.equal(
      intervalAt(index, layout, { at, y, slack: 0, openUntil: 1e8 }),
      expected,
      `seed ${seed}, turn ${turn}`,
    );
  }
});

test('a pointer that misses a short interval a little hits it, and the nearest of two', () => {
  const index = indexIntervals(
    fewIntervals([
      [0, 100, 101],
      [0, 106, 107],
    ]),
  );
  const layout = layOutLanes(index.laneRows);
  const hit = (at: number, slack = 4) => intervalAt(index, layout, { at, y: 5, slack, openUntil: 1000 });
  assert.deepEqual([hit(98), hit(103), hit(105), hit(112), hit(103, 1)], [0, 0, 1, -1, -1]);
});

test('what lasts is hit only as far as it is known to last', () => {
  const index = indexIntervals(fewIntervals([[0, 100, null]]));
  const layout = layOutLanes(index.laneRows);
  const hit = (at: number) => intervalAt(index, layout, { at, y: 5, slack: 0, openUntil: 500 });
  assert.deepEqual([hit(400), hit(600)], [0, -1]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laneAt, layOutLanes, rowAt, rowTop } from './lane-layout.ts';

const laneRows = Int32Array.from([0, 1, 4, 104]);
const layout = layOutLanes(laneRows);

test('a lane is as high as its rows, and many rows are low', () => {
  assert.deepEqual([...layout.tops], [0, 24, 82, 486]);
  assert.deepEqual([...layout.rowHeights], [18, 18, 4]);
  assert.equal(layout.height, 486);
});

test('every pixel belongs to the lane that is drawn there', () => {
  for (let y = 0; y < layout.height; y++) {
    const lane = laneAt(layout, y);
    assert.ok(layout.tops[lane]! <= y && y < layout.tops[lane + 1]!, `${y}`);
  }
  assert.equal(laneAt(layout, -1), -1);
  assert.equal(laneAt(layout, layout.height), -1);
});

test('the row under a point is the one that is drawn there', () => {
  for (const [lane, row] of [
    [0, 0],
    [1, 1],
    [1, 3],
    [2, 4],
    [2, 103],
  ] as const)
    assert.equal(rowAt(layout, laneRows, rowTop(layout, laneRows, lane, row) + 1), row);
  assert.equal(rowAt(layout, laneRows, 0), -1, 'the space above rows is of none');
});

test('no lanes have no height', () => {
  const none = layOutLanes(Int32Array.from([0]));
  assert.equal(none.height, 0);
  assert.equal(laneAt(none, 0), -1);
});

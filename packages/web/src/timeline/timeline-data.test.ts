import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetAt } from './point-target.ts';
import { cellsWithin, countWithin, placesWithin } from './table-rows.ts';
import { fewIntervals } from './testing/few-intervals.ts';
import { firstCell, timelineData } from './timeline-data.ts';

const density = { bucketMs: 100, lane: [1, 0, 0], bucket: [3, 4, 1], count: [7, 5, 2] };
const counted = () => timelineData(fewIntervals([[1, 0, 10]], { detail: 'density', density }));

test('counts are in order of lanes and buckets, whatever the order of the document', () => {
  const { density: found } = counted();
  assert.deepEqual([...found!.laneStarts], [0, 2, 3]);
  assert.deepEqual([...found!.count], [2, 5, 7]);
  assert.equal(found!.most, 7);
  assert.deepEqual(
    [0, 1.5, 2, 4.5, 5].map((bucket) => firstCell(found!, 0, bucket)),
    [0, 0, 1, 1, 2],
  );
});

test('what lasts is drawn as far as somebody watched', () => {
  const watched = { from: null, to: '1970-01-01T00:00:00.700Z', gaps: [] };
  assert.equal(timelineData(fewIntervals([[0, 0, null]], { coverage: watched })).openUntil, 700);
});

test('lanes of one name differ by the first letters of the UIDs, and the others keep their names', () => {
  const pods = ['f54466fe-1', 'a1b2c3d4-2', 'x'].map((id, i) => ({
    ...{ id, label: i < 2 ? 'db-0' : 'db-1', namespace: 'data', kind: 'Pod' },
  }));
  assert.deepEqual(
    timelineData(fewIntervals([[0, 0, 10]], { lanes: pods })).document.lanes.map(({ label }) => label),
    ['db-0 (f54466fe)', 'db-0 (a1b2c3d4)', 'db-1'],
  );
});

test('the workloads with most pods are named with the colours of their bars', () => {
  const data = timelineData(fewIntervals([[0, 0, 10]]));
  const [first] = data.workloads;
  assert.equal(first?.name, 'shop/web');
  assert.equal(first?.series, data.series[0]);
});

test('a gap that goes on has no end', () => {
  const gap = { from: '1970-01-01T00:00:00.500Z', to: null, reason: 'not-watching' as const };
  const data = timelineData(fewIntervals([[0, 0, 10]], { coverage: { from: null, to: null, gaps: [gap] } }));
  assert.deepEqual(data.gaps, [{ from: 500, to: Number.POSITIVE_INFINITY, reason: 'not-watching' }]);
  const target = targetAt(data, { place: -1, at: 900, lane: 0, isHeader: false });
  assert.equal(target?.kind, 'gap');
});

test('under the pointer is an interval, a count of a lane, or how many came and left', () => {
  const data = counted();
  const none = { ...data, gaps: [] };
  assert.deepEqual(targetAt(none, { place: 3, at: 0, lane: 0, isHeader: false }), { kind: 'interval', place: 3 });
  assert.deepEqual(targetAt(none, { place: -1, at: 450, lane: 0, isHeader: false }), {
    ...{ kind: 'count', lane: 0, count: 5, from: 400, to: 500 },
  });
  assert.equal(targetAt(none, { place: -1, at: 250, lane: 0, isHeader: false }), undefined);
  assert.equal(targetAt(none, { place: -1, at: 450, lane: -1, isHeader: true })?.kind, 'moves');
  assert.equal(targetAt(none, { place: -1, at: 1e9, lane: -1, isHeader: true }), undefined);
});

test('a table has what the time in view has, lane by lane', () => {
  const data = timelineData(
    fewIntervals([
      [0, 0, 100],
      [0, 50, 300],
      [0, 150, 160],
      [1, 200, null],
      [1, 900, 950],
    ]),
  );
  const starts = (from: number, to: number) =>
    Array.from(placesWithin(data.index, { from, to }), (place) => data.index.start[place]);
  assert.deepEqual(starts(0, 800), [0, 50, 150, 200]);
  assert.deepEqual(starts(120, 155), [50, 150]);
  for (const [from, to] of [
    [0, 800],
    [120, 155],
    [0, 0],
    [100, 1_000],
  ] as const)
    assert.equal(countWithin(data.index, { from, to }), starts(from, to).length);
  assert.deepEqual([...cellsWithin(counted(), { from: 150, to: 401 })], [0, 1, 2]);
  assert.deepEqual([...cellsWithin(counted(), { from: 250, to: 390 })], [2]);
});

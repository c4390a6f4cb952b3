import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectorsOf, type TimelineMove } from './connectors.ts';
import { fewIntervals } from './testing/few-intervals.ts';
import { timelineData } from './timeline-data.ts';

const move = (uid: string, successor: string | null): TimelineMove => ({
  ...{ at: '2026-11-15T10:00:00Z', uid, cause: 'Evicted', certainty: 'certain', sentence: '' },
  successor: successor === null ? null : { uid: successor, certain: true },
});

test('a line goes from the last interval of who left to the first of who came', () => {
  const document = fewIntervals([
    [0, 0, 10],
    [0, 20, 30],
    [1, 35, 40],
    [1, 50, 60],
  ]);
  const twice = { ...document, intervals: { ...document.intervals, holder: [0, 0, 1, 1] } };
  const data = timelineData(twice);
  const [found] = connectorsOf(data, [move('uid-0', 'uid-1')]);
  assert.equal(data.index.start[found!.from], 20);
  assert.equal(data.index.start[found!.to], 35);
  assert.equal(found!.family.name, 'Moved by the cluster');
});

test('who is not in a lane has no line, and who has no successor only a shape', () => {
  const data = timelineData(fewIntervals([[0, 0, 10]]));
  assert.deepEqual(connectorsOf(data, [move('elsewhere', 'uid-0')]), []);
  assert.deepEqual(
    connectorsOf(data, [move('uid-0', 'elsewhere'), move('uid-0', null)]).map(({ to }) => to),
    [-1, -1],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fewIntervals } from '../../timeline/testing/few-intervals.ts';
import { timelineData } from '../../timeline/timeline-data.ts';
import { chooseZone } from '../../times/zone.ts';
import { trailCsv } from './trail-csv.ts';
import { trailSummary } from './trail-summary.ts';

const data = timelineData(
  fewIntervals([
    [0, 0, 100],
    [0, 200, null],
  ]),
);
const move = { at: '', uid: 'uid-0', cause: 'Evicted', certainty: 'certain', sentence: '', successor: null };

test('every interval in view is a row with absolute times, bounds and cause', () => {
  const [header, first, second, rest] = trailCsv(data, { from: 0, to: 1_000 }, [move, { ...move, uid: 'uid-1' }]).split(
    '\r\n',
  );
  assert.match(header!, /^lane,kind,namespace,name,uid,node,workload,ip,start,start_not_before,/);
  assert.match(first!, /^node-0000,Pod,shop,pod-0,uid-0,node-a,Deployment\/web,,1970-01-01T00:00:00.000Z,/);
  assert.match(first!, /,1970-01-01T00:00:00.100Z,Evicted,certain$/);
  assert.match(second!, /,,,,,$/, 'what lasts has no end and no cause');
  assert.equal(rest, '');
});

test('the summary says what is shown, and where nobody watched', () => {
  chooseZone('UTC');
  assert.equal(
    trailSummary(data, { from: 0, to: 1_000 }),
    'Timeline from 1970-01-01 00:00:00 to 1970-01-01 00:00:01 UTC: 2 intervals in 1 lane. Nobody watched once. ' +
      'The button Table shows the same as a table.',
  );
});

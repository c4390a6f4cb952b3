import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseZone } from '../times/zone.ts';
import { intervalSentence, intervalWords, laneName } from './interval-text.ts';
import { fewIntervals } from './testing/few-intervals.ts';
import { timelineData } from './timeline-data.ts';

chooseZone('UTC');

test('an interval is a sentence with who, where, from when, how long and why', () => {
  const data = timelineData(fewIntervals([[0, 0, 90_000]]));
  assert.equal(
    intervalSentence(intervalWords(data, 0)!, 'NodeUnreachable'),
    'shop/pod-0 on node-a, from 1970-01-01 00:00:00 to 1970-01-01 00:01:30, 1 min 30 s, node unreachable, UTC. ' +
      'Lane node-0000.',
  );
});

test('what lasts is still there, and bounds are said only where there are some', () => {
  const document = fewIntervals([[0, 5_000, null]]);
  const { intervals } = document;
  const words = intervalWords(timelineData(document), 0)!;
  assert.deepEqual([words.end, words.startBounds, words.endBounds], [null, '', '']);
  assert.match(intervalSentence(words), /still there/);
  const loose = { ...document, intervals: { ...intervals, startEarlier: [1_000] } };
  assert.equal(
    intervalWords(timelineData(loose), 0)!.startBounds,
    'between 1970-01-01 00:00:04.000 and 1970-01-01 00:00:05.000',
  );
  const open = { ...document, intervals: { ...intervals, startLater: [null] } };
  assert.equal(intervalWords(timelineData(open), 0)!.startBounds, 'not before 1970-01-01 00:00:05.000');
});

test('a lane has its namespace before its name, once', () => {
  assert.equal(laneName({ id: 'a', label: 'cart', namespace: 'shop', kind: 'Deployment' }), 'shop/cart');
  assert.equal(laneName({ id: 'a', label: 'shop/cart', namespace: 'shop', kind: 'Pod' }), 'shop/cart');
  assert.equal(laneName({ id: 'a', label: '10.0.0.7', namespace: null, kind: null }), '10.0.0.7');
});

test('a place that is not there has no words', () => {
  assert.equal(intervalWords(timelineData(fewIntervals([[0, 0, 1]])), 5), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseZone } from '../times/zone.ts';
import { markParts, markSentence, type TimeMark } from './time-mark.ts';

const mark = (changes: Partial<TimeMark> = {}): TimeMark => ({
  label: 'shop/web-1',
  start: 20,
  startNotBefore: 10,
  startNotAfter: 20,
  end: 50,
  endNotBefore: 50,
  endNotAfter: 60,
  kind: 'holder',
  ...changes,
});
const bar = { from: 0, to: 100 };

test('what is certain lies between the bounds', () => {
  assert.deepEqual(markParts(mark(), bar), {
    certain: { from: 20, to: 50 },
    maybe: [
      { from: 10, to: 20 },
      { from: 50, to: 60 },
    ],
  });
});

test('a stay that goes on is certain to the end of the bar', () => {
  const parts = markParts(mark({ end: null, endNotBefore: null, endNotAfter: null }), bar);
  assert.deepEqual(parts, { certain: { from: 20, to: 100 }, maybe: [{ from: 10, to: 20 }] });
});

test('where the bounds of both edges overlap nothing is certain', () => {
  const parts = markParts(mark({ startNotAfter: 55, endNotBefore: 15 }), bar);
  assert.deepEqual(parts, { certain: null, maybe: [{ from: 10, to: 60 }] });
});

test('what is outside of the bar is cut off', () => {
  assert.deepEqual(markParts(mark(), { from: 30, to: 40 }), { certain: { from: 30, to: 40 }, maybe: [] });
  assert.deepEqual(markParts(mark(), { from: 70, to: 90 }), { certain: null, maybe: [] });
});

test('the sentence says bounds only where there are some', () => {
  chooseZone('UTC');
  const start = Date.parse('2026-11-15T10:00:00Z');
  const exact = { start, startNotBefore: start, startNotAfter: start };
  assert.equal(
    markSentence(mark({ ...exact, end: null, endNotBefore: null, endNotAfter: null, kind: 'rival' })),
    'may have been instead: shop/web-1, from 2026-11-15 10:00:00, still there, UTC',
  );
  assert.match(
    markSentence(mark({ ...exact, end: start + 5000, endNotBefore: start + 4000, endNotAfter: start + 6000 })),
    /to between 2026-11-15 10:00:04 and 2026-11-15 10:00:06, UTC$/,
  );
});

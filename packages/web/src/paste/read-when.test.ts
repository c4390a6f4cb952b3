import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantsInZone } from '../times/zone.ts';
import { readWhen } from './read-when.ts';

const now = Date.UTC(2026, 10, 19, 20, 10);
const clock = { now, inZone: (wall: string, name = 'Europe/Berlin') => instantsInZone(wall, name) };
const read = (typed: string, day?: string) => {
  const at = readWhen(typed, day, clock);
  return at === undefined ? undefined : new Date(at).toISOString().replace('.000', '');
};

test('the field takes what the URL takes, and times as logs write them', () => {
  for (const [typed, at] of [
    ['6h', '2026-11-19T14:10:00Z'],
    ['1795107851', '2026-11-19T17:04:11Z'],
    ['2026-11-19 17:04', '2026-11-19T16:04:00Z'],
    ['2026-11-19T17:04:11Z', '2026-11-19T17:04:11Z'],
    ['2026-11-19 11:04:11 EST', '2026-11-19T16:04:11Z'],
    ['12:04 America/New_York', '2026-11-19T17:04:00Z'],
    ['20261119T160411Z', '2026-11-19T16:04:11Z'],
    ['19/Nov/2026:17:04:11 +0000', '2026-11-19T17:04:11Z'],
    ['19.11.2026 17:04', '2026-11-19T16:04:00Z'],
    ['5 Nov 17:04', '2026-11-05T16:04:00Z'],
    ['[Nov 19 17:04:11]', '2026-11-19T16:04:11Z'],
    ['Nov 15, 2026 @ 11:05:00.000', '2026-11-15T10:05:00Z'],
    ['10:05', '2026-11-19T09:05:00Z'],
  ] as const)
    assert.equal(read(typed), at, typed);
});

test('what is not understood to its end is no time: the rest may be another day, or a zone', () => {
  for (const typed of [
    ...[
      '11/09/2026 17:04:11',
      '17:04 on Monday',
      'yesterday 17:04',
      '2026-11-19 17:04 MEZ',
      '17:04 CST',
      'seq 1794000000',
    ],
    ...['2026-02-30 10:05:00', '2026-11-31T10:05:00Z', '2026-11-31 10:05', '25:00', 'soon', '', '10:05 and 11:05'],
    // The clocks of Berlin showed the first twice, and the second never.
    ...['2026-10-25 02:30:00', '2026-03-29 02:30:00'],
  ])
    assert.equal(read(typed), undefined, typed);
});

test('a time of day alone is one of the day that the text is about', () => {
  assert.equal(read('10:00', '2026-11-15'), '2026-11-15T09:00:00Z');
  assert.equal(read('10:00Z', '2026-11-15'), '2026-11-15T10:00:00Z');
  assert.equal(read('2026-11-16 10:00', '2026-11-15'), '2026-11-16T09:00:00Z');
  assert.equal(read('11/09/2026 10:00', '2026-11-15'), undefined);
});

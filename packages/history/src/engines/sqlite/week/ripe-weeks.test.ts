import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { NOT_KNOWN_YET } from '../../../model/time.ts';
import type { ClusterEntry, Head } from '../head/head.ts';
import { ripeWeeks } from './ripe-weeks.ts';
import { WEEK_MS, weekOf, weekStart } from './week.ts';

const WEEK = weekOf(Date.UTC(2026, 10, 4));
const END = weekStart(WEEK) + WEEK_MS;
const HOUR = 3_600_000;

/** So many closed records of the week in the head, beside a file of so many. */
function asked(inHead: number, inFile: number, now: number, lastUntil = END - HOUR): number[] {
  const db = new DatabaseSync(':memory:');
  db.exec(
    'CREATE TABLE tenure (cluster INTEGER, until INTEGER); CREATE TABLE placement (cluster INTEGER, until INTEGER)',
  );
  const insert = db.prepare('INSERT INTO tenure VALUES (1, ?)');
  for (let i = 0; i < inHead; i++) insert.run(lastUntil + i);
  const weeks = inFile === 0 ? [] : [{ week: WEEK, tenures: inFile, placements: 0 }];
  return ripeWeeks({ db } as unknown as Head, { number: 1, weeks } as unknown as ClusterEntry, now, 500);
}

test('a week that goes on is written when enough has ended, and again when that is a fifth of its file', () => {
  assert.deepEqual(asked(499, 0, END - HOUR), []);
  assert.deepEqual(asked(500, 0, END - HOUR), [WEEK]);
  assert.deepEqual(asked(1999, 10_000, END - HOUR), []);
  assert.deepEqual(asked(2000, 10_000, END - HOUR), [WEEK]);
});

test('a week that is over is written with whatever there is; what comes late waits until it is worth it, or for a day', () => {
  assert.deepEqual(asked(1, 0, END + HOUR), [WEEK]);
  assert.deepEqual(asked(1999, 10_000, END + 2 * HOUR), []);
  assert.deepEqual(asked(1999, 10_000, END + 24 * HOUR), [WEEK], 'no fifth stays in the head for ever');
  assert.deepEqual(asked(499, 10_000, END + 24 * HOUR), [], 'a handful is not worth a file');
});

test('records whose end is not bounded yet are never written to a file, however many there are', () => {
  assert.deepEqual(asked(5000, 0, END + HOUR, NOT_KNOWN_YET), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offsetOf } from '../times/zone.ts';
import { tickText, timeTicks } from './time-ticks.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const offsetIn = (zone: string) => (at: number) => offsetOf(at, zone);
const texts = (from: string, to: string, most: number, zone: string) => {
  const { step, at: ticks } = timeTicks(at(from), at(to), most, offsetIn(zone));
  return ticks.map((tick) => tickText(tick, step, zone));
};

test('ticks are at round times of the reader, and no more than asked for', () => {
  assert.deepEqual(texts('2026-11-15T10:01:00Z', '2026-11-15T16:01:00Z', 7, 'UTC'), [
    ...['11:00', '12:00', '13:00', '14:00', '15:00', '16:00'],
  ]);
  assert.deepEqual(texts('2026-11-15T10:00:00Z', '2026-11-15T12:00:00Z', 3, 'Asia/Kolkata'), ['16:00', '17:00']);
  for (const span of [7, 950, 61_000, HOUR, 30 * HOUR, 400 * 24 * HOUR]) {
    const { at: ticks } = timeTicks(0, span, 6, () => 0);
    assert.ok(ticks.length >= 1 && ticks.length <= 6, `${span}: ${ticks.length}`);
  }
});

test('midnight shows the day', () => {
  assert.deepEqual(texts('2026-11-15T22:30:00Z', '2026-11-16T01:30:00Z', 4, 'UTC'), ['23:00', '11-16', '01:00']);
});

test('ticks go on at round hours where summer time ends and begins', () => {
  assert.deepEqual(texts('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', 9, 'Europe/Berlin'), [
    ...['18:00', '10-25', '06:00', '12:00', '18:00', '10-26', '06:00', '12:00'],
  ]);
  assert.deepEqual(texts('2026-03-28T23:30:00Z', '2026-03-29T03:30:00Z', 6, 'Europe/Berlin'), [
    ...['01:00', '03:00', '04:00', '05:00'],
  ]);
});

test('days that may be of another year have it', () => {
  assert.deepEqual(texts('2025-11-15T00:00:00Z', '2026-11-15T00:00:00Z', 4, 'UTC'), [
    ...['2026-02-16', '2026-06-08', '2026-09-28'],
  ]);
});

test('weeks begin on Monday', () => {
  const { step, at: ticks } = timeTicks(at('2026-11-01T00:00:00Z'), at('2026-11-30T00:00:00Z'), 6, () => 0);
  assert.equal(step, 7 * 24 * HOUR);
  assert.deepEqual(new Set(ticks.map((tick) => new Date(tick).getUTCDay())), new Set([1]));
});

test('ticks within a second show milliseconds', () => {
  assert.deepEqual(texts('2026-11-15T10:00:00.100Z', '2026-11-15T10:00:00.350Z', 4, 'UTC'), [
    ...['00:00.100', '00:00.200', '00:00.300'],
  ]);
});

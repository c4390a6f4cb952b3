import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from './parse-time.ts';
import { parseZone, UTC, type Zone } from './zone.ts';

const NOW = Date.UTC(2026, 10, 15, 10, 5, 0, 250);
const BERLIN = parseZone('Europe/Berlin') as Zone;

const READ: readonly (readonly [sentence: string, text: string, zone: Zone, expected: string])[] = [
  ['a Go duration is an age', '15m', UTC, '2026-11-15T09:50:00.250Z'],
  ['durations have parts', '1h30m', UTC, '2026-11-15T08:35:00.250Z'],
  ['durations have fractions', '1.5h', UTC, '2026-11-15T08:35:00.250Z'],
  ['milliseconds are milliseconds and not minutes', '250ms', UTC, '2026-11-15T10:05:00.000Z'],
  ['microseconds round', '1500us', UTC, '2026-11-15T10:05:00.248Z'],
  ['a duration of nothing is now', '0s', UTC, '2026-11-15T10:05:00.250Z'],
  ['an age may say ago', '15m ago', UTC, '2026-11-15T09:50:00.250Z'],
  ['blanks around do not matter', '  15m ago ', UTC, '2026-11-15T09:50:00.250Z'],
  ['now', 'now', UTC, '2026-11-15T10:05:00.250Z'],
  ['a day is 24 hours', '1d', UTC, '2026-11-14T10:05:00.250Z'],
  ['a day is 24 hours, also when clocks are set', '30d ago', BERLIN, '2026-10-16T10:05:00.250Z'],
  ['days and hours', '1d12h', UTC, '2026-11-13T22:05:00.250Z'],
  ['RFC 3339 in UTC', '2026-11-15T10:05:00Z', UTC, '2026-11-15T10:05:00.000Z'],
  ['RFC 3339 in small letters', '2026-11-15t10:05:00z', UTC, '2026-11-15T10:05:00.000Z'],
  ['RFC 3339 with an offset, whatever the zone', '2026-11-15T10:05:00+02:00', BERLIN, '2026-11-15T08:05:00.000Z'],
  ['RFC 3339 with an offset to the west', '2026-11-15T10:05:00-05:30', UTC, '2026-11-15T15:35:00.000Z'],
  ['a fraction is cut, not rounded', '2026-11-15T10:05:00.999999999Z', UTC, '2026-11-15T10:05:00.999Z'],
  ['a short fraction', '2026-11-15T10:05:00.5Z', UTC, '2026-11-15T10:05:00.500Z'],
  ['a blank instead of T', '2026-11-15 10:05:00', UTC, '2026-11-15T10:05:00.000Z'],
  ['a date is its first instant', '2026-11-15', UTC, '2026-11-15T00:00:00.000Z'],
  ['a date in a zone', '2026-11-15', BERLIN, '2026-11-14T23:00:00.000Z'],
  ['minutes are enough', '2026-11-15T10:05', UTC, '2026-11-15T10:05:00.000Z'],
  ['a time without zone is of the zone, in winter', '2026-11-15T10:05:00', BERLIN, '2026-11-15T09:05:00.000Z'],
  ['a time without zone is of the zone, in summer', '2026-07-15T10:05:00', BERLIN, '2026-07-15T08:05:00.000Z'],
  ['a leap day', '2028-02-29', UTC, '2028-02-29T00:00:00.000Z'],
  ['epoch seconds', '1794737100', UTC, '2026-11-15T10:05:00.000Z'],
  ['epoch seconds with a fraction', '1794737100.25', UTC, '2026-11-15T10:05:00.250Z'],
  ['epoch milliseconds', '1794737100250', UTC, '2026-11-15T10:05:00.250Z'],
];

for (const [sentence, text, zone, expected] of READ) {
  test(`${sentence}: ${text}`, () => {
    const parsed = parseTime(text, NOW, zone);
    assert.ok(parsed.ok, parsed.ok ? '' : parsed.problem);
    assert.equal(new Date(parsed.at).toISOString(), expected);
  });
}

const REFUSED: readonly (readonly [sentence: string, text: string, zone: Zone, says: RegExp])[] = [
  ['nothing', '', UTC, /not a time/],
  ['words', 'yesterday', UTC, /not a time/],
  ['a fraction of a day', '1.5d', UTC, /not a time/],
  ['days behind hours', '1h1d', UTC, /not a time/],
  ['a negative age', '-15m', UTC, /not a time/],
  ['a number without unit', '15', UTC, /no unit/],
  ['microseconds since the epoch', '1794737100250000', UTC, /too large/],
  ['February 30', '2026-02-30', UTC, /does not exist in the calendar/],
  ['February 29 of a common year', '2027-02-29T10:00:00Z', UTC, /does not exist in the calendar/],
  ['hour 24', '2026-11-15T24:00', UTC, /does not exist in the calendar/],
  ['a leap second', '2026-12-31T23:59:60Z', UTC, /does not exist in the calendar/],
  ['an offset beyond a day', '2026-11-15T10:05:00+25:00', UTC, /offset that does not exist/],
  ['a date with slashes', '11/15/2026', UTC, /not a time/],
  ['a clock time alone', '10:05', UTC, /not a time/],
  ['an hour that was skipped', '2026-03-29T02:30', BERLIN, /set forward/],
  [
    'an hour that came twice',
    '2026-10-25T02:30',
    BERLIN,
    /twice.*2026-10-25T00:30:00.000Z or 2026-10-25T01:30:00.000Z/,
  ],
  ['digits with letters behind', '2026-11-15T10:05:00Zulu', UTC, /not a time/],
  ['minutes and hours in words', '15 minutes ago', UTC, /not a time/],
];

for (const [sentence, text, zone, says] of REFUSED) {
  test(`refused: ${sentence} (${text})`, () => {
    const parsed = parseTime(text, NOW, zone);
    assert.ok(!parsed.ok, parsed.ok ? new Date(parsed.at).toISOString() : '');
    assert.match(parsed.problem, says);
  });
}

test('zones are IANA names, offsets and UTC; anything else is none', () => {
  assert.equal(parseZone('UTC'), UTC);
  assert.equal(parseZone('z'), UTC);
  assert.equal(parseZone('+02:00')?.offsetAt(NOW), 120);
  assert.equal(parseZone('-0530')?.offsetAt(NOW), -330);
  assert.equal(parseZone('Asia/Kathmandu')?.offsetAt(NOW), 345);
  for (const wrong of ['Mars/Base', '+25:00', '', '+2']) assert.equal(parseZone(wrong), undefined, wrong);
});

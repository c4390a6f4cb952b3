import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseZone, instantInZone, instantsInZone, offsetOf, timeText, zonedText, zoneText } from './zone.ts';

const at = Date.UTC(2026, 10, 15, 23, 5, 9, 7);

test('an instant is shown in the zone that was chosen', () => {
  assert.equal(timeText(at, 'exact', 'UTC'), '2026-11-15 23:05:09.007');
  assert.equal(timeText(at, 'second', 'Asia/Kolkata'), '2026-11-16 04:35:09');
  assert.equal(timeText(at, 'clock', 'America/New_York'), '18:05:09');
  assert.equal(timeText(at, 'minute', 'UTC'), '23:05');
  assert.equal(timeText(at, 'day', 'Asia/Kolkata'), '11-16');
});

test('midnight is 00:00 and not 24:00', () => {
  assert.equal(timeText(Date.UTC(2026, 10, 15), 'minute', 'UTC'), '00:00');
});

test('the zone stands behind the time as its offset then', () => {
  assert.equal(zoneText(at, 'UTC'), 'UTC');
  assert.equal(zoneText(at, 'Asia/Kolkata'), '+05:30');
  assert.equal(zoneText(at, 'America/New_York'), '−05:00');
  assert.equal(zoneText(Date.UTC(2026, 6, 1), 'America/New_York'), '−04:00');
});

test('a wall time without a zone is an instant of the chosen zone, on both sides of a change of clocks', () => {
  assert.deepEqual(instantsInZone('2026-11-15 10:05:00', 'UTC'), [Date.UTC(2026, 10, 15, 10, 5)]);
  assert.deepEqual(instantsInZone('2026-11-15T10:05:00', 'Europe/Berlin'), [Date.UTC(2026, 10, 15, 9, 5)]);
  // The clocks of Berlin go back at 03:00 on 2026-10-25.
  assert.deepEqual(instantsInZone('2026-10-25 01:30:00', 'Europe/Berlin'), [Date.UTC(2026, 9, 24, 23, 30)]);
  assert.deepEqual(instantsInZone('2026-10-25 04:30:00', 'Europe/Berlin'), [Date.UTC(2026, 9, 25, 3, 30)]);
  for (const none of ['soon', '2026-02-30 10:05:00']) assert.deepEqual(instantsInZone(none, 'UTC'), [], none);
  assert.deepEqual(instantsInZone('2026-11-15T10:05:00', 'Europe/Nowhere'), []);
});

test('a wall time that clocks show twice is two instants, and one that they never show is none', (t) => {
  const twice = [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)];
  assert.deepEqual(instantsInZone('2026-10-25 02:30:00', 'Europe/Berlin'), twice);
  assert.deepEqual(instantsInZone('2026-03-29 02:30:00', 'Europe/Berlin'), []);
  // By half an hour, and in winter.
  assert.equal(instantsInZone('2026-04-05 01:45:00', 'Australia/Lord_Howe').length, 2);
  assert.equal(instantsInZone('2026-10-04 02:15:00', 'Australia/Lord_Howe').length, 0);
  chooseZone('Europe/Berlin');
  t.after(() => chooseZone('local'));
  for (const unclear of ['2026-10-25 02:30:00', '2026-03-29 02:30:00']) assert.equal(instantInZone(unclear), undefined);
  assert.equal(instantInZone('2026-11-15 10:05:00'), Date.UTC(2026, 10, 15, 9, 5));
});

test('offsets are right to the millisecond', () => {
  assert.equal(offsetOf(at, 'Asia/Kolkata'), 5.5 * 3_600_000);
  assert.equal(offsetOf(at, 'UTC'), 0);
});

test('times in a text of the server are those of the zone that was chosen', () => {
  chooseZone('Asia/Kolkata');
  assert.equal(
    zonedText('let go of it from 2026-11-15T23:05:09.007Z to 2026-11-15T23:05:10Z.'),
    'let go of it from 2026-11-16 04:35:09.007 +05:30 to 2026-11-16 04:35:10.000 +05:30.',
  );
  chooseZone('UTC');
});

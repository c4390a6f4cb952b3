import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantOfStep, stepFrom, timeSteps } from './time-steps.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const now = Date.UTC(2026, 10, 18, 12, 7);
const at = (text: string | undefined) => timeSteps(text, now);

test('without an instant it is now, at the end of the last day', () => {
  for (const text of [undefined, 'now', 'nonsense', '2027-01-01T00:00:00Z']) {
    const { from, last, step, endsNow, at: shown } = at(text);
    assert.deepEqual([step, endsNow, shown], [last, true, undefined], String(text));
    assert.equal(new Date(from).toISOString(), '2026-11-17T12:15:00.000Z');
    assert.equal(instantOfStep(at(text), last), undefined);
  }
});

test('every step but the last is a quarter of an hour that has a name', () => {
  const steps = at(undefined);
  assert.equal(instantOfStep(steps, 0), '2026-11-17T12:15:00.000Z');
  assert.equal(instantOfStep(steps, steps.last - 1), '2026-11-18T12:00:00.000Z');
});

test('an instant of the last day is where it belongs', () => {
  const steps = at('2026-11-18T11:00:00Z');
  assert.equal(instantOfStep(steps, steps.step), '2026-11-18T11:00:00.000Z');
  assert.equal(steps.at, now - HOUR - 7 * MINUTE);
});

test('an instant before the last day is in the middle of its own', () => {
  const steps = at('2026-10-01T00:00:00Z');
  assert.deepEqual([steps.endsNow, steps.step, steps.last], [false, 48, 96]);
  assert.equal(instantOfStep(steps, 96), '2026-10-01T12:00:00.000Z');
});

test('a step goes to the next quarter of an hour, up to now and no further', () => {
  const next = (text: string | undefined, by: 1 | -1) => stepFrom(at(text), by, now);
  assert.equal(next('2026-11-18T11:00:00Z', 1), '2026-11-18T11:15:00.000Z');
  assert.equal(next('2026-11-18T11:00:00Z', -1), '2026-11-18T10:45:00.000Z');
  assert.equal(next('2026-11-18T11:07:00Z', 1), '2026-11-18T11:15:00.000Z');
  assert.equal(next('2026-11-18T11:07:00Z', -1), '2026-11-18T11:00:00.000Z');
  assert.equal(next('2026-11-18T12:00:00Z', 1), undefined);
  assert.equal(next(undefined, 1), undefined);
  assert.equal(next(undefined, -1), '2026-11-18T12:00:00.000Z');
});

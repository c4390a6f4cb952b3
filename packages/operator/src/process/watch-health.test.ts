import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ReflectorState } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { WatchHealth } from './watch-health.ts';

const refused = (status: number) => {
  const error = Object.assign(Object.create(ApiError.prototype), { status, message: `answered ${status}` });
  return { kind: 'waiting', error, since: 0 } as unknown as ReflectorState;
};
const watching = { kind: 'watching', from: '1', since: 0 } as ReflectorState;

test('a watch that is refused for longer than a minute is not well, until it is open again', async () => {
  const clock = new ManualClock(0);
  const health = new WatchHealth(clock);
  health.watchChanged('namespaces', refused(403));
  await clock.advance(60_000);
  health.watchChanged('namespaces', refused(403));
  assert.deepEqual(health.check('namespaces', 1_000, false), { ok: true });
  await clock.advance(1_000);
  const reason = 'cannot be watched for 61 s: answered 403';
  assert.deepEqual(health.check('namespaces', 61_000, false), { ok: false, reason });
  health.watchChanged('namespaces', watching);
  assert.deepEqual(health.check('namespaces', 0, false), { ok: true });
});

test('a kind that is not installed is no problem; one that may not be watched is', async () => {
  const clock = new ManualClock(0);
  const health = new WatchHealth(clock);
  health.watchChanged('podtrackers', refused(404));
  health.watchChanged('podtrackerslices', refused(403));
  await clock.advance(300_000);
  assert.deepEqual(health.check('podtrackers', 300_000, true), { ok: true });
  assert.equal(health.check('podtrackerslices', undefined, true).ok, false);
});

test('a watch that is open and silent for longer than bookmarks take is not well', () => {
  const health = new WatchHealth(new ManualClock(0));
  health.watchChanged('namespaces', watching);
  assert.deepEqual(health.check('namespaces', 200_000, false), { ok: true });
  const reason = 'nothing was received for 201 s';
  assert.deepEqual(health.check('namespaces', 201_000, false), { ok: false, reason });
});

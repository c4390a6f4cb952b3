import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectionError } from './errors.ts';
import { ManualClock, settle } from './testing/manual-clock.ts';
import { within } from './within.ts';

describe('within', () => {
  test('an answer in time is passed on and leaves nothing behind', async () => {
    const clock = new ManualClock();
    assert.equal(await within(clock, 1000, undefined, async () => 7), 7);
    await assert.rejects(
      within(clock, 1000, undefined, () => Promise.reject(new Error('no'))),
      /no/,
    );
    await assert.rejects(
      within(clock, 1000, undefined, () => {
        throw new Error('at once');
      }),
      /at once/,
    );
    assert.equal(clock.pending, 0);
  });

  test('when the time is up the caller goes on, whether or not the call obeys its signal', async () => {
    const clock = new ManualClock();
    let given: AbortSignal | undefined;
    const call = within(clock, 1000, undefined, (signal) => {
      given = signal;
      return new Promise(() => {});
    });
    const refused = assert.rejects(call, (e) => e instanceof ConnectionError && e.fault === 'timeout');
    await settle();
    assert.equal(given?.aborted, false);
    await clock.advance(1000);
    await refused;
    assert.equal(given?.aborted, true);
  });

  test("the caller's signal ends it at once with its own reason", async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const call = within(clock, 1000, controller.signal, () => new Promise(() => {}));
    controller.abort(new Error('mine'));
    await assert.rejects(call, /mine/);
    assert.equal(clock.pending, 0);
    let called = false;
    const late = within(clock, 1000, controller.signal, async () => (called = true));
    await assert.rejects(late, /mine/);
    assert.equal(called, false);
  });
});

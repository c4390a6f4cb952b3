import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteadyClock } from './steady-clock.ts';

/** A wall clock that can be set, over a monotonic one that cannot. */
class SetClock {
  #monotonic = 0;
  #offset = 1_000_000;
  now = () => this.#monotonic + this.#offset;
  monotonic = () => this.#monotonic;
  setTimer = () => ({ cancel: () => {} });

  pass(ms: number): void {
    this.#monotonic += ms;
  }

  set(ms: number): void {
    this.#offset += ms;
  }
}

test('time passes as on the wall, and a little drift is no doubt', () => {
  const clock = new SetClock();
  const steady = new SteadyClock(clock, 0);
  clock.pass(500);
  clock.set(40);
  assert.equal(steady.now(), 1_000_540);
  assert.equal(steady.doubt, undefined);
});

test('fault 21: a clock that is set ahead is believed at once, and doubted until it has gone on evenly for a minute', () => {
  const clock = new SetClock();
  const steady = new SteadyClock(clock, 0);
  clock.set(3_600_000);
  assert.equal(steady.now(), 4_600_000);
  assert.equal(steady.doubt, 'the clock of this machine has jumped by 3600 s');
  clock.pass(59_000);
  steady.now();
  assert.notEqual(steady.doubt, undefined);
  clock.pass(1_000);
  steady.now();
  assert.equal(steady.doubt, undefined);
});

test('fault 21: a clock that is set back stands still, and is doubted until it has caught up', () => {
  const clock = new SetClock();
  const steady = new SteadyClock(clock, 0);
  assert.equal(steady.now(), 1_000_000);
  clock.set(-3_600_000);
  assert.equal(steady.now(), 1_000_000, 'never back');
  assert.match(steady.doubt ?? '', /3600 s behind/);
  clock.pass(3_000_000);
  steady.now();
  assert.match(steady.doubt ?? '', /600 s behind/);
  clock.pass(600_000);
  assert.equal(steady.now(), 1_000_000);
  assert.equal(steady.doubt, undefined);
});

test('a store that was written by a clock ahead of ours is doubted as long as that is so', () => {
  const clock = new SetClock();
  const steady = new SteadyClock(clock, 1_100_000);
  assert.equal(steady.now(), 1_100_000);
  assert.match(steady.doubt ?? '', /100 s behind/);
});

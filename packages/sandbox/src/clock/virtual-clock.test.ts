import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from './random.ts';
import { VirtualClock } from './virtual-clock.ts';
import type { Wall } from './wall.ts';

/** A machine whose time is moved by hand. */
class HandWall implements Wall {
  time = 0;
  #waits: { readonly at: number; readonly act: () => void }[] = [];
  breaths = 0;

  now(): number {
    return this.time;
  }

  after(ms: number, act: () => void): () => void {
    const wait = { at: this.time + ms, act };
    this.#waits.push(wait);
    return () => {
      this.#waits = this.#waits.filter((other) => other !== wait);
    };
  }

  async breathe(): Promise<void> {
    this.breaths++;
    this.time += 10;
  }

  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const next = this.#waits.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#waits = this.#waits.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.act();
    }
    this.time = end;
  }

  get waiting(): number {
    return this.#waits.length;
  }
}

test('timers run in the order of their times, then of their setting, at their own times', () => {
  const clock = new VirtualClock(1000);
  const seen: string[] = [];
  clock.at(1020, () => seen.push(`b@${clock.now()}`));
  clock.at(1010, () => seen.push(`a@${clock.now()}`));
  clock.at(1020, () => seen.push(`c@${clock.now()}`));
  clock.at(1015, () => clock.in(2, () => seen.push(`nested@${clock.now()}`)));
  clock.at(1016, () => seen.push('never')).cancel();
  clock.advanceTo(1019);
  assert.deepEqual(seen, ['a@1010', 'nested@1017']);
  assert.equal(clock.now(), 1019);
  clock.advanceBy(100);
  assert.deepEqual(seen, ['a@1010', 'nested@1017', 'b@1020', 'c@1020']);
});

test('a thousand timers set at random come out sorted', () => {
  const clock = new VirtualClock(0);
  const random = new SeededRandom(7);
  const seen: number[] = [];
  const times = Array.from({ length: 1000 }, () => random.between(0, 300));
  for (const [order, time] of times.entries()) clock.at(time, () => seen.push(time * 1000 + order));
  clock.advanceTo(300);
  assert.deepEqual(
    seen,
    times.map((time, order) => time * 1000 + order).sort((a, b) => a - b),
  );
});

test('an act cannot advance the clock that runs it', () => {
  const clock = new VirtualClock(0);
  clock.at(5, () => clock.advanceTo(10));
  assert.throws(() => clock.advanceTo(7), /set a timer instead/);
  clock.advanceTo(8);
  assert.equal(clock.now(), 8);
});

test('a fast run lets others work between slices, and waits for those who ask it to', async () => {
  const wall = new HandWall();
  const clock = new VirtualClock(0, wall);
  let ticks = 0;
  const tick = (): void => {
    ticks++;
    wall.time += 0.1;
    clock.in(1, tick);
  };
  clock.in(1, tick);
  let held = 0;
  await clock.runUntil(1000, { sliceMs: 5, onSlice: async () => void held++ });
  assert.equal(ticks, 1000);
  assert.equal(clock.now(), 1000);
  assert.ok(wall.breaths >= 8, `${wall.breaths} breaths`);
  assert.equal(held, wall.breaths);
});

test('a fast run reaches a target that moves on, and goes over into real time without a step', async () => {
  const wall = new HandWall();
  wall.time = 100_000;
  const clock = new VirtualClock(10_000, wall);
  await clock.runUntil(() => wall.now());
  assert.equal(clock.now(), 100_000);
  assert.equal(wall.now(), 100_010);
  const stop = clock.follow({ from: wall.now() });
  assert.equal(clock.now(), 100_010);
  const seen: number[] = [];
  clock.in(250, () => seen.push(clock.now()));
  wall.pass(249);
  assert.deepEqual(seen, []);
  wall.pass(1);
  assert.deepEqual(seen, [wall.now()]);
  stop();
  assert.equal(wall.waiting, 0);
});

test('a clock that is ahead of the time it shall follow stands still until that time has reached it', () => {
  const wall = new HandWall();
  wall.time = 1_000;
  const clock = new VirtualClock(1_300, wall);
  const seen: number[] = [];
  clock.follow({ from: wall.now() });
  clock.in(50, () => seen.push(clock.now()));
  wall.pass(299);
  assert.equal(clock.now(), 1_300);
  wall.pass(1);
  assert.equal(clock.now(), wall.now());
  wall.pass(50);
  assert.deepEqual([seen, clock.now() - wall.now()], [[1_350], 0]);
  clock.stop();
});

test('following at ten times the speed, a timer that is set later but due sooner is not missed', () => {
  const wall = new HandWall();
  const clock = new VirtualClock(0, wall);
  clock.follow({ speed: 10 });
  const seen: string[] = [];
  clock.in(50_000, () => seen.push('late'));
  wall.pass(10);
  assert.equal(clock.now(), 100);
  clock.in(200, () => seen.push(`soon@${clock.now()}`));
  wall.pass(20);
  assert.deepEqual(seen, ['soon@300']);
  wall.pass(5000);
  assert.deepEqual(seen, ['soon@300', 'late']);
  clock.stop();
  wall.pass(100);
  assert.equal(clock.now(), 50_300);
});

test('an act that throws while time follows the machine is reported, and time goes on', () => {
  const wall = new HandWall();
  const clock = new VirtualClock(0, wall);
  const errors: unknown[] = [];
  clock.follow({ onError: (error) => errors.push(error) });
  let after = false;
  clock.in(10, () => {
    throw new Error('broken');
  });
  clock.in(20, () => {
    after = true;
  });
  wall.pass(30);
  assert.match(String(errors), /broken/);
  assert.equal(after, true);
  clock.stop();
});

test('the same seed draws the same numbers, and a fork does not disturb its origin', () => {
  const draw = (random: SeededRandom): unknown[] => [random.next(), random.between(1, 6), random.suffix(5)];
  assert.deepEqual(draw(new SeededRandom(42)), draw(new SeededRandom(42)));
  assert.notDeepEqual(draw(new SeededRandom(42)), draw(new SeededRandom(43)));
  const one = new SeededRandom(1);
  const fork = one.fork();
  const expected = new SeededRandom(1);
  expected.fork();
  fork.next();
  assert.equal(one.next(), expected.next());
});

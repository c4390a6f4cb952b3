import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../random.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import {
  bucketLimiter,
  controllerRateLimiter,
  exponentialLimiter,
  fastSlowLimiter,
  maxOf,
  type RateLimiter,
  slowAfter,
  withJitter,
  withMaxWait,
} from './rate-limiter.ts';
import { TokenBucket } from './token-bucket.ts';

const delays = (limiter: RateLimiter<string>, item: string, count: number) =>
  Array.from({ length: count }, () => limiter.delayFor(item));

describe('rate limiters', () => {
  test('the exponential limiter doubles per item and starts over when forgotten', () => {
    const limiter = exponentialLimiter<string>(1, 1000);
    assert.deepEqual(delays(limiter, 'one', 5), [1, 2, 4, 8, 16]);
    assert.equal(limiter.requeues('one'), 5);
    assert.deepEqual(delays(limiter, 'two', 2), [1, 2]);
    assert.equal(limiter.requeues('two'), 2);
    limiter.forget('one');
    assert.equal(limiter.requeues('one'), 0);
    assert.equal(limiter.delayFor('one'), 1);
  });

  test('the exponential limiter stays at its cap after thousands of failures', () => {
    const milliseconds = exponentialLimiter<string>(1, 1_000_000);
    assert.equal(delays(milliseconds, 'one', 6).at(-1), 32);
    assert.equal(delays(milliseconds, 'overflow', 5000).at(-1), 1_000_000);
    const minutes = exponentialLimiter<string>(60_000, 3_600_000_000);
    assert.equal(delays(minutes, 'two', 3).at(-1), 240_000);
    assert.equal(delays(minutes, 'overflow', 5000).at(-1), 3_600_000_000);
    const nothing = exponentialLimiter<string>(0, 1000);
    assert.equal(delays(nothing, 'zero', 5000).at(-1), 0);
  });

  test('the fast-slow limiter is fast for its number of attempts and slow afterwards', () => {
    const limiter = fastSlowLimiter<string>(5, 10_000, 3);
    assert.deepEqual(delays(limiter, 'one', 5), [5, 5, 5, 10_000, 10_000]);
    assert.equal(limiter.requeues('one'), 5);
    assert.deepEqual(delays(limiter, 'two', 2), [5, 5]);
    assert.equal(limiter.requeues('two'), 2);
    limiter.forget('one');
    assert.equal(limiter.requeues('one'), 0);
    assert.equal(limiter.delayFor('one'), 5);
  });

  test('the max-of limiter gives the longest delay and forgets in all its limiters', () => {
    const limiter = maxOf(fastSlowLimiter<string>(5, 3000, 3), exponentialLimiter<string>(1, 1000));
    assert.deepEqual(delays(limiter, 'one', 5), [5, 5, 5, 3000, 3000]);
    assert.equal(limiter.requeues('one'), 5);
    assert.deepEqual(delays(limiter, 'two', 2), [5, 5]);
    assert.equal(limiter.requeues('two'), 2);
    limiter.forget('one');
    assert.equal(limiter.requeues('one'), 0);
    assert.equal(limiter.delayFor('one'), 5);
  });

  test('a maximum wait cuts longer delays and leaves shorter ones alone', () => {
    const limiter = withMaxWait(fastSlowLimiter<string>(5, 1_000_000, 100), 500_000);
    const seen = delays(limiter, 'one', 200);
    assert.deepEqual(seen.slice(0, 100), Array(100).fill(5));
    assert.deepEqual(seen.slice(100), Array(100).fill(500_000));
    assert.equal(limiter.requeues('one'), 200);
    limiter.forget('one');
    assert.equal(limiter.requeues('one'), 0);
  });

  test('jitter stretches a delay by no more than its factor', () => {
    const limiter = withJitter(fastSlowLimiter<string>(100, 100, 0), seededRandom(7), 0.5);
    const seen = delays(limiter, 'one', 200);
    assert.ok(seen.every((ms) => ms >= 100 && ms < 150));
    assert.ok(new Set(seen).size > 100);
  });

  test('after its fast attempts an item is retried at the slow interval, for ever', () => {
    const limiter = slowAfter(exponentialLimiter<string>(1, 1000), 3, 60_000);
    assert.deepEqual(delays(limiter, 'one', 6), [1, 2, 4, 60_000, 60_000, 60_000]);
    limiter.forget('one');
    assert.equal(limiter.delayFor('one'), 1);
  });

  test('a limiter that is an instance of a class is forgotten and counted through every wrapper', () => {
    class OfAClass implements RateLimiter<string> {
      readonly #failures = new Map<string, number>();
      delayFor(item: string): number {
        this.#failures.set(item, this.requeues(item) + 1);
        return 5;
      }
      forget(item: string): void {
        this.#failures.delete(item);
      }
      requeues(item: string): number {
        return this.#failures.get(item) ?? 0;
      }
    }
    for (const limiter of [
      withMaxWait(new OfAClass(), 1000),
      withJitter(new OfAClass(), seededRandom(7)),
      slowAfter(new OfAClass(), 3, 60_000),
    ]) {
      delays(limiter, 'one', 2);
      assert.equal(limiter.requeues('one'), 2);
      limiter.forget('one');
      assert.equal(limiter.requeues('one'), 0);
    }
  });

  test('the bucket lets its burst through and then spaces all items together', async () => {
    const clock = new ManualClock();
    const limiter = bucketLimiter<string>(new TokenBucket({ clock, perSecond: 10, burst: 2 }));
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((item) => limiter.delayFor(item)),
      [0, 0, 100, 200],
    );
    await clock.advance(1000);
    assert.deepEqual(delays(limiter, 'e', 3), [0, 0, 100]);
  });

  test('a bucket that is only asked gives tokens back at its rate and no more than its burst', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket({ clock, perSecond: 1, burst: 2 });
    assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
    await clock.advance(999);
    assert.equal(bucket.tryTake(), false);
    await clock.advance(1);
    assert.equal(bucket.tryTake(), true);
    await clock.advance(60_000);
    assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
  });

  test('the default limiter is per item exponential and overall ten a second after a hundred', () => {
    const limiter = controllerRateLimiter<string>(new ManualClock());
    assert.deepEqual(delays(limiter, 'one', 3), [5, 10, 20]);
    for (let i = 0; i < 97; i++) assert.equal(limiter.delayFor(`other-${i}`), 5);
    assert.equal(limiter.delayFor('late'), 100);
  });
});

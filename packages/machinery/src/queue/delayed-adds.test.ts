import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '../clock.ts';
import { MachineryError } from '../errors.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { exponentialLimiter } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

function aQueue() {
  const clock = new ManualClock();
  const queue = new WorkQueue<string>({ clock, limiter: exponentialLimiter(1, 1000) });
  const take = async () => {
    const work = await queue.get();
    assert.equal(work.kind, 'item');
    const { item } = work as { item: string };
    queue.done(item);
    return item;
  };
  return { clock, queue, take };
}

describe('delayed adds', () => {
  test('an item is added once its delay has passed, and only once', async () => {
    const { clock, queue, take } = aQueue();
    queue.addAfter('foo', 50);
    await clock.advance(49);
    assert.equal(queue.length, 0);
    await clock.advance(1);
    assert.equal(queue.length, 1);
    await take();
    await clock.advance(60_000);
    assert.equal(queue.length, 0);
    assert.equal(clock.pending, 0);
  });

  test('of two delays for one item the earlier wins, in whichever order they come', async () => {
    const { clock, queue, take } = aQueue();
    queue.addAfter('foo', 50);
    queue.addAfter('foo', 70);
    await clock.advance(60);
    assert.equal(queue.length, 1);
    await take();
    await clock.advance(20);
    assert.equal(queue.length, 0);

    queue.addAfter('foo', 50);
    queue.addAfter('foo', 30);
    assert.equal(queue.delayed, 1);
    await clock.advance(40);
    assert.equal(queue.length, 1);
    await take();
    await clock.advance(20);
    assert.equal(queue.length, 0);
  });

  test('an item with a shorter delay overtakes one that was added before it', async () => {
    const { clock, queue, take } = aQueue();
    queue.addAfter('first', 1000);
    queue.addAfter('second', 50);
    await clock.advance(60);
    assert.equal(await take(), 'second');
    queue.addAfter('third', 2000);
    await clock.advance(1000);
    assert.equal(await take(), 'first');
    await clock.advance(2000);
    assert.equal(await take(), 'third');
  });

  test('items that fall due in one step come out in the order of their times', async () => {
    const { clock, queue, take } = aQueue();
    queue.addAfter('first', 1000);
    queue.addAfter('second', 500);
    queue.addAfter('third', 250);
    await clock.advance(2000);
    assert.deepEqual([await take(), await take(), await take()], ['third', 'second', 'first']);
  });

  test('a delay of zero or less adds at once', () => {
    const { queue } = aQueue();
    queue.addAfter('foo', 0);
    queue.addAfter('bar', -5);
    assert.equal(queue.length, 2);
  });

  test('a delay that is not a number is refused', () => {
    const { queue } = aQueue();
    assert.throws(
      () => queue.addAfter('foo', Number.NaN),
      (e) => e instanceof MachineryError && e.code === 'bad-delay',
    );
  });

  test('a plain add does not wait for the delayed one', () => {
    const { queue } = aQueue();
    queue.addAfter('foo', 1000);
    queue.add('foo');
    assert.equal(queue.length, 1);
  });

  test('a timer that fires early adds nothing and is set again', async () => {
    const inner = new ManualClock();
    const cutting: Clock = {
      now: () => inner.now(),
      monotonic: () => inner.monotonic(),
      setTimer: (ms, fire) => inner.setTimer(Math.min(ms, 100), fire),
    };
    const queue = new WorkQueue<string>({ clock: cutting });
    queue.addAfter('foo', 250);
    await inner.advance(240);
    assert.equal(queue.length, 0);
    await inner.advance(10);
    assert.equal(queue.length, 1);
  });

  test('rate-limited adds wait as the limiter says until the item is forgotten', () => {
    const { clock, queue } = aQueue();
    assert.equal(queue.addRateLimited('one'), 1);
    assert.deepEqual(clock.delays, [1]);
    assert.equal(queue.addRateLimited('one'), 2);
    assert.equal(queue.requeues('one'), 2);
    assert.equal(queue.addRateLimited('two'), 1);
    assert.equal(queue.addRateLimited('two'), 2);
    queue.forget('one');
    assert.equal(queue.requeues('one'), 0);
    assert.equal(queue.addRateLimited('one'), 1);
  });

  test('a rate-limited add can be given a least delay, as Retry-After asks', () => {
    const { clock, queue } = aQueue();
    assert.equal(queue.addRateLimited('one', 0, 5000), 5000);
    assert.deepEqual(clock.delays, [5000]);
  });
});

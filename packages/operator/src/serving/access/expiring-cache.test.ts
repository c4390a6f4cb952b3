import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@podtrail/machinery/testing';
import { ExpiringCache } from './expiring-cache.ts';

function counted(forMs = 1_000) {
  let asked = 0;
  return { decide: async () => ({ value: ++asked, forMs }), asked: () => asked };
}

test('a decision is asked for once, however many wait, and again when its time is over', async () => {
  const clock = new ManualClock(0);
  const cache = new ExpiringCache<number>({ clock, most: 10 });
  const { decide } = counted();
  assert.deepEqual(await Promise.all([cache.get('a', decide), cache.get('a', decide)]), [1, 1]);
  await clock.advance(999);
  assert.equal(await cache.get('a', decide), 1);
  await clock.advance(1);
  assert.equal(await cache.get('a', decide), 2);
});

test('a decision that failed is not kept', async () => {
  const cache = new ExpiringCache<number>({ clock: new ManualClock(0), most: 10 });
  await assert.rejects(
    cache.get('a', () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await cache.get('a', counted().decide), 1);
});

test('there are never more than so many: the oldest goes', async () => {
  const cache = new ExpiringCache<number>({ clock: new ManualClock(0), most: 3 });
  const { decide, asked } = counted();
  for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, decide);
  assert.equal(cache.size, 3);
  await cache.get('d', decide);
  assert.equal(asked(), 4);
  await cache.get('a', decide);
  assert.equal(asked(), 5);
});

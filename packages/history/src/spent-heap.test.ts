import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { SpentHeap } from './spent-heap.ts';

test('large messages in a row make one collection, after them; small ones none', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let collections = 0;
  const spent = new SpentHeap(() => collections++);
  spent.stored(200);
  t.mock.timers.tick(10_000);
  assert.equal(collections, 0);
  spent.stored(20_000);
  t.mock.timers.tick(1_000);
  spent.stored(20_000);
  t.mock.timers.tick(1_500);
  assert.equal(collections, 0, 'more may come');
  t.mock.timers.tick(1_000);
  assert.equal(collections, 1);
  t.mock.timers.tick(60_000);
  assert.equal(collections, 1);
});

test('what nobody holds any more is given back', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let message: unknown[] = Array.from({ length: 300_000 }, (_, n) => ({ n, text: `fact ${n}` }));
  const before = getHeapStatistics().used_heap_size;
  assert.ok(message.length > 0);
  message = [];
  new SpentHeap().stored(300_000);
  t.mock.timers.tick(2_000);
  assert.ok(before - getHeapStatistics().used_heap_size > 15e6);
});

// A recorder collects in the thread that observes and in the thread that stores, both as long after the same listing.
test('two threads may collect at the same instant', { timeout: 60_000 }, async () => {
  const collecting = `
    import { mock } from 'node:test';
    import { SpentHeap } from ${JSON.stringify(new URL('./spent-heap.ts', import.meta.url).href)};
    mock.timers.enable({ apis: ['setTimeout'] });
    const spent = new SpentHeap();
    for (let times = 0; times < 25; times++) {
      spent.stored(20_000);
      mock.timers.tick(2_000);
    }
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(collecting)}`);
  const threads = Array.from({ length: 3 }, () => new Worker(url));
  // A thread that throws is an 'error', which rejects.
  const codes = await Promise.all(threads.map(async (thread) => (await once(thread, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0, 0]);
});

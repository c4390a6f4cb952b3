import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { FifoOrder, LOW_PRIORITY, PriorityOrder, type ReadyOrder } from './ready-order.ts';
import { WorkQueue } from './work-queue.ts';

type Closing = 'shutDown' | 'shutDownWithDrain';
const CLOSINGS: readonly Closing[] = ['shutDown', 'shutDownWithDrain'];

/** Whether a promise has settled by now, without waiting for it. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  void promise.then(() => (pending = false));
  await settle();
  return pending;
}

async function take<T>(queue: WorkQueue<T>): Promise<T> {
  const work = await queue.get();
  assert.equal(work.kind, 'item');
  return (work as { item: T }).item;
}

class TracedOrder<T> extends FifoOrder<T> {
  readonly touched = new Set<T>();
  override touch(item?: T): void {
    this.touched.add(item as T);
  }
}

const aQueue = <T = string>(order?: ReadyOrder<T>) =>
  new WorkQueue<T>({ clock: new ManualClock(), ...(order === undefined ? {} : { order }) });

describe('work queue', () => {
  test('ten workers empty what fifty producers add, and nothing added after a shutdown comes out', async () => {
    for (const closing of CLOSINGS) {
      const queue = aQueue<string | number>();
      const seen = new Set<string | number>();
      const workers = Array.from({ length: 10 }, async () => {
        for (let work = await queue.get(); work.kind === 'item'; work = await queue.get()) {
          seen.add(work.item);
          await new Promise((resolve) => setImmediate(resolve));
          queue.done(work.item);
        }
      });
      const producers = Array.from({ length: 50 }, async (_, producer) => {
        for (let i = 0; i < 50; i++) {
          queue.add(producer);
          await Promise.resolve();
        }
      });
      await Promise.all(producers);
      const closed = queue[closing]();
      queue.add('added after shutdown');
      await Promise.all([...workers, closed]);
      assert.equal(queue.length, 0);
      assert.deepEqual(
        [...seen].sort((a, b) => Number(a) - Number(b)),
        Array.from({ length: 50 }, (_, i) => i),
      );
    }
  });

  test('items that workers add while processing them are all processed again', async () => {
    for (const closing of CLOSINGS) {
      const queue = aQueue<number>();
      const passes = new Map<number, number>();
      for (let i = 0; i < 50; i++) queue.add(i);
      const workers = Array.from({ length: 10 }, async () => {
        for (let work = await queue.get(); work.kind === 'item'; work = await queue.get()) {
          const pass = (passes.get(work.item) ?? 0) + 1;
          passes.set(work.item, pass);
          if (pass < 3) queue.add(work.item);
          await Promise.resolve();
          queue.done(work.item);
        }
      });
      while (queue.length > 0 || queue.processing.size > 0) await settle();
      await queue[closing]();
      await Promise.all(workers);
      assert.equal(queue.length, 0);
      assert.deepEqual([...passes.values()], Array(50).fill(3));
    }
  });

  test('the length counts an item once, however often it is added', () => {
    const queue = aQueue();
    queue.add('foo');
    assert.equal(queue.length, 1);
    queue.add('bar');
    assert.equal(queue.length, 2);
    queue.add('foo');
    assert.equal(queue.length, 2);
  });

  test('items come out in the order in which they were first added', async () => {
    const queue = aQueue<number>();
    for (let i = 0; i < 1000; i++) queue.add(i);
    queue.add(0);
    for (let i = 0; i < 1000; i++) assert.equal(await take(queue), i);
  });

  test('an item added while it is processed is back in the queue once it is done', async () => {
    const queue = aQueue();
    queue.add('foo');
    const item = await take(queue);
    queue.add(item);
    assert.equal(queue.length, 0);
    queue.done(item);
    assert.equal(queue.length, 1);
    queue.done(await take(queue));
    assert.equal(queue.length, 0);
  });

  test('two adds before processing give one pass and touch the order', async () => {
    const order = new TracedOrder<string>();
    const queue = aQueue(order);
    queue.add('bar');
    queue.add('bar');
    queue.done(await take(queue));
    assert.equal(queue.length, 0);
    assert.ok(order.touched.has('bar'));
  });

  test('two adds while processing give one more pass, which a second worker gets only after done', async () => {
    const order = new TracedOrder<string>();
    const queue = aQueue(order);
    queue.add('foo');
    await take(queue);
    queue.add('foo');
    queue.add('foo');
    const second = queue.get();
    assert.ok(await isPending(second));
    queue.done('foo');
    assert.deepEqual(await second, { kind: 'item', item: 'foo', priority: 0 });
    queue.done('foo');
    assert.equal(queue.length, 0);
    assert.ok(!order.touched.has('foo'));
  });

  test('waiting workers are served in the order in which they came', async () => {
    const queue = aQueue();
    const first = queue.get();
    const second = queue.get();
    queue.add('a');
    queue.add('b');
    assert.deepEqual(
      (await Promise.all([first, second])).map((w) => (w as { item: string }).item),
      ['a', 'b'],
    );
  });

  test('a worker whose signal aborts leaves the line and takes no item with it', async () => {
    const queue = aQueue();
    const leaving = new AbortController();
    const first = queue.get(leaving.signal);
    const second = queue.get();
    leaving.abort();
    assert.deepEqual(await first, { kind: 'closed' });
    queue.add('a');
    assert.deepEqual(await second, { kind: 'item', item: 'a', priority: 0 });
    queue.add('b');
    assert.deepEqual(await queue.get(leaving.signal), { kind: 'closed' });
    assert.equal(queue.length, 1);
  });

  test('done for an item that nobody took changes nothing', () => {
    const queue = aQueue();
    queue.add('foo');
    queue.done('foo');
    assert.equal(queue.length, 1);
  });

  describe('shutdown', () => {
    test('a drain waits until the items in progress are done', async () => {
      const queue = aQueue();
      queue.add('foo');
      queue.add('bar');
      const first = await take(queue);
      const second = await take(queue);
      const drained = queue.shutDownWithDrain();
      assert.deepEqual(await queue.get(), { kind: 'closed' });
      queue.done(first);
      assert.ok(await isPending(drained));
      queue.done(second);
      await drained;
    });

    test('a drain also waits for items that no worker has taken yet', async () => {
      const queue = aQueue();
      queue.add('foo');
      const drained = queue.shutDownWithDrain();
      assert.ok(await isPending(drained));
      queue.done(await take(queue));
      await drained;
    });

    test('a plain shutdown waits for nobody and closes waiting workers', async () => {
      const queue = aQueue();
      queue.add('foo');
      await take(queue);
      const waiting = queue.get();
      queue.shutDown();
      assert.equal(queue.shuttingDown, true);
      assert.deepEqual(await waiting, { kind: 'closed' });
    });

    test('a plain shutdown ends a drain that is still waiting', async () => {
      const queue = aQueue();
      queue.add('foo');
      queue.add('bar');
      await take(queue);
      await take(queue);
      const drained = queue.shutDownWithDrain();
      assert.ok(await isPending(drained));
      queue.shutDown();
      await drained;
    });

    test('a drain ends when its signal aborts', async () => {
      const queue = aQueue();
      queue.add('foo');
      await take(queue);
      const deadline = new AbortController();
      const drained = queue.shutDownWithDrain(deadline.signal);
      assert.ok(await isPending(drained));
      deadline.abort();
      await drained;
      assert.deepEqual([...queue.processing], ['foo']);
    });

    test('a drain includes the item that became dirty while it was processed', async () => {
      const queue = aQueue();
      queue.add('foo');
      const gotten = await take(queue);
      queue.add('foo');
      const drained = queue.shutDownWithDrain();
      assert.deepEqual(await queue.get(), { kind: 'closed' });
      queue.done(gotten);
      assert.ok(await isPending(drained));
      queue.done(await take(queue));
      assert.deepEqual(await queue.get(), { kind: 'closed' });
      await drained;
    });

    test('shutdown drops delayed items and leaves no timer behind', async () => {
      const clock = new ManualClock();
      const queue = new WorkQueue<string>({ clock });
      queue.addAfter('later', 1000);
      queue.shutDown();
      assert.equal(clock.pending, 0);
      queue.addAfter('much later', 1000);
      assert.equal(clock.pending, 0);
      assert.equal(queue.delayed, 0);
    });
  });

  test('an item that is done can be collected while the queue lives on', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const queue = aQueue<object>();
    const added = await (async () => {
      const item = { payload: 'x'.repeat(1000) };
      queue.add(item);
      const work = await queue.get();
      queue.done((work as { item: object }).item);
      return new WeakRef(item);
    })();
    for (let i = 0; i < 50 && added.deref() !== undefined; i++) {
      await settle();
      collect();
    }
    assert.equal(added.deref(), undefined);
    assert.equal(queue.length, 0);
  });

  describe('with priorities', () => {
    test('higher priorities come first, equal ones in order of arrival', async () => {
      const queue = aQueue(new PriorityOrder<string>());
      queue.add('listed-1', LOW_PRIORITY);
      queue.add('listed-2', LOW_PRIORITY);
      queue.add('live-1');
      queue.add('live-2');
      queue.add('urgent', 10);
      const order: string[] = [];
      for (let i = 0; i < 5; i++) order.push(await take(queue));
      assert.deepEqual(order, ['urgent', 'live-1', 'live-2', 'listed-1', 'listed-2']);
    });

    test('adding again raises a waiting item and never lowers it', async () => {
      const queue = aQueue(new PriorityOrder<string>());
      queue.add('a', LOW_PRIORITY);
      queue.add('b', LOW_PRIORITY);
      queue.add('b');
      queue.add('b', LOW_PRIORITY);
      assert.deepEqual(await queue.get(), { kind: 'item', item: 'b', priority: 0 });
      assert.deepEqual(await queue.get(), { kind: 'item', item: 'a', priority: LOW_PRIORITY });
    });

    test('an item dirty while processing comes back with the highest priority it was added with', async () => {
      const queue = aQueue(new PriorityOrder<string>());
      queue.add('a');
      await take(queue);
      queue.add('a', LOW_PRIORITY);
      queue.add('a', 5);
      queue.add('a', 1);
      queue.done('a');
      assert.deepEqual(await queue.get(), { kind: 'item', item: 'a', priority: 5 });
    });
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { WorkQueue } from './work-queue.ts';

class RecordedMetrics implements QueueMetrics {
  depths: number[] = [];
  adds = 0;
  retries = 0;
  latencies: number[] = [];
  durations: number[] = [];
  unfinished: number[] = [];
  longest: number[] = [];
  depth(items: number): void {
    this.depths.push(items);
  }
  added(): void {
    this.adds++;
  }
  latency(seconds: number): void {
    this.latencies.push(seconds);
  }
  workDuration(seconds: number): void {
    this.durations.push(seconds);
  }
  unfinishedWork(seconds: number): void {
    this.unfinished.push(seconds);
  }
  longestRunning(seconds: number): void {
    this.longest.push(seconds);
  }
  retried(): void {
    this.retries++;
  }
}

function aQueue() {
  const clock = new ManualClock();
  const metrics = new RecordedMetrics();
  const names: string[] = [];
  const queue = new WorkQueue<string>({
    clock,
    name: 'test',
    metrics: (name) => {
      names.push(name);
      return metrics;
    },
  });
  return { clock, metrics, queue, names };
}

describe('queue metrics', () => {
  test('depth, adds, latency, durations and running work are reported in seconds', async () => {
    const { clock, metrics, queue, names } = aQueue();
    assert.deepEqual(names, ['test']);
    queue.add('foo');
    assert.equal(metrics.adds, 1);
    assert.equal(metrics.depths.at(-1), 1);

    await clock.advance(50);
    await queue.get();
    assert.deepEqual(metrics.latencies, [0.05]);
    assert.equal(metrics.depths.at(-1), 0);

    for (let i = 0; i < 5; i++) queue.add('foo');
    assert.equal(metrics.adds, 2, 'adds while dirty are collapsed');
    assert.equal(metrics.depths.at(-1), 1);

    await clock.advance(25);
    queue.done('foo');
    assert.deepEqual(metrics.durations, [0.025]);
    assert.equal(metrics.depths.at(-1), 1);

    await queue.get();
    assert.deepEqual(metrics.latencies, [0.05, 0.025]);

    await clock.advance(425);
    assert.deepEqual(metrics.unfinished, [0.425]);
    assert.deepEqual(metrics.longest, [0.425]);
    queue.done('foo');
    assert.deepEqual(metrics.durations, [0.025, 0.425]);
    await clock.advance(500);
    assert.equal(metrics.unfinished.at(-1), 0);
  });

  test('running work of several items is summed, and the longest is reported', async () => {
    const { clock, metrics, queue } = aQueue();
    queue.add('a');
    queue.add('b');
    await queue.get();
    await clock.advance(300);
    await queue.get();
    await clock.advance(200);
    assert.deepEqual(metrics.unfinished, [0.7]);
    assert.deepEqual(metrics.longest, [0.5]);
  });

  test('delayed and rate-limited adds count as retries', () => {
    const { metrics, queue } = aQueue();
    queue.addAfter('a', 10);
    queue.addRateLimited('b');
    queue.add('c');
    assert.equal(metrics.retries, 2);
  });

  test('an add without a delay is no retry, and one that the rate limiter lets pass at once is', () => {
    const metrics = new RecordedMetrics();
    const limiter = { delayFor: () => 0, forget: () => {}, requeues: () => 0 };
    const queue = new WorkQueue<string>({ clock: new ManualClock(), name: 'test', metrics: () => metrics, limiter });
    queue.addAfter('a', 0);
    queue.addAfter('b', -1);
    assert.deepEqual([metrics.adds, metrics.retries], [2, 0]);
    queue.addRateLimited('c');
    assert.deepEqual([metrics.adds, metrics.retries], [3, 1]);
    queue.shutDown();
    queue.addAfter('d', 10);
    queue.addRateLimited('e');
    assert.deepEqual([metrics.adds, metrics.retries], [3, 1]);
  });

  test('no running work is reported after shutdown', async () => {
    const { clock, metrics, queue } = aQueue();
    queue.add('a');
    await queue.get();
    await clock.advance(500);
    assert.equal(metrics.unfinished.length, 1);
    queue.shutDown();
    await clock.advance(3_600_000);
    assert.equal(metrics.unfinished.length, 1);
    assert.equal(clock.pending, 0);
  });

  test('a queue without a name reports nothing and sets no timer', () => {
    const clock = new ManualClock();
    const queue = new WorkQueue<string>({ clock, metrics: () => assert.fail('asked for metrics') });
    queue.add('a');
    assert.equal(clock.pending, 0);
  });
});

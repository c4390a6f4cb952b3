// Random histories of adds, delayed adds, takes and dones, checked against a naive model of the queue.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../testing/manual-clock.ts';
import { FifoOrder, PriorityOrder } from './ready-order.ts';
import { WorkQueue } from './work-queue.ts';

const seed = Number(process.env['PODTRAIL_SEED'] ?? 20260101);
console.log(`work queue properties: seed ${seed}`);
const settings = { seed, numRuns: 300 };

const item = fc.integer({ min: 0, max: 7 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), item, priority: fc.integer({ min: -1, max: 1 }) }),
  fc.record({ kind: fc.constant('delay' as const), item, ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant('take' as const) }),
  fc.record({ kind: fc.constant('done' as const), pick: fc.nat() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40 }) }),
);

/** What a queue must do, in the plainest words: arrays and linear searches. */
class Model {
  ready: { item: number; priority: number }[] = [];
  rerun = new Map<number, number>();
  running = new Set<number>();
  later: { item: number; at: number; order: number }[] = [];
  #order = 0;
  readonly ranked: boolean;

  constructor(ranked: boolean) {
    this.ranked = ranked;
  }

  add(item: number, priority: number): void {
    const waiting = this.ready.find((r) => r.item === item);
    if (waiting !== undefined) waiting.priority = Math.max(waiting.priority, priority);
    else if (this.running.has(item)) this.rerun.set(item, Math.max(priority, this.rerun.get(item) ?? priority));
    else this.ready.push({ item, priority });
  }

  delay(item: number, at: number): void {
    const known = this.later.find((l) => l.item === item);
    if (known === undefined) this.later.push({ item, at, order: this.#order++ });
    else known.at = Math.min(known.at, at);
  }

  due(now: number): void {
    const due = this.later.filter((l) => l.at <= now).sort((a, b) => a.at - b.at || a.order - b.order);
    this.later = this.later.filter((l) => l.at > now);
    for (const { item } of due) this.add(item, 0);
  }

  take(): number | undefined {
    if (this.ready.length === 0) return undefined;
    const top = this.ranked ? Math.max(...this.ready.map((r) => r.priority)) : undefined;
    const at = top === undefined ? 0 : this.ready.findIndex((r) => r.priority === top);
    const [taken] = this.ready.splice(at, 1);
    this.running.add(taken!.item);
    return taken!.item;
  }

  done(item: number): void {
    this.running.delete(item);
    const priority = this.rerun.get(item);
    if (priority === undefined) return;
    this.rerun.delete(item);
    this.ready.push({ item, priority });
  }
}

describe('work queue properties', () => {
  for (const ranked of [false, true]) {
    test(`any history gives the same items in the same order as the naive model (${ranked ? 'by priority' : 'first in, first out'})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
          const clock = new ManualClock();
          const order = ranked ? new PriorityOrder<number>() : new FifoOrder<number>();
          const queue = new WorkQueue<number>({ clock, order });
          const model = new Model(ranked);
          for (const s of steps) {
            if (s.kind === 'add') {
              queue.add(s.item, s.priority);
              model.add(s.item, s.priority);
            } else if (s.kind === 'delay') {
              queue.addAfter(s.item, s.ms);
              model.delay(s.item, clock.monotonic() + s.ms);
            } else if (s.kind === 'pass') {
              await clock.advance(s.ms);
              model.due(clock.monotonic());
            } else if (s.kind === 'take' && queue.length > 0) {
              const work = await queue.get();
              assert.equal(work.kind === 'item' ? work.item : undefined, model.take());
            } else if (s.kind === 'done' && model.running.size > 0) {
              const running = [...model.running];
              const item = running[s.pick % running.length]!;
              queue.done(item);
              model.done(item);
            }
            assert.equal(queue.length, model.ready.length);
            assert.equal(queue.delayed, model.later.length);
            assert.deepEqual([...queue.processing].sort(), [...model.running].sort());
          }
        }),
        settings,
      );
    });
  }

  test('with concurrent workers nothing is lost and no item is worked on twice at once', async () => {
    const adds = fc.array(fc.record({ item, wait: fc.integer({ min: 0, max: 3 }) }), {
      minLength: 1,
      maxLength: 60,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(adds, fc.integer({ min: 1, max: 5 }), async (adds, concurrency) => {
        const queue = new WorkQueue<number>({ clock: new ManualClock() });
        const running = new Set<number>();
        /** The version of each item that was current when its latest pass began. */
        const seen = new Map<number, number>();
        const wanted = new Map<number, number>();
        let turn = 0;
        const workers = Array.from({ length: concurrency }, async () => {
          for (let work = await queue.get(); work.kind === 'item'; work = await queue.get()) {
            assert.ok(!running.has(work.item), 'an item was handed out while it was processed');
            running.add(work.item);
            seen.set(work.item, wanted.get(work.item)!);
            for (let i = 0; i < (work.item + turn++) % 4; i++) await Promise.resolve();
            running.delete(work.item);
            queue.done(work.item);
          }
        });
        for (const { item, wait } of adds) {
          wanted.set(item, (wanted.get(item) ?? 0) + 1);
          queue.add(item);
          for (let i = 0; i < wait; i++) await Promise.resolve();
        }
        await queue.shutDownWithDrain();
        await Promise.all(workers);
        assert.deepEqual(seen, wanted);
      }),
      settings,
    );
  });
});

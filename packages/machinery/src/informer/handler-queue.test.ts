import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cacheable } from '../objects/kube-object.ts';
import { seededRandom } from '../random.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import type { Delta } from './delta.ts';
import { CONGESTED_AT, type DeltaHandler, type HandlerFailure, HandlerQueue } from './handler-queue.ts';

const delta = (n: number): Delta<Cacheable> => ({
  kind: 'added',
  object: { metadata: { name: `o${n}` } },
  source: 'watch',
  initial: false,
  observedAt: n,
});
const mark: Delta<Cacheable> = { kind: 'progress', resourceVersion: '7', observedAt: 0 };

function queueFor(handler: DeltaHandler<Cacheable>) {
  const clock = new ManualClock();
  const failures: HandlerFailure<Cacheable>[] = [];
  let drained = 0;
  const queue = new HandlerQueue(handler, {
    clock,
    random: seededRandom(1),
    onFailure: (failure) => failures.push(failure),
    onDrained: () => drained++,
  });
  return { queue, clock, failures, drained: () => drained };
}

test('a handler that returns nothing is called at once, within the push', () => {
  const seen: number[] = [];
  const { queue } = queueFor({ onDelta: (d) => void seen.push(d.observedAt) });
  queue.push(delta(1));
  assert.deepEqual(seen, [1]);
  assert.equal(queue.length, 0);
});

test('a handler that returns a promise gets its next delta only when that has settled', async () => {
  const seen: string[] = [];
  const gates: (() => void)[] = [];
  const { queue } = queueFor({
    async onDelta(d) {
      seen.push(`begin ${d.observedAt}`);
      await new Promise<void>((resolve) => gates.push(resolve));
      seen.push(`end ${d.observedAt}`);
    },
  });
  for (let i = 1; i <= 3; i++) queue.push(delta(i));
  assert.equal(queue.length, 3);
  for (let i = 0; i < 3; i++) {
    await settle();
    gates[i]!();
  }
  await queue.whenHandled();
  assert.deepEqual(seen, ['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
});

test('marks are delivered only to handlers that ask for them', () => {
  const plain: string[] = [];
  const marked: string[] = [];
  queueFor({ onDelta: (d) => void plain.push(d.kind) }).queue.push(mark);
  queueFor({ marks: true, onDelta: (d) => void marked.push(d.kind) }).queue.push(mark);
  assert.deepEqual([plain, marked], [[], ['progress']]);
});

test('fault 15: what throws is tried again after a pause, in its place in the order, and given up after its attempts', async () => {
  const seen: number[] = [];
  const { queue, clock, failures } = queueFor({
    name: 'broken',
    attempts: 3,
    onDelta(d) {
      seen.push(d.observedAt);
      if (d.observedAt === 1) throw new Error('no');
    },
  });
  queue.push(delta(1));
  queue.push(delta(2));
  for (let i = 0; i < 2; i++) {
    await clock.untilPending();
    await clock.advance(clock.delays[0]!);
  }
  await queue.whenHandled();
  assert.deepEqual(seen, [1, 1, 1, 2]);
  assert.deepEqual(
    failures.map((f) => [f.handler, f.attempt, f.givenUp]),
    [
      ['broken', 1, false],
      ['broken', 2, false],
      ['broken', 3, true],
    ],
  );
  assert.equal(queue.givenUp, 1);
});

test('a handler with endless attempts never skips a delta', async () => {
  let calls = 0;
  const { queue, clock } = queueFor({
    attempts: Number.POSITIVE_INFINITY,
    onDelta() {
      if (++calls < 40) throw new Error('store is away');
    },
  });
  queue.push(delta(1));
  while (calls < 40) {
    await clock.untilPending();
    assert.ok(clock.delays[0]! <= 12_000, 'pauses stay bounded');
    await clock.advance(clock.delays[0]!);
  }
  await queue.whenHandled();
  assert.equal(queue.givenUp, 0);
});

test('a line of 1,024 is congested, and half of it asks for more', async () => {
  const gates: (() => void)[] = [];
  const { queue, drained } = queueFor({ onDelta: () => new Promise<void>((resolve) => gates.push(resolve)) });
  for (let i = 0; i < CONGESTED_AT; i++) queue.push(delta(i));
  assert.equal(queue.congested, true);
  for (let i = 0; i < CONGESTED_AT / 2; i++) {
    gates[i]!();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  assert.equal(queue.congested, false);
  assert.equal(drained(), 1);
});

test('after stop nothing more is delivered, not even what was waiting', async () => {
  const seen: number[] = [];
  const gate = Promise.withResolvers<void>();
  const { queue } = queueFor({
    onDelta(d) {
      seen.push(d.observedAt);
      return gate.promise;
    },
  });
  queue.push(delta(1));
  queue.push(delta(2));
  queue.stop();
  queue.push(delta(3));
  gate.resolve();
  await queue.whenHandled();
  assert.deepEqual(seen, [1]);
});

test('a report of a failure that throws itself holds up nothing', async () => {
  const seen: number[] = [];
  const queue = new HandlerQueue<Cacheable>(
    {
      attempts: 1,
      onDelta(d) {
        seen.push(d.observedAt);
        if (d.observedAt === 1) throw new Error('no');
      },
    },
    {
      clock: new ManualClock(),
      random: seededRandom(1),
      onFailure: () => {
        throw new Error('the log is broken');
      },
      onDrained: () => {},
    },
  );
  queue.push(delta(1));
  queue.push(delta(2));
  await queue.whenHandled();
  assert.deepEqual(seen, [1, 2]);
});

test('what is pushed in any tick around the end of the line is delivered, and in order', async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    const seen: number[] = [];
    const { queue } = queueFor({
      onDelta: (d) => {
        seen.push(d.observedAt);
        return d.observedAt === 1 ? Promise.resolve() : undefined;
      },
    });
    queue.push(delta(1));
    for (let i = 0; i < ticks; i++) await undefined;
    queue.push(delta(2));
    await settle();
    queue.push(delta(3));
    await settle();
    assert.deepEqual(seen, [1, 2, 3], `after ${ticks} ticks`);
    assert.equal(queue.length, 0);
  }
});

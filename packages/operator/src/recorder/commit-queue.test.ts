import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch, StoredFact } from '@podtrail/history';
import { seededRandom } from '@podtrail/machinery';
import { ManualClock, settle } from '@podtrail/machinery/testing';
import { CommitQueue, type StoredBatch } from './commit-queue.ts';

const fact = (uid: string): StoredFact => ({ kind: 'live', uid, state: undefined });
const facts = (count: number): StoredFact[] => Array.from({ length: count }, (_, i) => fact(String(i)));
const checkpoint = (version: number) => ({ epoch: 1, resourceVersion: String(version), at: 0 as never });

function queueOn(append: (batch: Batch) => Promise<void>, isFatal: (error: unknown) => boolean = () => false) {
  const clock = new ManualClock();
  const failures: number[] = [];
  const random = seededRandom(1);
  const queue = new CommitQueue({ append, clock, random, isFatal, onFailure: (_, attempt) => failures.push(attempt) });
  return { queue, clock, failures };
}

test('facts that come close together are stored in one batch, with the last checkpoint', async () => {
  const stored: Batch[] = [];
  const { queue, clock } = queueOn(async (batch) => void stored.push(batch));
  void queue.push([fact('a')], checkpoint(1));
  void queue.push([fact('b')], checkpoint(2));
  await clock.advance(20);
  await queue.flush();
  assert.equal(stored.length, 1);
  assert.equal(stored[0]?.facts.length, 2);
  assert.equal(stored[0]?.checkpoint?.resourceVersion, '2');
});

test('what was pushed together is stored together, with its checkpoint, however much it is', async () => {
  const stored: Batch[] = [];
  const { queue, clock } = queueOn(async (batch) => void stored.push(batch));
  void queue.push(facts(1_500), checkpoint(1));
  void queue.push(facts(1_500), checkpoint(2));
  void queue.push(facts(5_000), checkpoint(3));
  void queue.push(facts(1), undefined);
  await clock.advance(20);
  await queue.flush();
  assert.deepEqual(
    stored.map((batch) => [batch.facts.length, batch.checkpoint?.resourceVersion]),
    [
      [1_500, '1'],
      [1_500, '2'],
      [5_000, '3'],
      [1, undefined],
    ],
  );
});

test('a batch that fails is tried again with growing pauses until the store takes it; nothing is lost or reordered', async () => {
  const stored: string[] = [];
  let failing = 3;
  const { queue, clock, failures } = queueOn(async (batch) => {
    if (failing-- > 0) throw new Error('disk full');
    for (const f of batch.facts) if (f.kind === 'live') stored.push(f.uid);
  });
  void queue.push([fact('a')], checkpoint(1));
  await clock.advance(20);
  assert.equal(queue.failing, 1);
  void queue.push([fact('b')], checkpoint(2));
  while (queue.failing > 0) await clock.advance(clock.delays[0] ?? 0);
  await queue.flush();
  assert.deepEqual(stored, ['a', 'b']);
  assert.deepEqual(failures, [1, 2, 3]);
});

test('fault 11: with too many facts waiting the caller is held until there is room', async () => {
  const gate = Promise.withResolvers<void>();
  const { queue, clock } = queueOn(() => gate.promise);
  assert.equal(queue.push(facts(9_999), undefined), undefined);
  let released = false;
  const held = Promise.resolve(queue.push(facts(5_000), undefined)).then(() => {
    released = true;
  });
  await clock.advance(20);
  assert.equal(released, false);
  gate.resolve();
  await held;
  assert.equal(released, true);
  await queue.flush();
  assert.equal(queue.committedFacts, 14_999);
});

test('a writer that was taken over stops for good and says so to every later caller', async () => {
  const taken = new Error('another recorder');
  const { queue, clock } = queueOn(
    () => Promise.reject(taken),
    (error) => error === taken,
  );
  void queue.push([fact('a')], undefined);
  await clock.advance(20);
  await settle();
  await assert.rejects(Promise.resolve(queue.push([fact('b')], undefined)), /another recorder/);
  await assert.rejects(queue.flush(), /another recorder/);
});

test('how long each observation waited is reported once it is durable, retries included', async () => {
  const clock = new ManualClock();
  const stored: StoredBatch[] = [];
  let full = true;
  const queue = new CommitQueue({
    append: async () => {
      if (full) throw new Error('disk full');
    },
    ...{ clock, random: () => 0, isFatal: () => false, onStored: (batch) => stored.push(batch) },
  });
  void queue.push([fact('a')], undefined, clock.monotonic() - 5);
  void queue.push([fact('b')], checkpoint(1));
  await clock.advance(20);
  assert.equal((queue.refusal?.error as Error | undefined)?.message, 'disk full');
  assert.equal(queue.refusal?.since, clock.now());
  full = false;
  await clock.advance(100);
  await queue.flush();
  assert.deepEqual([stored.length, stored[0]?.lagsMs, stored[0]?.batch.facts.length], [1, [125], 2]);
  assert.deepEqual([queue.refusal, queue.lastLagMs, queue.committedFacts], [undefined, 125, 2]);
});

// Commands that a server runs take their places on the store as questions do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JoinedReader } from '@podtrail/history';
import { ALL_VISIBLE } from '@podtrail/history/wire';
import { systemRandom } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger } from '@podtrail/operator/serving';
import { aStory, at } from '../testing/story.ts';
import { commandRunner } from './command-runner.ts';

test('the commands of one caller leave places for those of others', async () => {
  const engine = await aStory();
  const reads = Promise.withResolvers<void>();
  const reader: JoinedReader = {
    clusters: () => engine.clusters(),
    snapshot: async (cluster) => {
      await reads.promise;
      return await engine.snapshot(cluster);
    },
  };
  const clock = new ManualClock(at(201));
  const ledger = new AskedLedger(reader, clock, { atOnce: 4, mostOfOne: 2, mostWaiting: 8 });
  const run = commandRunner(ledger, { clock, random: systemRandom });
  const ask = (name: string) =>
    run(
      { words: ['gaps'], zone: 'UTC', namespace: null, colour: false },
      { caller: { name }, visibility: ALL_VISIBLE, signal: new AbortController().signal },
    );
  const running = ['jane', 'jane', 'jane', 'jane', 'sam'].map(ask);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([ledger.asking, ledger.waiting], [3, 2]);
  reads.resolve();
  for (const { exitCode, err } of await Promise.all(running)) assert.equal(exitCode, 0, err);
});

test('a command of a zone that the server does not know is refused, and not answered in UTC', async () => {
  const engine = await aStory();
  const clock = new ManualClock(at(201));
  const run = commandRunner(new AskedLedger(engine, clock), { clock, random: systemRandom });
  const asker = { caller: { name: 'jane' }, visibility: ALL_VISIBLE, signal: new AbortController().signal };
  const command = { words: ['gaps'], namespace: null, colour: false };
  await assert.rejects(
    run({ ...command, zone: 'No/Where' }, asker),
    /No\/Where is no time zone that this server knows/,
  );
  assert.equal((await run({ ...command, zone: 'Asia/Tokyo' }, asker)).exitCode, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReflectorState } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { reportDefinitions } from './definitions-log.ts';
import { keptLog } from './testing/fed-trackers.ts';

const WATCHING: ReflectorState = { kind: 'watching', from: '1', since: 0 };
const WAITING: ReflectorState = { kind: 'waiting', error: new Error('no such kind'), until: 0, next: 'list' };

test('whether PodTrackers are served is reported once for each change, and a watch that ends and comes back is none', async () => {
  const clock = new ManualClock();
  const { log, lines } = keptLog();
  const stop = new AbortController();
  let state: ReflectorState = WATCHING as ReflectorState;
  let leads = false;
  const running = reportDefinitions(
    { clock, log, states: () => [WATCHING, state], isLeader: () => leads, isRecording: () => true },
    stop.signal,
  );
  const after = async (looks: number, next: ReflectorState) => {
    for (let i = 0; i < looks; i++) await clock.advance(5_000);
    state = next;
    return lines.splice(0).map(({ level, msg }) => `${level}: ${msg}`);
  };
  assert.deepEqual(await after(3, WATCHING), ['info: PodTrackers are followed; another replica serves them']);
  leads = true;
  assert.deepEqual(await after(3, WAITING), ['info: PodTrackers are served']);
  assert.deepEqual(await after(1, WATCHING), [], 'one look in vain');
  assert.deepEqual(await after(1, WAITING), []);
  assert.deepEqual(await after(5, WATCHING), ['warn: PodTrackers cannot be served; recording goes on']);
  assert.deepEqual(await after(2, WATCHING), ['info: PodTrackers are served']);
  stop.abort();
  await running;
});

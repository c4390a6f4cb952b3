// The versions of what a watch sends: clients drop what is older than what they have, and go on from the last one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import { Problem } from '../problem.ts';
import type { HistoryRecord } from './history-object.ts';
import type { SeenVersion } from './resource-versions.ts';
import { type WatchEvent, type WatchLook, watch } from './watch.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

function record(name: string, changed: number): HistoryRecord {
  const at = epochMillis(changed);
  return { name, namespace: 'shop', at, began: at, changed: at, fields: { name, changed } };
}

/** What is sent after `looks`, one a second; `recorded` is how far the replica had recorded at first. */
async function sent(looks: readonly Partial<WatchLook>[], after?: SeenVersion, recorded = NOW): Promise<WatchEvent[]> {
  const clock = new ManualClock(NOW);
  const over = new AbortController();
  const events: WatchEvent[] = [];
  let next = 0;
  const watched = watch({
    ...{ clock, signal: over.signal, after, bookmarks: true, initialEnd: false, onBegun: () => {} },
    recordedUntil: async () => epochMillis(recorded),
    look: async () => {
      const look = looks[next++];
      if (look === undefined) over.abort();
      else void Promise.resolve().then(() => clock.advance(2_000));
      return { records: [], ended: [], isPresent: true, recordedUntil: epochMillis(recorded + next * 1_000), ...look };
    },
  });
  for await (const event of watched) events.push(event);
  return events;
}

const own = (at: number): SeenVersion => ({ at: epochMillis(at), isOwn: true });
const texts = (events: readonly WatchEvent[]) =>
  events.map((event) => (event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.record.name}`));

test('what one look finds is sent in the order of its versions, whatever the order of the list', async () => {
  const records = [record('a', NOW - 1_000), record('b', NOW - 3_000), record('c', NOW - 2_000)];
  const events = await sent([{ records }], own(NOW - 5_000));
  assert.deepEqual(texts(events).slice(0, 3), ['ADDED b', 'ADDED c', 'ADDED a']);
});

test('versions of a watch never fall: not of what became known late, not of what is deleted', async () => {
  const [early, late] = [record('a', NOW + 500), record('late', NOW - 30_000)];
  const events = await sent([{ records: [early] }, { records: [early, late] }, { records: [late] }], own(NOW - 60_000));
  assert.deepEqual(texts(events), ['ADDED a', 'ADDED late', 'DELETED a', 'DELETED late', 'BOOKMARK']);
  const versions = events.map(({ at }) => at);
  assert.deepEqual(
    versions,
    versions.toSorted((a, b) => a - b),
  );
  assert.ok(versions[2]! > early.changed, 'a deletion is later than the last that was known of it');
});

test('after the version of another replica everything has a later one, whatever the digits of the replicas', async () => {
  const events = await sent([{ records: [record('a', NOW - 3_000)] }], { at: epochMillis(NOW), isOwn: false });
  assert.equal(texts(events)[0], 'ADDED a');
  assert.ok(events.every(({ at }) => at > NOW));
});

test('a replica that stopped recording an hour ago takes the version of its own list', async () => {
  const recorded = NOW - 60 * MINUTE;
  assert.deepEqual(texts(await sent([{}], own(recorded), recorded)), ['BOOKMARK']);
});

for (const [what, at] of [
  ['older than what is looked at again', NOW - 16 * MINUTE],
  ['later than what is recorded', NOW + 2 * MINUTE],
] as const) {
  test(`a version that is ${what} is 410, and nothing is looked at`, async () => {
    await assert.rejects(
      sent([], own(at)),
      (error) => error instanceof Problem && error.status === 410 && /too (old|large) resource/.test(error.message),
    );
  });
}

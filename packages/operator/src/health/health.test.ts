import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { epochMillis } from '@podtrail/history';
import { HealthChecks, systemClock } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { type Followable, FollowedStream } from '../recorder/followed-stream.ts';
import type { RecorderStatus } from '../recorder/recorder-status.ts';
import { serveHealth } from './health-server.ts';
import { addRecorderLiveness, addRecorderReadiness } from './recorder-health.ts';

const WELL: RecorderStatus = {
  ...{
    synced: true,
    current: true,
    storeFailures: 0,
    waitingFacts: 0,
    committedFacts: 10,
    suppressedChanges: 0,
    pods: 3,
    lagMs: 20,
  },
  clock: { skewMs: 0, aheadMs: 0, warning: undefined },
  ...{ coverageTo: epochMillis(99_500), checkpointAt: epochMillis(99_500), problems: [] },
  streams: (['pods', 'services', 'nodes'] as const).map((resource) => ({
    ...{
      resource,
      role: 'claims' as const,
      namespace: undefined,
      synced: true,
      current: true,
      silentMs: 100,
      objects: 1,
    },
  })),
};

/** What /readyz says of a recorder in this state, at second 100. */
async function readyz(status: RecorderStatus): Promise<{ code: number; lines: string[] }> {
  const clock = new ManualClock(100_000);
  const ready = new HealthChecks();
  addRecorderReadiness(ready, { status, beatAgeMs: 0 }, clock);
  const server = await serveHealth({ host: '127.0.0.1', port: 0, live: new HealthChecks(), ready });
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    return { code: answer.status, lines: (await answer.text()).split('\n') };
  } finally {
    await server.close();
  }
}

const notReady: Readonly<Record<string, readonly [RecorderStatus, RegExp]>> = {
  'before the caches are filled': [
    { ...WELL, synced: false, streams: WELL.streams.map((s) => ({ ...s, synced: s.resource === 'pods' })) },
    /^\[-\]caches failed: not listed or caught up with yet: services, nodes$/,
  ],
  'while the store refuses what it gets': [
    { ...WELL, problems: [{ what: 'store', since: epochMillis(90_000), error: 'the disk is full' }] },
    /^\[-\]store failed: the disk is full \(for 10 s\)$/,
  ],
  'while a watch fails, with what the server said, on one line': [
    {
      ...WELL,
      problems: [{ what: 'watch services', since: epochMillis(40_000), error: 'services is forbidden:\nno' }],
    },
    /^\[-\]watch-services failed: services is forbidden: no \(for 60 s\)$/,
  ],
  'while the watch of one namespace fails': [
    { ...WELL, problems: [{ what: 'watch pods in shop', since: epochMillis(99_000), error: 'gone' }] },
    /^\[-\]watch-pods failed: gone \(for 1 s\)$/,
  ],
  'when the store has not been written for longer than readers wait': [
    { ...WELL, coverageTo: epochMillis(90_000) },
    /^\[-\]coverage failed: the store knows nothing of the last 10 s$/,
  ],
};
for (const [when, [status, line]] of Object.entries(notReady)) {
  test(`not ready ${when}`, async () => {
    const { code, lines } = await readyz(status);
    assert.equal(code, 503);
    const failed = lines.filter((text) => text.startsWith('[-]'));
    assert.equal(failed.length, 1, lines.join('\n'));
    assert.match(failed[0] ?? '', line);
  });
}

test('ready when everything that happens is being recorded', async () => {
  const { code, lines } = await readyz(WELL);
  assert.equal(code, 200);
  const names = lines.flatMap((line) => /^\[\+\](\S+) ok$/.exec(line)?.[1] ?? []);
  assert.deepEqual(names, ['caches', 'clock', 'store', 'watch-pods', 'watch-services', 'watch-nodes', 'coverage']);
});

test('alive as long as it moves, whatever the cluster does', async () => {
  const report = async (beatAgeMs: number | undefined) => {
    const live = new HealthChecks();
    addRecorderLiveness(live, { status: { ...WELL, problems: [] }, beatAgeMs });
    return (await live.report()).ok;
  };
  assert.deepEqual([await report(undefined), await report(600), await report(31_000)], [true, true, false]);
});

/** A stream whose informer a test turns by hand. */
function aStream() {
  const clock = new ManualClock(0);
  const informer: { -readonly [K in keyof Followable]: Followable[K] } = {
    ...{ synced: true, isCurrent: true, silentMs: 0, lastVersion: '7', doubt: () => {}, lister: { size: 1 } },
    state: { kind: 'idle' },
    ...{ rewinds: 0, rewound: () => {}, suspect: () => {}, start: async () => {} },
  };
  const log = { catchingUp: false };
  return {
    clock,
    informer,
    log,
    stream: new FollowedStream({ resource: 'pods', role: 'claims', namespace: undefined, informer, log, clock }),
  };
}

test('a watch that is opened again is no problem; one that stays behind is, since it fell behind', async () => {
  const { clock, informer, stream } = aStream();
  assert.equal(stream.problem, undefined);
  await clock.advance(10_000);
  informer.isCurrent = false;
  assert.equal(stream.problem, undefined, 'a moment is nothing');
  await clock.advance(6_000);
  assert.deepEqual(stream.problem, {
    what: 'watch pods',
    since: 10_000,
    error: 'the watch of pods is open but not in step',
  });
  informer.isCurrent = true;
  assert.equal(stream.problem, undefined);
});

test('an error is reported at once, and until the watch is in step again', async () => {
  const { informer, stream } = aStream();
  stream.look();
  informer.isCurrent = false;
  informer.state = { kind: 'waiting', error: new Error('connection refused'), until: 1, next: 'watch' };
  assert.equal(stream.problem?.error, 'connection refused');
  informer.state = { kind: 'watching', from: '1', since: 0 };
  assert.equal(stream.problem?.error, 'connection refused', 'it is only being tried again');
  informer.isCurrent = true;
  assert.equal(stream.problem, undefined);
});

test('a stream is not in step before it was listed, while it catches up, and when it has been silent for too long', () => {
  const { informer, log, stream } = aStream();
  informer.synced = false;
  assert.equal(stream.problem?.error, 'pods have not been listed yet');
  assert.equal(stream.problem?.catchingUp, true);
  informer.synced = true;
  log.catchingUp = true;
  assert.match(stream.problem?.error ?? '', /since the last recording is still being read/);
  log.catchingUp = false;
  assert.equal(stream.problem, undefined);
  informer.silentMs = 250_000;
  assert.equal(stream.current, false);
});

test('an answer that was slow to make is not shown again once the clock of the checks has moved on', async () => {
  let aheadMs = 0;
  const clock = { monotonic: () => systemClock.monotonic() + aheadMs };
  const ready = new HealthChecks();
  // As on a machine with much else to do: the answer would be shown again for nearly a second.
  ready.add('lease', async () => {
    const result = aheadMs === 0 ? ({ ok: true } as const) : ({ ok: false, reason: 'not reachable' } as const);
    await sleep(100);
    return result;
  });
  const server = await serveHealth({ host: '127.0.0.1', port: 0, live: new HealthChecks(), ready, clock });
  try {
    const ask = async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status;
    assert.equal(await ask(), 200);
    aheadMs = 61_000;
    assert.equal(await ask(), 503);
  } finally {
    await server.close();
  }
});

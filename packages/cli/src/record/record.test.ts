// What a recorder's command does besides recording: finding out which cluster it is, and telling how it stands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis, openStore } from '@podtrail/history';
import { ApiError, type Client, ConnectionError } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import type { RecorderStatus } from '@podtrail/operator';
import { run } from '../testing/run-in-process.ts';
import { ageMs } from '../times/age.ts';
import { askClusterId, nameCluster } from './cluster-identity.ts';
import { reporterOn } from './reporter.ts';
import { watchProgress } from './watch-progress.ts';

function aClient(answers: (() => unknown)[]): Client {
  const get = async () => (answers.length > 1 ? answers.shift() : answers[0])?.();
  return { namespaces: () => ({ get }) } as unknown as Client;
}

function fails(error: Error): () => never {
  return () => {
    throw error;
  };
}

const REFUSED = new ConnectionError('refused', 'connection refused');
const NAMESPACE = () => ({ metadata: { uid: 'the-id' } });

function aSink(isTTY: boolean) {
  const sink = { isTTY, text: '', write: async (text: string | Uint8Array) => void (sink.text += text) };
  return sink;
}

test('a cluster that cannot be reached is asked again, later and later, and each time is reported', async () => {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const busy = new ApiError(503, {}, undefined);
  const asked = askClusterId(aClient([fails(REFUSED), fails(busy), fails(REFUSED), NAMESPACE]), {
    clock,
    signal: new AbortController().signal,
    onFailure: async (error) => void failures.push(error),
  });
  for (const pause of [500, 1000, 2000]) {
    await clock.untilPending();
    assert.deepEqual(clock.delays, [pause]);
    await clock.advance(pause);
  }
  assert.equal(await asked, 'the-id');
  assert.deepEqual(failures, [REFUSED, busy, REFUSED]);
});

test('a refusal ends the asking: forbidden is exit code 6 with what to do, anything else as it is', async () => {
  const patience = { clock: new ManualClock(), signal: new AbortController().signal, onFailure: async () => {} };
  const forbidden = new ApiError(403, { message: 'no' }, undefined);
  await assert.rejects(askClusterId(aClient([fails(forbidden)]), patience), { exitCode: 6, hint: /--cluster-id/ });
  const unauthorized = new ApiError(401, { message: 'who' }, undefined);
  await assert.rejects(askClusterId(aClient([fails(unauthorized)]), patience), unauthorized);
});

test('the name of a cluster: given, known, of the context, of the server', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  const config = { origin: 'context "prod" of /home/jane/.kube/config', server: 'https://10.1.1.1:6443' };
  assert.deepEqual(await nameCluster(engine, 'id', 'given', config), { id: 'id', name: 'given' });
  assert.deepEqual(await nameCluster(engine, 'id', undefined, config), { id: 'id', name: 'prod' });
  assert.equal((await nameCluster(engine, 'id', undefined, { ...config, origin: 'in-cluster' })).name, 'in-cluster');
  assert.equal((await nameCluster(engine, 'id', undefined, { ...config, origin: 'server x' })).name, '10.1.1.1:6443');
  await engine.takeOver({ id: 'id', name: 'stored' });
  assert.equal((await nameCluster(engine, 'id', undefined, config)).name, 'stored');
});

test('fault 29: logs are one JSON object a line, whatever is in the values; a terminal gets them written out', async () => {
  const log = aSink(false);
  await reporterOn(log, () => 0).event('warn', 'message', { problem: 'two\nlines \u001b[31m' });
  assert.equal(log.text.split('\n').length, 2);
  assert.deepEqual(JSON.parse(log.text), {
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    msg: 'message',
    problem: 'two\nlines \u001b[31m',
  });
  const terminal = aSink(true);
  await reporterOn(terminal, () => 0).event('warn', 'message', { problem: 'two\nlines \u001b[31m' });
  assert.equal(terminal.text, 'warn: message (problem=two\\nlines \\e[31m)\n');
});

/** Of a recorder that is well, but for what is given. */
function aStatus(more: Partial<RecorderStatus> = {}): RecorderStatus {
  return {
    ...{ synced: true, current: true, storeFailures: 0, waitingFacts: 0, committedFacts: 1, suppressedChanges: 0 },
    ...{ pods: 3, lagMs: 23.4, clock: { skewMs: 0, aheadMs: 0, warning: undefined } },
    ...{ coverageTo: undefined, checkpointAt: undefined, streams: [], problems: [] },
    ...more,
  };
}

test('progress: watching is reported once, a short interruption is not, a long one is, with the reason', async () => {
  const clock = new ManualClock();
  const log = aSink(false);
  const stop = new AbortController();
  const well = aStatus();
  const problems = [{ what: 'watch pods', since: epochMillis(0), error: 'connection refused' }];
  const recorder = { status: well };
  const running = watchProgress({
    ...{ recorder, reporter: reporterOn(log, () => 0) },
    ...{ clock, signal: stop.signal, cluster: 'c', statusEveryMs: 60_000 },
  });
  const messages = () =>
    log.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
  await clock.advance(1000);
  assert.match(log.text, /"lagMs":23/);
  recorder.status = { ...well, current: false };
  await clock.advance(1000);
  recorder.status = well;
  await clock.advance(1000);
  assert.deepEqual(messages(), ['watching', 'status']);
  recorder.status = { ...well, current: false, problems };
  await clock.advance(4000);
  assert.deepEqual(messages().slice(2), [
    'not watching: the time from here on may become a gap',
    'the cluster cannot be watched; trying again',
  ]);
  assert.match(log.text, /"what":"watch pods","since":"1970-01-01T00:00:00.000Z","problem":"connection refused"/);
  recorder.status = well;
  await clock.advance(1000);
  assert.equal(messages().at(-1), 'watching');
  stop.abort();
  await running;
});

test('progress: a restart that only catches up is one line, and no warning', async () => {
  const clock = new ManualClock();
  const log = aSink(false);
  const stop = new AbortController();
  const problems = ['pods', 'services', 'nodes'].map((resource) => ({
    ...{ what: `watch ${resource}`, since: epochMillis(0), catchingUp: true },
    error: `what happened to ${resource} since the last recording is still being read`,
  }));
  const status = aStatus({ current: false, lagMs: 0, problems });
  const running = watchProgress({
    ...{ recorder: { status }, reporter: reporterOn(log, () => 0) },
    ...{ clock, signal: stop.signal, cluster: 'c', statusEveryMs: 60_000 },
  });
  await clock.advance(4000);
  const lines = log.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg !== 'status');
  assert.deepEqual(
    lines.map(({ level, msg, resources }) => [level, msg, resources]),
    [['info', 'reading what happened since the last recording', 'pods, services, nodes']],
  );
  stop.abort();
  await running;
});

test('a terminal shows how far the store is behind', async () => {
  const clock = new ManualClock();
  const terminal = aSink(true);
  const stop = new AbortController();
  const status = aStatus({ waitingFacts: 2, lagMs: 1234 });
  const running = watchProgress({
    ...{ recorder: { status }, reporter: reporterOn(terminal, () => 0) },
    ...{ clock, signal: stop.signal, cluster: 'c', statusEveryMs: 2000 },
  });
  await clock.advance(10);
  assert.match(terminal.text, /c: watching · 3 pods · 1 facts stored, 2 waiting · 1\.2 s behind · Ctrl\+C ends/);
  stop.abort();
  await running;
});

test('a retention is a duration or days, and no shorter than an hour', () => {
  assert.deepEqual(
    [ageMs('--retention')('30d'), ageMs('--retention')('720h'), ageMs('--retention')('1h30m')],
    [2_592e6, 2_592e6, 5_400_000],
  );
  for (const bad of ['', '30', 'x', '30m', '0d', '1.5d', '-1d']) {
    assert.throws(() => ageMs('--retention')(bad), { exitCode: 2 }, bad);
  }
});

test('record without a configuration is a sentence', async () => {
  const { code, err } = await run(['record']);
  assert.deepEqual([code, err], [1, 'podtrail: no Kubernetes configuration\n']);
});

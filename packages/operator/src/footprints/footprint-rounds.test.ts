import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPod, ManualClock, settle } from '@podtrail/machinery/testing';
import { FootprintRounds, type FootprintRoundsOptions, NotStored, type RoundNews } from './footprint-rounds.ts';
import { FedInformer } from './testing/fed-informer.ts';

function stage(options: Partial<FootprintRoundsOptions> = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 15, 10));
  const pods = new FedInformer(clock);
  const written: string[] = [];
  const news: RoundNews[] = [];
  const stop = new AbortController();
  const rounds = new FootprintRounds({
    ...{ pods, clock, intervalMs: 30_000 },
    write: async (lines) => void written.push(lines),
    onNews: (one) => void news.push(one),
    ...options,
  });
  const lines = () =>
    written
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { clock, pods, written, news, stop, rounds, lines };
}

test('rounds are written also where nobody wants to know of them', async () => {
  const clock = new ManualClock();
  const pods = new FedInformer(clock);
  let written = '';
  const rounds = new FootprintRounds({ pods, clock, write: async (lines) => void (written += lines) });
  pods.list(aPod('a'));
  const stop = new AbortController();
  const running = rounds.run(stop.signal);
  await clock.advance(0);
  stop.abort();
  await running;
  assert.match(written, /"pod_name":"a"/);
});

test('a round is at once after the first listing, then every interval, each with one instant for all its lines', async () => {
  const { clock, pods, stop, rounds, lines } = stage();
  const running = rounds.run(stop.signal);
  await clock.advance(60_000);
  assert.deepEqual(lines(), []);
  pods.list(aPod('a').onNode('n1'), aPod('b'));
  await clock.advance(0);
  assert.deepEqual(
    lines().map(({ pod_name, timestamp }) => [pod_name, timestamp]),
    [
      ['a', '2026-11-15T10:01:00.000Z'],
      ['b', '2026-11-15T10:01:00.000Z'],
    ],
  );
  pods.add(aPod('c'));
  await clock.advance(29_999);
  assert.equal(lines().length, 2);
  await clock.advance(1);
  assert.deepEqual(
    lines()
      .slice(2)
      .map(({ pod_name }) => pod_name),
    ['a', 'b', 'c'],
  );
  stop.abort();
  await running;
});

test('only whole lines are written, no more at once than a pipe takes at once, and the next when the reader is ready', async () => {
  let ready = Promise.withResolvers<void>();
  const written: string[] = [];
  const { pods, rounds, stop } = stage({
    write: (lines) => {
      written.push(lines);
      return ready.promise;
    },
  });
  pods.list(...Array.from({ length: 100 }, (_, i) => aPod(`pod-${i}`)));
  const round = rounds.round(stop.signal);
  await settle();
  assert.equal(written.length, 1);
  ready.resolve();
  ready = Promise.withResolvers<void>();
  await settle();
  assert.equal(written.length, 2);
  ready.resolve();
  assert.equal((await round).pods, 100);
  for (const lines of written) {
    assert.ok(Buffer.byteLength(lines) <= 4096);
    for (const line of lines.trimEnd().split('\n')) JSON.parse(line);
  }
});

test('asked to stop in the middle of a round, it ends after a line and flushes what was seen', async () => {
  let flushes = 0;
  const written: string[] = [];
  const { clock, pods, rounds, stop } = stage({
    configMaps: { flush: async () => ({ writes: flushes++, entries: 0 }) },
    write: async (lines) => {
      written.push(lines);
      stop.abort();
    },
  });
  pods.list(...Array.from({ length: 100 }, (_, i) => aPod(`pod-${i}`)));
  await rounds.run(stop.signal);
  assert.equal(written.length, 1);
  assert.match(written[0] ?? '', /}\n$/);
  assert.equal(flushes, 2);
  assert.equal(clock.pending, 0);
});

test('asked to stop while nobody reads, it waits two seconds for him, and still stores what was seen', async () => {
  const flushed: number[] = [];
  const { clock, pods, rounds, stop } = stage({
    configMaps: {
      flush: async () => {
        flushed.push(clock.monotonic());
        return { writes: 0, entries: 0 };
      },
    },
    write: () => new Promise<never>(() => {}),
  });
  pods.list(aPod('a'));
  let hasEnded = false;
  const running = rounds.run(stop.signal).then(() => (hasEnded = true));
  await settle();
  await clock.advance(60_000);
  const stopped = clock.monotonic();
  stop.abort(new Error('SIGTERM'));
  await clock.advance(1_999);
  assert.equal(hasEnded, false);
  await clock.advance(1);
  await running;
  assert.deepEqual(flushed.slice(1), [stopped + 2_000]);
  assert.equal(clock.pending, 0);
});

test('a round that a file takes without a pause still lets signals and the watch through', async () => {
  let written = 0;
  const { pods, rounds, stop } = stage({ write: async () => void written++ });
  pods.list(...Array.from({ length: 5000 }, (_, i) => aPod(`pod-${i}`)));
  const round = assert.rejects(rounds.round(stop.signal), /SIGTERM/);
  setImmediate(() => stop.abort(new Error('SIGTERM')));
  await round;
  assert.ok(written > 0 && written < 100, `${written} writes`);
});

test('a flush that hangs is broken off five seconds after the signal', async () => {
  const { clock, pods, rounds, stop, news } = stage({
    configMaps: {
      flush: (signal) =>
        new Promise((_, reject) => {
          if (signal?.aborted) reject(signal.reason);
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    },
  });
  pods.list(aPod('a'));
  const running = rounds.run(stop.signal);
  await settle();
  stop.abort(new Error('SIGTERM'));
  await clock.advance(4999);
  assert.equal(news.length, 0);
  await clock.advance(1);
  await running;
  assert.equal(news.at(-1)?.kind, 'not-stored');
});

test('while the cluster is not being watched no round is lines, and it says so', async () => {
  const { clock, pods, rounds, stop, news, lines } = stage();
  pods.list(aPod('a'));
  const running = rounds.run(stop.signal);
  await clock.advance(10_000);
  pods.current = false;
  await clock.advance(120_000);
  assert.equal(lines().length, 1);
  assert.deepEqual(
    news.map(({ kind }) => kind),
    ['round', 'left-out'],
  );
  pods.current = true;
  await clock.advance(1000);
  assert.equal(lines().length, 2);
  stop.abort();
  await running;
});

test('a watch that is opened again leaves out no round, however short the interval', async () => {
  const { clock, pods, rounds, stop, news } = stage({ intervalMs: 50 });
  pods.list(aPod('a'));
  pods.current = false;
  const running = rounds.run(stop.signal);
  await clock.advance(1000);
  pods.current = true;
  await clock.advance(1000);
  assert.deepEqual(new Set(news.map(({ kind }) => kind)), new Set(['round']));
  stop.abort();
  await running;
});

test('ConfigMaps that cannot be written keep no line back: a single round rejects, a running one reports it and goes on', async () => {
  const cause = new Error('refused');
  const { clock, pods, rounds, stop, news, lines } = stage({ configMaps: { flush: () => Promise.reject(cause) } });
  pods.list(aPod('a'));
  await assert.rejects(rounds.round(stop.signal), (error) => error instanceof NotStored && error.cause === cause);
  assert.equal(lines().length, 1);
  const running = rounds.run(stop.signal);
  await clock.advance(30_000);
  assert.equal(lines().length, 3);
  assert.deepEqual(news[0], { kind: 'not-stored', error: cause });
  stop.abort();
  await running;
});

test('lines that cannot be written end the run with the reason', async () => {
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const { pods, rounds, stop } = stage({ write: () => Promise.reject(gone) });
  pods.list(aPod('a'));
  await assert.rejects(rounds.run(stop.signal), gone);
});

test('only matching pods are written', async () => {
  const { pods, rounds, stop, lines } = stage({ matches: ({ metadata }) => metadata.name.startsWith('web-') });
  pods.list(aPod('web-1'), aPod('db-1'));
  assert.equal((await rounds.round(stop.signal)).pods, 1);
  assert.deepEqual(
    lines().map(({ pod_name }) => pod_name),
    ['web-1'],
  );
});

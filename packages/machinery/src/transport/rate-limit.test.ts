// The optional bound on calls per second.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { RateLimit } from './rate-limit.ts';
import { aStage } from './testing/transport-stage.ts';

test('a burst goes at once, the others one by one in the order in which they asked', async () => {
  const clock = new ManualClock();
  const limit = new RateLimit(clock, 10, 2);
  const served: number[] = [];
  for (let i = 0; i < 5; i++) limit.take().then(() => served.push(i));
  await clock.advance(0);
  assert.deepEqual(served, [0, 1]);
  await clock.advance(100);
  assert.deepEqual(served, [0, 1, 2]);
  await clock.advance(200);
  assert.deepEqual(served, [0, 1, 2, 3, 4]);
});

test('idle time fills the bucket up to the burst and not beyond', async () => {
  const clock = new ManualClock();
  const limit = new RateLimit(clock, 10, 2);
  await clock.advance(60_000);
  let served = 0;
  for (let i = 0; i < 5; i++) limit.take().then(() => served++);
  await clock.advance(0);
  assert.equal(served, 2);
});

test('a caller that gives up while it waits does not slow down those that come later', async () => {
  const clock = new ManualClock();
  const limit = new RateLimit(clock, 1, 1);
  await limit.take();
  const abort = new AbortController();
  const given = assert.rejects(limit.take(abort.signal), { name: 'AbortError' });
  abort.abort();
  await given;
  let served = false;
  limit.take().then(() => {
    served = true;
  });
  await clock.advance(999);
  assert.equal(served, false);
  await clock.advance(1);
  assert.equal(served, true);
});

test('the transport lets calls and streams pass at the given rate, retries included', async (t) => {
  const { server, transport, clock } = await aStage(t, { rateLimit: { perSecond: 1, burst: 1 } });
  const first = transport.request({ method: 'GET', path: '/1' });
  const second = transport.request({ method: 'GET', path: '/2' });
  const handle = transport.stream(
    { method: 'GET', path: '/3' },
    { onOpen() {}, onData() {}, onEnd() {}, onError() {} },
  );
  (await server.next()).json({});
  await first;
  await clock.advance(999);
  assert.equal(server.requests, 1);
  await clock.advance(1);
  const seen = await server.next();
  assert.equal(seen.path, '/2');
  seen.json({});
  await second;
  await clock.advance(1000);
  assert.equal((await server.next()).path, '/3');
  handle.close();
});

test('without a rate limit nothing waits', async (t) => {
  const { server, transport, clock } = await aStage(t);
  const calls = Promise.all(Array.from({ length: 50 }, () => transport.request({ method: 'GET', path: '/' })));
  for (let i = 0; i < 50; i++) (await server.next()).json({});
  await calls;
  assert.equal(clock.monotonic(), 0);
});

// When a call ends before its answer: the time-out, the caller's signal, the end of the transport.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Identity } from '../config/identity.ts';
import { ConnectionError } from '../errors.ts';
import { aStage, HeldIdentity, PLAIN } from './testing/transport-stage.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const LATER = { headers: { 'retry-after': '5' } };

const timedOut = (error: unknown) => {
  assert.ok(error instanceof ConnectionError, String(error));
  assert.equal(error.code, 'connection-timeout');
  assert.match(error.message, /GET \/api\/v1\/pods: no complete answer within \d+ ms/);
  assert.match(error.hint ?? '', /longer time-out/);
  return true;
};

/** Warnings of the process while `act` runs. */
async function warningsDuring(t: TestContext, act: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(String(warning));
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  await act();
  await new Promise((resolve) => setImmediate(resolve));
  return warnings;
}

test('no answer by the deadline of the injected clock is a time-out, and the connection is given up', async (t) => {
  const { server, transport, clock } = await aStage(t);
  const call = transport.request(LIST);
  const seen = await server.next();
  await clock.advance(59_999);
  assert.equal(clock.pending, 1);
  const rejected = assert.rejects(call, timedOut);
  await clock.advance(1);
  await rejected;
  await seen.closed;
});

test('an answer whose body does not come to its end by the deadline is a time-out', async (t) => {
  const { server, transport, clock } = await aStage(t, { timeoutMs: 1000 });
  const rejected = assert.rejects(transport.request(LIST), timedOut);
  const body = (await server.next()).stream();
  body.write('{"items":[');
  await clock.advance(1000);
  await rejected;
  await body.closed;
});

test('the time-out of one call replaces the one of the transport', async (t) => {
  const { server, transport, clock } = await aStage(t, { timeoutMs: 10 });
  const call = transport.request(LIST, { timeoutMs: 5000 });
  const seen = await server.next();
  await clock.advance(4999);
  seen.json({});
  await call;
  assert.equal(clock.pending, 0, 'no timer is left behind');
});

test('the deadline goes on over retries', async (t) => {
  const { server, transport, clock } = await aStage(t, { timeoutMs: 12_000 });
  const rejected = assert.rejects(transport.request(LIST), { status: 429 });
  for (let i = 0; i < 2; i++) {
    (await server.next()).refuse(429, 'TooManyRequests', 'later', LATER);
    await clock.untilPending(2);
    await clock.advance(5000);
  }
  (await server.next()).refuse(429, 'TooManyRequests', 'later', LATER);
  await rejected;
});

test('a signal that has aborted before the call sends nothing', async (t) => {
  const { server, transport, clock } = await aStage(t);
  const reason = new Error('not any more');
  await assert.rejects(transport.request(LIST, { signal: AbortSignal.abort(reason) }), reason);
  assert.deepEqual([server.requests, server.connections, clock.pending], [0, 0, 0]);
});

test('an abort during the call rejects with its reason and hangs up', async (t) => {
  const { server, transport, clock } = await aStage(t);
  const abort = new AbortController();
  const reason = new Error('not any more');
  const call = assert.rejects(transport.request(LIST, { signal: abort.signal }), reason);
  const seen = await server.next();
  abort.abort(reason);
  await call;
  await seen.closed;
  assert.equal(clock.pending, 0);
});

test('an abort while waiting for a retry ends the call without another try', async (t) => {
  const { server, transport, clock } = await aStage(t);
  const abort = new AbortController();
  const reason = new Error('not any more');
  const call = assert.rejects(transport.request(LIST, { signal: abort.signal }), reason);
  (await server.next()).refuse(429, 'TooManyRequests', 'later', LATER);
  await clock.untilPending(2);
  abort.abort(reason);
  await call;
  assert.deepEqual([clock.pending, server.requests], [0, 1]);
});

test('an abort, a time-out and a close end a call that waits for a hanging credential plugin', async (t) => {
  const hanging = { current: () => new Promise<Identity>(() => {}), refuse() {} };
  const { server, transport, clock } = await aStage(t, { identity: hanging });
  const abort = new AbortController();
  const aborted = assert.rejects(transport.request(LIST, { signal: abort.signal }), { name: 'AbortError' });
  abort.abort();
  await aborted;
  const late = assert.rejects(transport.request(LIST, { timeoutMs: 50 }), timedOut);
  await clock.advance(50);
  await late;
  const closed = assert.rejects(transport.request(LIST), /the transport is closed/);
  await transport.close();
  await closed;
  assert.equal(server.connections, 0);
});

test('a failing credential plugin is what the caller sees', async (t) => {
  const failing = { current: () => Promise.reject(new Error('log in first')), refuse() {} };
  const { transport, clock } = await aStage(t, { identity: failing });
  await assert.rejects(transport.request(LIST), /log in first/);
  assert.equal(clock.pending, 0);
});

test('a long-lived signal keeps nothing of the calls that are over, and many at once raise no warning', async (t) => {
  const { server, transport } = await aStage(t, { connections: 4 });
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  t.mock.method(signal, 'addEventListener', (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  });
  t.mock.method(signal, 'removeEventListener', (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  });
  const warnings = await warningsDuring(t, async () => {
    const calls = Promise.all(Array.from({ length: 30 }, () => transport.request(LIST, { signal })));
    for (let i = 0; i < 30; i++) (await server.next()).json({});
    await calls;
  });
  assert.deepEqual([listeners, warnings], [0, []]);
});

test('closing cuts running calls, calls that wait for a retry and calls in the queue', async (t) => {
  const { server, transport, clock } = await aStage(t, { connections: 1 });
  const isClosed = (error: unknown) => {
    assert.ok(error instanceof ConnectionError, String(error));
    assert.equal(error.fault, 'aborted');
    assert.match(error.message, /GET \/api\/v1\/pods: the transport is closed/);
    return true;
  };
  const waiting = assert.rejects(transport.request(LIST), isClosed);
  (await server.next()).refuse(429, 'TooManyRequests', 'later', LATER);
  await clock.untilPending(2);
  const running = assert.rejects(transport.request(LIST), isClosed);
  const seen = await server.next();
  const queued = assert.rejects(transport.request(LIST), isClosed);
  await transport.close();
  await Promise.all([waiting, running, queued, seen.closed]);
  assert.deepEqual([clock.pending, server.requests], [0, 2]);
});

test('after closing, calls and streams fail with a sentence, and closing again is fine', async (t) => {
  const { server, transport } = await aStage(t);
  await transport.close();
  await transport.close();
  await assert.rejects(transport.request(LIST), { code: 'connection-aborted', message: /the transport is closed/ });
  const error = await new Promise<Error>((onError) => {
    transport.stream(LIST, { onOpen() {}, onData() {}, onEnd() {}, onError });
  });
  assert.match(error.message, /GET \/api\/v1\/pods: the transport is closed/);
  assert.equal(server.connections, 0);
});

test('beforeSend is asked at every try, and what it throws ends the call with nothing sent', async (t) => {
  const { server, transport, clock } = await aStage(t, { identity: new HeldIdentity({ tls: PLAIN }) });
  let asked = 0;
  const beforeSend = () => {
    if (++asked === 2) throw new Error('no longer the leader');
  };
  const call = assert.rejects(transport.request({ ...LIST, method: 'POST' }, { beforeSend }), /no longer the leader/);
  (await server.next()).refuse(503, 'ServiceUnavailable', 'later', LATER);
  await clock.untilPending(2);
  await clock.advance(5000);
  await call;
  assert.deepEqual([asked, server.requests], [2, 1]);
});

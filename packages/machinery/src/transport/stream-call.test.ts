// Streams: bytes as they come, back-pressure, and exactly one end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity } from '../config/identity.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { settle } from '../testing/manual-clock.ts';
import { encodeStatus } from '../testing/protobuf-writer.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from './http-transport.ts';
import { aStage, HeldIdentity, RecordingSink } from './testing/transport-stage.ts';

const WATCH = { method: 'GET', path: '/api/v1/pods?watch=true', headers: { accept: 'application/json' } } as const;

async function anOpenStream(t: Parameters<typeof aStage>[0]) {
  const stage = await aStage(t);
  const sink = new RecordingSink();
  const handle = stage.transport.stream(WATCH, sink);
  const call = await stage.server.next();
  const stream = call.stream();
  await sink.until(() => sink.opened.length === 1);
  return { ...stage, sink, handle, call, stream };
}

test('bytes are handed over as they come, then the end', async (t) => {
  const { sink, stream, call, clock } = await anOpenStream(t);
  assert.equal(call.headers.accept, 'application/json');
  assert.equal(sink.opened[0]?.['content-type'], 'application/json');
  stream.write('one\n');
  await sink.until(() => sink.text === 'one\n');
  stream.write('two\n');
  await sink.until(() => sink.text === 'one\ntwo\n');
  stream.end();
  assert.equal(await sink.over, 'end');
  assert.deepEqual(sink.calls, ['open', 'data', 'data', 'end']);
  assert.equal(clock.pending, 0, 'a stream has no deadline of the transport');
});

test('a broken connection is a reset, once', async (t) => {
  const { sink, stream, handle } = await anOpenStream(t);
  stream.write('one');
  await sink.until(() => sink.text === 'one');
  stream.break();
  const error = await sink.over;
  assert.ok(error instanceof ConnectionError);
  assert.equal(error.fault, 'reset');
  handle.close();
  handle.close();
  await settle();
  assert.deepEqual(sink.calls, ['open', 'data', 'error']);
});

test('close hangs up, calls the sink once, and nothing comes after', async (t) => {
  const { sink, stream, handle } = await anOpenStream(t);
  stream.write('one');
  await sink.until(() => sink.text === 'one');
  handle.close();
  assert.deepEqual(sink.calls, ['open', 'data', 'error'], 'at once');
  assert.ok(sink.error instanceof ConnectionError);
  assert.equal(sink.error.fault, 'aborted');
  assert.match(sink.error.message, /GET \/api\/v1\/pods\?watch=true: closed by us/);
  await stream.closed;
  await settle();
  assert.equal(sink.calls.length, 3);
});

test('close within a chunk: the sink hears of no further one', async (t) => {
  const { sink, stream, handle } = await anOpenStream(t);
  sink.onChunk = () => handle.close();
  stream.write('one');
  await sink.over;
  await stream.closed;
  assert.deepEqual(sink.calls, ['open', 'data', 'error']);
});

test('what the sink throws ends the stream with it', async (t) => {
  const { sink, stream } = await anOpenStream(t);
  const bug = new Error('cannot read this');
  sink.onChunk = () => {
    throw bug;
  };
  stream.write('one');
  const error = await sink.over;
  assert.ok(error instanceof Error);
  assert.equal(error.cause, bug);
  await stream.closed;
});

for (const [what, body, type] of [
  ['JSON', JSON.stringify({ kind: 'Status', reason: 'Expired', message: 'too old' }), 'application/json'],
  ['protobuf', encodeStatus({ reason: 'Expired', message: 'too old' }), 'application/vnd.kubernetes.protobuf'],
] as const) {
  test(`a refusal of a stream, in ${what}, is an ApiError and no opening`, async (t) => {
    const { server, transport } = await aStage(t);
    const sink = new RecordingSink();
    transport.stream(WATCH, sink);
    (await server.next()).respond(410, body, { 'content-type': type });
    const error = await sink.over;
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.reason], [410, 'Expired']);
    assert.match(error.message, /too old/);
    assert.deepEqual(sink.calls, ['error']);
  });
}

test('fault 13: a refused watch carries the delay that the server asks for', async (t) => {
  const { server, transport } = await aStage(t);
  const sink = new RecordingSink();
  transport.stream(WATCH, sink);
  (await server.next()).refuse(429, 'TooManyRequests', 'later', { headers: { 'retry-after': '9' } });
  const error = await sink.over;
  assert.ok(error instanceof ApiError);
  assert.equal(error.retryAfterMs, 9000);
  assert.equal(server.requests, 1, 'when to try again is for the reflector to decide');
});

test('of an endless refusal the beginning is reported, and the connection is given up', async (t) => {
  const { server, transport } = await aStage(t);
  const sink = new RecordingSink();
  transport.stream(WATCH, sink);
  const call = await server.next();
  call.socket.write('HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n');
  call.socket.write('x'.repeat(5_000_000));
  const error = await sink.over;
  assert.ok(error instanceof ApiError && error.status === 500);
  assert.ok(error.message.length < 400);
  await call.closed;
  assert.deepEqual(sink.calls, ['error']);
});

test('401 on a stream refuses the identity, so that the next one comes with a fresh one', async (t) => {
  const identity = new HeldIdentity({ authorization: 'Bearer old' }, { authorization: 'Bearer new' });
  const { server, transport } = await aStage(t, { identity });
  const sink = new RecordingSink();
  transport.stream(WATCH, sink);
  (await server.next()).refuse(401, 'Unauthorized');
  assert.ok((await sink.over) instanceof ApiError);
  const next = transport.stream(WATCH, new RecordingSink());
  assert.equal((await server.next()).headers.authorization, 'Bearer new');
  next.close();
});

test('a paused stream makes the server wait, and a resumed one gets every byte', async (t) => {
  const { sink, stream, handle } = await anOpenStream(t);
  sink.onChunk = () => {
    handle.pause();
    sink.onChunk = () => {};
  };
  const chunk = Buffer.alloc(256 * 1024, 'x');
  let sent = 0;
  // Kernel buffers take some megabytes; then write returns false for good.
  const flush = () => new Promise<boolean>((resolve) => setImmediate(() => resolve(stream.write(chunk))));
  for (let stalled = 0; stalled < 20 && sent < 1024; sent++) stalled = (await flush()) ? 0 : stalled + 1;
  assert.ok(sent < 1024, 'the server never felt it');
  const seen = sink.bytes;
  assert.ok(seen <= 2 * chunk.length, `${seen} bytes came through a paused stream`);
  await settle();
  assert.equal(sink.bytes, seen);
  handle.resume();
  stream.end();
  assert.equal(await sink.over, 'end');
  assert.equal(sink.bytes, sent * chunk.length);
});

test('a stream that is paused before its answer comes is opened and then held', async (t) => {
  const { server, transport } = await aStage(t);
  const sink = new RecordingSink();
  const handle = transport.stream(WATCH, sink);
  handle.pause();
  const stream = (await server.next()).stream();
  stream.write('one');
  await sink.until(() => sink.opened.length === 1);
  await settle();
  assert.equal(sink.text, '');
  handle.resume();
  await sink.until(() => sink.text === 'one');
  handle.close();
});

test('one stream may be resumed from within the data of another', async (t) => {
  const { server, transport } = await aStage(t);
  const [held, busy] = [new RecordingSink(), new RecordingSink()];
  const heldHandle = transport.stream(WATCH, held);
  const heldStream = (await server.next()).stream();
  held.onChunk = () => {
    heldHandle.pause();
    held.onChunk = () => {};
  };
  heldStream.write('a');
  await held.until(() => held.text === 'a');
  heldStream.write('b');
  await settle();
  busy.onChunk = () => heldHandle.resume();
  const busyHandle = transport.stream(WATCH, busy);
  const busyStream = (await server.next()).stream();
  busyStream.write('x');
  await held.until(() => held.text === 'ab');
  assert.deepEqual([held.error, busy.error], [undefined, undefined]);
  heldHandle.close();
  busyHandle.close();
});

test('pause and resume after the end, or many times, do nothing', async (t) => {
  const { sink, stream, handle } = await anOpenStream(t);
  for (let i = 0; i < 3; i++) {
    handle.pause();
    handle.resume();
  }
  handle.resume();
  stream.write('one');
  await sink.until(() => sink.text === 'one');
  stream.end();
  await sink.over;
  handle.pause();
  handle.resume();
  handle.close();
  await settle();
  assert.deepEqual(sink.calls, ['open', 'data', 'end']);
});

test('a paused stream can be closed', async (t) => {
  const { sink, stream, handle } = await anOpenStream(t);
  handle.pause();
  stream.write('x'.repeat(100_000));
  await settle();
  handle.close();
  await stream.closed;
  assert.equal(sink.calls.at(-1), 'error');
});

test('a stream that is closed before there is a connection sends nothing', async (t) => {
  let give: (identity: Identity) => void = () => {};
  const slow = { current: () => new Promise<Identity>((resolve) => (give = resolve)), refuse() {} };
  const { server, transport } = await aStage(t, { identity: slow });
  const sink = new RecordingSink();
  const handle = transport.stream(WATCH, sink);
  await settle();
  handle.close();
  assert.deepEqual(sink.calls, ['error']);
  const identity = new HeldIdentity({}).now;
  give(identity);
  await settle();
  const call = transport.request(WATCH);
  await settle();
  give(identity);
  (await server.next()).json({});
  await call;
  assert.deepEqual([server.connections, sink.calls], [1, ['error']], 'only the one of the call');
});

test('a stream that is closed while its connection is being made sends nothing', async (t) => {
  const { server, transport } = await aStage(t);
  const sink = new RecordingSink();
  const handle = transport.stream({ ...WATCH, path: '/closed' }, sink);
  // The connection is asked for within these, and cannot stand before the event loop has turned.
  for (let i = 0; i < 20; i++) await Promise.resolve();
  handle.close();
  const other = transport.stream({ ...WATCH, path: '/open' }, new RecordingSink());
  assert.equal((await server.next()).path, '/open');
  assert.deepEqual(sink.calls, ['error']);
  other.close();
});

test('a stream to nowhere is a fault, and so is one without credentials', async (t) => {
  const away = await ScriptedServer.start();
  const config = away.config();
  await away.stop();
  const transport = new HttpTransport(config);
  t.after(() => transport.close());
  const sink = new RecordingSink();
  transport.stream(WATCH, sink);
  const error = await sink.over;
  assert.ok(error instanceof ConnectionError);
  assert.deepEqual([error.fault, error.neverSent], ['refused', true]);
  const failing = { current: () => Promise.reject(new Error('log in first')), refuse() {} };
  const stage = await aStage(t, { identity: failing });
  const second = new RecordingSink();
  stage.transport.stream(WATCH, second);
  assert.match(String(await second.over), /log in first/);
});

test('the observer hears of a stream when its headers come, or when it fails without any', async (t) => {
  const seen: { status: number }[] = [];
  const { server, transport } = await aStage(t, { observer: (one) => void seen.push(one) });
  const sink = new RecordingSink();
  const handle = transport.stream(WATCH, sink);
  const watch = await server.next();
  watch.socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
  watch.stream();
  await sink.until(() => sink.opened.length === 1);
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200],
  );
  handle.close();
  const failed = new RecordingSink();
  transport.stream(WATCH, failed);
  (await server.next()).drop();
  await failed.over;
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200, 0],
  );
});

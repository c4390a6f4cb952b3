// Compressed bodies, and bodies that are too large or broken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DecodeError } from '../errors.ts';
import { aStage } from './testing/transport-stage.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const GZIP = { 'content-encoding': 'gzip' };
const MIB = 1024 * 1024;

test('gzip is asked for and undone', async (t) => {
  const { server, transport } = await aStage(t);
  const call = transport.request(LIST);
  const seen = await server.next();
  assert.equal(seen.headers['accept-encoding'], 'gzip');
  const text = JSON.stringify({ items: 'é'.repeat(100_000) });
  seen.respond(200, gzipSync(text), GZIP);
  assert.equal((await call).body.toString(), text);
});

test('gzip is not asked for when the config disables compression, nor for streams', async (t) => {
  const { server, transport } = await aStage(t, { config: { disableCompression: true } });
  const call = transport.request(LIST);
  const seen = await server.next();
  seen.json({});
  await call;
  const open = await aStage(t);
  const handle = open.transport.stream(LIST, { onOpen() {}, onData() {}, onEnd() {}, onError() {} });
  const watch = await open.server.next();
  handle.close();
  assert.deepEqual([seen.headers['accept-encoding'], watch.headers['accept-encoding']], [undefined, undefined]);
});

test('fault 30: a small gzip body that unpacks beyond the limit is a DecodeError with a hint', async (t) => {
  const { server, transport } = await aStage(t, { maxBodyBytes: MIB });
  const bomb = gzipSync(Buffer.alloc(100 * MIB), { level: 9 });
  assert.ok(bomb.length < MIB / 4);
  const call = assert.rejects(transport.request(LIST), (error) => {
    assert.ok(error instanceof DecodeError);
    assert.match(error.message, /GET \/api\/v1\/pods: the answer is larger than 1048576 bytes/);
    assert.match(error.hint ?? '', /smaller pages/);
    return true;
  });
  (await server.next()).respond(200, bomb, GZIP);
  await call;
});

test('a plain body beyond the limit is a DecodeError, and the rest of it is not read', async (t) => {
  const { server, transport } = await aStage(t, { maxBodyBytes: MIB });
  const call = assert.rejects(transport.request(LIST), { name: 'DecodeError', message: /larger than 1048576 bytes/ });
  const body = (await server.next()).stream();
  for (let i = 0; i < 20; i++) body.write(Buffer.alloc(100_000));
  await call;
  await body.closed;
});

test('a body of exactly the limit is fine', async (t) => {
  const { server, transport } = await aStage(t, { maxBodyBytes: 1000 });
  for (const [body, headers] of [[Buffer.alloc(1000, 'x'), {}] as const, [gzipSync('y'.repeat(1000)), GZIP] as const]) {
    const call = transport.request(LIST);
    (await server.next()).respond(200, body, headers);
    assert.equal((await call).body.length, 1000);
  }
});

test('of an endless refusal the beginning is reported, and the connection is given up', async (t) => {
  const { server, transport } = await aStage(t);
  const rejected = assert.rejects(transport.request(LIST), { name: 'ApiError', status: 500, message: /xxx…$/ });
  const call = await server.next();
  call.socket.write('HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n');
  call.socket.write('x'.repeat(5 * MIB));
  await rejected;
  await call.closed;
});

test('a broken gzip body is a DecodeError that keeps the cause', async (t) => {
  const { server, transport } = await aStage(t);
  const whole = gzipSync('{"items":[]}');
  for (const broken of [whole.subarray(0, -6), Buffer.from('{"items":[]}')]) {
    const call = assert.rejects(transport.request(LIST), (error) => {
      assert.ok(error instanceof DecodeError && error.cause instanceof Error);
      assert.match(error.message, /gzip body is broken/);
      assert.match(error.hint ?? '', /disable-compression/);
      return true;
    });
    (await server.next()).respond(200, broken, GZIP);
    await call;
  }
});

test('an encoding that nobody asked for is named', async (t) => {
  const { server, transport } = await aStage(t);
  const call = assert.rejects(transport.request(LIST), { name: 'DecodeError', message: /encoded as br/ });
  (await server.next()).respond(200, 'x', { 'content-encoding': 'br' });
  await call;
});

test('an answer to HEAD may name an encoding without having a body', async (t) => {
  const { server, transport } = await aStage(t);
  const call = transport.request({ ...LIST, method: 'HEAD' });
  (await server.next()).respond(200, '', { ...GZIP, 'content-length': '500' });
  assert.equal((await call).body.length, 0);
});

test('a refusal is unpacked too, and one that cannot be unpacked is still known by its status', async (t) => {
  const { server, transport } = await aStage(t);
  const packed = assert.rejects(transport.request(LIST), { status: 403, message: /not for you/ });
  const body = JSON.stringify({ kind: 'Status', message: 'not for you' });
  (await server.next()).respond(403, gzipSync(body), GZIP);
  await packed;
  const broken = assert.rejects(transport.request(LIST), { name: 'ApiError', status: 502 });
  (await server.next()).respond(502, 'no gzip', GZIP);
  await broken;
});

// How many connections there are, and what becomes of them when certificates change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TlsMaterial } from '../config/identity.ts';
import { selfSignedCertificate } from '../config/testing/self-signed-certificate.ts';
import { ConnectionError } from '../errors.ts';
import { ConnectionPool } from './connection-pool.ts';
import { aStage, HeldIdentity, PLAIN, RecordingSink } from './testing/transport-stage.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const WATCH = { method: 'GET', path: '/api/v1/pods?watch=true' } as const;

const serving = selfSignedCertificate('scripted');
const jane = selfSignedCertificate('jane');
const joe = selfSignedCertificate('joe');
const TLS: TlsMaterial = { ...PLAIN, ca: serving.cert, serverName: 'scripted' };
const SERVER = { ...serving, clientCa: `${jane.cert}${joe.cert}` };

const isTlsFault = (error: unknown) => {
  assert.ok(error instanceof ConnectionError, String(error));
  assert.equal(error.fault, 'tls', error.message);
  assert.match(error.hint ?? '', /certificate-authority-data, tls-server-name/);
  return true;
};

test('a hundred calls one after the other use one connection', async (t) => {
  const { server, transport } = await aStage(t);
  for (let i = 0; i < 100; i++) {
    const call = transport.request(LIST);
    (await server.next()).json({ i });
    await call;
  }
  assert.deepEqual([server.requests, server.connections], [100, 1]);
});

test('deletes, which have a body, and refusals keep the connection too', async (t) => {
  const { server, transport } = await aStage(t);
  for (let i = 0; i < 5; i++) {
    const call = assert.rejects(transport.request({ method: 'DELETE', path: '/x', body: '{}' }), { status: 409 });
    (await server.next()).refuse(409, 'Conflict');
    await call;
  }
  assert.equal(server.connections, 1);
});

test('parallel calls share the connections of the pool and wait for their turn', async (t) => {
  const { server, transport } = await aStage(t, { connections: 4 });
  const calls = Promise.all(Array.from({ length: 20 }, () => transport.request(LIST)));
  for (let i = 0; i < 20; i++) (await server.next()).json({});
  await calls;
  assert.equal(server.connections, 4);
});

test('by default there are sixteen connections', async (t) => {
  const { server, transport } = await aStage(t);
  const calls = Promise.all(Array.from({ length: 40 }, () => transport.request(LIST)));
  for (let i = 0; i < 40; i++) (await server.next()).json({});
  await calls;
  assert.equal(server.connections, 16);
});

test('streams have connections of their own, so that many watches do not hold up calls', async (t) => {
  const { server, transport } = await aStage(t, { connections: 1 });
  const handles = Array.from({ length: 10 }, () => transport.stream(WATCH, new RecordingSink()));
  for (let i = 0; i < 10; i++) (await server.next()).stream();
  const call = transport.request(LIST);
  (await server.next()).json({});
  await call;
  assert.equal(server.openConnections, 11);
  for (const handle of handles) handle.close();
});

test('two hundred streams one after the other leave no connection behind', async (t) => {
  const { server, transport } = await aStage(t);
  for (let i = 0; i < 200; i++) {
    const sink = new RecordingSink();
    const handle = transport.stream(WATCH, sink);
    const stream = (await server.next()).stream();
    await sink.until(() => sink.opened.length === 1);
    if (i % 2 === 0) {
      handle.close();
      await stream.closed;
    } else {
      stream.end();
      await sink.over;
    }
  }
  assert.ok(server.openConnections <= 1, `${server.openConnections} are open`);
});

test('the server is verified, and the client shows its certificate', async (t) => {
  const identity = new HeldIdentity({ tls: { ...TLS, ...jane } });
  const { server, transport } = await aStage(t, { tls: SERVER, identity });
  const call = transport.request(LIST);
  const seen = await server.next();
  assert.equal(seen.clientName, 'jane');
  seen.json({});
  await call;
});

for (const [what, tls] of [
  ['an authority that did not sign it', { ...TLS, ca: jane.cert }],
  ['the authorities of the system', { ...TLS, ca: undefined }],
  ['another name than the one asked for', { ...TLS, serverName: 'elsewhere' }],
  ['no name for this address', { ...TLS, serverName: undefined }],
  ['a certificate that is no certificate', { ...TLS, ca: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----' }],
] as const) {
  test(`a server certificate against ${what} is a tls fault with a hint, and is not tried again`, async (t) => {
    const { server, transport } = await aStage(t, { tls: SERVER, identity: { tls } });
    await assert.rejects(transport.request(LIST), isTlsFault);
    const sink = new RecordingSink();
    transport.stream(WATCH, sink);
    isTlsFault(await sink.over);
    assert.equal(server.requests, 0);
  });
}

test('a server without TLS behind an https address is a tls fault', async (t) => {
  const { server } = await aStage(t);
  const { transport } = await aStage(t, { config: { server: server.url.replace('http:', 'https:') } });
  await assert.rejects(transport.request(LIST), isTlsFault);
});

test('insecure-skip-tls-verify takes any certificate', async (t) => {
  const { server, transport } = await aStage(t, {
    tls: serving,
    identity: { tls: { ...PLAIN, insecureSkipVerify: true } },
  });
  const call = transport.request(LIST);
  (await server.next()).json({});
  await call;
});

test('fault 14: a renewed client certificate goes on new connections while a running call ends on its own', async (t) => {
  const identity = new HeldIdentity({ tls: { ...TLS, ...jane } });
  const { server, transport } = await aStage(t, { tls: SERVER, identity });
  const old = transport.request(LIST);
  const running = await server.next();
  identity.now = { authorization: undefined, tls: { ...TLS, ...joe } };
  const fresh = transport.request(LIST);
  const renewed = await server.next();
  assert.deepEqual([running.clientName, renewed.clientName], ['jane', 'joe']);
  renewed.json({});
  await fresh;
  const gone = new Promise((resolve) => running.socket.once('close', resolve));
  running.json({ finished: true });
  assert.equal((await old).body.toString(), '{"finished":true}');
  await gone;
  assert.equal(server.openConnections, 1, 'the old connection is closed behind its last call');
});

test('fault 14: a watch lives on over a renewal, and its connection goes when it ends', async (t) => {
  const identity = new HeldIdentity({ tls: { ...TLS, ...jane } });
  const { server, transport } = await aStage(t, { tls: SERVER, identity });
  const sink = new RecordingSink();
  transport.stream(WATCH, sink);
  const watch = await server.next();
  const stream = watch.stream();
  identity.now = { authorization: undefined, tls: { ...TLS, ...joe } };
  for (let i = 0; i < 3; i++) {
    const call = transport.request(LIST);
    (await server.next()).json({});
    await call;
  }
  stream.write('still here');
  await sink.until(() => sink.text === 'still here');
  const gone = new Promise((resolve) => watch.socket.once('close', resolve));
  stream.end();
  assert.equal(await sink.over, 'end');
  await gone;
});

test('closing ends also a watch that runs with former certificates', async (t) => {
  const identity = new HeldIdentity({ tls: { ...TLS, ...jane } });
  const { server, transport } = await aStage(t, { tls: SERVER, identity });
  const sink = new RecordingSink();
  transport.stream(WATCH, sink);
  const stream = (await server.next()).stream();
  await sink.until(() => sink.opened.length === 1);
  identity.now = { authorization: undefined, tls: { ...TLS, ...joe } };
  const call = transport.request(LIST);
  (await server.next()).json({});
  await call;
  await transport.close();
  await stream.closed;
  assert.match(sink.error?.message ?? '', /the transport is closed/);
});

test('the pool itself, when closed, cuts what runs with present and with former certificates', async (t) => {
  const { server } = await aStage(t);
  const pool = new ConnectionPool({
    origin: server.url,
    proxyUrl: undefined,
    connectTimeoutMs: 1000,
    connections: 1,
  });
  const options = { origin: server.url, path: '/', method: 'GET' } as const;
  const start = (tls: TlsMaterial) =>
    new Promise<Error>((resolve) => {
      const ignored = { onRequestStart() {}, onResponseStart() {}, onResponseData() {}, onResponseEnd() {} };
      pool.calls(tls).dispatch(options, { ...ignored, onResponseError: (_, error) => resolve(error) });
    });
  const former = start({ ...PLAIN });
  const first = await server.next();
  const present = start({ ...PLAIN });
  const second = await server.next();
  await pool.close();
  for (const error of await Promise.all([former, present])) assert.match(error.message, /destroyed/);
  await Promise.all([first.closed, second.closed]);
});

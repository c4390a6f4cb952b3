// What undici and Node report, and what we call it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { ConnectionError, type ConnectionFault } from '../errors.ts';
import { classifyFault, connectionError } from './connection-fault.ts';
import { HttpTransport } from './http-transport.ts';
import { aStage } from './testing/transport-stage.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const ONCE = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 0, longestDelayMs: 0 };

function withCode(code: string, context: ErrorOptions = {}): Error {
  return Object.assign(new Error(`${code} happened`, context), { code });
}

async function faultOf(t: TestContext, server: string, options: object = {}): Promise<ConnectionError> {
  const stage = await aStage(t);
  const transport = new HttpTransport({ ...stage.server.config(), server }, { retry: ONCE, ...options });
  t.after(() => transport.close());
  const error = await transport.request(LIST).then(
    () => assert.fail('it must not succeed'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ConnectionError, String(error));
  assert.match(error.message, /^GET \/api\/v1\/pods: .+/);
  return error;
}

async function aRawServer(t: TestContext, onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `//127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('over real sockets', () => {
  test('nobody listens: refused, nothing sent', async (t) => {
    const error = await faultOf(t, 'http://127.0.0.1:1');
    assert.deepEqual([error.fault, error.code, error.neverSent], ['refused', 'connection-refused', true]);
    assert.match(error.hint ?? '', /is the API server running/);
    assert.ok(error.cause instanceof Error);
  });

  test('the name does not resolve: dns', async (t) => {
    const error = await faultOf(t, 'http://no-such-host.invalid');
    assert.deepEqual([error.fault, error.neverSent], ['dns', true]);
    assert.match(error.hint ?? '', /does not resolve/);
  });

  test('hung up before the answer: reset, maybe sent', async (t) => {
    const error = await faultOf(t, `http:${await aRawServer(t, (s) => s.once('data', () => s.resetAndDestroy()))}`);
    assert.deepEqual([error.fault, error.neverSent], ['reset', false]);
  });

  test('hung up within the TLS handshake: reset, nothing sent', async (t) => {
    const error = await faultOf(t, `https:${await aRawServer(t, (s) => s.once('data', () => s.resetAndDestroy()))}`);
    assert.deepEqual([error.fault, error.neverSent], ['reset', true]);
  });

  test('connected, but the TLS handshake never ends: timeout, nothing sent', async (t) => {
    const error = await faultOf(t, `https:${await aRawServer(t, () => {})}`, { connectTimeoutMs: 100 });
    assert.deepEqual([error.fault, error.neverSent], ['timeout', true]);
  });

  test('something that is not HTTP answers: protocol', async (t) => {
    const ssh = await aRawServer(t, (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'));
    const error = await faultOf(t, `http:${ssh}`);
    assert.equal(error.fault, 'protocol');
    assert.match(error.hint ?? '', /address of an API server/);
  });

  test('headers without end: protocol', async (t) => {
    const endless = await aRawServer(t, (socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`));
    });
    assert.equal((await faultOf(t, `http:${endless}`)).fault, 'protocol');
  });
});

describe('by code', () => {
  const table: Readonly<Record<string, ConnectionFault>> = {
    ECONNREFUSED: 'refused',
    ECONNRESET: 'reset',
    EPIPE: 'reset',
    UND_ERR_SOCKET: 'reset',
    UND_ERR_DESTROYED: 'aborted',
    ETIMEDOUT: 'timeout',
    EHOSTUNREACH: 'timeout',
    UND_ERR_CONNECT_TIMEOUT: 'timeout',
    EAI_AGAIN: 'dns',
    CERT_HAS_EXPIRED: 'tls',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
    SELF_SIGNED_CERT_IN_CHAIN: 'tls',
    ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'tls',
    ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'tls',
    INVALID_PURPOSE: 'tls',
    UND_ERR_PRX_TLS: 'proxy',
    SOMETHING_NEW: 'other',
  };
  for (const [code, fault] of Object.entries(table)) {
    test(`${code} is ${fault}`, () => assert.equal(classifyFault(withCode(code)), fault));
  }

  test('the first of several addresses speaks for all', () => {
    assert.equal(classifyFault(new AggregateError([withCode('ECONNREFUSED'), withCode('ETIMEDOUT')])), 'refused');
  });

  test('a cause is looked into, and a circle of causes ends', () => {
    assert.equal(classifyFault(new Error('outer', { cause: withCode('ENOTFOUND') })), 'dns');
    const circle = new Error('circle');
    circle.cause = circle;
    assert.equal(classifyFault(circle), 'other');
    assert.equal(classifyFault('not an error'), 'other');
  });
});

test('an error without a message is described by its code', () => {
  const silent = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  const context = { neverSent: true, viaProxy: false };
  assert.equal(connectionError(silent, 'GET /x', context).message, 'GET /x: ECONNREFUSED');
});

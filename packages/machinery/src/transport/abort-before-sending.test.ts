// Calls that are given up while they still wait for a connection.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ConnectionError } from '../errors.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from './http-transport.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const CREATE = { method: 'POST', path: '/api/v1/pods', body: '{}' } as const;

async function aScriptedServer(t: TestContext): Promise<ScriptedServer> {
  const server = await ScriptedServer.start();
  t.after(() => server.stop());
  return server;
}

/** Accepts connections and never answers the TLS handshake, as a frozen API server does. */
async function toFrozenServer(t: TestContext) {
  const sockets: Socket[] = [];
  const frozen = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  const server = `https://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
  const transport = new HttpTransport({ ...(await aScriptedServer(t)).config(), server });
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    frozen.close();
    await transport.close();
  });
  return { frozen, transport };
}

test('an abort is obeyed at once by a call whose connection is still being made', async (t) => {
  const { frozen, transport } = await toFrozenServer(t);
  const abort = new AbortController();
  const call = assert.rejects(transport.request(CREATE, { signal: abort.signal }), /given up/);
  await once(frozen, 'connection');
  const started = performance.now();
  abort.abort(new Error('given up'));
  await call;
  assert.ok(performance.now() - started < 1_000, 'before the connection times out');
});

test('the time-out of a call counts while its connection is still being made', async (t) => {
  const { transport } = await toFrozenServer(t);
  const started = performance.now();
  await assert.rejects(
    transport.request(LIST, { timeoutMs: 100 }),
    (error) => error instanceof ConnectionError && error.fault === 'timeout',
  );
  assert.ok(performance.now() - started < 2_000);
});

test('a call that is given up while it waits for its turn is never sent', async (t) => {
  const server = await aScriptedServer(t);
  const transport = new HttpTransport(server.config(), { connections: 1 });
  t.after(() => transport.close());
  const slow = transport.request(LIST);
  const first = await server.next();
  const abort = new AbortController();
  const waiting = transport.request(CREATE, { signal: abort.signal });
  const next = transport.request(LIST);
  await new Promise(setImmediate);
  abort.abort(new Error('given up'));
  await assert.rejects(waiting, /given up/);
  first.json({});
  await slow;
  const second = await server.next();
  assert.equal(second.method, 'GET');
  second.json({});
  await next;
  assert.equal(server.requests, 2);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

// A server that answers every chunk with the same bytes and keeps its side of each connection in view.
const serverSockets: Socket[] = [];
const server = createServer({ allowHalfOpen: true }, (socket) => {
  serverSockets.push(socket);
  socket.on('error', () => {});
  socket.pipe(socket);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const proxies: TcpProxy[] = [];
const clients: Socket[] = [];

beforeEach(() => {
  serverSockets.length = 0;
});
after(async () => {
  for (const client of clients) client.destroy();
  for (const proxy of proxies) await proxy.close();
  server.close();
});

test('bytes pass both ways and are counted, connections too', async () => {
  const proxy = await newProxy();
  const first = await newClient(proxy);
  const second = await newClient(proxy);
  assert.equal(await ask(first, 'hello'), 'hello');
  assert.equal(await ask(second, 'bytes'), 'bytes');
  assert.deepEqual(proxy.bytes, { up: 10, down: 10 });
  assert.equal(proxy.connections, 2);
  assert.equal(proxy.accepted, 2);
  first.end();
  await until('the proxy has seen the end', () => proxy.connections === 1);
  proxy.resetCounts();
  assert.deepEqual(proxy.bytes, { up: 0, down: 0 });
  assert.equal(proxy.accepted, 0);
});

test('eight megabytes pass unharmed through a delay', async () => {
  const proxy = await newProxy();
  proxy.delay({ up: 5, down: 5 });
  const client = await newClient(proxy);
  const sent = Buffer.alloc(8 * 1024 * 1024, 0).map((_, index) => index % 251);
  client.end(sent);
  const chunks: Buffer[] = [];
  for await (const chunk of client) chunks.push(chunk);
  assert.ok(Buffer.concat(chunks).equals(Buffer.from(sent)));
});

test('a delay holds bytes back for its time in each direction', async () => {
  const proxy = await newProxy();
  const client = await newClient(proxy);
  await ask(client, 'warm');
  proxy.delay({ up: 150, down: 100 });
  const start = performance.now();
  assert.equal(await ask(client, 'slow'), 'slow');
  const took = performance.now() - start;
  assert.ok(took >= 245, `the answer came after ${took} ms`);
});

test('a black hole stops bytes and ends unnoticed by either side, and resuming delivers what was held', async () => {
  const proxy = await newProxy();
  const client = await newClient(proxy);
  const leaving = await newClient(proxy);
  await ask(client, 'before');
  await ask(leaving, 'before');
  proxy.blackHole();
  const before = proxy.bytes;
  const lost = listen(client);
  client.write('into the void');
  leaving.end();
  // A third connection proves that time has passed in which the bytes would have arrived.
  const late = await newClient(proxy);
  const lateAnswer = listen(late);
  late.write('anybody?');
  await quiet(200);
  assert.deepEqual(proxy.bytes, before);
  assert.equal(lost.text, '');
  assert.equal(lateAnswer.text, '');
  assert.equal(serverSockets.length, 2, 'the new connection must not reach the server');
  assert.ok(serverSockets.every((socket) => !socket.readableEnded));
  assert.equal(client.destroyed, false);

  await proxy.resume();
  await until('the held bytes arrive', () => lost.text === 'into the void' && lateAnswer.text === 'anybody?');
  await until('the held end arrives', () => serverSockets.some((socket) => socket.readableEnded));
});

test('a cut resets open connections on both sides and serves new ones', async () => {
  const proxy = await newProxy();
  const client = await newClient(proxy);
  await ask(client, 'hello');
  const failure = once(client, 'error');
  const serverClosed = new Promise((resolve) => serverSockets[0]?.once('close', resolve));
  proxy.cut();
  const [error] = await failure;
  assert.equal(error.code, 'ECONNRESET');
  await serverClosed;
  assert.equal(proxy.connections, 0);
  assert.equal(await ask(await newClient(proxy), 'again'), 'again');
});

test('refusing turns new connections away, keeps open ones, and ends with resume', async () => {
  const proxy = await newProxy();
  const client = await newClient(proxy);
  await ask(client, 'hello');
  await proxy.refuse();
  await assert.rejects(newClient(proxy), { code: 'ECONNREFUSED' });
  assert.equal(await ask(client, 'still here'), 'still here');
  await proxy.resume();
  assert.equal(await ask(await newClient(proxy), 'back'), 'back');
});

async function newProxy(): Promise<TcpProxy> {
  const proxy = await TcpProxy.create({ port: (server.address() as AddressInfo).port });
  proxies.push(proxy);
  return proxy;
}

async function newClient(proxy: TcpProxy): Promise<Socket> {
  const client = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true });
  clients.push(client);
  await once(client, 'connect');
  return client;
}

async function ask(client: Socket, text: string): Promise<string> {
  const answer = once(client, 'data');
  client.write(text);
  return String((await answer)[0]);
}

function listen(client: Socket): { text: string } {
  const received = { text: '' };
  client.on('data', (chunk) => {
    received.text += chunk;
  });
  return received;
}

/** Nothing happening cannot be awaited as an event: this gives a wrong byte the time to arrive. */
function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

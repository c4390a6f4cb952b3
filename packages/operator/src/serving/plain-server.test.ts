import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type MakePage, type PlainServer, startPlainServer, text } from './plain-server.ts';

const SOON = { timeout: 60_000 };

async function aServer(t: TestContext, page: MakePage = () => text(200, 'ok\n')): Promise<PlainServer> {
  const server = await startPlainServer({ host: '127.0.0.1', port: 0, pages: { '/livez': page } });
  t.after(() => server.close());
  return server;
}

async function opened(t: TestContext, { port }: PlainServer, first = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(first);
  return socket;
}

/** As a kubelet asks: a connection of its own, and two seconds. */
async function probe({ port }: PlainServer): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(2_000) })).status;
}

for (const [what, first] of [
  ['idle sockets', ''],
  ['sockets with half a request', 'GET /livez HTTP/1.1\r\nhost: x\r\n'],
  ['bodies that never end', 'POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\nx'],
] as const) {
  test(`200 ${what} keep no probe out`, SOON, async (t) => {
    const server = await aServer(t);
    await Promise.all(Array.from({ length: 200 }, () => opened(t, server, first)));
    for (let i = 0; i < 10; i++) assert.equal(await probe(server), 200);
  });
}

test('a request whose first line has a whole URL is answered as one with a path', SOON, async (t) => {
  const server = await aServer(t);
  const answerTo = async (target: string) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return Buffer.concat(await socket.toArray()).toString();
  };
  assert.match(await answerTo('http://127.0.0.1:80/livez?verbose'), /^HTTP\/1\.1 200 /);
  assert.match(await answerTo('http://127.0.0.1'), /^HTTP\/1\.1 404 /);
});

test('an idle socket is closed within seconds, not within half a minute', SOON, async (t) => {
  const server = await aServer(t);
  const sockets = await Promise.all(
    ['', 'GET /li', 'GET /livez HTTP/1.1\r\n'].map((first) => opened(t, server, first)),
  );
  const begun = performance.now();
  await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close'))));
  assert.ok(performance.now() - begun < 15_000);
});

test('one answer is all that a connection gets', SOON, async (t) => {
  const server = await aServer(t);
  const socket = connect(server.port, '127.0.0.1');
  socket.end('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(50));
  const said = Buffer.concat(await socket.toArray()).toString();
  assert.equal(said.match(/HTTP\/1.1 200/g)?.length, 1);
  assert.match(said, /connection: close/i);
});

test('a request may come byte by byte; what is no request is refused with a sentence', SOON, async (t) => {
  const server = await aServer(t);
  const said = async (...pieces: string[]) => {
    const socket = connect(server.port, '127.0.0.1');
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return Buffer.concat(await socket.toArray()).toString();
  };
  assert.match(await said(...'GET /livez?a=b HTTP/1.0\r\nHost: x\r\n\r\n'), /^HTTP\/1.1 200 OK\r\n.*\r\n\r\nok\n$/s);
  assert.match(await said('HEAD /livez HTTP/1.1\r\n\r\n'), /content-length: 3\r\n\r\n$/);
  for (const line of [
    'GET /livez',
    'get /livez HTTP/1.1',
    'GET  /livez HTTP/1.1',
    '\u0000\u0001',
    'GET /livez HTTP/2.0',
  ])
    assert.match(await said(`${line}\r\n\r\n`), /^HTTP\/1.1 400 Bad Request\r\n.*ask as GET \/livez\n$/s, line);
});

test('headers beyond 8 KiB are refused', SOON, async (t) => {
  const server = await aServer(t);
  const { status } = await fetch(`http://127.0.0.1:${server.port}/livez`, { headers: { x: 'x'.repeat(9_000) } });
  assert.equal(status, 400);
});

test('however many ask at once, a page that is dear is made once', SOON, async (t) => {
  let made = 0;
  const server = await aServer(t, async () => {
    made++;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return text(200, 'ok\n');
  });
  await Promise.all(Array.from({ length: 50 }, () => probe(server)));
  assert.ok(made <= 3, `${made}`);
});

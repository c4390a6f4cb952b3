// The server itself: what it adds to every answer, what it refuses, what a client can make it hold, how it ends.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Problem } from '../problem.ts';
import { startedServer } from '../testing/started-server.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { HttpRequest } from './http-request.ts';
import { RateLimit } from './rate-limit.ts';
import { jsonReply, type ReplyStream, textReply } from './reply.ts';
import type { Route } from './route.ts';

const SOON = { timeout: 60_000 };
const LONG = 'long '.repeat(1_000);

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/short', handle: async () => jsonReply({ ok: true }) },
  { method: 'GET', path: '/long', handle: async () => ({ ...textReply(200, LONG), hasETag: true }) },
  { method: 'GET', path: '/pods/{namespace}/{name}', handle: async ({ captures }) => jsonReply(captures) },
  { method: 'GET', path: '/pods/{namespace}/all', handle: async () => jsonReply('never: the first pattern takes it') },
  { method: 'GET', path: '/open', audience: 'anyone', handle: async ({ caller }) => jsonReply(caller) },
  { method: 'POST', path: '/echo', handle: async ({ body }) => jsonReply(await body.json(1_000)) },
  {
    method: 'GET',
    path: '/bug',
    handle: async () => {
      throw new Error('the password is swordfish');
    },
  },
  {
    method: 'GET',
    path: '/refused',
    handle: async () => {
      throw new Problem(409, 'taken', 'it is taken', { hint: 'take another.' });
    },
  },
];

async function opened(t: TestContext, port: number, first: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(first);
  return socket;
}

async function said(socket: Socket): Promise<string> {
  return Buffer.concat(await socket.toArray()).toString();
}

test('every answer has an id, is not kept, and forbids a browser what it need not do', SOON, async (t) => {
  const { get } = await startedServer(t, ROUTES);
  for (const path of ['/short', '/refused', '/nothing', '/bug']) {
    const { headers } = await get(path, { headers: { 'x-request-id': 'abc-1' } });
    assert.equal(headers.get('x-request-id'), 'abc-1', path);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/);
  }
});

test('an id that is long or strange is not repeated: a new one is given', SOON, async (t) => {
  const { get } = await startedServer(t, ROUTES);
  for (const given of ['x'.repeat(65), 'a b', '<script>']) {
    const id = (await get('/short', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    assert.match(id ?? '', /^[\w-]{16}$/);
  }
});

test('a Problem is a problem document, an error that is none is 500 without a word of its own', SOON, async (t) => {
  const { get } = await startedServer(t, ROUTES);
  const refused = await get('/refused', { headers: { 'x-request-id': 'r' } });
  assert.equal(refused.status, 409);
  assert.equal(refused.headers.get('content-type'), 'application/problem+json');
  assert.deepEqual(await refused.json(), {
    ...{ type: 'about:blank', title: 'Conflict', status: 409, detail: 'it is taken', code: 'taken' },
    ...{ hint: 'take another.', requestId: 'r' },
  });
  const bug = await get('/bug');
  assert.equal(bug.status, 500);
  assert.doesNotMatch(await bug.text(), /swordfish/);
});

test('404 and 405 are problems, the second with Allow; HEAD is GET without its body', SOON, async (t) => {
  const { get } = await startedServer(t, ROUTES);
  assert.equal((await get('/nothing')).status, 404);
  const posted = await get('/short', { method: 'POST' });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get('allow'), 'GET, HEAD');
  const head = await get('/short', { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), '11');
  assert.equal(await head.text(), '');
});

test('a name in a path stands for one segment, decoded once', SOON, async (t) => {
  const { get } = await startedServer(t, ROUTES);
  assert.deepEqual(await (await get('/pods/shop/a%2Fb%2525')).json(), { namespace: 'shop', name: 'a/b%25' });
  assert.deepEqual(await (await get('/pods/shop/all')).json(), { namespace: 'shop', name: 'all' });
  for (const path of ['/pods/shop', '/pods/shop/', '/pods/shop/a/b', '/pods/shop/%zz'])
    assert.equal((await get(path)).status, 404, path);
});

test(
  'who is not let in learns nothing about the routes that are for callers; open ones ask nobody',
  SOON,
  async (t) => {
    const { get } = await startedServer(t, ROUTES);
    assert.equal((await get('/short', { as: 'mallory' })).status, 401);
    assert.deepEqual(await (await get('/open', { as: 'mallory' })).json(), { name: '', groups: [] });
  },
);

test('what is long is packed for who takes it; ETags are of the bytes that are sent', SOON, async (t) => {
  const { get, server } = await startedServer(t, ROUTES);
  const plain = await get('/long', { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  const etag = plain.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]{27}"$/);
  assert.equal(plain.headers.get('cache-control'), 'private, no-cache');
  const packed = await get('/long', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  assert.equal(packed.headers.get('vary'), 'accept-encoding');
  assert.equal(packed.headers.get('etag'), `${etag.slice(0, -1)}-gzip"`);
  assert.equal(await packed.text(), LONG);
  const socket = await opened(
    t,
    server.port,
    'GET /long HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n',
  );
  const raw = Buffer.concat(await socket.toArray());
  assert.equal(gunzipSync(raw.subarray(raw.indexOf('\r\n\r\n') + 4)).toString(), LONG);
  for (const [accepted, encoding] of [
    ['gzip;q=0', null],
    ['br', null],
    ['', null],
    ['*;q=0', null],
    ['gzip;q=0, *', null],
    ['*', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
  ] as const) {
    const { headers } = await get('/long', { headers: { 'accept-encoding': accepted } });
    assert.equal(headers.get('content-encoding'), encoding, accepted);
  }
  const known = await get('/long', { headers: { 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'identity' } });
  assert.equal(known.status, 304);
  assert.equal(known.headers.get('etag'), etag);
  assert.equal((await get('/long', { headers: { 'if-none-match': '"other"' } })).status, 200);
});

test('a body is taken up to its limit, as JSON, and not packed', SOON, async (t) => {
  const { get } = await startedServer(t, ROUTES);
  const post = (body: string, headers: Record<string, string> = {}) =>
    get('/echo', { method: 'POST', body, headers: { 'content-type': 'application/json; charset=utf-8', ...headers } });
  assert.deepEqual(await (await post('{"a":[1]}')).json(), { a: [1] });
  assert.equal((await post('{')).status, 400);
  assert.equal((await post(`"${'x'.repeat(1_000)}"`)).status, 413);
  assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await post('{}', { 'content-encoding': 'gzip' })).status, 415);
});

test('a body of JSON of thousands of members is refused before they are made', SOON, async (t) => {
  const route: Route = {
    method: 'POST',
    path: '/size',
    handle: async ({ body }) => jsonReply(JSON.stringify(await body.json(1_000_000)).length),
  };
  const { get } = await startedServer(t, [route]);
  const post = async (body: string) =>
    await get('/size', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
  const most = 8_192;
  for (const body of [members(most), `[${members(most)},"${'a:\\"'.repeat(most)}"]`])
    assert.equal((await post(body)).status, 200);
  for (const body of [members(most + 1), `[{"a":${members(most)}}]`, members(60_000)]) {
    const refused = await post(body);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /"detail":"the body has more than 8192 members","code":"bad-body"/);
  }
});

test('a body without a length is counted while it comes', SOON, async (t) => {
  const { server } = await startedServer(t, ROUTES);
  const head = 'POST /echo HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\ncontent-type: application/json\r\n';
  const socket = await opened(t, server.port, `${head}transfer-encoding: chunked\r\n\r\n`);
  for (let i = 0; i < 3; i++) socket.write(`200\r\n${'x'.repeat(512)}\r\n`);
  assert.match(await said(socket), /^HTTP\/1\.1 413 /);
});

test(
  'a body that is too long is in the log with where it came from; a log that fails ends nothing',
  SOON,
  async (t) => {
    const entry = Promise.withResolvers<AccessLogEntry>();
    const { server, get } = await startedServer(t, ROUTES, {
      log: (one) => {
        entry.resolve(one);
        throw new Error('the disk is full');
      },
    });
    const head = 'POST /echo HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\ncontent-type: application/json\r\n';
    const socket = await opened(t, server.port, `${head}transfer-encoding: chunked\r\n\r\n`);
    for (let i = 0; i < 3; i++) socket.write(`200\r\n${'x'.repeat(512)}\r\n`);
    assert.match(await said(socket), /^HTTP\/1\.1 413 /);
    const { status, remote } = await entry.promise;
    assert.deepEqual([status, remote], [413, '127.0.0.1']);
    assert.equal((await get('/short')).status, 200);
  },
);

test('an answer that is late after a body was refused ends the connection, and not the process', SOON, async (t) => {
  const route: Route = {
    method: 'POST',
    path: '/late',
    handle: async ({ body }) => {
      await body.whole(1_000).catch(() => {});
      return await new Promise<never>(() => {});
    },
  };
  const { server, get } = await startedServer(t, [route, ...ROUTES], { limits: { answerMs: 200 } });
  const head = 'POST /late HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\n';
  const socket = await opened(t, server.port, `${head}transfer-encoding: chunked\r\n\r\n`);
  for (let i = 0; i < 3; i++) socket.write(`200\r\n${'x'.repeat(512)}\r\n`);
  assert.equal(await said(socket), '');
  assert.equal((await get('/short')).status, 200);
});

/** The head of a POST as jane, with a length that is never reached. */
const postOf = (path: string, more = 'content-length: 100') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;

test('a body that comes too slowly is refused with 408, however steadily it drips', SOON, async (t) => {
  const { server } = await startedServer(t, ROUTES, { limits: { bodyMs: 300 } });
  const socket = await opened(t, server.port, postOf('/echo'));
  const drip = setInterval(() => socket.write(' '), 20);
  t.after(() => clearInterval(drip));
  const answer = await said(socket);
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, /"code":"slow-body"/);
  assert.match(answer, /\r\nconnection: close\r\n/i);
});

test('of a body that is read as it comes each kilobyte has its time, and no more', SOON, async (t) => {
  const read: string[] = [];
  const counting: Route = {
    method: 'POST',
    path: '/count',
    handle: async ({ body }) => {
      for await (const chunk of body.chunks()) read.push(chunk.toString());
      return jsonReply(read.join(''));
    },
  };
  const { server } = await startedServer(t, [counting], { limits: { chunkMs: 500, bodyMs: 1 } });
  const steady = await opened(t, server.port, postOf('/count', 'content-length: 8192\r\nconnection: close'));
  for (let i = 1; i <= 8; i++) {
    steady.write('x'.repeat(1024));
    while (read.length < i) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.match(await said(steady), /^HTTP\/1\.1 200 [\s\S]*"x{8192}"/, 'longer in all than any kilobyte may take');
  const stops = await opened(t, server.port, `${postOf('/count')}xx`);
  assert.match(await said(stops), /^HTTP\/1\.1 408 [\s\S]*"code":"slow-body"/);
  const drips = await opened(t, server.port, postOf('/count', 'content-length: 8192'));
  const drip = setInterval(() => drips.write('x'), 20);
  t.after(() => clearInterval(drip));
  assert.match(await said(drips), /^HTTP\/1\.1 408 [\s\S]*"code":"slow-body"/, 'a byte now and then is too slow');
});

test(
  'a body that is read as it comes may pause, and not be slower than a kilobyte a second for long',
  SOON,
  async (t) => {
    const reading: Route = {
      method: 'POST',
      path: '/read',
      handle: async ({ body }) => {
        for await (const _ of body.chunks());
        return jsonReply('read');
      },
    };
    const { server } = await startedServer(t, [reading], { limits: { pausesMs: 600 } });
    const drips = await opened(t, server.port, postOf('/read', 'content-length: 1000000'));
    const drip = setInterval(() => drips.write('x'.repeat(10)), 20);
    t.after(() => clearInterval(drip));
    const refused = await said(drips);
    assert.match(refused, /^HTTP\/1\.1 408 [\s\S]*"code":"slow-body"/);
    assert.match(refused, /"detail":"the body came more slowly than 1 KiB a second, and was waited for 0\.6 s","code"/);
    assert.match(refused, /"hint":"collect what comes slowly, and send it together\."/);
    const pauses = await opened(t, server.port, postOf('/read', 'content-length: 8192\r\nconnection: close'));
    for (let i = 0; i < 4; i++) {
      pauses.write('x'.repeat(2048));
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    assert.match(await said(pauses), /^HTTP\/1\.1 200 /, 'each kilobyte gives a second of the pauses back');
  },
);

test('a client that goes in the middle of its body is no bug of ours in the log', SOON, async (t) => {
  const logged = new EventEmitter<{ entry: [AccessLogEntry] }>();
  const reading: Route = {
    method: 'POST',
    path: '/read',
    handle: async ({ body }) => ({
      status: 200,
      stream: async () => {
        for await (const _ of body.chunks());
      },
    }),
  };
  const log = (entry: AccessLogEntry) => void logged.emit('entry', entry);
  const { server } = await startedServer(t, [...ROUTES, reading], { log });
  for (const path of ['/echo', '/read']) {
    for (const more of ['content-length: 100', 'transfer-encoding: chunked']) {
      const entry = once(logged, 'entry');
      const socket = await opened(t, server.port, `${postOf(path, more)}1\r\n{`);
      setTimeout(() => socket.resetAndDestroy(), 50);
      const [{ status, code, error }] = (await entry) as [AccessLogEntry];
      assert.deepEqual([status, code, error], [499, 'client-gone', undefined], `${path}, ${more}`);
    }
  }
});

test(
  'a body that stops in the middle of an answer that is streamed ends the connection, and is logged',
  SOON,
  async (t) => {
    const entries: AccessLogEntry[] = [];
    const logged = Promise.withResolvers<void>();
    const echoing: Route = {
      method: 'POST',
      path: '/stream',
      handle: async ({ body }) => ({
        status: 200,
        stream: async (out) => {
          for await (const chunk of body.chunks()) await out.write(chunk);
        },
      }),
    };
    const log = (entry: AccessLogEntry) => {
      entries.push(entry);
      logged.resolve();
    };
    const { server } = await startedServer(t, [echoing], { limits: { chunkMs: 300 }, log });
    const socket = await opened(t, server.port, `${postOf('/stream')}first`);
    const answer = await said(socket);
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*first/);
    assert.doesNotMatch(answer, /\r\n0\r\n\r\n$/, 'a part must not be taken for the whole');
    await logged.promise;
    assert.equal(entries[0]?.code, 'slow-body');
  },
);

test('who does not read a whole answer is cut off after its time, and its place is free again', SOON, async (t) => {
  const large: Route = {
    method: 'GET',
    path: '/large',
    handle: async () => textReply(200, 'x'.repeat(64 * 1024 * 1024)),
  };
  const { get, server } = await startedServer(t, [large, ...ROUTES], { limits: { answerMs: 1_000, mostAhead: 1 } });
  const socket = await opened(t, server.port, 'GET /large HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\n\r\n');
  socket.pause();
  const closed = once(socket, 'close');
  // What is in the buffers can be read after the end; the rest never comes.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  let received = 0;
  socket.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
  await closed;
  assert.ok(received < 64 * 1024 * 1024, `${received}`);
  assert.equal((await get('/short')).status, 200);
});

test('each caller has a rate of their own; who exceeds it learns when to come again', SOON, async (t) => {
  let now = 0;
  const rateLimit = new RateLimit({ perSecond: 2, burst: 3, now: () => now });
  const { get } = await startedServer(t, ROUTES, { rateLimit });
  for (let i = 0; i < 3; i++) assert.equal((await get('/short')).status, 200);
  const refused = await get('/short');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '1');
  now += 500;
  assert.equal((await get('/short')).status, 200);
  assert.equal((await get('/short')).status, 429);
});

test('idle sockets keep nobody out', SOON, async (t) => {
  const { get, server } = await startedServer(t, ROUTES, { limits: { mostConnections: 20 } });
  await Promise.all(Array.from({ length: 60 }, () => opened(t, server.port, '')));
  for (let i = 0; i < 5; i++) assert.equal((await get('/short')).status, 200);
});

test('who sends a part of a body keeps nobody out, and a log in its place is not hung up on', SOON, async (t) => {
  let begun = 0;
  const echo = async ({ body }: HttpRequest) => {
    begun++;
    return jsonReply(await body.json(1_000));
  };
  const log = async ({ body }: HttpRequest) => ({
    status: 200,
    stream: async (out: ReplyStream) => {
      for await (const chunk of body.chunks()) await out.write(chunk);
    },
  });
  const routes: readonly Route[] = [
    { method: 'GET', path: '/short', handle: async () => jsonReply({ ok: true }) },
    { method: 'POST', path: '/echo', handle: echo },
    { method: 'POST', path: '/log', handle: log },
  ];
  const { server, get } = await startedServer(t, routes, { limits: { mostConnections: 8 } });
  const begin = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer jane\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const slow = await opened(t, server.port, begin('/log'));
  await once(slow, 'data');
  for (let i = 0; i < 7; i++) (await opened(t, server.port, begin('/echo'))).resume();
  while (begun < 7) await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < 3; i++) assert.equal((await get('/short', { headers: { connection: 'close' } })).status, 200);
  slow.write('x'.repeat(99));
  assert.match((await once(slow, 'data')).toString(), /x/);
});

test('headers that do not come in time, or are too long, end the connection', SOON, async (t) => {
  const { server } = await startedServer(t, ROUTES, { limits: { headersMs: 200 } });
  const slow = await opened(t, server.port, 'GET /short HTTP/1.1\r\nhost: x\r\n');
  assert.match(await said(slow), /^(HTTP\/1\.1 408 |$)/);
  const long = await opened(t, server.port, `GET /short HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.match(await said(long), /^HTTP\/1\.1 431 /);
});

test('what Node itself would refuse with a bare status is answered as everything else', SOON, async (t) => {
  const { server } = await startedServer(t, ROUTES);
  const answerTo = async (head: string) => {
    const rest = 'connection: close\r\nauthorization: Bearer jane\r\n\r\n';
    const text = await said(await opened(t, server.port, `${head}${rest}`));
    assert.match(text, /^x-request-id: /m, head);
    assert.match(text, /^content-security-policy: /m, head);
    return text;
  };
  const nameless = await answerTo('GET /short HTTP/1.1\r\n');
  assert.match(nameless, /^HTTP\/1\.1 400 [\s\S]*"detail":"the request has no Host header","code":"bad-request"/);
  assert.match(await answerTo('GET /short HTTP/1.0\r\n'), /^HTTP\/1\.1 200 /, 'there was no Host before HTTP/1.1');
  const twice = await answerTo('GET /short HTTP/1.1\r\nhost: x\r\nHOST: y\r\n');
  assert.match(twice, /^HTTP\/1\.1 400 [\s\S]*"detail":"the request has more than one Host header"/);
  assert.match(await answerTo('GET /short HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\n'), /^HTTP\/1\.1 200 /);
});

test('a request whose first line has a whole URL is for its path, and for the host that it names', SOON, async (t) => {
  const hosts: (string | undefined)[] = [];
  const asked: Route = {
    ...{ method: 'GET', path: '/asked', audience: 'anyone' },
    handle: async ({ query, headers }) => jsonReply({ query, host: headers.host }),
  };
  const root: Route = { method: 'GET', path: '/', audience: 'anyone', handle: async () => jsonReply('root') };
  const { server } = await startedServer(t, [asked, root], {
    admit: ({ headers }) => {
      hosts.push(headers.host);
      if (headers.host !== 'own:80') throw new Problem(403, 'bad-host', 'another host');
    },
  });
  const answerTo = async (target: string, host = 'host: own:80\r\n') =>
    await said(await opened(t, server.port, `GET ${target} HTTP/1.1\r\n${host}connection: close\r\n\r\n`));
  for (const host of ['host: own:80\r\n', 'host: other\r\n']) {
    const answer = await answerTo('http://own:80/asked?ip=10.1.2.3&at=2026-11-15T10:00:30Z', host);
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*\{"query":"ip=10\.1\.2\.3&at=2026-11-15T10:00:30Z","host":"own:80"\}/);
  }
  assert.match(await answerTo('http://own:80'), /^HTTP\/1\.1 200 [\s\S]*"root"/);
  assert.match(await answerTo('HTTP://own:80?a=b'), /^HTTP\/1\.1 200 [\s\S]*"root"/);
  assert.match(await answerTo('http://other/asked'), /^HTTP\/1\.1 403 [\s\S]*"code":"bad-host"/);
  assert.match(await answerTo('http://own:80@other/asked'), /^HTTP\/1\.1 403 /);
  assert.match(await answerTo('https://own:80/asked'), /^HTTP\/1\.1 404 /, 'it is not what is spoken here');
  assert.match(await answerTo('http://own:80/asked', ''), /^HTTP\/1\.1 (?:400|403) /, 'HTTP/1.1 needs a Host');
  assert.equal(hosts.includes('other'), true);
});

test('what the parser refuses is a problem document, too', SOON, async (t) => {
  const { server } = await startedServer(t, ROUTES, { limits: { headersMs: 200 } });
  for (const [sent, status, code] of [
    [`GET /short HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
    ['GET /a b c HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'bad-request'],
    ['\x16\x03\x01\x02\x00\x01', 400, 'bad-request'],
    ['GET /short HTTP/1.1\r\nhost: x\r\n', 408, 'slow-headers'],
  ] as const) {
    const [head = '', body = ''] = (await said(await opened(t, server.port, sent))).split('\r\n\r\n');
    const problem = JSON.parse(body) as Record<string, unknown>;
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), sent.slice(0, 30));
    assert.match(head, /\r\ncontent-type: application\/problem\+json(\r\n|$)/);
    assert.match(head, /\r\nconnection: close(\r\n|$)/);
    assert.match(head, new RegExp(`\r\nx-request-id: ${problem['requestId']}\r\n`));
    assert.match(head, new RegExp(`\r\ncontent-length: ${Buffer.byteLength(body)}(\r\n|$)`));
    assert.deepEqual([problem['status'], problem['code']], [status, code]);
    assert.ok(problem['detail'] && problem['hint']);
  }
});

test('bytes that are no HTTP behind a request cut its answer off, and put nothing into it', SOON, async (t) => {
  const sent = Promise.withResolvers<void>();
  const route: Route = {
    ...{ method: 'GET', path: '/parts', audience: 'anyone' },
    handle: async () => ({
      status: 200,
      stream: async (out) => {
        await out.write('first');
        await sent.promise;
        await out.write('second');
      },
    }),
  };
  const { server } = await startedServer(t, [route]);
  const socket = await opened(t, server.port, 'GET /parts HTTP/1.1\r\nhost: x\r\n\r\n');
  const got: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => got.push(chunk));
  await once(socket, 'data');
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'close');
  sent.resolve();
  assert.doesNotMatch(Buffer.concat(got).toString(), /400|problem/);
});

test('who sends requests ahead without end is cut off', SOON, async (t) => {
  let handled = 0;
  const release = Promise.withResolvers<void>();
  const route: Route = {
    method: 'GET',
    path: '/slow',
    audience: 'anyone',
    handle: async () => {
      handled++;
      await release.promise;
      return jsonReply({});
    },
  };
  const { server } = await startedServer(t, [route], { limits: { mostAhead: 4 } });
  const socket = await opened(t, server.port, 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500));
  await said(socket);
  release.resolve();
  assert.equal(handled, 1, 'the others waited for its answer');
});

test('of a connection the next request is not begun before the answer to the one before was taken', SOON, async (t) => {
  let begun = 0;
  // More than the kernel takes of it.
  const body = Buffer.alloc(48 << 20, 'x');
  const large: Route = {
    method: 'GET',
    path: '/large',
    handle: async () => {
      begun++;
      return { status: 200, body };
    },
  };
  const limits = { mostUnreadOfOne: 64 << 20 };
  const { server, get } = await startedServer(t, [large, ...ROUTES], { limits });
  const socket = connect(server.port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.pause();
  const ask = 'GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer jane\r\n\r\n';
  socket.write(ask.repeat(3));
  while (server.unreadBytes === 0) await new Promise((resolve) => setImmediate(resolve));
  // Its caller has others answered meanwhile, and no second one as large.
  assert.equal((await get('/short')).status, 200);
  const refused = await get('/large', { headers: { 'accept-encoding': 'identity' } });
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [503, 'busy']);
  assert.equal(begun, 2, 'one on each connection');
  let read = 0;
  for await (const chunk of socket) {
    read += chunk.length;
    if (read >= 3 * body.length) break;
  }
  assert.equal(begun, 4);
});

test('an answer that is not made in time ends the connection, and whoever makes it can see that', SOON, async (t) => {
  const aborted = Promise.withResolvers<unknown>();
  const route: Route = {
    method: 'GET',
    path: '/never',
    handle: ({ signal }) =>
      new Promise(() => signal.addEventListener('abort', () => aborted.resolve(signal.reason), { once: true })),
  };
  const { get } = await startedServer(t, [route], { limits: { answerMs: 50 } });
  await assert.rejects(get('/never'));
  assert.equal(((await aborted.promise) as Problem).code, 'too-late');
});

test('a stream is written no faster than it is read, and a client that takes nothing is dropped', SOON, async (t) => {
  const ended = Promise.withResolvers<{ written: number; error: unknown }>();
  const chunk = 'x'.repeat(64 * 1024);
  const route: Route = {
    method: 'GET',
    path: '/stream',
    handle: async () => ({
      status: 200,
      stream: async (out) => {
        let written = 0;
        try {
          for (;;) {
            await out.write(chunk);
            written += chunk.length;
          }
        } catch (error) {
          ended.resolve({ written, error });
          throw error;
        }
      },
    }),
  };
  const { server } = await startedServer(t, [route], { limits: { drainMs: 300 } });
  const socket = await opened(t, server.port, 'GET /stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\n\r\n');
  socket.pause();
  const { written, error } = await ended.promise;
  assert.equal((error as Problem).code, 'client-gone');
  // What the kernel's buffers of both ends take.
  assert.ok(written < 32 * 1024 * 1024, `${written}`);
});

test(
  'a stream that fails before its first byte is a problem, after it the connection ends without an end',
  SOON,
  async (t) => {
    const isRead = Promise.withResolvers<void>();
    const failing = (path: string, first?: string): Route => ({
      ...{ method: 'GET', path },
      handle: async () => ({
        status: 200,
        stream: async (out) => {
          if (first !== undefined) {
            await out.write(first);
            await isRead.promise;
          }
          throw new Problem(503, 'busy', 'not now');
        },
      }),
    });
    const { get } = await startedServer(t, [failing('/at-once'), failing('/later', 'first')]);
    assert.equal((await get('/at-once')).status, 503);
    const later = await get('/later');
    assert.equal(later.status, 200);
    isRead.resolve();
    await assert.rejects(later.text());
  },
);

test('the log has a line for each request, with its route and not its path or query', SOON, async (t) => {
  const entries: AccessLogEntry[] = [];
  const { get } = await startedServer(t, ROUTES, { log: (entry) => entries.push(entry) });
  await (await get('/pods/secret/name?token=secret')).text();
  await (await get('/secret?token=secret')).text();
  await (await get('/bug')).text();
  assert.doesNotMatch(JSON.stringify(entries), /secret|Bearer/);
  assert.deepEqual(
    entries.map(({ route, status, caller, code }) => [route, status, caller, code]),
    [
      ['/pods/{namespace}/{name}', 200, 'jane', undefined],
      [undefined, 404, '', 'no-such-path'],
      ['/bug', 500, 'jane', 'internal'],
    ],
  );
  assert.match(String(entries[2]?.error), /swordfish/, 'a bug of ours is in the log');
});

test('it ends after the requests that are under way, and streams see that it ends', SOON, async (t) => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: Route = {
    method: 'GET',
    path: '/slow',
    handle: async () => {
      begun.resolve();
      await release.promise;
      return jsonReply({ ok: true });
    },
  };
  const stream: Route = {
    method: 'GET',
    path: '/stream',
    handle: async () => ({
      status: 200,
      stream: async (out) => {
        await out.write('first');
        await new Promise((resolve) => out.signal.addEventListener('abort', resolve, { once: true }));
      },
    }),
  };
  const { get, server, origin } = await startedServer(t, [slow, stream]);
  const streamed = await get('/stream');
  const asked = get('/slow');
  await begun.promise;
  const closed = server.close();
  assert.equal(await streamed.text(), 'first');
  await assert.rejects(fetch(origin));
  release.resolve();
  assert.deepEqual(await (await asked).json(), { ok: true });
  await closed;
});

test(
  'what the parser refuses is in the log under its id, and who is dropped without an answer is reported',
  SOON,
  async (t) => {
    const entries: AccessLogEntry[] = [];
    const dropped: string[] = [];
    const { server } = await startedServer(t, ROUTES, {
      log: (entry) => void entries.push(entry),
      onDropped: ({ why, remote }) => void dropped.push(`${why} ${remote}`),
      limits: { mostConnections: 2, mostAhead: 2 },
    });
    const refused = await said(await opened(t, server.port, 'no http\r\n\r\n'));
    const [entry] = entries;
    assert.deepEqual([entry?.status, entry?.code, entry?.method], [400, 'bad-request', '']);
    assert.ok(refused.includes(`"requestId":"${entry?.requestId}"`));
    await said(await opened(t, server.port, 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50)));
    assert.deepEqual(dropped, ['ahead 127.0.0.1']);
    const idle = [await opened(t, server.port, ''), await opened(t, server.port, '')];
    await opened(t, server.port, '');
    await once(idle[0]!.resume(), 'close');
    assert.deepEqual(dropped.slice(1), ['evicted 127.0.0.1']);
    assert.deepEqual([server.connections, server.streams], [2, 0]);
  },
);

// Who we say we are on each call, and where it goes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fixedTls, JoinedIdentity } from '../config/joined-identity.ts';
import { MemoryFiles } from '../config/testing/memory-files.ts';
import { openTokenFile } from '../config/token-file.ts';
import { ApiError, ConfigError } from '../errors.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { HttpTransport } from './http-transport.ts';
import { aStage, HeldIdentity, PLAIN } from './testing/transport-stage.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const CREATE = { method: 'POST', path: '/api/v1/namespaces/a/pods', body: '{"kind":"Pod"}' } as const;
const OLD = { authorization: 'Bearer old' };
const NEW = { authorization: 'Bearer new' };

test('every call carries the identity of that moment', async (t) => {
  const identity = new HeldIdentity(OLD);
  const { server, transport } = await aStage(t, { identity });
  const first = transport.request(LIST);
  const before = await server.next();
  before.json({});
  await first;
  identity.now = { ...NEW, tls: PLAIN };
  const second = transport.request(LIST);
  const after = await server.next();
  after.json({});
  await second;
  assert.deepEqual([before.headers.authorization, after.headers.authorization], ['Bearer old', 'Bearer new']);
});

test('method, path, headers and body arrive as they were given, and the answer as it was sent', async (t) => {
  const { server, transport } = await aStage(t);
  const call = transport.request({ ...CREATE, headers: { 'Content-Type': 'application/json' } });
  const seen = await server.next();
  assert.deepEqual(
    [seen.method, seen.target, seen.headers['content-type'], seen.headers['content-length'], seen.body.toString()],
    ['POST', '/api/v1/namespaces/a/pods', 'application/json', '14', '{"kind":"Pod"}'],
  );
  assert.equal(seen.headers.authorization, undefined);
  seen.respond(201, 'made', { 'x-trace': '7' });
  const { status, headers, body } = await call;
  assert.deepEqual([status, headers['x-trace'], body.toString()], [201, '7', 'made']);
});

test('a header of the call replaces the one of the transport, however it is spelt, but never the identity', async (t) => {
  const { server, transport } = await aStage(t, { identity: OLD });
  const headers = { 'User-Agent': 'other', 'Accept-Encoding': 'identity', Authorization: 'Bearer forged' };
  const call = transport.request({ ...LIST, headers });
  const seen = await server.next();
  seen.json({});
  await call;
  assert.deepEqual(
    ['user-agent', 'accept-encoding', 'authorization'].map((name) => seen.distinctHeaders[name]),
    [['other'], ['identity'], ['Bearer old']],
  );
});

test('after 401 the identity is renewed and the call made exactly once more, also a write', async (t) => {
  const identity = new HeldIdentity(OLD, NEW);
  const { server, transport } = await aStage(t, { identity });
  const call = transport.request(CREATE);
  (await server.next()).refuse(401, 'Unauthorized');
  const again = await server.next();
  assert.equal(again.headers.authorization, 'Bearer new');
  assert.equal(again.body.toString(), CREATE.body);
  again.json({}, 201);
  assert.equal((await call).status, 201);
  assert.deepEqual(
    identity.refused.map((i) => i.authorization),
    ['Bearer old'],
  );
});

test('401 for the renewed identity too is an ApiError with a hint, and there is no third try', async (t) => {
  const identity = new HeldIdentity(OLD, NEW);
  const { server, transport } = await aStage(t, { identity });
  const call = transport.request(LIST);
  (await server.next()).refuse(401, 'Unauthorized');
  const again = await server.next();
  identity.next = { authorization: 'Bearer newest', tls: PLAIN };
  again.refuse(401, 'Unauthorized', 'no longer valid');
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.reason, error.code], [401, 'Unauthorized', 'api-unauthorized']);
    assert.match(error.message, /GET \/api\/v1\/pods: no longer valid/);
    assert.match(error.hint ?? '', /log in again/);
    return true;
  });
  assert.equal(server.requests, 2);
  assert.equal(identity.refused.length, 2);
});

test('401 is final at once when there is no other identity to try', async (t) => {
  const { server, transport } = await aStage(t, { identity: new HeldIdentity(OLD) });
  const call = assert.rejects(transport.request(LIST), { status: 401 });
  (await server.next()).refuse(401, 'Unauthorized');
  await call;
  assert.equal(server.requests, 1);
});

test('a renewed client certificate counts as another identity', async (t) => {
  const identity = new HeldIdentity({}, { tls: { ...PLAIN } });
  const { server, transport } = await aStage(t, { identity });
  const call = transport.request(LIST);
  (await server.next()).refuse(401, 'Unauthorized');
  (await server.next()).json({});
  await call;
  assert.equal(server.connections, 2, 'and it makes a new connection');
});

test('fault 14: twenty calls refused at once read the rewritten token file once and all succeed', async (t) => {
  const files = new MemoryFiles({ token: 'old' });
  const spec = { path: 'token', what: 'the token file', fallbackToken: undefined };
  const problems: unknown[] = [];
  const context = { files, clock: new ManualClock(), onProblem: (problem: unknown) => void problems.push(problem) };
  const identity = new JoinedIdentity(fixedTls(PLAIN), await openTokenFile(spec, context));
  const { server, transport } = await aStage(t, { identity, connections: 20 });
  files.write('token', 'new');
  assert.equal(files.reads, 1);
  const calls = Promise.all(Array.from({ length: 20 }, () => transport.request(LIST)));
  const refused = await Promise.all(Array.from({ length: 20 }, () => server.next()));
  for (const call of refused) call.refuse(401, 'Unauthorized');
  for (let i = 0; i < 20; i++) {
    const call = await server.next();
    assert.equal(call.headers.authorization, 'Bearer new');
    call.json({});
  }
  await calls;
  assert.equal(files.reads, 2);
  assert.deepEqual(problems, []);
});

test('impersonation sends the user, every group on its own line, and escaped extra keys', async (t) => {
  const impersonate = {
    user: 'jane',
    uid: 'u-1',
    groups: ['dev', 'ops, and more'],
    extra: { Scopes: ['view', 'edit'], 'acme.com/Project(x)%é': ['a'] },
  };
  const { server, transport } = await aStage(t, { config: { impersonate } });
  const call = transport.request(LIST);
  const seen = await server.next();
  assert.deepEqual(
    Object.fromEntries(Object.entries(seen.distinctHeaders).filter(([name]) => name.startsWith('impersonate'))),
    {
      'impersonate-user': ['jane'],
      'impersonate-uid': ['u-1'],
      'impersonate-group': ['dev', 'ops, and more'],
      'impersonate-extra-scopes': ['view', 'edit'],
      'impersonate-extra-acme.com%2fproject%28x%29%25%c3%a9': ['a'],
    },
  );
  seen.json({});
  await call;
});

test('a user name beyond ASCII is sent as UTF-8, and one with a line break is refused before anything is sent', async (t) => {
  const { server, transport } = await aStage(t, { config: { impersonate: { user: 'Jürgen 名' } } });
  const call = transport.request(LIST);
  const seen = await server.next();
  assert.equal(Buffer.from(String(seen.headers['impersonate-user']), 'latin1').toString('utf8'), 'Jürgen 名');
  seen.json({});
  await call;
  const forged = { ...server.config(), impersonate: { user: 'jane\r\nx-evil: 1' } };
  assert.throws(() => new HttpTransport(forged), ConfigError);
});

test('the User-Agent names the program and this package, or what it was given', async (t) => {
  const { server, transport } = await aStage(t);
  const call = transport.request(LIST);
  const seen = await server.next();
  seen.json({});
  await call;
  const { version } = JSON.parse(readFileSync(`${import.meta.dirname}/../../package.json`, 'utf8'));
  assert.match(
    seen.headers['user-agent'] ?? '',
    new RegExp(`^http-transport\\.test machinery/${version} \\(.+\\) node/`),
  );
  const named = await aStage(t, { userAgent: 'recorder/7' });
  const other = named.transport.request(LIST);
  const its = await named.server.next();
  its.json({});
  await other;
  assert.equal(its.headers['user-agent'], 'recorder/7');
});

test('a path prefix in the server URL stands before every path, for calls and for streams', async (t) => {
  const { server } = await aStage(t);
  const transport = new HttpTransport({ ...server.config(), server: `${server.url}/k8s/clusters/c-1/` });
  t.after(() => transport.close());
  const call = transport.request({ method: 'GET', path: '/api/v1/pods?limit=1' });
  const seen = await server.next();
  seen.json({});
  await call;
  assert.equal(seen.target, '/k8s/clusters/c-1/api/v1/pods?limit=1');
  const sink = { onOpen() {}, onData() {}, onEnd() {}, onError() {} };
  const handle = transport.stream({ method: 'GET', path: '/api/v1/pods?watch=true' }, sink);
  assert.equal((await server.next()).target, '/k8s/clusters/c-1/api/v1/pods?watch=true');
  handle.close();
});

test('the observer sees every try with its status and duration', async (t) => {
  const seen: object[] = [];
  const { server, transport, clock } = await aStage(t, { observer: (one) => void seen.push(one) });
  const call = transport.request(LIST);
  const refused = await server.next();
  await clock.advance(40);
  refused.refuse(429, 'TooManyRequests', 'later', { headers: { 'retry-after': '1' } });
  await clock.untilPending(2);
  await clock.advance(1000);
  (await server.next()).json({});
  await call;
  assert.deepEqual(seen, [
    { method: 'GET', path: '/api/v1/pods', status: 429, durationMs: 40, attempt: 1 },
    { method: 'GET', path: '/api/v1/pods', status: 200, durationMs: 0, attempt: 2 },
  ]);
});

test('an answer that is an early hint is passed over', async (t) => {
  const { server, transport } = await aStage(t);
  const call = transport.request(LIST);
  const seen = await server.next();
  seen.socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
  seen.json({ ok: true });
  const { status, headers, body } = await call;
  assert.deepEqual([status, headers['link'], body.toString()], [200, undefined, '{"ok":true}']);
});

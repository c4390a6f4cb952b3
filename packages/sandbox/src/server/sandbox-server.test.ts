import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createInterface, type Interface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type SandboxServer, type SandboxServerOptions, startSandboxServer } from './sandbox-server.ts';

// Every wait below is for something that comes within milliseconds: a test that hangs has failed.
const SOON = { timeout: 60_000 };

async function aServer(t: TestContext, options: SandboxServerOptions = {}): Promise<SandboxServer> {
  const server = await startSandboxServer({ insecure: true, ...options });
  t.after(() => server.close());
  return server;
}

interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function open(server: SandboxServer, path: string, ask: Ask = {}): Promise<IncomingMessage> {
  const request = (server.caCertificate === '' ? httpRequest : httpsRequest)(server.url + path, {
    method: ask.method ?? 'GET',
    headers: { 'content-type': 'application/json', ...ask.headers },
    ...(server.caCertificate === '' ? {} : { ca: server.caCertificate }),
  });
  request.end(ask.body === undefined ? undefined : JSON.stringify(ask.body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read by hand
type Reply = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly json: any };

async function ask(server: SandboxServer, path: string, how: Ask = {}): Promise<Reply> {
  const response = await open(server, path, how);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const json = text.startsWith('{') ? JSON.parse(text) : text;
  return { status: response.statusCode ?? 0, headers: response.headers, json };
}

/** The events of a watch, one by one. */
class Watch {
  readonly response: IncomingMessage;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(response: IncomingMessage) {
    this.response = response;
    this.#reader = createInterface({ input: response });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** `TYPE name`, or undefined at the end. */
  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    if (done === true) return undefined;
    const { type, object } = JSON.parse(value);
    return `${type} ${object.metadata?.name ?? object.code ?? object.metadata?.resourceVersion}`;
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value as string;
  }
}

async function watch(server: SandboxServer, query: string, headers = {}): Promise<Watch> {
  return new Watch(await open(server, `/api/v1/namespaces/default/configmaps?watch=true&${query}`, { headers }));
}

const MAPS = '/api/v1/namespaces/default/configmaps';

function make(server: SandboxServer, name: string, labels: Record<string, string> = {}): void {
  server.api.create('configmaps', { metadata: { name, namespace: 'default', labels } });
}

test('a client that trusts the authority talks over TLS, with a token from the kubeconfig', SOON, async (t) => {
  const server = await aServer(t, { insecure: false, access: { tokens: { secret: 'alice' } } });
  const config = JSON.parse(server.kubeconfig('alice'));
  const { token } = config.users[0].user;
  assert.equal(
    Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString(),
    server.caCertificate,
  );
  const reply = await ask(server, '/api/v1/namespaces', { headers: { authorization: `Bearer ${token}` } });
  assert.equal(reply.status, 200);
  assert.equal(reply.json.items.length, 4);
});

test('tokens and rules decide who may what, in the real words', SOON, async (t) => {
  const rules = [{ effect: 'deny', users: ['bob'], verbs: ['list'], resources: ['pods'] }] as const;
  const server = await aServer(t, { access: { tokens: { a: 'alice', b: 'bob' }, rules } });
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask(server, '/api/v1/pods', as('a'))).status, 200);
  assert.equal((await ask(server, '/api/v1/pods', as('wrong'))).status, 401);
  const denied = await ask(server, '/api/v1/namespaces/default/pods', as('b'));
  assert.equal(
    denied.json.message,
    'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
  );
  assert.equal((await ask(server, '/api/v1/pods')).status, 403);
  assert.equal((await ask(server, '/healthz')).json, 'ok');
  server.access.revokeToken('a');
  assert.equal((await ask(server, '/api/v1/pods', as('a'))).status, 401);
});

test('pages of a list show one state, and go on inconsistently once it is compacted', SOON, async (t) => {
  const server = await aServer(t);
  for (const name of ['a', 'b', 'c', 'd']) make(server, name);
  const first = (await ask(server, `${MAPS}?limit=2`)).json;
  assert.equal(first.metadata.remainingItemCount, 2);
  server.api.delete('configmaps', 'default', 'c');
  const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map((item) => item.metadata.name);
  const second = (await ask(server, `${MAPS}?limit=2&continue=${first.metadata.continue}`)).json;
  assert.deepEqual(
    [names(first), names(second)],
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  );
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  server.api.compact();
  const late = await ask(server, `${MAPS}?limit=2&continue=${first.metadata.continue}`);
  assert.equal(late.status, 410);
  const rest = (await ask(server, `${MAPS}?continue=${late.json.metadata.continue}`)).json;
  assert.deepEqual(names(rest), ['d']);
});

test('a watch goes on after a version, sees what follows, and ends at its timeout', SOON, async (t) => {
  const server = await aServer(t);
  make(server, 'before');
  const { resourceVersion } = server.api;
  make(server, 'missed');
  const stream = await watch(server, `resourceVersion=${resourceVersion}&timeoutSeconds=3`);
  assert.equal(await stream.next(), 'ADDED missed');
  server.api.delete('configmaps', 'default', 'missed');
  assert.equal(await stream.next(), 'DELETED missed');
  assert.equal(await stream.next(), undefined);
});

test('without a version a watch begins with what is there', SOON, async (t) => {
  const server = await aServer(t);
  make(server, 'a');
  const stream = await watch(server, '');
  assert.equal(await stream.next(), 'ADDED a');
});

test('an object that begins or ceases to match is ADDED or DELETED for that watch', SOON, async (t) => {
  const server = await aServer(t);
  make(server, 'a');
  const stream = await watch(server, `resourceVersion=${server.api.resourceVersion}&labelSelector=x%3D1`);
  const label = (x: string) => server.api.mergePatch('configmaps', 'default', 'a', { metadata: { labels: { x } } });
  label('1');
  const last = label('2');
  assert.equal(await stream.next(), 'ADDED a');
  const { type, object } = JSON.parse(await stream.line());
  assert.equal(type, 'DELETED');
  assert.deepEqual(object.metadata.labels, { x: '1' });
  assert.equal(object.metadata.resourceVersion, last.metadata.resourceVersion);
});

test('a watch from a compacted version gets 410 inside the stream', SOON, async (t) => {
  const server = await aServer(t);
  const { resourceVersion } = server.api;
  make(server, 'a');
  server.api.compact();
  const stream = await watch(server, `resourceVersion=${resourceVersion}`);
  const { type, object } = JSON.parse(await stream.line());
  assert.deepEqual([type, object.code, object.reason], ['ERROR', 410, 'Expired']);
  assert.match(object.message, new RegExp(`^too old resource version: ${resourceVersion} \\(\\d+\\)$`));
  assert.equal(await stream.next(), undefined);
});

test(
  'a streaming list ends its beginning with a marked bookmark, and bookmarks follow by the clock',
  SOON,
  async (t) => {
    const ticks: (() => void)[] = [];
    const timers = {
      after: () => () => {},
      every(_: number, run: () => void) {
        ticks.push(run);
        return () => {};
      },
    };
    const server = await aServer(t, { timers });
    make(server, 'a');
    const stream = await watch(
      server,
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    );
    assert.equal(await stream.next(), 'ADDED a');
    const end = JSON.parse(await stream.line());
    assert.equal(end.object.metadata.annotations['k8s.io/initial-events-end'], 'true');
    server.api.create('nodes', { metadata: { name: 'elsewhere' } });
    for (const tick of ticks) tick();
    assert.equal(await stream.next(), `BOOKMARK ${server.api.resourceVersion}`);
  },
);

test('a reader that is too slow loses its watch, and nobody else does', SOON, async (t) => {
  const server = await aServer(t, { mostWaitingEvents: 50 });
  const slow = await open(server, `${MAPS}?watch=true&resourceVersion=${server.api.resourceVersion}`);
  const quick = await watch(server, `resourceVersion=${server.api.resourceVersion}`);
  slow.pause();
  const ended = once(slow, 'close');
  const data = { text: 'x'.repeat(200_000) };
  for (let i = 0; i < 200; i++) {
    server.api.create('configmaps', { metadata: { name: `m${i}`, namespace: 'default' }, data });
    assert.equal(await quick.next(), `ADDED m${i}`);
  }
  slow.resume();
  await ended;
});

test('a table has cells, and a watch names its columns once', SOON, async (t) => {
  const server = await aServer(t);
  make(server, 'a');
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { json } = await ask(server, MAPS, { headers: { accept } });
  assert.deepEqual(
    json.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Data', 'Age'],
  );
  assert.deepEqual(json.rows[0].cells.slice(0, 2), ['a', 0]);
  assert.equal(json.rows[0].object.kind, 'PartialObjectMetadata');
  const stream = await watch(server, '', { accept });
  const first = JSON.parse(await stream.line());
  make(server, 'b');
  const second = JSON.parse(await stream.line());
  assert.equal(first.object.columnDefinitions.length, 3);
  assert.equal(second.object.columnDefinitions, null);
});

test('bodies too large and objects too large are refused in the real words', SOON, async (t) => {
  const server = await aServer(t);
  const post = (path: string, body: unknown) => ask(server, path, { method: 'POST', body });
  const map = (size: number) => ({ metadata: { name: 'big' }, data: { a: 'x'.repeat(size) } });
  assert.equal((await post(MAPS, map(3_200_000))).json.message, 'Request entity too large: limit is 3145728');
  assert.equal(
    (await post(MAPS, map(1_100_000))).json.message,
    'ConfigMap "big" is invalid: []: Too long: may not be more than 1048576 bytes',
  );
  const lease = { metadata: { name: 'big' }, spec: { holderIdentity: 'x'.repeat(1_650_000) } };
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  assert.equal((await post(leases, lease)).json.message, 'etcdserver: request is too large');
});

test('a hook answers instead, or cuts the connection', SOON, async (t) => {
  const server = await aServer(t);
  server.setFaults({
    request: ({ verb, resource }) =>
      verb === 'list' && resource === 'configmaps'
        ? { kind: 'answer', status: 429, headers: { 'retry-after': '1' }, body: '{}' }
        : verb === 'create'
          ? { kind: 'cut' }
          : undefined,
  });
  const reply = await ask(server, MAPS);
  assert.deepEqual([reply.status, reply.headers['retry-after']], [429, '1']);
  await assert.rejects(ask(server, MAPS, { method: 'POST', body: {} }), { code: 'ECONNRESET' });
  assert.equal((await ask(server, '/api/v1/pods')).status, 200);
});

test('a filter drops, repeats and reorders the frames of a watch', SOON, async (t) => {
  const server = await aServer(t);
  const closed = Promise.withResolvers<void>();
  server.setFaults({
    frames: () => {
      let held: Uint8Array | undefined;
      return {
        frame({ key, bytes }, sink) {
          if (key === 'default/dropped') return;
          if (key === 'default/late') held = bytes;
          else sink.send(bytes);
          if (key === 'default/twice') sink.send(bytes);
          if (key === 'default/last' && held !== undefined) {
            sink.send(held);
            sink.end();
          }
        },
        closed: () => closed.resolve(),
      };
    },
  });
  const stream = await watch(server, `resourceVersion=${server.api.resourceVersion}`);
  for (const name of ['dropped', 'twice', 'late', 'last']) make(server, name);
  const seen: (string | undefined)[] = [];
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) seen.push(event);
  assert.deepEqual(seen, ['ADDED twice', 'ADDED twice', 'ADDED last', 'ADDED late']);
  await closed.promise;
});

for (const [what, body, code, message] of [
  ['of 200 MB of zeros', gzipSync(Buffer.alloc(200_000_000)), 413, 'Request entity too large: limit is 3145728'],
  ['that is none', Buffer.from('{}'), 400, /^the body is not gzip, as its Content-Encoding says: /],
  ['that ends too soon', gzipSync(Buffer.from('{}')).subarray(0, 12), 400, /^the body is not gzip/],
] as const) {
  test(`a gzip body ${what} is refused, and the server goes on`, SOON, async (t) => {
    const server = await aServer(t);
    const peak = process.memoryUsage().rss;
    const request = httpRequest(`${server.url}/api/v1/namespaces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const status = JSON.parse(Buffer.concat(await response.toArray()).toString()) as { code: number; message: string };
    assert.equal(status.code, code);
    assert.match(status.message, typeof message === 'string' ? new RegExp(message) : message);
    assert.ok(process.memoryUsage().rss - peak < 100_000_000, 'nothing near what it would have become was kept');
    assert.equal((await ask(server, '/api/v1/namespaces')).status, 200);
  });
}

test('a label selector by a name that every object inherits selects what has that label', SOON, async (t) => {
  const server = await aServer(t);
  const create = (name: string, labels: Record<string, string>) =>
    ask(server, '/api/v1/namespaces', { method: 'POST', body: { metadata: { name, labels } } });
  await create('plain', { app: 'web' });
  await create('named', { constructor: 'x' });
  const { json } = await ask(server, '/api/v1/namespaces?labelSelector=constructor');
  assert.deepEqual(
    json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ['named'],
  );
});

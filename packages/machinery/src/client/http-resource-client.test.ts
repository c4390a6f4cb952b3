// Each verb as the server sees it, and what becomes of its answer.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DecodeError, isAlreadyExists, isConflict, isNotFound, MachineryError } from '../errors.ts';
import { CONFIG_MAPS, type GroupVersionResource, PODS } from '../objects/group-version-resource.ts';
import type { KubeList, KubeObject } from '../objects/kube-object.ts';
import { type ScriptedCall, ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { Client } from './client.ts';
import type { ResourceClient } from './resource-client.ts';

const CRONS: GroupVersionResource = { group: 'batch', version: 'v1', resource: 'cronjobs' };
const POD: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', resourceVersion: '7' } };

async function aClient(t: TestContext): Promise<{ server: ScriptedServer; client: Client }> {
  const server = await ScriptedServer.start();
  const client = new Client(new HttpTransport(server.config()));
  t.after(async () => {
    await client.close();
    await server.stop();
  });
  return { server, client };
}

interface Expected {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: unknown;
}

function assertAsked(call: ScriptedCall, expected: Expected): void {
  assert.deepEqual(
    {
      method: call.method,
      path: call.target.split('?')[0],
      query: Object.fromEntries(call.query),
      contentType: call.headers['content-type'],
      body: call.body.length === 0 ? undefined : JSON.parse(call.body.toString()),
      accept: call.headers.accept,
    },
    { query: {}, contentType: undefined, body: undefined, accept: 'application/json', ...expected },
  );
}

type Verb = (pods: ResourceClient, client: Client) => Promise<unknown>;
const PATH = '/api/v1/namespaces/a/pods';
const JSON_TYPE = 'application/json';

const VERBS: Readonly<Record<string, readonly [Verb, Expected]>> = {
  'get reads one object': [(pods) => pods.get('web'), { method: 'GET', path: `${PATH}/web` }],
  'get reads a subresource': [
    (pods) => pods.get('web', { subresource: 'status' }),
    { method: 'GET', path: `${PATH}/web/status` },
  ],
  'list reads a namespace': [(pods) => pods.list(), { method: 'GET', path: PATH }],
  'list passes every option on': [
    (pods) =>
      pods.list({
        labelSelector: 'app in (a,b),!c',
        fieldSelector: 'spec.nodeName=n1',
        limit: 500,
        continue: 'next/+=',
        resourceVersion: '0',
        resourceVersionMatch: 'NotOlderThan',
      }),
    {
      method: 'GET',
      path: PATH,
      query: {
        labelSelector: 'app in (a,b),!c',
        fieldSelector: 'spec.nodeName=n1',
        limit: '500',
        continue: 'next/+=',
        resourceVersion: '0',
        resourceVersionMatch: 'NotOlderThan',
      },
    },
  ],
  'an empty resourceVersion is sent, for it means the most recent one': [
    (pods) => pods.list({ resourceVersion: '' }),
    { method: 'GET', path: PATH, query: { resourceVersion: '' } },
  ],
  'list without a namespace reads all of them': [
    (_, client) => client.pods().list(),
    { method: 'GET', path: '/api/v1/pods' },
  ],
  'a group has its own root': [
    (_, client) => client.resource(CRONS, 'a').get('x'),
    { method: 'GET', path: '/apis/batch/v1/namespaces/a/cronjobs/x' },
  ],
  'create posts to the collection': [
    (pods) => pods.create(POD),
    { method: 'POST', path: PATH, contentType: JSON_TYPE, body: POD },
  ],
  'create with dry-run, a field manager and strict validation': [
    (pods) => pods.create(POD, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' }),
    {
      method: 'POST',
      path: PATH,
      query: { dryRun: 'All', fieldManager: 'me', fieldValidation: 'Strict' },
      contentType: JSON_TYPE,
      body: POD,
    },
  ],
  'create on a subresource takes the name from the object (eviction)': [
    (pods) => pods.create(POD, { subresource: 'eviction' }),
    { method: 'POST', path: `${PATH}/web/eviction`, contentType: JSON_TYPE, body: POD },
  ],
  'create on a subresource takes a name of its own (a token request has none)': [
    (_, client) =>
      client
        .resource({ ...PODS, resource: 'serviceaccounts' }, 'a')
        .create({ kind: 'TokenRequest', metadata: {} }, { subresource: 'token', name: 'robot' }),
    {
      method: 'POST',
      path: '/api/v1/namespaces/a/serviceaccounts/robot/token',
      contentType: JSON_TYPE,
      body: { kind: 'TokenRequest', metadata: {} },
    },
  ],
  'update puts the whole object, with its resourceVersion': [
    (pods) => pods.update(POD),
    { method: 'PUT', path: `${PATH}/web`, contentType: JSON_TYPE, body: POD },
  ],
  'update writes the status alone': [
    (pods) => pods.update(POD, { subresource: 'status', dryRun: false }),
    { method: 'PUT', path: `${PATH}/web/status`, contentType: JSON_TYPE, body: POD },
  ],
  'a merge patch': [
    (pods) => pods.patch('web', { kind: 'merge', body: { a: null } }),
    { method: 'PATCH', path: `${PATH}/web`, contentType: 'application/merge-patch+json', body: { a: null } },
  ],
  'a JSON patch': [
    (pods) => pods.patch('web', { kind: 'json', body: [{ op: 'test', path: '/a', value: 1 }] }),
    {
      method: 'PATCH',
      path: `${PATH}/web`,
      contentType: 'application/json-patch+json',
      body: [{ op: 'test', path: '/a', value: 1 }],
    },
  ],
  'a strategic merge patch of the status, as a dry run': [
    (pods) => pods.patch('web', { kind: 'strategic', body: { status: {} } }, { subresource: 'status', dryRun: true }),
    {
      method: 'PATCH',
      path: `${PATH}/web/status`,
      query: { dryRun: 'All' },
      contentType: 'application/strategic-merge-patch+json',
      body: { status: {} },
    },
  ],
  'server-side apply names its field manager': [
    (pods) => pods.patch('web', { kind: 'apply', body: POD, fieldManager: 'me' }),
    {
      method: 'PATCH',
      path: `${PATH}/web`,
      query: { fieldManager: 'me' },
      contentType: 'application/apply-patch+yaml',
      body: POD,
    },
  ],
  'server-side apply by force': [
    (pods) => pods.patch('web', { kind: 'apply', body: POD, fieldManager: 'me', force: true }, { dryRun: true }),
    {
      method: 'PATCH',
      path: `${PATH}/web`,
      query: { dryRun: 'All', fieldManager: 'me', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: POD,
    },
  ],
  'delete sends its options in the body': [
    (pods) =>
      pods.delete('web', {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u', resourceVersion: '7' },
        dryRun: true,
      }),
    {
      method: 'DELETE',
      path: `${PATH}/web`,
      contentType: JSON_TYPE,
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u', resourceVersion: '7' },
        dryRun: ['All'],
      },
    },
  ],
  'a plain delete leaves everything to the server': [
    (pods) => pods.delete('web'),
    {
      method: 'DELETE',
      path: `${PATH}/web`,
      contentType: JSON_TYPE,
      body: { kind: 'DeleteOptions', apiVersion: 'v1' },
    },
  ],
};

describe('verbs', () => {
  for (const [name, [verb, expected]] of Object.entries(VERBS)) {
    test(name, async (t) => {
      const { server, client } = await aClient(t);
      const answer = verb(client.pods('a'), client);
      const call = await server.next();
      call.json({ kind: 'Answer', text: 'é' }, call.method === 'POST' ? 201 : 200);
      assertAsked(call, expected);
      assert.deepEqual(await answer, { kind: 'Answer', text: 'é' });
    });
  }
});

describe('pages', () => {
  async function collect(pages: AsyncIterable<KubeList<KubeObject>>): Promise<string[]> {
    const names: string[] = [];
    for await (const page of pages) for (const item of page.items) names.push(item.metadata.name!);
    return names;
  }

  test('follow continue to the end; only the first one names a resourceVersion', async (t) => {
    const { server, client } = await aClient(t);
    const options = {
      limit: 1,
      labelSelector: 'a=b',
      resourceVersion: '5',
      resourceVersionMatch: 'NotOlderThan',
    } as const;
    const names = collect(client.pods('a').pages(options));
    const asked: object[] = [];
    for (const [name, next] of [
      ['p1', 'c1'],
      ['p2', 'c2'],
      ['p3', ''],
    ] as const) {
      const call = await server.next();
      asked.push(Object.fromEntries(call.query));
      call.list('Pod', '9', [{ metadata: { name } }], next);
    }
    assert.deepEqual(await names, ['p1', 'p2', 'p3']);
    assert.deepEqual(asked, [
      { labelSelector: 'a=b', limit: '1', resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' },
      { labelSelector: 'a=b', limit: '1', continue: 'c1' },
      { labelSelector: 'a=b', limit: '1', continue: 'c2' },
    ]);
  });

  test('may begin in the middle, and a reader that stops asks for no more', async (t) => {
    const { server, client } = await aClient(t);
    const first = (async () => {
      for await (const page of client.pods('a').pages({ continue: 'c7' })) return page.metadata.continue;
      return undefined;
    })();
    const call = await server.next();
    assert.equal(call.query.get('continue'), 'c7');
    call.list('Pod', '9', [], 'c8');
    assert.equal(await first, 'c8');
    assert.equal(server.requests, 1);
  });

  test('a list that expires between two pages fails for the reader', async (t) => {
    const { server, client } = await aClient(t);
    const names = assert.rejects(collect(client.pods('a').pages({ limit: 1 })), { status: 410, reason: 'Expired' });
    (await server.next()).list('Pod', '9', [], 'c1');
    (await server.next()).refuse(410, 'Expired');
    await names;
  });
});

describe('names', () => {
  for (const name of ['..%2f..%2fnodes', 'a/b', 'a?b', 'a#b', 'a b', 'ü名', '%2e%2e', 'a;b', "a'b"]) {
    test(`${JSON.stringify(name)} stays one path segment`, async (t) => {
      const { server, client } = await aClient(t);
      const answer = client.pods(name).get(name, { subresource: name });
      const call = await server.next();
      call.json({});
      await answer;
      const segments = call.target.split('/');
      assert.equal(segments.length, 8);
      for (const at of [4, 6, 7]) assert.equal(decodeURIComponent(segments[at]!), name);
      assert.equal(call.target.includes('?'), false);
    });
  }

  for (const [name, code] of [
    ['', 'empty-name'],
    ['.', 'bad-name'],
    ['..', 'bad-name'],
    ['\ud800', 'bad-name'],
  ] as const) {
    test(`fault 30: ${JSON.stringify(name)} is refused by every verb before anything is sent`, async (t) => {
      const { server, client } = await aClient(t);
      const pods = client.pods('a');
      const object = { metadata: { name } };
      const refused = (error: unknown) => error instanceof MachineryError && error.code === code;
      await assert.rejects(pods.get(name), refused);
      await assert.rejects(pods.delete(name), refused);
      await assert.rejects(pods.update(object), refused);
      await assert.rejects(pods.patch(name, { kind: 'merge', body: {} }), refused);
      await assert.rejects(pods.create(object, { subresource: 'eviction' }), refused);
      await assert.rejects(client.table(CONFIG_MAPS, { namespace: 'a', name }), refused);
      if (name !== '') await assert.rejects(client.pods(name).list(), refused);
      await assert.rejects(client.resource({ ...PODS, resource: name }).list(), refused);
      assert.equal(server.connections, 0);
    });
  }

  test('an object without a name can be created, for the server may make one up, but not updated', async (t) => {
    const { server, client } = await aClient(t);
    const object = { metadata: { generateName: 'web-' } };
    const created = client.pods('a').create(object);
    (await server.next()).json({ metadata: { name: 'web-x' } }, 201);
    assert.equal((await created).metadata.name, 'web-x');
    await assert.rejects(client.pods('a').update(object), { code: 'empty-name' });
  });
});

describe('answers', () => {
  for (const [what, status, reason, is] of [
    ['an object that is not there', 404, 'NotFound', isNotFound],
    ['an object that somebody else has written', 409, 'Conflict', isConflict],
    ['an object that is there already', 409, 'AlreadyExists', isAlreadyExists],
  ] as const) {
    test(`${what} is known by its error`, async (t) => {
      const { server, client } = await aClient(t);
      const rejected = assert.rejects(client.pods('a').create(POD), (error) => {
        assert.deepEqual([isNotFound(error), isConflict(error), isAlreadyExists(error)].filter(Boolean).length, 1);
        return is(error);
      });
      (await server.next()).refuse(status, reason);
      await rejected;
    });
  }

  test('an answer that is no JSON is a DecodeError with a hint', async (t) => {
    const { server, client } = await aClient(t);
    const rejected = assert.rejects(client.pods('a').get('web'), (error) => {
      assert.ok(error instanceof DecodeError && error.cause instanceof SyntaxError);
      assert.match(error.message, /GET \/api\/v1\/namespaces\/a\/pods\/web: the answer is not JSON/);
      assert.match(error.hint ?? '', /login page or a proxy/);
      return true;
    });
    (await server.next()).respond(200, '<html>please log in</html>', { 'content-type': 'text/html' });
    await rejected;
  });

  test('delete gives the object or the Status that the server sent in its place', async (t) => {
    const { server, client } = await aClient(t);
    const gone = client.pods('a').delete('web');
    (await server.next()).json({ kind: 'Status', status: 'Success', details: { uid: 'u' } });
    assert.deepEqual(await gone, { kind: 'Status', status: 'Success', details: { uid: 'u' } });
  });

  test('signal, time-out and beforeSend reach the transport with every verb', async () => {
    const seen: unknown[] = [];
    const transport = {
      request: (_request: unknown, options: unknown) => {
        seen.push(options);
        return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{"metadata":{},"items":[]}') });
      },
      stream: () => assert.fail('no stream'),
      close: () => Promise.resolve(),
    };
    const pods = new Client(transport).pods('a');
    const options = { signal: new AbortController().signal, timeoutMs: 5, beforeSend: () => {} };
    await pods.get('web', options);
    await pods.list(options);
    await pods.create(POD, options);
    await pods.update(POD, options);
    await pods.patch('web', { kind: 'merge', body: {} }, options);
    await pods.delete('web', options);
    for await (const page of pods.pages(options)) assert.deepEqual(page.items, []);
    assert.equal(seen.length, 7);
    for (const one of seen) {
      const { signal, timeoutMs, beforeSend } = one as typeof options;
      assert.deepEqual([signal, timeoutMs, beforeSend], [options.signal, 5, options.beforeSend]);
    }
  });
});

// What the front door adds to the verbs: forms of answers, discovery by kind, raw calls.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LEASES, PODS } from '../objects/group-version-resource.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { Client } from './client.ts';

async function aClient(t: TestContext): Promise<{ server: ScriptedServer; client: Client }> {
  const server = await ScriptedServer.start();
  const client = Client.connect({ ...server.config(), namespace: 'mine' });
  t.after(async () => {
    await client.close();
    await server.stop();
  });
  return { server, client };
}

const TABLE = {
  kind: 'Table',
  metadata: { resourceVersion: '5' },
  columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
  rows: [{ cells: ['web'], object: { metadata: { name: 'web' } } }],
};

test('a table of a collection', async (t) => {
  const { server, client } = await aClient(t);
  const answer = client.table(PODS, { namespace: 'a', labelSelector: 'x=y', limit: 3 });
  const call = await server.next();
  call.json(TABLE);
  assert.equal(call.target, '/api/v1/namespaces/a/pods?labelSelector=x%3Dy&limit=3');
  assert.equal(call.headers.accept, 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json');
  assert.deepEqual(await answer, TABLE);
});

test('a table without the objects, for those who need the cells only', async (t) => {
  const { server, client } = await aClient(t);
  const answer = client.table(PODS, { namespace: 'a', limit: 3, includeObject: 'None' });
  const call = await server.next();
  call.json(TABLE);
  assert.equal(call.target, '/api/v1/namespaces/a/pods?limit=3&includeObject=None');
  await answer;
});

test('a table of one object', async (t) => {
  const { server, client } = await aClient(t);
  const answer = client.table(LEASES, { namespace: 'a', name: 'x' });
  const call = await server.next();
  call.json(TABLE);
  assert.equal(call.target, '/apis/coordination.k8s.io/v1/namespaces/a/leases/x');
  await answer;
});

test('a server that cannot render a table is distinguished from one that did', async (t) => {
  const { server, client } = await aClient(t);
  const answer = assert.rejects(client.table(PODS), { name: 'DecodeError', message: /cannot render/ });
  (await server.next()).list('Pod', '5', []);
  await answer;
});

test('metadata alone is asked for in its own forms', async (t) => {
  const { server, client } = await aClient(t);
  const metadata = client.metadata(PODS, 'a');
  const one = metadata.get('web');
  const first = await server.next();
  first.json({ kind: 'PartialObjectMetadata', metadata: { name: 'web' } });
  assert.equal((await one).metadata.name, 'web');
  const many = metadata.list({ limit: 2 });
  const second = await server.next();
  second.json({ kind: 'PartialObjectMetadataList', metadata: {}, items: [] });
  await many;
  const pages = (async () => {
    for await (const page of metadata.pages({ limit: 2 })) return page.kind;
    return undefined;
  })();
  const third = await server.next();
  third.json({ kind: 'PartialObjectMetadataList', metadata: {}, items: [] });
  assert.equal(await pages, 'PartialObjectMetadataList');
  const form = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
  assert.deepEqual(
    [first, second, third].map((call) => [call.target, call.headers.accept]),
    [
      ['/api/v1/namespaces/a/pods/web', form('PartialObjectMetadata')],
      ['/api/v1/namespaces/a/pods?limit=2', form('PartialObjectMetadataList')],
      ['/api/v1/namespaces/a/pods?limit=2', form('PartialObjectMetadataList')],
    ],
  );
});

test('raw sends what it is given and gives what was sent', async (t) => {
  const { server, client } = await aClient(t);
  const answer = client.raw({ method: 'GET', path: '/api/v1/namespaces/a/pods/web/log?tailLines=1' });
  const call = await server.next();
  call.respond(200, 'a line\n', { 'content-type': 'text/plain' });
  assert.equal(call.target, '/api/v1/namespaces/a/pods/web/log?tailLines=1');
  const { status, headers, body } = await answer;
  assert.deepEqual([status, headers['content-type'], body.toString()], [200, 'text/plain', 'a line\n']);
});

test('a kind is found by discovery; a namespaced one falls back to the namespace of the config', async (t) => {
  const { server, client } = await aClient(t);
  const found = client.resourceOfKind('acme.com/v1', 'Widget');
  (await server.next()).json({
    resources: [
      { name: 'widgets', kind: 'Widget', namespaced: true, verbs: ['get'] },
      { name: 'widgets/status', kind: 'Widget', namespaced: true, verbs: ['get'] },
      { name: 'plants', kind: 'Plant', namespaced: false, verbs: ['get'] },
    ],
  });
  const widgets = await found;
  const elsewhere = await client.resourceOfKind('acme.com/v1', 'Widget', 'a');
  const plants = await client.resourceOfKind('acme.com/v1', 'Plant', 'a');
  for (const [resource, path] of [
    [widgets, '/apis/acme.com/v1/namespaces/mine/widgets/x'],
    [elsewhere, '/apis/acme.com/v1/namespaces/a/widgets/x'],
    [plants, '/apis/acme.com/v1/plants/x'],
  ] as const) {
    const answer = resource.get('x');
    const call = await server.next();
    call.json({});
    await answer;
    assert.equal(call.target, path);
  }
  assert.equal(client.defaultNamespace, 'mine');
});

test('the helpers name the collections that we use', async (t) => {
  const { server, client } = await aClient(t);
  for (const [resource, path] of [
    [client.pods('a'), '/api/v1/namespaces/a/pods'],
    [client.nodes(), '/api/v1/nodes'],
    [client.services('a'), '/api/v1/namespaces/a/services'],
    [client.namespaces(), '/api/v1/namespaces'],
    [client.configMaps('a'), '/api/v1/namespaces/a/configmaps'],
    [client.leases('a'), '/apis/coordination.k8s.io/v1/namespaces/a/leases'],
    [client.events('a'), '/apis/events.k8s.io/v1/namespaces/a/events'],
  ] as const) {
    const answer = resource.list();
    const call = await server.next();
    call.json({ metadata: {}, items: [] });
    await answer;
    assert.equal(call.target, path);
  }
});

test('closing the client closes its transport', async (t) => {
  const { client } = await aClient(t);
  await client.close();
  await assert.rejects(client.pods('a').list(), /the transport is closed/);
});

// Pages of one snapshot, and which resourceVersion a list answers with.
import type { Area, Stage } from '../case.ts';
import { aConfigMap, core } from '../objects.ts';
import type { Json } from '../raw-client.ts';

async function five(server: Stage) {
  const namespace = await server.namespace();
  const path = core(namespace, 'configmaps');
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await server.client.create(path, aConfigMap(name, { v: '1' }, { labels: { page: 'yes' } }));
  }
  return { path, query: `${path}?labelSelector=page` };
}

const named = (json: Json): string[] => json.items.map((item: Json) => item.metadata.name);

export const lists: Area = {
  area: 'limit, continue, resourceVersion of lists',
  cases: [
    {
      name: 'pages follow each other until there is no continue token',
      async run(server, assert) {
        const { path } = await five(server);
        const first = (await server.client.get(`${path}?limit=2`)).json;
        assert.deepEqual(named(first), ['a', 'b'], 'the first page');
        assert.ok(first.metadata.continue, 'its continue token');
        assert.equal(first.metadata.remainingItemCount, 3, 'what remains is counted');
        const token = (json: Json) => encodeURIComponent(json.metadata.continue);
        const second = (await server.client.get(`${path}?limit=2&continue=${token(first)}`)).json;
        assert.deepEqual(named(second), ['c', 'd'], 'the second page');
        assert.equal(second.metadata.remainingItemCount, first.metadata.remainingItemCount - 2, 'two fewer remain');
        const third = (await server.client.get(`${path}?limit=9&continue=${token(second)}`)).json;
        assert.equal(named(third)[0], 'e', 'the last page');
        assert.equal(third.metadata.continue, undefined, 'no continue token at the end');
        assert.equal(third.metadata.remainingItemCount, undefined, 'nothing remains');
        assert.deepEqual(
          [second, third].map((page) => page.metadata.resourceVersion),
          Array(2).fill(first.metadata.resourceVersion),
          'one resourceVersion for all pages',
        );
      },
    },
    {
      name: 'changes between two pages are not seen on the second',
      async run(server, assert) {
        const { path, query } = await five(server);
        const first = (await server.client.get(`${query}&limit=2`)).json;
        await server.client.patch(`${path}/c`, 'merge', { data: { v: '2' } });
        await server.client.delete(`${path}/d`);
        await server.client.create(path, aConfigMap('dd', {}, { labels: { page: 'yes' } }));
        const rest = await server.client.get(`${query}&continue=${encodeURIComponent(first.metadata.continue)}`);
        assert.equal(rest.status, 200, 'HTTP status');
        assert.deepEqual(named(rest.json), ['c', 'd', 'e'], 'the snapshot of the first page');
        assert.equal(rest.json.items[0].data.v, '1', 'objects as they were');
        assert.equal(rest.json.metadata.resourceVersion, first.metadata.resourceVersion, 'its resourceVersion');
        const now = (await server.client.get(query)).json;
        assert.deepEqual(named(now), ['a', 'b', 'c', 'dd', 'e'], 'a new list sees them');
        assert.ok(
          Number(now.metadata.resourceVersion) > Number(first.metadata.resourceVersion),
          'and has a larger resourceVersion',
        );
      },
    },
    {
      name: 'with a selector what remains is not counted',
      async run(server, assert) {
        const { query } = await five(server);
        const { json } = await server.client.get(`${query}&limit=2`);
        assert.ok(json.metadata.continue, 'there is more');
        assert.equal(json.metadata.remainingItemCount, undefined, 'but no count');
      },
    },
    {
      name: 'a limit that suffices gives no continue token',
      async run(server, assert) {
        const { query } = await five(server);
        const { json } = await server.client.get(`${query}&limit=500`);
        assert.equal(json.items.length, 5, 'all items');
        assert.equal(json.metadata.continue, undefined, 'no token');
      },
    },
    {
      name: 'a continue token that is none is 400',
      async run({ client }, assert) {
        assert.refused(
          await client.get('/api/v1/namespaces/default/pods?continue=abc'),
          { code: 400, reason: 'BadRequest', message: /^invalid continue token: continue key is not valid: / },
          'the list',
        );
      },
    },
    {
      name: 'a resourceVersion beside a continue token is refused',
      async run(server, assert) {
        const { query } = await five(server);
        const { json } = await server.client.get(`${query}&limit=2`);
        const token = encodeURIComponent(json.metadata.continue);
        assert.refused(
          await server.client.get(`${query}&continue=${token}&resourceVersion=${json.metadata.resourceVersion}`),
          {
            code: 400,
            reason: 'BadRequest',
            message: 'specifying resource version is not allowed when using continue',
          },
          'the list',
        );
      },
    },
    {
      name: 'resourceVersion=0 is answered from what the server has',
      async run(server, assert) {
        const { query } = await five(server);
        // What it has may be old; after this it is not older than the five.
        const now = (await server.client.get(query)).json.metadata.resourceVersion;
        await server.client.get(`${query}&resourceVersion=${now}`);
        const { status, json } = await server.client.get(`${query}&resourceVersion=0&limit=2`);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.items.length, 5, 'the limit does not count then');
        assert.match(json.metadata.resourceVersion, /^[1-9]\d*$/, 'a real resourceVersion');
      },
    },
    {
      name: 'a list is not older than the resourceVersion it asks for',
      async run(server, assert) {
        const { path, query } = await five(server);
        const { json } = await server.client.patch(`${path}/a`, 'merge', { data: { v: '9' } });
        const wanted = json.metadata.resourceVersion;
        for (const match of ['', '&resourceVersionMatch=NotOlderThan']) {
          const list = (await server.client.get(`${query}&resourceVersion=${wanted}${match}`)).json;
          assert.ok(Number(list.metadata.resourceVersion) >= Number(wanted), `its resourceVersion${match}`);
          assert.equal(list.items[0].data.v, '9', `sees the change${match}`);
        }
      },
    },
    {
      name: 'an exact resourceVersion shows the past',
      async run(server, assert) {
        const { path, query } = await five(server);
        const before = (await server.client.get(query)).json.metadata.resourceVersion;
        await server.client.patch(`${path}/a`, 'merge', { data: { v: '2' } });
        await server.client.delete(`${path}/e`);
        const { status, json } = await server.client.get(
          `${query}&resourceVersion=${before}&resourceVersionMatch=Exact`,
        );
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(named(json), ['a', 'b', 'c', 'd', 'e'], 'what was deleted since');
        assert.equal(json.items[0].data.v, '1', 'what was changed since');
        assert.equal(json.metadata.resourceVersion, before, 'its resourceVersion');
      },
    },
    {
      name: 'resourceVersionMatch has rules',
      async run({ client }, assert) {
        const refuse = async (query: string, field: string) =>
          assert.refused(
            await client.get(`/api/v1/namespaces/default/pods?${query}`),
            { code: 422, reason: 'Invalid', message: `ListOptions.meta.k8s.io "" is invalid: ${field}` },
            query,
          );
        await refuse(
          'resourceVersionMatch=Exact',
          'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
        );
        await refuse(
          'resourceVersionMatch=Exact&resourceVersion=0',
          'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        );
        await refuse(
          'resourceVersionMatch=Near&resourceVersion=1',
          'resourceVersionMatch: Unsupported value: "Near": supported values: "Exact", "NotOlderThan", ""',
        );
        await refuse('sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list');
      },
    },
    {
      name: 'a list of the future is 504 Timeout',
      slow: true,
      async run({ client }, assert) {
        const answer = await client.get('/api/v1/namespaces/default/pods?resourceVersion=999999999');
        assert.refused(
          answer,
          { code: 504, reason: 'Timeout', message: /^Timeout: Too large resource version: 999999999, current: \d+$/ },
          'the list',
        );
        assert.deepEqual(
          answer.json.details,
          {
            causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
            retryAfterSeconds: 1,
          },
          'details',
        );
        assert.equal(answer.headers['retry-after'], '1', 'Retry-After');
      },
    },
    {
      name: 'a get of a resourceVersion is not older than it',
      async run(server, assert) {
        const { path } = await five(server);
        const { json } = await server.client.patch(`${path}/a`, 'merge', { data: { v: '3' } });
        const read = await server.client.get(`${path}/a?resourceVersion=${json.metadata.resourceVersion}`);
        assert.equal(read.json.data.v, '3', 'the change is seen');
        const zero = await server.client.get(`${path}/a?resourceVersion=0`);
        assert.equal(zero.status, 200, 'and 0 is anything');
      },
    },
  ],
};

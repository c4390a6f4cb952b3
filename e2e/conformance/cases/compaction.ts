// What has been forgotten: old watches and old pages meet 410. Each case compacts, so they run alone.
import type { Area } from '../case.ts';
import { aConfigMap, core } from '../objects.ts';

export const compaction: Area = {
  area: 'compaction',
  alone: true,
  cases: [
    {
      name: 'watches, pages and exact lists from before a compaction are 410, the present is not',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        for (const name of ['a', 'b', 'c']) await server.client.create(path, aConfigMap(name));
        const page = (await server.client.get(`${path}?limit=1`)).json;
        const old = page.metadata.resourceVersion;
        for (let v = 0; v < 5; v++) await server.client.patch(`${path}/a`, 'merge', { data: { v: String(v) } });
        await server.compact();
        // After it etcd still serves its newest revision only.
        await server.client.patch(`${path}/a`, 'merge', { data: { v: 'after' } });

        const stream = await server.client.watch(`${path}?resourceVersion=${old}`);
        assert.equal(stream.status, 200, 'HTTP status of the watch');
        const events = await stream.rest();
        assert.equal(events.length, 1, 'one event, then the end');
        assert.equal(events[0]?.type, 'ERROR', 'type');
        const { kind, status, reason, code, message } = events[0]?.object ?? {};
        assert.deepEqual(
          { kind, status, reason, code },
          { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 },
          'a Status',
        );
        assert.match(message, /^too old resource version: \d+ \(\d+\)$/, 'message of the watch');

        const more = await server.client.get(`${path}?limit=1&continue=${encodeURIComponent(page.metadata.continue)}`);
        assert.equal(more.status, 410, 'HTTP status of the page');
        assert.equal(more.json.reason, 'Expired', 'reason of the page');
        assert.equal(
          more.json.message,
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
          'message of the page',
        );
        assert.deepEqual(more.json.details, undefined, 'details of the page');
        const inconsistent = more.json.metadata?.continue;
        assert.ok(inconsistent, 'a token to go on without consistency');
        const rest = await server.client.get(`${path}?continue=${encodeURIComponent(inconsistent)}`);
        assert.equal(rest.status, 200, 'HTTP status of the inconsistent rest');
        assert.deepEqual(
          rest.json.items?.map((item: { metadata: { name: string } }) => item.metadata.name),
          ['b', 'c'],
          'the rest',
        );

        const exact = await server.client.get(`${path}?resourceVersion=${old}&resourceVersionMatch=Exact`);
        assert.refused(
          exact,
          { code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
          'the exact list',
        );
        const list = await server.client.get(path);
        assert.equal(list.status, 200, 'the present');
        assert.equal(list.json.items[0].data.v, 'after', 'is whole');
        const loose = await server.client.get(`${path}?resourceVersion=${old}`);
        assert.equal(loose.status, 200, 'a list not older than the past is the present');
        const next = await server.client.watch(`${path}?resourceVersion=${list.json.metadata.resourceVersion}`);
        await server.client.create(path, aConfigMap('d'));
        assert.equal((await next.take(1))[0]?.object.metadata.name, 'd', 'a watch from the present goes on');
        next.close();
      },
    },
  ],
};

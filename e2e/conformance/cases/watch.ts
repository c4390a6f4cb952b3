// Watches: order, resumption, selectors, bookmarks, WatchList, ends.
import type { Area, Stage } from '../case.ts';
import { aConfigMap, aPod, core } from '../objects.ts';
import type { WatchEvent } from '../watch-stream.ts';

async function stage(server: Stage) {
  const namespace = await server.namespace();
  const path = core(namespace, 'configmaps');
  const start: string = (await server.client.get(path)).json.metadata.resourceVersion;
  return { namespace, path, start };
}

const brief = ({ type, object }: WatchEvent): string => `${type} ${object.metadata?.name ?? object.message}`;
const versionOf = ({ object }: WatchEvent): number => Number(object.metadata.resourceVersion);
const isBookmark = ({ type }: WatchEvent) => type === 'BOOKMARK';
const ENDS_INITIAL = 'k8s.io/initial-events-end';
const endsInitial = ({ type, object }: WatchEvent) =>
  type === 'BOOKMARK' && object.metadata.annotations?.[ENDS_INITIAL] === 'true';
const WATCH_LIST = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

export const watch: Area = {
  area: 'watch',
  cases: [
    {
      name: 'changes arrive as ADDED, MODIFIED, DELETED in order, with whole objects',
      async run(server, assert) {
        const { path, start } = await stage(server);
        const stream = await server.client.watch(`${path}?resourceVersion=${start}`);
        assert.equal(stream.status, 200, 'HTTP status');
        assert.match(stream.headers['content-type'], /^application\/json/, 'content type');
        assert.equal(stream.headers['transfer-encoding'], 'chunked', 'chunked');
        await server.client.create(path, aConfigMap('one', { v: '1' }));
        await server.client.create(path, aConfigMap('two', { v: '1' }));
        await server.client.patch(`${path}/one`, 'merge', { data: { v: '2' } });
        await server.client.delete(`${path}/two`);
        const events = await stream.take(4);
        stream.close();
        assert.deepEqual(events.map(brief), ['ADDED one', 'ADDED two', 'MODIFIED one', 'DELETED two'], 'events');
        const versions = events.map(versionOf);
        assert.deepEqual(
          versions,
          versions.toSorted((a, b) => a - b),
          'resourceVersions grow',
        );
        assert.equal(new Set(versions).size, 4, 'and are all different');
        const [first] = events as [WatchEvent];
        assert.equal(`${first.object.apiVersion} ${first.object.kind}`, 'v1 ConfigMap', 'objects have a kind');
        assert.deepEqual(events[2]?.object.data, { v: '2' }, 'the changed object');
      },
    },
    {
      name: 'DELETED carries the resourceVersion of the deletion and the last state',
      async run(server, assert) {
        const { path, start } = await stage(server);
        const created = await server.client.create(path, aConfigMap('one', { v: '1' }));
        const stream = await server.client.watch(`${path}?resourceVersion=${start}`);
        await server.client.delete(`${path}/one`);
        const [, gone] = (await stream.take(2)) as [WatchEvent, WatchEvent];
        stream.close();
        assert.equal(gone.type, 'DELETED', 'type');
        assert.ok(versionOf(gone) > Number(created.metadata.resourceVersion), 'resourceVersion');
        assert.deepEqual(gone.object.data, { v: '1' }, 'the last state');
        assert.equal(gone.object.metadata.uid, created.metadata.uid, 'its uid');
        const resumed = await server.client.watch(`${path}?resourceVersion=${versionOf(gone)}`);
        await server.client.create(path, aConfigMap('next'));
        assert.deepEqual((await resumed.take(1)).map(brief), ['ADDED next'], 'a watch from there does not repeat it');
        resumed.close();
      },
    },
    {
      name: 'a watch resumed from any event gives exactly the following ones',
      async run(server, assert) {
        const { path, start } = await stage(server);
        await server.client.create(path, aConfigMap('one'));
        for (let v = 1; v <= 4; v++) await server.client.patch(`${path}/one`, 'merge', { data: { v: String(v) } });
        await server.client.delete(`${path}/one`);
        const stream = await server.client.watch(`${path}?resourceVersion=${start}`);
        const all = await stream.take(6);
        stream.close();
        const delivered = all.map((event) => `${event.type} ${event.object.metadata.resourceVersion}`);
        for (const from of [0, 2, 4]) {
          const resumed = await server.client.watch(`${path}?resourceVersion=${versionOf(all[from] as WatchEvent)}`);
          const rest = await resumed.take(5 - from);
          resumed.close();
          assert.deepEqual(
            rest.map((event) => `${event.type} ${event.object.metadata.resourceVersion}`),
            delivered.slice(from + 1),
            `after event ${from + 1}`,
          );
        }
      },
    },
    {
      name: 'a watch without resourceVersion begins with what is there',
      async run(server, assert) {
        const { path } = await stage(server);
        await server.client.create(path, aConfigMap('one'));
        await server.client.create(path, aConfigMap('two'));
        for (const query of ['', '?resourceVersion=0']) {
          const stream = await server.client.watch(path + query);
          const seen = await stream.take(2);
          assert.deepEqual(seen.map(brief).toSorted(), ['ADDED one', 'ADDED two'], `state${query}`);
          const change = server.unique('change');
          await server.client.create(path, aConfigMap(change));
          await server.client.delete(`${path}/${change}`);
          // Read to the deletion: a cache that has delivered it does not begin the next watch with what was deleted.
          assert.deepEqual(
            (await stream.take(2)).map(brief),
            [`ADDED ${change}`, `DELETED ${change}`],
            `then changes${query}`,
          );
          stream.close();
        }
      },
    },
    {
      name: 'under a label selector leaving is DELETED and coming is ADDED',
      async run(server, assert) {
        const { path, start } = await stage(server);
        const stream = await server.client.watch(`${path}?labelSelector=in%3Dyes&resourceVersion=${start}`);
        await server.client.create(path, aConfigMap('one', {}, { labels: { in: 'no' } }));
        await server.client.create(path, aConfigMap('two', {}, { labels: { in: 'yes' } }));
        const label = (value: string) =>
          server.client.patch(`${path}/one`, 'merge', { metadata: { labels: { in: value } } });
        await label('yes');
        await server.client.patch(`${path}/one`, 'merge', { data: { v: '1' } });
        const left = await label('no');
        await server.client.patch(`${path}/one`, 'merge', { data: { v: '2' } });
        await label('yes');
        await server.client.delete(`${path}/one`);
        const events = await stream.take(6);
        stream.close();
        assert.deepEqual(
          events.map(brief),
          ['ADDED two', 'ADDED one', 'MODIFIED one', 'DELETED one', 'ADDED one', 'DELETED one'],
          'events',
        );
        const gone = events[3] as WatchEvent;
        assert.equal(gone.object.metadata.labels.in, 'yes', 'the state that was last selected');
        assert.equal(
          gone.object.metadata.resourceVersion,
          left.json.metadata.resourceVersion,
          'the version of the change',
        );
      },
    },
    {
      name: 'under a field selector a pod comes and goes with its node and phase',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        const start = (await server.client.get(path)).json.metadata.resourceVersion;
        const stream = await server.client.watch(
          `${path}?fieldSelector=status.phase%3DRunning&resourceVersion=${start}`,
        );
        await server.client.create(path, aPod('one', { nodeName: 'nowhere' }));
        await server.client.patch(`${path}/one/status`, 'merge', { status: { phase: 'Running' } });
        await server.client.patch(`${path}/one/status`, 'merge', { status: { phase: 'Failed' } });
        const events = await stream.take(2);
        stream.close();
        assert.deepEqual(events.map(brief), ['ADDED one', 'DELETED one'], 'events');
        assert.equal(events[1]?.object.status.phase, 'Running', 'the state that was last selected');
      },
    },
    {
      name: 'a pod that ends gracefully is MODIFIED and then DELETED',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        const created = await server.client.create(path, aPod('one', { nodeName: 'nowhere' }));
        const stream = await server.client.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
        await server.client.delete(`${path}/one`);
        await server.client.delete(`${path}/one`, { gracePeriodSeconds: 0 });
        const [marked, ...rest] = (await stream.until(({ type }) => type === 'DELETED')) as [WatchEvent];
        stream.close();
        assert.equal(brief(marked), 'MODIFIED one', 'first');
        assert.equal(marked.object.metadata.deletionGracePeriodSeconds, 30, 'marked with its grace');
        assert.equal(rest.map(brief).at(-1), 'DELETED one', 'last');
      },
    },
    {
      name: 'the removal of the last finalizer is a DELETED',
      async run(server, assert) {
        const { path } = await stage(server);
        const finalizers = ['example.com/hold'];
        const created = await server.client.create(path, aConfigMap('one', {}, { finalizers }));
        const stream = await server.client.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
        await server.client.delete(`${path}/one`);
        await server.client.patch(`${path}/one`, 'merge', { metadata: { finalizers: null } });
        const events = await stream.take(2);
        stream.close();
        assert.deepEqual(events.map(brief), ['MODIFIED one', 'DELETED one'], 'events');
        assert.ok(versionOf(events[1] as WatchEvent) > versionOf(events[0] as WatchEvent), 'resourceVersions grow');
      },
    },
    {
      name: 'a change that changes nothing is no event',
      async run(server, assert) {
        const { path } = await stage(server);
        const created = await server.client.create(path, aConfigMap('one', { v: '1' }));
        const stream = await server.client.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
        await server.client.patch(`${path}/one`, 'merge', { data: { v: '1' } });
        await server.client.put(`${path}/one`, created);
        await server.client.patch(`${path}/one`, 'merge', { data: { v: '2' } });
        const [event] = await stream.take(1);
        stream.close();
        assert.equal(event?.object.data.v, '2', 'the first event is the real change');
      },
    },
    {
      name: 'a watch of one object by the field metadata.name sees only that',
      async run(server, assert) {
        const { path, start } = await stage(server);
        const stream = await server.client.watch(`${path}?fieldSelector=metadata.name%3Dtwo&resourceVersion=${start}`);
        await server.client.create(path, aConfigMap('one'));
        await server.client.create(path, aConfigMap('two'));
        assert.deepEqual((await stream.take(1)).map(brief), ['ADDED two'], 'events');
        stream.close();
      },
    },
    {
      name: 'the old path /watch/ watches too',
      async run(server, assert) {
        const { namespace, path, start } = await stage(server);
        const old = await server.client.watch(
          `/api/v1/watch/namespaces/${namespace}/configmaps?resourceVersion=${start}`,
        );
        await server.client.create(path, aConfigMap('one'));
        await server.client.create(path, aConfigMap('two'));
        assert.deepEqual((await old.take(2)).map(brief), ['ADDED one', 'ADDED two'], '/watch/');
        old.close();
      },
    },
    {
      name: 'a watch over all namespaces sees each of them in one order',
      async run(server, assert) {
        const [first, second] = [await stage(server), await stage(server)];
        const set = server.unique('set');
        const stream = await server.client.watch(
          `/api/v1/configmaps?labelSelector=set%3D${set}&resourceVersion=${second.start}`,
        );
        for (const [path, name] of [
          [first.path, 'a'],
          [second.path, 'b'],
          [first.path, 'c'],
        ] as const) {
          await server.client.create(path, aConfigMap(name, {}, { labels: { set } }));
        }
        assert.deepEqual((await stream.take(3)).map(brief), ['ADDED a', 'ADDED b', 'ADDED c'], 'events');
        stream.close();
      },
    },
    {
      name: 'timeoutSeconds ends the stream cleanly',
      slow: true,
      async run(server, assert) {
        const { path, start } = await stage(server);
        // Before the watch: how long a creation takes on a busy machine must not decide whether it is in time.
        await server.client.create(path, aConfigMap('one'));
        const stream = await server.client.watch(`${path}?resourceVersion=${start}&timeoutSeconds=3`);
        const events = await stream.rest();
        assert.deepEqual(events.map(brief), ['ADDED one'], 'events, and no error');
      },
    },
    {
      name: 'with allowWatchBookmarks a stream that times out says how far it came',
      slow: true,
      async run(server, assert) {
        const { path, start } = await stage(server);
        const other = await stage(server);
        const query = `resourceVersion=${start}&allowWatchBookmarks=true&timeoutSeconds=4`;
        // Before the watch: the bookmark comes two seconds before the end, and says what was known by then.
        const elsewhere = await server.client.create(other.path, aConfigMap('elsewhere'));
        // A bookmark is a favour: the real server sends it when it comes to it, and on a busy machine that may be too
        // late for one stream.
        let events: WatchEvent[] = [];
        for (let streams = 0; streams < 10 && events.length === 0; streams++) {
          events = await (await server.client.watch(`${path}?${query}`)).rest();
        }
        assert.ok(events.length > 0 && events.every(isBookmark), 'bookmarks and nothing else');
        const last = events.at(-1) as WatchEvent;
        assert.ok(versionOf(last) >= Number(elsewhere.metadata.resourceVersion), 'it is past what happened elsewhere');
        assert.equal(last.object.kind, 'ConfigMap', 'kind');
        assert.deepEqual(
          Object.keys(last.object.metadata).filter((key) => last.object.metadata[key] !== null),
          ['resourceVersion'],
          'nothing but a resourceVersion',
        );
        const resumed = await server.client.watch(`${path}?resourceVersion=${versionOf(last)}`);
        await server.client.create(path, aConfigMap('next'));
        assert.deepEqual((await resumed.take(1)).map(brief), ['ADDED next'], 'one can go on from it');
        resumed.close();
      },
    },
    {
      name: 'without allowWatchBookmarks there are none',
      slow: true,
      async run(server, assert) {
        const { path, start } = await stage(server);
        const stream = await server.client.watch(`${path}?resourceVersion=${start}&timeoutSeconds=4`);
        assert.deepEqual(await stream.rest(), [], 'events');
      },
    },
    {
      name: 'WatchList gives the state, the bookmark that ends it, then changes',
      async run(server, assert) {
        const { path } = await stage(server);
        const one = await server.client.create(path, aConfigMap('one'));
        await server.client.create(path, aConfigMap('two'));
        const stream = await server.client.watch(`${path}?${WATCH_LIST}`);
        const initial = await stream.until(endsInitial);
        const end = initial.at(-1) as WatchEvent;
        assert.deepEqual(initial.slice(0, -1).map(brief), ['ADDED one', 'ADDED two'], 'the state');
        assert.equal(end.object.kind, 'ConfigMap', 'kind of the bookmark');
        assert.ok(versionOf(end) > Number(one.metadata.resourceVersion), 'its resourceVersion');
        await server.client.delete(`${path}/one`);
        // A server that may send bookmarks may send one at any time, so also here.
        const change = (await stream.until((event) => !isBookmark(event))).at(-1);
        stream.close();
        assert.equal(brief(change as WatchEvent), 'DELETED one', 'then a change');
        assert.ok(versionOf(change as WatchEvent) > versionOf(end), 'after the bookmark');
      },
    },
    {
      name: 'WatchList from a resourceVersion still gives the state, at least that old',
      async run(server, assert) {
        const { path, start } = await stage(server);
        const one = await server.client.create(path, aConfigMap('one'));
        // The newest first: a cache that has come that far shows the same state to those who ask for less.
        for (const version of [one.metadata.resourceVersion, start, '0']) {
          const stream = await server.client.watch(`${path}?${WATCH_LIST}&resourceVersion=${version}`);
          const initial = await stream.until(endsInitial);
          stream.close();
          assert.ok(versionOf(initial.at(-1) as WatchEvent) >= Number(version), 'the bookmark is not older');
          assert.deepEqual(initial.map(brief).slice(0, -1), ['ADDED one'], `the state at ${version}`);
        }
      },
    },
    {
      name: 'WatchList of nothing is the bookmark alone',
      async run(server, assert) {
        const { path } = await stage(server);
        const stream = await server.client.watch(`${path}?${WATCH_LIST}&labelSelector=none`);
        const initial = await stream.until(endsInitial);
        stream.close();
        assert.equal(initial.length, 1, 'one event');
        assert.deepEqual(initial[0]?.object.metadata.annotations, { [ENDS_INITIAL]: 'true' }, 'its annotation');
      },
    },
    {
      name: 'sendInitialEvents has rules',
      async run({ client }, assert) {
        const refuse = async (query: string, message: string) =>
          assert.refused(
            await client.get(`/api/v1/namespaces/default/configmaps?watch=true&${query}`),
            { code: 422, reason: 'Invalid', message: `ListOptions.meta.k8s.io "" is invalid: ${message}` },
            query,
          );
        await refuse(
          'sendInitialEvents=true',
          'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        );
        await refuse(
          'resourceVersionMatch=NotOlderThan',
          'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        );
      },
    },
    {
      name: 'a watch of the future waits for it',
      slow: true,
      async run(server, assert) {
        const { path } = await stage(server);
        const stream = await server.client.watch(`${path}?resourceVersion=999999999&timeoutSeconds=1`);
        assert.equal(stream.status, 200, 'HTTP status');
        await server.client.create(path, aConfigMap('one'));
        assert.deepEqual((await stream.rest()).map(brief), [], 'nothing that is older');
      },
    },
    {
      name: 'a resourceVersion that is no number is refused',
      async run({ client }, assert) {
        const answer = await client.get('/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=abc');
        assert.refused(answer, { code: 500, message: /Invalid value: "abc"/ }, 'the watch');
      },
    },
    {
      name: 'a watch under a selector that cannot be parsed is refused',
      async run({ client }, assert) {
        const answer = await client.get('/api/v1/pods?watch=true&fieldSelector=spec.foo%3Dx');
        assert.refused(answer, { code: 400, message: 'field label not supported: spec.foo' }, 'the watch');
      },
    },
    {
      name: 'two streams see the same events in the same order',
      async run(server, assert) {
        const { path, start } = await stage(server);
        const streams = [];
        for (let i = 0; i < 3; i++) streams.push(await server.client.watch(`${path}?resourceVersion=${start}`));
        const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
        await Promise.all(names.map((name) => server.client.create(path, aConfigMap(name))));
        const seen = await Promise.all(streams.map(async (stream) => (await stream.take(10)).map(versionOf)));
        for (const stream of streams) stream.close();
        assert.deepEqual(seen[1], seen[0], 'the second');
        assert.deepEqual(seen[2], seen[0], 'the third');
        assert.deepEqual(
          seen[0],
          seen[0]?.toSorted((a, b) => a - b),
          'in the order of versions',
        );
      },
    },
  ],
};

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { podCodec } from '../codec/pod-codec.ts';
import type { PodView } from '../codec/pod-view.ts';
import { PODS } from '../objects/group-version-resource.ts';
import { seededRandom } from '../random.ts';
import { answerListing } from '../testing/followed-pods.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import type { Delta } from './delta.ts';
import { UncachedInformer } from './uncached-informer.ts';

async function follow(t: TestContext, handle: (delta: Delta<PodView>) => void | Promise<void> = () => {}) {
  const server = await ScriptedServer.start();
  const clock = new ManualClock();
  const retry = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 1, longestDelayMs: 1 };
  const story: string[] = [];
  let wake = () => {};
  const informer = new UncachedInformer<PodView>({
    transport: new HttpTransport(server.config(), { clock, retry }),
    ...{ resource: PODS, codec: podCodec, clock, random: seededRandom(7) },
    wants: ({ metadata }) => !metadata.name.startsWith('unwanted'),
    handler: {
      onDelta: (delta) => {
        if ('object' in delta) story.push(`${delta.kind} ${delta.object.metadata.name}`);
        wake();
        return handle(delta);
      },
    },
    onState: () => wake(),
  });
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    await server.stop();
  });
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { server, clock, informer, story, until };
}

test('what is listed and what happens is delivered in order, and nothing is kept', async (t) => {
  const { server, informer, story, until } = await follow(t);
  const listed = ['a', 'unwanted-1', 'b'].map((name) => aPod(name).atVersion(8).build());
  const stream = answerListing(await server.next(), '10', listed);
  await until(() => informer.synced);
  stream.event('MODIFIED', aPod('a').atVersion(11).build());
  stream.event('ADDED', aPod('unwanted-2').atVersion(12).build());
  stream.event('DELETED', aPod('a').atVersion(13).build());
  await until(() => story.includes('deleted a'));
  assert.deepEqual(story, ['added a', 'added b', 'updated a', 'deleted a']);
  assert.equal(informer.lister.size, 0);
  assert.equal(informer.lastVersion, '13');
});

test('a watch goes on from its version after a break; after 410 the listing is delivered again', async (t) => {
  const { server, clock, informer, story, until } = await follow(t);
  const stream = answerListing(await server.next(), '10', [aPod('a').atVersion(8).build()]);
  await until(() => informer.synced);
  stream.event('ADDED', aPod('b').atVersion(11).build());
  await until(() => story.includes('added b'));
  await clock.advance(60_000);
  stream.end();
  const again = await server.next();
  assert.equal(again.query.get('resourceVersion'), '11');
  again.refuse(410, 'Expired');
  answerListing(await server.next(), '20', [aPod('b').atVersion(11).build()]);
  await until(() => story.length === 3);
  assert.deepEqual(story, ['added a', 'added b', 'added b']);
});

test('a handler that is slow holds the watch back instead of filling the memory', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { server, clock, informer, story, until } = await follow(t, () => gate.promise);
  const stream = answerListing(await server.next(), '10', []);
  await until(() => informer.synced);
  await clock.advance(2_000);
  assert.equal(informer.isCurrent, true);
  for (let i = 0; i < 5_000; i++)
    stream.event(
      'ADDED',
      aPod(`pod-${i}`)
        .atVersion(11 + i)
        .build(),
    );
  while (informer.isCurrent) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(Number(informer.lastVersion) < 1_500, `read up to ${informer.lastVersion}`);
  gate.resolve();
  await until(() => story.length === 5_000);
  assert.equal(story.at(-1), 'added pod-4999');
});

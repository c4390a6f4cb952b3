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
import type { HandlerFailure } from './handler-queue.ts';
import { UncachedInformer, type UncachedInformerOptions } from './uncached-informer.ts';

async function follow(
  t: TestContext,
  handle: (delta: Delta<PodView>) => void | Promise<void> = () => {},
  options: Partial<UncachedInformerOptions<PodView>> = {},
) {
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
    ...options,
  });
  const aborted = new AbortController();
  const running = informer.start(aborted.signal);
  const stop = async () => {
    aborted.abort();
    await running;
  };
  t.after(async () => {
    await stop();
    await server.stop();
  });
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { server, clock, informer, story, until, stop };
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

test('objects that were changed at one version are all delivered, and a repetition of any is not', async (t) => {
  const { server, informer, story, until } = await follow(t);
  const stream = answerListing(await server.next(), '10', [aPod('listed').atVersion(10).build()]);
  await until(() => informer.synced);
  stream.event('ADDED', aPod('listed').atVersion(10).build());
  for (const name of ['a', 'b', 'a', 'b']) stream.event('ADDED', aPod(name).atVersion(11).build());
  stream.event('DELETED', aPod('a').atVersion(12).build());
  stream.event('DELETED', aPod('a').atVersion(12).build());
  stream.event('ADDED', aPod('c').atVersion(13).build());
  await until(() => story.includes('added c'));
  assert.deepEqual(story, ['added listed', 'added a', 'added b', 'deleted a', 'added c']);
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

/** Counts the objects that were read and not yet handled; the handler takes a turn of the event loop for each. */
function countWaiting() {
  const gate = Promise.withResolvers<void>();
  const counts = { read: 0, handled: 0, most: 0 };
  const wants = () => {
    counts.read++;
    counts.most = Math.max(counts.most, counts.read - counts.handled);
    return true;
  };
  const handle = async () => {
    await gate.promise;
    await new Promise((resolve) => setImmediate(resolve));
    counts.handled++;
  };
  return { counts, wants, handle, open: () => gate.resolve() };
}

const podsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) =>
    aPod(`pod-${first + i}`)
      .atVersion(1 + first + i)
      .build(),
  );

test('a slow handler holds a listing by pages back, and the next page is not asked for', async (t) => {
  const { counts, wants, handle, open } = countWaiting();
  const { server, clock, informer, story, until } = await follow(t, handle, { wants, streaming: false });
  (await server.next()).list('Pod', '9000', podsFrom(0, 900), 'second');
  (await server.next()).list('Pod', '9000', podsFrom(900, 900), 'third');
  while (counts.read < 1024) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(1000);
  assert.deepEqual([server.requests, informer.state.kind], [2, 'listing']);
  open();
  (await server.next()).list('Pod', '9000', podsFrom(1800, 3200));
  await until(() => story.length === 5000);
  assert.equal(counts.most, 1024);
  assert.equal(story.at(-1), 'added pod-4999');
  assert.equal((await server.next()).query.get('resourceVersion'), '9000');
});

test('a slow handler holds a streamed listing back, and the silence is not taken for an old server', async (t) => {
  const { counts, wants, handle, open } = countWaiting();
  const { server, clock, informer, story, until } = await follow(t, handle, { wants });
  const stream = answerListing(await server.next(), '9000', podsFrom(0, 5000));
  while (counts.read < 1024) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(120_000);
  assert.equal(informer.state.kind, 'listing');
  open();
  await until(() => story.length === 5000);
  assert.ok(counts.most < 1500, `${counts.most} waited`);
  assert.equal(informer.synced, true);
  stream.event('ADDED', aPod('news').atVersion(9001).build());
  await until(() => story.includes('added news'));
});

test('an informer that stops while a handler holds a listing back asks for no more', async (t) => {
  const { counts, wants, handle } = countWaiting();
  const { server, informer, stop } = await follow(t, handle, { wants, streaming: false });
  (await server.next()).list('Pod', '9000', podsFrom(0, 2000), 'second');
  while (counts.read < 1024) await new Promise((resolve) => setImmediate(resolve));
  await stop();
  assert.deepEqual([server.requests, counts.read, informer.state.kind], [1, 1024, 'stopped']);
});

test('a filter that throws is a failure of the handler: the object is delivered and the stream goes on', async (t) => {
  const failures: HandlerFailure<PodView>[] = [];
  const { server, informer, story, until } = await follow(t, () => {}, {
    wants: ({ metadata }) => {
      if (metadata.name.startsWith('odd')) throw new TypeError('not of the expected shape');
      return true;
    },
    onHandlerFailure: (failure) => failures.push(failure),
  });
  const stream = answerListing(await server.next(), '10', [aPod('odd-1').atVersion(8).build()]);
  await until(() => informer.synced);
  stream.event('ADDED', aPod('odd-2').atVersion(11).build());
  stream.event('ADDED', aPod('plain').atVersion(12).build());
  await until(() => story.includes('added plain') || informer.state.kind === 'waiting');
  assert.deepEqual(story, ['added odd-1', 'added odd-2', 'added plain']);
  assert.equal(informer.state.kind, 'watching');
  assert.equal(informer.failures, 2);
  assert.deepEqual(
    failures.map(({ handler, attempt, givenUp, error }) => [handler, attempt, givenUp, String(error)]),
    Array(2).fill(['handler', 0, false, 'TypeError: not of the expected shape']),
  );
});

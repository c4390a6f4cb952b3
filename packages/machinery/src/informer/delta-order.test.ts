import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodView } from '../codec/pod-view.ts';
import { FollowedPods } from '../testing/followed-pods.ts';
import { settle } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';
import type { Delta } from './delta.ts';

const short = (delta: Delta<PodView>): string =>
  'object' in delta
    ? `${delta.kind} ${delta.object.metadata.name}@${delta.object.metadata.resourceVersion}`
    : delta.kind;

/** A handler that is shut until `open`, so that everything waits in its line. */
async function behindAGate(pods: FollowedPods) {
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const registration = pods.informer.addHandler({
    async onDelta(delta) {
      await gate.promise;
      seen.push(short(delta));
    },
  });
  return {
    registration,
    async open(): Promise<string[]> {
      gate.resolve();
      while (registration.waiting > 0) await settle();
      return seen;
    },
  };
}

test('every change of one object reaches a slow handler, in order, none merged into the next', async (t) => {
  const pods = await FollowedPods.start(t);
  const slow = await behindAGate(pods);
  const stream = await pods.sync('1');
  stream.event('ADDED', aPod('foo').atVersion(10).build());
  stream.event('MODIFIED', aPod('foo').atVersion(12).build());
  stream.event('DELETED', aPod('foo').atVersion(15).build());
  await pods.untilDelivered('deleted foo');
  assert.deepEqual(await slow.open(), ['added foo@10', 'updated foo@12', 'deleted foo@15']);
});

test('changes of several objects are delivered in the order of the server; none jumps the line', async (t) => {
  const pods = await FollowedPods.start(t);
  const slow = await behindAGate(pods);
  const stream = await pods.sync('1');
  stream.event('ADDED', aPod('foo').atVersion(10).build());
  stream.event('ADDED', aPod('bar').atVersion(11).build());
  stream.event('MODIFIED', aPod('foo').atVersion(12).build());
  stream.event('MODIFIED', aPod('foo').atVersion(13).build());
  stream.event('ADDED', aPod('zab').atVersion(30).build());
  stream.event('MODIFIED', aPod('foo').atVersion(31).build());
  await pods.until(() => pods.informer.lastVersion === '31');
  assert.deepEqual(await slow.open(), [
    'added foo@10',
    'added bar@11',
    'updated foo@12',
    'updated foo@13',
    'added zab@30',
    'updated foo@31',
  ]);
});

test('a thousand objects from one stream arrive in its order, each once', async (t) => {
  const pods = await FollowedPods.start(t);
  const slow = await behindAGate(pods);
  const stream = await pods.sync('1');
  const expected: string[] = [];
  for (let i = 2; i <= 1001; i++) {
    stream.event('ADDED', aPod(`p${i}`).atVersion(i).build());
    expected.push(`added p${i}@${i}`);
  }
  await pods.until(() => pods.informer.lastVersion === '1001');
  assert.deepEqual(await slow.open(), expected);
});

test('a delete of an object that is not held is delivered to nobody', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('1', [aPod('foo').atVersion(1).build()]);
  stream.event('DELETED', aPod('never-seen').atVersion(20).build());
  stream.event('DELETED', aPod('foo').atVersion(21).build());
  await pods.untilDelivered('deleted foo');
  assert.deepEqual(pods.story, ['relisted start@1', 'added foo', 'deleted foo']);
  assert.equal(pods.informer.counters.stale, 1);
});

/** Lists again after 410 with these pods. */
async function relist(pods: FollowedPods, version: number, names: readonly (readonly [string, number])[]) {
  await pods.until(() => pods.informer.state.kind === 'listing' || pods.informer.state.kind === 'waiting');
  // A second 410 right after the first is not answered at once.
  if (pods.informer.state.kind === 'waiting') await pods.waitOut();
  return await pods.sync(
    String(version),
    names.map(([name, v]) => aPod(name).atVersion(v).build()),
  );
}

for (const [what, events, listings, expected] of [
  [
    'an object that was added and is not in the relist is deleted once',
    [['ADDED', 2]],
    [[]],
    ['added foo@2', 'deleted foo@2'],
  ],
  [
    'an object whose delete was seen is not deleted again by the relist',
    [
      ['ADDED', 2],
      ['DELETED', 3],
    ],
    [[]],
    ['added foo@2', 'deleted foo@3'],
  ],
  [
    'an object whose delete was seen and that the relist has again is added after its delete',
    [
      ['ADDED', 2],
      ['DELETED', 3],
    ],
    [[['foo', 11]]],
    ['added foo@2', 'deleted foo@3', 'added foo@11'],
  ],
  [
    'an object that two relists confirm and a third lacks is deleted once, and delivered once',
    [['ADDED', 2]],
    [[['foo', 2]], [['foo', 2]], []],
    ['added foo@2', 'deleted foo@2'],
  ],
  [
    'an object that two relists lack is deleted by the first',
    [['ADDED', 2]],
    [[], []],
    ['added foo@2', 'deleted foo@2'],
  ],
  [
    'an object that was deleted and added again is deleted in its newest state by the relist',
    [
      ['ADDED', 2],
      ['DELETED', 3],
      ['ADDED', 4],
    ],
    [[]],
    ['added foo@2', 'deleted foo@3', 'added foo@4', 'deleted foo@4'],
  ],
] as const) {
  test(`${what}, also while all of it waits`, async (t) => {
    const pods = await FollowedPods.start(t);
    const slow = await behindAGate(pods);
    let stream = await pods.sync('1');
    for (const [type, version] of events) stream.event(type, aPod('foo').atVersion(version).build());
    await pods.until(() => pods.informer.lastVersion === String(events.at(-1)?.[1]));
    let version = 10;
    for (const listing of listings) {
      stream.bookmark('Pod', String(++version));
      await pods.untilDelivered(`progress ${version}`);
      stream.error(410, 'Expired');
      stream = await relist(pods, ++version, listing);
    }
    assert.deepEqual(await slow.open(), expected);
  });
}

test('a relist deletes first, then delivers updates and adds in the order of the listing; the cache is whole before any', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('5', [
    aPod('pod-1').atVersion(1).build(),
    aPod('pod-2').atVersion(2).build(),
    aPod('pod-3').atVersion(3).build(),
  ]);
  const caches: string[] = [];
  const watching = pods.informer.addHandler({ onDelta: () => void caches.push(pods.names.join()) });
  await watching.waitForSync();
  caches.length = 0;
  stream.bookmark('Pod', '6');
  await pods.untilDelivered('progress 6');
  const before = pods.deltas.length;
  stream.error(410, 'Expired');
  await relist(pods, 20, [
    ['pod-1', 10],
    ['pod-2', 11],
    ['pod-4', 12],
  ]);
  assert.deepEqual(pods.deltas.slice(before).map(short), [
    'relist-began',
    'deleted pod-3@3',
    'updated pod-1@10',
    'updated pod-2@11',
    'added pod-4@12',
    'relist-ended',
  ]);
  assert.deepEqual(new Set(caches), new Set(['pod-1,pod-2,pod-4']), 'no handler sees half a relist');
});

test('a listing that lacks everything deletes everything', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('5', [aPod('pod-1').atVersion(1).build(), aPod('pod-3').atVersion(2).build()]);
  stream.bookmark('Pod', '6');
  await pods.untilDelivered('progress 6');
  stream.error(410, 'Expired');
  await relist(pods, 20, []);
  assert.deepEqual(pods.story.slice(-2), [
    'deleted pod-1 (final state unknown)',
    'deleted pod-3 (final state unknown)',
  ]);
  assert.deepEqual(pods.names, []);
});

test('bookmarks are delivered in their place among the changes, to handlers that ask for marks', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('5');
  stream.event('ADDED', aPod('a').atVersion(6).build());
  stream.bookmark('Pod', '7');
  stream.event('ADDED', aPod('b').atVersion(8).build());
  await pods.untilDelivered('added b');
  assert.deepEqual(pods.story, ['relisted start@5', 'added a', 'progress 7', 'added b']);
});

test('the version that a handler reads is never behind the delta that it is given', async (t) => {
  const pods = await FollowedPods.start(t);
  const behind: string[] = [];
  pods.informer.addHandler({
    onDelta(delta) {
      if (!('object' in delta)) return;
      const held = pods.informer.lister.get(`default/${delta.object.metadata.name}`);
      if (delta.kind === 'deleted' ? held !== undefined : held !== delta.object) behind.push(short(delta));
    },
  });
  const stream = await pods.sync('5', [aPod('a').atVersion(1).build()]);
  stream.event('MODIFIED', aPod('a').atVersion(6).build());
  stream.event('DELETED', aPod('a').atVersion(7).build());
  await pods.untilDelivered('deleted a');
  assert.deepEqual(behind, []);
});

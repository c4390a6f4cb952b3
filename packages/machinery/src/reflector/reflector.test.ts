import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '../codec/pod-codec.ts';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';
import type { Relist } from './relist.ts';

test('the listing arrives as a stream and the same stream goes on as the watch', async (t) => {
  const pods = await FollowedPods.start(t);
  const call = await pods.server.next();
  assert.equal(call.query.get('sendInitialEvents'), 'true');
  assert.equal(call.query.get('resourceVersionMatch'), 'NotOlderThan');
  assert.equal(call.query.get('resourceVersion'), '', 'a consistent read, never "any version"');
  assert.equal(call.query.get('allowWatchBookmarks'), 'true');
  const stream = answerListing(call, '10', [aPod('a').atVersion(3).build(), aPod('b').atVersion(9).build()]);
  stream.event('MODIFIED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('updated a');
  assert.deepEqual(pods.story, ['relisted start@10', 'added a', 'added b', 'updated a']);
  assert.equal(pods.informer.lastVersion, '11');
  assert.equal(pods.server.requests, 1);
});

test('nothing is visible before the listing is complete', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('a').atVersion(3).build());
  stream.bookmark('Pod', '5');
  assert.equal(pods.informer.synced, false);
  assert.deepEqual(pods.names, []);
  stream.bookmark('Pod', '10', true);
  await pods.informer.waitForSync();
  assert.deepEqual(pods.names, ['a']);
});

test('the server is asked to end each watch after 300 to 600 seconds', async (t) => {
  const pods = await FollowedPods.start(t);
  const seconds = Number((await pods.server.next()).query.get('timeoutSeconds'));
  assert.ok(seconds >= 300 && seconds <= 600, `${seconds}`);
});

for (const [code, reason] of [
  [400, 'BadRequest'],
  [422, 'Invalid'],
  [405, 'MethodNotAllowed'],
] as const) {
  test(`a server that refuses streaming lists with ${code} is listed by pages, then watched from the listing's version`, async (t) => {
    const pods = await FollowedPods.start(t, { pageSize: 2 });
    (await pods.server.next()).refuse(code, reason, 'sendInitialEvents is forbidden for watch');
    const first = await pods.server.next();
    assert.equal(first.query.get('limit'), '2');
    assert.equal(first.query.get('resourceVersion'), '');
    first.list('Pod', '10', [aPod('a').build(), aPod('b').build()], 'token-2');
    const second = await pods.server.next();
    assert.equal(second.query.get('continue'), 'token-2');
    assert.equal(second.query.has('resourceVersion'), false, 'the token already names the version');
    second.list('Pod', '10', [aPod('c').build()]);
    const watch = await pods.server.next();
    assert.equal(watch.isWatch, true);
    assert.equal(watch.query.get('resourceVersion'), '10');
    assert.equal(watch.query.has('sendInitialEvents'), false);
    assert.deepEqual(pods.names, ['a', 'b', 'c']);
  });
}

test('a server that ignores sendInitialEvents and never ends the listing is listed by pages after 30 s of silence', async (t) => {
  const decoded = Promise.withResolvers<void>();
  const fromJson = (json: unknown) => {
    decoded.resolve();
    return podCodec.fromJson(json);
  };
  const pods = await FollowedPods.start(t, { codec: { ...podCodec, fromJson } });
  const call = await pods.server.next();
  call.stream().event('ADDED', aPod('a').build());
  await decoded.promise;
  await pods.clock.advance(30_000);
  const list = await pods.server.next();
  assert.equal(list.isWatch, false);
  list.list('Pod', '10', [aPod('a').build()]);
  await pods.informer.waitForSync();
});

test('every event and every bookmark moves the version from which the watch goes on', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.event('ADDED', aPod('a').atVersion(12).build());
  stream.bookmark('Pod', '20');
  await pods.untilDelivered('progress 20');
  stream.end();
  await pods.waitOut();
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '20');
});

test('versions beyond 2^53 are compared as decimals', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('9007199254740992');
  stream.event('ADDED', aPod('a').atVersion('9007199254740993').build());
  stream.event('MODIFIED', aPod('a').atVersion('9007199254740992').build());
  stream.event('MODIFIED', aPod('a').atVersion('10007199254740993').build());
  await pods.untilDelivered('updated a');
  assert.equal(pods.informer.lastVersion, '10007199254740993');
  assert.equal(pods.informer.counters.stale, 1);
});

test('fault 05: duplicate, reordered and older events have no effect', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build()]);
  stream.event('MODIFIED', aPod('a').atVersion(12).build());
  stream.event('MODIFIED', aPod('a').atVersion(12).build());
  stream.event('MODIFIED', aPod('a').atVersion(11).build());
  stream.event('DELETED', aPod('a').atVersion(13).build());
  stream.event('MODIFIED', aPod('a').atVersion(9).build());
  stream.event('DELETED', aPod('a').atVersion(13).build());
  stream.bookmark('Pod', '14');
  await pods.untilDelivered('progress 14');
  assert.deepEqual(pods.story.slice(2), ['updated a', 'deleted a', 'progress 14']);
  assert.equal(pods.informer.counters.stale, 4);
  assert.deepEqual(pods.names, [], 'nothing rises from the dead');
});

test('objects that were changed at one version are all delivered, and a repetition of any has no effect', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('listed').atVersion(10).build(), aPod('held').atVersion(8).build()]);
  stream.event('ADDED', aPod('listed').atVersion(10).build());
  for (const name of ['a', 'b', 'a', 'b']) stream.event('ADDED', aPod(name).atVersion(11).build());
  stream.event('MODIFIED', aPod('held').atVersion(11).build());
  for (const name of ['a', 'b', 'b', 'a']) stream.event('DELETED', aPod(name).atVersion(12).build());
  stream.bookmark('Pod', '13');
  await pods.untilDelivered('progress 13');
  assert.deepEqual(pods.story.slice(3), [
    'added a',
    'added b',
    'updated held',
    'deleted a',
    'deleted b',
    'progress 13',
  ]);
  assert.deepEqual(pods.names, ['listed', 'held']);
  assert.equal(pods.informer.counters.stale, 5);
});

test('fault 07: bookmarks alone move the version and deliver progress, no objects', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  for (const version of ['11', '12', '13']) stream.bookmark('Pod', version);
  await pods.untilDelivered('progress 13');
  assert.deepEqual(pods.story, ['relisted start@10', 'progress 11', 'progress 12', 'progress 13']);
  assert.equal(pods.informer.lastVersion, '13');
});

test('a relist after 410 reports why, from when to when, and deletes what is gone with its final state unknown', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build(), aPod('b').atVersion(9).build()]);
  stream.event('MODIFIED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('updated a');
  await pods.clock.advance(5000);
  // The stream was alive until it said so itself: nothing was missed before.
  const seenAt = pods.clock.now();
  stream.error(410, 'Expired', 'too old resource version');
  await pods.sync('20', [aPod('a').atVersion(11).build(), aPod('c').atVersion(15).build()]);
  assert.deepEqual(pods.story.slice(4), ['relisted expired@20', 'deleted b (final state unknown)', 'added c']);
  const relisted = pods.deltas.filter((d) => d.kind === 'relist-began').at(-1);
  assert.deepEqual(relisted?.kind === 'relist-began' && relisted.relist, {
    reason: 'expired',
    resourceVersion: '20',
    previousVersion: '11',
    from: seenAt,
    to: pods.clock.now(),
  });
});

test('an unchanged object of a relist is the same object as before and gives no update', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build()]);
  const before = pods.informer.lister.get('default/a');
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  stream.error(410, 'Expired');
  await pods.sync('20', [aPod('a').atVersion(8).build()]);
  assert.equal(pods.informer.lister.get('default/a'), before);
  assert.equal(pods.story.includes('updated a'), false);
});

test('a name that came back with another UID during a relist is a delete and an add, not an update', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('db-0').withUid('old').atVersion(8).build()]);
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  stream.error(410, 'Expired');
  await pods.sync('20', [aPod('db-0').withUid('new').atVersion(18).build()]);
  assert.deepEqual(pods.story.slice(-2), ['deleted db-0 (final state unknown)', 'added db-0']);
});

test('a page token that expires starts the listing again, and at last without pages', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false, pageSize: 1 });
  for (let i = 0; i < 2; i++) {
    (await pods.server.next()).list('Pod', '10', [aPod(`lost-${i}`).build()], 'token');
    (await pods.server.next()).refuse(410, 'Expired', 'The provided continue parameter is too old');
  }
  const whole = await pods.server.next();
  assert.equal(whole.query.has('limit'), false);
  whole.list('Pod', '12', [aPod('a').build(), aPod('b').build()]);
  await pods.informer.waitForSync();
  assert.deepEqual(pods.names, ['a', 'b'], 'what the broken listings had delivered is forgotten');
});

test('a listing older than what was seen is refused, and accepted as a rewind only when it stays behind', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('100', [aPod('a').atVersion(90).build()]);
  stream.event('DELETED', aPod('a').atVersion(101).build());
  await pods.untilDelivered('deleted a');
  stream.error(410, 'Expired');
  for (let i = 0; i < 2; i++) {
    answerListing(await pods.server.next(), '95', [aPod('a').atVersion(90).build()]);
    const waiting = await pods.untilWaiting();
    assert.match(waiting.error.message, /is older \(95\) than what was seen \(101\)/);
    assert.deepEqual(pods.names, [], 'no pod rises from the dead');
    await pods.waitOut();
  }
  await pods.sync('96', [aPod('a').atVersion(90).build()]);
  assert.deepEqual(pods.story.slice(-2), ['relisted rewound@96', 'added a']);
});

test('stopping ends the stream, and nothing is asked afterwards', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  await pods.stop();
  await stream.closed;
  assert.equal(pods.informer.state.kind, 'stopped');
  assert.equal(pods.server.requests, 1);
});

test('starting twice opens one watch', async (t) => {
  const pods = await FollowedPods.start(t);
  const again = new AbortController();
  void pods.informer.start(again.signal);
  await pods.sync('10');
  assert.equal(pods.server.requests, 1);
});

test('a relist after a silence begins its gap with the last frame before it', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  const seenAt = pods.clock.now();
  await pods.clock.advance(75_000);
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '500', []);
  (await pods.server.next()).refuse(410, 'Expired');
  await pods.sync('501');
  const relisted = pods.deltas.findLast((d) => d.kind === 'relist-began');
  assert.equal(relisted?.kind === 'relist-began' && relisted.relist.from, seenAt);
});

test('a gap begins before the first event that could not be read, however often it was tried', async (t) => {
  const pods = await FollowedPods.start(t);
  const seenAt = pods.clock.now();
  let stream = await pods.sync('10');
  for (let i = 0; i < 4; i++) {
    stream.write('{"type":"ADDED","object":garbage}\n');
    await pods.waitOut();
    if (i < 3) stream = (await pods.server.next()).stream();
  }
  await pods.sync('20');
  assert.equal(lastRelist(pods).reason, 'undecodable');
  assert.equal(lastRelist(pods).from, seenAt);
});

test('a gap begins before streams that opened, delivered nothing and ended at once', async (t) => {
  const pods = await FollowedPods.start(t);
  const seenAt = pods.clock.now();
  (await pods.sync('10')).end();
  for (let i = 0; i < 3; i++) {
    await pods.waitOut();
    (await pods.server.next()).stream().end();
  }
  await pods.waitOut();
  (await pods.server.next()).refuse(410, 'Expired');
  await pods.waitOut();
  await pods.sync('20');
  assert.equal(lastRelist(pods).from, seenAt);
});

test('a gap begins before the silence of a stream that only our deadline ended', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  for (let version = 11; version < 21; version++) {
    await pods.clock.advance(56_000);
    stream.bookmark('Pod', String(version));
    await pods.untilDelivered(`progress ${version}`);
  }
  const seenAt = pods.clock.now();
  await pods.clock.advance(70_000);
  (await pods.server.next()).refuse(410, 'Expired');
  await pods.sync('30');
  assert.equal(lastRelist(pods).from, seenAt);
});

test('a gap begins before a reset: the connection may have carried nothing for long', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  const seenAt = pods.clock.now();
  await pods.clock.advance(60_000);
  stream.break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '500', []);
  (await pods.server.next()).refuse(410, 'Expired');
  await pods.waitOut();
  await pods.sync('501');
  assert.equal(lastRelist(pods).from, seenAt);
});

test('the watch is current once it is open, caught up and has had a second to deliver', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '5' });
  answerListing(await pods.server.next(), '10', []);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('a').atVersion(6).build());
  await pods.untilDelivered('replayed added a');
  await pods.clock.advance(1000);
  assert.equal(pods.informer.isCurrent, false, 'not before the catch-up is complete');
  stream.bookmark('Pod', '12');
  await pods.untilDelivered('progress 12');
  assert.equal(pods.informer.isCurrent, true);
  stream.end();
  await pods.waitOut();
  const next = await pods.server.next();
  assert.equal(pods.informer.isCurrent, false, 'not before the new stream is open');
  next.stream().bookmark('Pod', '13');
  await pods.untilDelivered('progress 13');
  assert.equal(pods.informer.isCurrent, false, 'more may be on its way');
  await pods.clock.advance(1000);
  assert.equal(pods.informer.isCurrent, true);
});

test('a state observer that throws does not stop the watch', async (t) => {
  const pods = await FollowedPods.start(t, {
    onState: () => {
      throw new Error('the log is broken');
    },
  });
  const stream = answerListing(await pods.server.next(), '10', []);
  stream.event('ADDED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('added a');
});

function lastRelist(pods: FollowedPods): Relist {
  const relisted = pods.deltas.findLast((delta) => delta.kind === 'relist-began');
  assert.ok(relisted?.kind === 'relist-began');
  return relisted.relist;
}

test('how long nothing was received is known: listings, events and bookmarks count', async (t) => {
  const pods = await FollowedPods.start(t);
  assert.equal(pods.informer.silentMs, undefined);
  const stream = await pods.sync('10');
  assert.equal(pods.informer.silentMs, 0);
  await pods.clock.advance(2_000);
  assert.equal(pods.informer.silentMs, 2_000);
  stream.bookmark('Pod', '12');
  await pods.untilDelivered('progress 12');
  assert.equal(pods.informer.silentMs, 0);
  await pods.clock.advance(1_000);
  stream.event('ADDED', aPod('a').atVersion(13).build());
  await pods.untilDelivered('added a');
  assert.equal(pods.informer.silentMs, 0);
});

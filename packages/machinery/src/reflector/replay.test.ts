import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';

test('after a restart the watch starts at the stored version; what the listing knows already passes the cache by', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  const listing = await pods.server.next();
  assert.equal(listing.query.get('sendInitialEvents'), 'true');
  answerListing(listing, '120', [aPod('a').atVersion(110).inPhase('Running').build()]);
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '100', "the checkpoint's version, not the listing's");
  const stream = watch.stream();
  stream.event('MODIFIED', aPod('a').atVersion(105).inPhase('Pending').build());
  stream.event('ADDED', aPod('short-lived').atVersion(107).build());
  stream.event('DELETED', aPod('short-lived').atVersion(109).build());
  stream.event('MODIFIED', aPod('a').atVersion(110).inPhase('Running').build());
  stream.event('MODIFIED', aPod('a').atVersion(125).inPhase('Succeeded').build());
  await pods.untilDelivered('updated a');
  assert.deepEqual(pods.story, [
    'relisted start@120',
    'added a',
    'replayed updated a',
    'replayed added short-lived',
    'replayed deleted short-lived',
    'replayed updated a',
    'caught up complete 100..120',
    'updated a',
  ]);
  assert.equal(pods.informer.lister.get('default/a')?.status.phase, 'Succeeded');
  assert.equal(pods.informer.lister.get('default/short-lived'), undefined);
});

test('a bookmark at or past the listing also ends the catch-up', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  const watch = await pods.server.next();
  assert.equal(watch.query.get('timeoutSeconds'), '10', 'a short watch: the server sends a bookmark before its end');
  const stream = watch.stream();
  stream.bookmark('Pod', '110');
  stream.bookmark('Pod', '120');
  await pods.untilDelivered('progress 120');
  assert.deepEqual(pods.story, ['relisted start@120', 'caught up complete 100..120', 'progress 120']);
});

test('a stream that breaks during the catch-up goes on where it was, without repeating', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  const first = (await pods.server.next()).stream();
  first.event('ADDED', aPod('a').atVersion(105).build());
  await pods.untilDelivered('replayed added a');
  first.break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '130', []);
  const second = await pods.server.next();
  assert.equal(second.query.get('resourceVersion'), '105');
  const stream = second.stream();
  stream.event('ADDED', aPod('a').atVersion(105).build());
  stream.event('DELETED', aPod('a').atVersion(115).build());
  stream.bookmark('Pod', '121');
  await pods.untilDelivered('progress 121');
  assert.deepEqual(pods.story, [
    'relisted start@120',
    'replayed added a',
    'replayed deleted a',
    'caught up complete 100..120',
    'progress 121',
  ]);
});

test('objects that were changed at one version are all replayed, each once, also after a stream that breaks', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  const first = (await pods.server.next()).stream();
  first.event('ADDED', aPod('stored').atVersion(100).build());
  first.event('ADDED', aPod('a').atVersion(105).build());
  first.event('ADDED', aPod('b').atVersion(105).build());
  await pods.untilDelivered('replayed added b');
  first.break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '130', []);
  const second = (await pods.server.next()).stream();
  second.event('ADDED', aPod('b').atVersion(105).build());
  second.event('ADDED', aPod('c').atVersion(105).build());
  second.bookmark('Pod', '106');
  second.event('ADDED', aPod('known-by-the-bookmark').atVersion(106).build());
  second.bookmark('Pod', '121');
  await pods.untilDelivered('progress 121');
  assert.deepEqual(pods.story, [
    'relisted start@120',
    'replayed added a',
    'replayed added b',
    'replayed added c',
    'caught up complete 100..120',
    'progress 121',
  ]);
});

test("a stored version that is no longer served ends the catch-up as expired and watches from the listing's version", async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  (await pods.server.next()).refuse(410, 'Expired', 'too old resource version');
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '120');
  assert.deepEqual(pods.story, ['relisted start@120', 'caught up expired 100..120']);
  assert.equal(pods.informer.counters.relists, 0, 'no second listing');
});

test('a stored version from before an etcd restore is delivered as a rewind, and nothing is replayed', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '500' });
  for (let i = 0; i < 2; i++) {
    answerListing(await pods.server.next(), '120', [aPod('a').atVersion(110).build()]);
    await pods.waitOut();
  }
  await pods.sync('121', [aPod('a').atVersion(110).build()]);
  assert.deepEqual(pods.story, ['relisted rewound@121', 'added a', 'caught up expired 500..121']);
});

test('fault 10: a watch that is closed at once during the catch-up is opened again after a pause', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  for (let i = 0; i < 3; i++) {
    (await pods.server.next()).stream().end();
    assert.ok((await pods.waitOut()) >= 50 * 2 ** i);
  }
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '100');
});

test('a rewind during the catch-up ends it before the new listing is delivered', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', [aPod('a').atVersion(110).build()]);
  (await pods.server.next()).stream().break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '50', []);
  await pods.sync('51', [aPod('b').atVersion(40).build()]);
  assert.deepEqual(pods.story, [
    'relisted start@120',
    'added a',
    'caught up expired 100..120',
    'relisted rewound@51',
    'deleted a (final state unknown)',
    'added b',
  ]);
});

test('events that cannot be read during the catch-up end it before the new listing is delivered', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  for (let i = 0; i < 4; i++) {
    (await pods.server.next()).stream().write('{"type":"ADDED","object":garbage}\n');
    await pods.waitOut();
  }
  await pods.sync('130');
  assert.deepEqual(pods.story, ['relisted start@120', 'caught up expired 100..120', 'relisted undecodable@130']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { settle } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';

test('updates and deletes that come before the end of the listing are part of it', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('p1').atVersion(1).inPhase('Pending').build());
  stream.event('ADDED', aPod('p2').atVersion(2).build());
  stream.event('MODIFIED', aPod('p1').atVersion(3).inPhase('Running').build());
  stream.event('ADDED', aPod('p3').atVersion(4).build());
  stream.event('DELETED', aPod('p3').atVersion(5).build());
  stream.bookmark('Pod', '5', true);
  await pods.informer.waitForSync();
  assert.deepEqual(pods.story, ['relisted start@5', 'added p1', 'added p2']);
  assert.equal(pods.informer.lister.get('default/p1')?.status.phase, 'Running');
});

test('a listing without its closing bookmark has no version and is no listing', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('p1').atVersion(1).build());
  stream.end();
  assert.match((await pods.untilWaiting()).error.message, /ended before its end/);
  assert.equal(pods.informer.lastVersion, undefined);
  assert.equal(pods.informer.synced, false);
  assert.deepEqual(pods.story, []);
});

test('a closing bookmark whose annotation says "false" does not close the listing', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('p1').atVersion(1).build());
  const annotations = { 'k8s.io/initial-events-end': 'false' };
  const object = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '2', annotations } };
  stream.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  stream.end();
  await pods.untilWaiting();
  assert.equal(pods.informer.synced, false);
  assert.equal(pods.informer.lastVersion, undefined);
});

test('a stream that is cut before the listing is complete leaves nothing behind and is asked for again', async (t) => {
  const pods = await FollowedPods.start(t);
  const cut = (await pods.server.next()).stream();
  cut.event('ADDED', aPod('only-in-the-first').atVersion(1).build());
  cut.break();
  await pods.waitOut();
  const again = await pods.server.next();
  assert.equal(again.query.get('sendInitialEvents'), 'true');
  answerListing(again, '3', [aPod('p1').atVersion(2).build()]);
  await pods.informer.waitForSync();
  assert.deepEqual(pods.story, ['relisted start@3', 'added p1']);
});

test('a stream that ends after the listing goes on as a plain watch from the last event', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('2', [aPod('p1').atVersion(1).build(), aPod('p2').atVersion(2).build()]);
  stream.event('ADDED', aPod('p3').atVersion(3).build());
  await pods.untilDelivered('added p3');
  stream.end();
  await pods.waitOut();
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '3');
  assert.equal(watch.query.has('sendInitialEvents'), false);
  watch.stream().event('ADDED', aPod('p4').atVersion(4).build());
  await pods.untilDelivered('added p4');
  assert.deepEqual(pods.names, ['p1', 'p2', 'p3', 'p4']);
});

test('429 on a streaming listing is waited out and asked again in the same way', async (t) => {
  const pods = await FollowedPods.start(t);
  for (let i = 0; i < 4; i++) {
    const call = await pods.server.next();
    assert.equal(call.query.get('sendInitialEvents'), 'true', `request ${i}`);
    call.refuse(429, 'TooManyRequests', 'busy, check again later', { headers: { 'retry-after': '1' } });
    await pods.waitOut();
  }
  await pods.sync('2', [aPod('p1').atVersion(1).build()]);
  assert.deepEqual(pods.names, ['p1']);
});

test('a server that fails every streaming listing is listed by pages after the second failure', async (t) => {
  const pods = await FollowedPods.start(t);
  for (let i = 0; i < 2; i++) {
    const call = await pods.server.next();
    assert.equal(call.query.get('sendInitialEvents'), 'true');
    call.refuse(500, 'InternalError', 'dummy error');
    await pods.waitOut();
  }
  const list = await pods.server.next();
  assert.equal(list.isWatch, false);
  list.list('Pod', '1', [aPod('p1').atVersion(1).build()]);
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '1');
  watch.stream().event('ADDED', aPod('p2').atVersion(2).build());
  await pods.untilDelivered('added p2');
  assert.deepEqual(pods.names, ['p1', 'p2']);
});

test('streams that are cut again and again before the listing is complete end in a listing by pages', async (t) => {
  const pods = await FollowedPods.start(t);
  for (let i = 0; i < 2; i++) {
    const stream = (await pods.server.next()).stream();
    stream.event('ADDED', aPod('p1').atVersion(1).build());
    stream.break();
    await pods.waitOut();
  }
  const list = await pods.server.next();
  assert.equal(list.isWatch, false);
  list.list('Pod', '2', [aPod('p1').atVersion(1).build()]);
  await pods.informer.waitForSync();
});

test('after a failed round by pages the stream is tried again', async (t) => {
  const pods = await FollowedPods.start(t);
  for (let i = 0; i < 3; i++) {
    (await pods.server.next()).refuse(500, 'InternalError');
    await pods.waitOut();
  }
  assert.equal((await pods.server.next()).query.get('sendInitialEvents'), 'true');
});

test('streaming switched off lists by pages of 500 and then watches with bookmarks', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false });
  const list = await pods.server.next();
  assert.equal(list.isWatch, false);
  assert.equal(list.query.get('limit'), '500');
  assert.equal(list.query.has('timeoutSeconds'), false);
  list.list('Pod', '1', [aPod('p1').atVersion(1).build()]);
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '1');
  assert.equal(watch.query.get('allowWatchBookmarks'), 'true');
  const stream = watch.stream();
  stream.event('MODIFIED', aPod('p1').atVersion(2).build());
  stream.event('ADDED', aPod('p2').atVersion(3).build());
  await pods.untilDelivered('added p2');
  assert.deepEqual(pods.story, ['relisted start@1', 'added p1', 'updated p1', 'added p2']);
  assert.equal(pods.server.requests, 2);
});

test('an established watch whose version expires is listed again by stream', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('2', [aPod('p1').atVersion(1).build()]);
  stream.event('ADDED', aPod('p3').atVersion(3).build());
  await pods.untilDelivered('added p3');
  stream.end();
  await pods.waitOut();
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '3');
  watch.refuse(410, 'Expired', 'rv already expired');
  const relist = await pods.server.next();
  assert.equal(relist.query.get('sendInitialEvents'), 'true');
  assert.equal(relist.query.get('resourceVersion'), '', 'never the expired version, never "any"');
  assert.deepEqual(pods.names, ['p1', 'p3'], 'the cache stays readable meanwhile');
});

test('410 on a streaming listing is waited out, not repeated at once', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.server.next()).refuse(410, 'Expired');
  assert.ok((await pods.waitOut()) >= 400);
  await pods.sync('10');
});

test('the version moves only with the closing bookmark, not with the objects of the listing', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('p1').atVersion(7).build());
  stream.event('ADDED', aPod('p2').atVersion(3).build());
  await settle();
  assert.equal(pods.informer.lastVersion, undefined);
  stream.bookmark('Pod', '9', true);
  await pods.informer.waitForSync();
  assert.equal(pods.informer.lastVersion, '9');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';

test('adds, updates and deletes of the watch reach the cache, and the version is that of the last event', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('foo').atVersion(1).build(), aPod('bar').atVersion(2).build()]);
  stream.event('DELETED', aPod('foo').atVersion(11).build());
  stream.event('MODIFIED', aPod('bar').atVersion(55).build());
  stream.event('ADDED', aPod('baz').atVersion(56).build());
  await pods.untilDelivered('added baz');
  assert.deepEqual(pods.names, ['bar', 'baz']);
  assert.equal(pods.informer.lister.get('default/bar')?.metadata.resourceVersion, '55');
  assert.equal(pods.informer.lastVersion, '56');
});

test('added, modified, bookmarked and deleted each move the version', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  const versions: (string | undefined)[] = [pods.informer.lastVersion];
  stream.event('ADDED', aPod('a').atVersion(15).build());
  await pods.untilDelivered('added a');
  versions.push(pods.informer.lastVersion);
  stream.event('MODIFIED', aPod('a').atVersion(20).build());
  await pods.untilDelivered('updated a');
  versions.push(pods.informer.lastVersion);
  stream.bookmark('Pod', '30');
  await pods.untilDelivered('progress 30');
  versions.push(pods.informer.lastVersion);
  stream.event('DELETED', aPod('a').atVersion(40).build());
  await pods.untilDelivered('deleted a');
  versions.push(pods.informer.lastVersion);
  assert.deepEqual(versions, ['10', '15', '20', '30', '40']);
});

test('an object deleted by force because etcd holds it in ruins leaves the cache by a relist', async (t) => {
  const pods = await FollowedPods.start(t);
  const kept = [aPod('foo-1').atVersion(1).build(), aPod('foo-2').atVersion(2).build()];
  const stream = await pods.sync('3', kept);
  stream.event('ADDED', aPod('corrupt').atVersion(4).build());
  stream.error(500, 'StorageReadError', 'corrupt object has been deleted');
  const waiting = await pods.untilWaiting();
  assert.equal(waiting.next, 'list');
  assert.ok(pods.names.includes('corrupt'), 'until the listing says otherwise');
  await pods.waitOut();
  await pods.sync('5', kept);
  assert.deepEqual(pods.story.slice(-2), ['relisted undecodable@5', 'deleted corrupt (final state unknown)']);
  assert.equal(pods.informer.lastVersion, '5');
});

test('429 inside a stream waits and goes on from the last version without a relist', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.error(429, 'TooManyRequests', 'too many requests');
  assert.equal((await pods.untilWaiting()).next, 'watch');
  await pods.waitOut();
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '10');
});

test('an internal error inside the stream again and again never becomes a relist', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).error(500, 'InternalError', 'etcdserver: no leader');
  for (let i = 0; i < 40; i++) {
    await pods.waitOut();
    const watch = await pods.server.next();
    assert.equal(watch.query.get('resourceVersion'), '10');
    watch.stream().error(500, 'InternalError', 'etcdserver: no leader');
  }
  assert.equal(pods.informer.counters.relists, 0);
});

test('an error in the middle of a stream closes the connection from this side too', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.error(500, 'InternalError');
  await stream.closed;
});

test('adds and deletes over several watches and failures in between add up to the server', async (t) => {
  const pods = await FollowedPods.start(t);
  const first = await pods.sync('1');
  first.event('ADDED', aPod('foo').atVersion(2).build());
  first.event('ADDED', aPod('bar').atVersion(3).build());
  await pods.untilDelivered('added bar');
  first.end();
  await pods.waitOut();
  const second = (await pods.server.next()).stream();
  second.event('DELETED', aPod('foo').atVersion(4).build());
  second.event('ADDED', aPod('qux').atVersion(5).build());
  second.error(410, 'Expired');
  (await pods.server.next()).refuse(500, 'InternalError', 'a list error');
  await pods.waitOut();
  const third = answerListing(await pods.server.next(), '5', [
    aPod('bar').atVersion(3).build(),
    aPod('qux').atVersion(5).build(),
  ]);
  await pods.untilDelivered('relisted expired@5');
  third.end();
  await pods.waitOut();
  (await pods.server.next()).refuse(503, 'ServiceUnavailable', 'a watch error');
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '5', []);
  (await pods.server.next()).stream().event('ADDED', aPod('baz').atVersion(6).build());
  await pods.untilDelivered('added baz');
  assert.deepEqual(pods.names, ['bar', 'qux', 'baz']);
  assert.deepEqual(
    pods.informer.lister.list().map((pod) => pod.metadata.resourceVersion),
    ['3', '5', '6'],
  );
});

for (const apiVersion of ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']) {
  test(`a Table of ${apiVersion} in place of an object is an error that touches neither cache nor version`, async (t) => {
    const pods = await FollowedPods.start(t);
    const stream = await pods.sync('10', [aPod('a').atVersion(1).build()]);
    stream.event('ADDED', { kind: 'Table', apiVersion, metadata: { resourceVersion: '11' }, rows: [] });
    const waiting = await pods.untilWaiting();
    assert.equal((waiting.error as { code?: string }).code, 'decode');
    assert.equal(pods.informer.lastVersion, '10');
    assert.deepEqual(pods.names, ['a']);
  });
}

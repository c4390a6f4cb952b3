import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedPods } from '../testing/followed-pods.ts';
import { settle } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';
import type { ScriptedCall, ScriptedStream } from '../testing/scripted-server.ts';
import type { CheckOutcome } from './consistency-check.ts';

const EVERY_MS = 60_000;

interface Listed {
  readonly name: string;
  readonly version: number;
}

function answerMetadata(call: ScriptedCall, version: string, pods: readonly Listed[]): void {
  assert.match(String(call.headers.accept), /as=PartialObjectMetadataList/);
  call.json({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: version },
    items: pods.map(({ name, version: resourceVersion }) => ({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(resourceVersion) },
    })),
  });
}

/** Synced with a@8 and b@9 at version 10, and the check's listing is on its way. */
async function startCheck(t: {
  after(done: () => Promise<void>): void;
}): Promise<[FollowedPods, ScriptedStream, ScriptedCall]> {
  const pods = await FollowedPods.start(t, { consistencyMs: EVERY_MS });
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build(), aPod('b').atVersion(9).build()]);
  await pods.clock.advance(EVERY_MS * 1.1);
  return [pods, stream, await pods.server.next()];
}

test('fault 04: a lost delete, a lost add and a lost update are found by the periodic listing and corrected as such', async (t) => {
  const [pods, stream, listing] = await startCheck(t);
  answerMetadata(listing, '30', [
    { name: 'b', version: 25 },
    { name: 'c', version: 27 },
  ]);
  stream.bookmark('Pod', '31');
  const reads = new Map<string, ScriptedCall>();
  for (let i = 0; i < 3; i++) {
    const read = await pods.server.next();
    reads.set(read.path, read);
    const name = read.path.split('/').at(-1)!;
    if (name === 'a') read.refuse(404, 'NotFound');
    else
      read.json(
        aPod(name)
          .atVersion(name === 'b' ? 25 : 27)
          .build(),
      );
  }
  await pods.until(() => pods.informer.counters.corrections === 3);
  assert.deepEqual(pods.names.sort(), ['b', 'c']);
  const corrected = pods.deltas.filter((d) => 'source' in d && d.source === 'consistency');
  assert.deepEqual(corrected.map((d) => d.kind).sort(), ['added', 'deleted', 'updated']);
  assert.equal(reads.size, 3);
});

test('nothing is corrected before the watch has reached the listing: what is merely under way is no loss', async (t) => {
  const [pods, stream, listing] = await startCheck(t);
  answerMetadata(listing, '30', [{ name: 'b', version: 9 }]);
  stream.event('DELETED', aPod('a').atVersion(29).build());
  stream.bookmark('Pod', '31');
  await pods.untilDelivered('progress 31');
  assert.equal(pods.informer.counters.corrections, 0);
  assert.deepEqual(pods.names, ['b']);
  assert.deepEqual(pods.server.unanswered, []);
});

test('a relist while the check waits for the watch is reported as the reason why nothing was compared', async (t) => {
  const outcomes: CheckOutcome[] = [];
  const pods = await FollowedPods.start(t, {
    consistencyMs: EVERY_MS,
    onChecked: (outcome) => {
      outcomes.push(outcome);
      throw new Error('the log is broken');
    },
  });
  const stream = await pods.sync('10');
  await pods.clock.advance(EVERY_MS * 1.1);
  answerMetadata(await pods.server.next(), '30', []);
  await pods.clock.untilPending(2);
  stream.bookmark('Pod', '11');
  stream.error(410, 'Expired');
  await pods.sync('40');
  await settle();
  assert.deepEqual(outcomes, [{ kind: 'skipped', why: 'relisted' }]);
});

test('after a rewind the check waits for the new, lower versions, whatever was reached before', async (t) => {
  const checked = Promise.withResolvers<CheckOutcome>();
  const pods = await FollowedPods.start(t, { consistencyMs: EVERY_MS, onChecked: checked.resolve });
  const before = await pods.sync('100', [aPod('a').atVersion(90).build()]);
  before.bookmark('Pod', '105');
  await pods.untilDelivered('progress 105');
  before.break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '50', []);
  const after = await pods.sync('51', [aPod('a').atVersion(40).build()]);
  await pods.clock.advance(EVERY_MS * 1.1);
  const listing = await pods.server.next();
  answerMetadata(listing, '60', []);
  await listing.closed;
  await settle();
  after.event('DELETED', aPod('a').atVersion(59).build());
  after.bookmark('Pod', '61');
  const read = pods.server.next().then((call) => call.path);
  assert.deepEqual(await Promise.race([checked.promise, read]), {
    kind: 'compared',
    resourceVersion: '60',
    objects: 0,
    corrected: 0,
  });
});

test('a watch that does not reach the listing in time leaves the cache alone', async (t) => {
  const [pods, , listing] = await startCheck(t);
  answerMetadata(listing, '30', []);
  await pods.clock.untilPending(2);
  await pods.clock.advance(60_000);
  assert.deepEqual(pods.names, ['a', 'b']);
  assert.equal(pods.informer.counters.corrections, 0);
});

test('a watch that moves, but stays behind the listing for two minutes, leaves the question to the next check', async (t) => {
  const [pods, stream, listing] = await startCheck(t);
  answerMetadata(listing, '30', []);
  await pods.clock.untilPending(3);
  for (const version of ['20', '21', '22', '23']) {
    stream.bookmark('Pod', version);
    await pods.untilDelivered(`progress ${version}`);
    await pods.clock.advance(60_000);
  }
  assert.equal(
    (await pods.server.next()).path,
    '/api/v1/pods',
    'the next check, and no read of a single pod before it',
  );
  assert.deepEqual(pods.names, ['a', 'b']);
});

test('an object that changes while the suspects are read is left to the watch', async (t) => {
  const [pods, stream, listing] = await startCheck(t);
  answerMetadata(listing, '30', [
    { name: 'a', version: 8 },
    { name: 'b', version: 25 },
  ]);
  stream.bookmark('Pod', '31');
  const read = await pods.server.next();
  stream.event('MODIFIED', aPod('b').atVersion(40).build());
  await pods.untilDelivered('updated b');
  read.json(aPod('b').atVersion(25).build());
  await read.closed;
  assert.equal(pods.informer.lister.get('default/b')?.metadata.resourceVersion, '40');
});

test('an object that is deleted while the suspects are read does not rise from the dead', async (t) => {
  const checked = Promise.withResolvers<CheckOutcome>();
  const pods = await FollowedPods.start(t, { consistencyMs: EVERY_MS, onChecked: checked.resolve });
  const stream = await pods.sync('10', [aPod('b').atVersion(9).build()]);
  await pods.clock.advance(EVERY_MS * 1.1);
  answerMetadata(await pods.server.next(), '30', [{ name: 'b', version: 25 }]);
  stream.bookmark('Pod', '31');
  const read = await pods.server.next();
  stream.event('DELETED', aPod('b').atVersion(40).build());
  await pods.untilDelivered('deleted b');
  read.json(aPod('b').atVersion(25).build());
  assert.deepEqual(await checked.promise, { kind: 'compared', resourceVersion: '30', objects: 1, corrected: 0 });
  assert.deepEqual(pods.names, []);
});

test('a cache that agrees with the listing is left alone, and nothing is read besides', async (t) => {
  const [pods, stream, listing] = await startCheck(t);
  answerMetadata(listing, '30', [
    { name: 'a', version: 8 },
    { name: 'b', version: 9 },
  ]);
  await listing.closed;
  stream.bookmark('Pod', '31');
  await pods.untilDelivered('progress 31');
  await pods.clock.advance(EVERY_MS * 1.1);
  assert.equal(
    (await pods.server.next()).path,
    '/api/v1/pods',
    'the next check, and no read of a single pod before it',
  );
  assert.equal(pods.informer.counters.corrections, 0);
});

test('an empty cache agrees with an empty listing', async (t) => {
  const pods = await FollowedPods.start(t, { consistencyMs: EVERY_MS });
  const stream = await pods.sync('10');
  await pods.clock.advance(EVERY_MS * 1.1);
  const listing = await pods.server.next();
  answerMetadata(listing, '30', []);
  await listing.closed;
  stream.bookmark('Pod', '31');
  await pods.untilDelivered('progress 31');
  assert.equal(pods.informer.counters.corrections, 0);
});

test('the listing of a check is a consistent read of metadata, in pages', async (t) => {
  const [, , listing] = await startCheck(t);
  assert.equal(listing.query.get('resourceVersion'), '');
  assert.equal(listing.query.get('limit'), '2000');
  assert.match(String(listing.headers.accept), /PartialObjectMetadataList/);
});

test('a listing that fails corrects nothing and is made again at the next period', async (t) => {
  const [pods, , listing] = await startCheck(t);
  listing.refuse(500, 'InternalError', 'nasty error');
  await listing.closed;
  await pods.clock.advance(EVERY_MS * 1.1);
  const again = await pods.server.next();
  assert.equal(again.isWatch, false);
  assert.deepEqual(pods.names, ['a', 'b']);
  assert.equal(pods.informer.counters.corrections, 0);
});

test('a transform that strips objects makes no difference to the comparison', async (t) => {
  const pods = await FollowedPods.start(t, {
    consistencyMs: EVERY_MS,
    transform: (pod) => ({ ...pod, status: { ...pod.status, phase: 'stripped' } }),
  });
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build()]);
  await pods.clock.advance(EVERY_MS * 1.1);
  const listing = await pods.server.next();
  answerMetadata(listing, '30', [{ name: 'a', version: 8 }]);
  await listing.closed;
  stream.bookmark('Pod', '31');
  await pods.untilDelivered('progress 31');
  await pods.clock.advance(EVERY_MS * 1.1);
  assert.equal(
    (await pods.server.next()).path,
    '/api/v1/pods',
    'the next check, and no read of a single pod before it',
  );
  assert.equal(pods.informer.counters.corrections, 0);
});

test('under a selector, what the listing lacks is gone, although the object may still exist', async (t) => {
  const pods = await FollowedPods.start(t, { consistencyMs: EVERY_MS, labelSelector: 'app=web' });
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build(), aPod('b').atVersion(9).build()]);
  await pods.clock.advance(EVERY_MS * 1.1);
  const listing = await pods.server.next();
  assert.equal(listing.query.get('labelSelector'), 'app=web');
  answerMetadata(listing, '30', [{ name: 'b', version: 9 }]);
  stream.bookmark('Pod', '31');
  await pods.until(() => pods.informer.counters.corrections === 1);
  assert.deepEqual(pods.names, ['b']);
  assert.deepEqual(pods.server.unanswered, [], 'the object itself is not asked for');
});

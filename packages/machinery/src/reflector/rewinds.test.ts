import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';
import type { ScriptedCall, ScriptedStream } from '../testing/scripted-server.ts';

const A_YEAR_MS = 31_536_000_000;

/** Answers the comparison that comes before the watch after a break. */
function answerMetadata(call: ScriptedCall, version: string, pods: Readonly<Record<string, number>>): void {
  assert.match(String(call.headers.accept), /as=PartialObjectMetadataList/);
  call.json({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: version },
    items: Object.entries(pods).map(([name, at]) => ({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(at) },
    })),
  });
}

/** Synced with a@90 and b@95 at version 100; then the connection breaks, and the comparison is on its way. */
async function afterBreak(t: { after(done: () => Promise<void>): void }): Promise<[FollowedPods, ScriptedCall]> {
  const pods = await FollowedPods.start(t, { consistencyMs: A_YEAR_MS });
  const stream = await synced(pods);
  stream.bookmark('Pod', '100');
  await pods.untilDelivered('progress 100');
  stream.break();
  await pods.waitOut();
  return [pods, await pods.server.next()];
}

function synced(pods: FollowedPods): Promise<ScriptedStream> {
  return pods.sync('100', [aPod('a').atVersion(90).build(), aPod('b').atVersion(95).build()]);
}

test('fault 06: versions that have overtaken the old ones do not hide a rewind: an object is older than it was', async (t) => {
  const [pods, comparison] = await afterBreak(t);
  const brokeAt = pods.clock.now();
  await pods.clock.advance(2_000);
  answerMetadata(comparison, '130', { a: 90, b: 80 });
  await pods.sync('131', [aPod('a').atVersion(90).build(), aPod('b').atVersion(80).build()]);
  assert.deepEqual(pods.story.slice(-3), ['relisted rewound@131', 'updated a', 'updated b']);
  const relisted = pods.deltas.findLast((delta) => delta.kind === 'relist-began');
  assert.ok(relisted?.kind === 'relist-began' && (relisted.relist.from ?? 0) <= brokeAt, 'since the last sign of life');
});

test('fault 06: an object that should have been delivered, and was not, shows the rewind, too', async (t) => {
  const [pods, comparison] = await afterBreak(t);
  answerMetadata(comparison, '130', { a: 90, b: 95, restored: 70 });
  await pods.sync('131', [aPod('a').atVersion(90).build()]);
  assert.ok(pods.story.includes('relisted rewound@131'));
});

test('a comparison that takes too long does not keep the watch from going on: versions have to do', async (t) => {
  const [pods] = await afterBreak(t);
  await pods.clock.advance(3_000);
  const probe = await pods.server.next();
  assert.equal(probe.query.get('limit'), '1');
  probe.json({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '130' }, items: [] });
  const watch = await pods.server.next();
  assert.deepEqual([watch.isWatch, watch.query.get('resourceVersion')], [true, '100']);
});

test('a comparison that is refused does not keep the watch from going on, and is not asked for again at once', async (t) => {
  const [pods, comparison] = await afterBreak(t);
  await pods.clock.advance(1_000);
  comparison.json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 429, reason: 'TooManyRequests' }, 429);
  const probe = await pods.server.next();
  assert.equal(probe.query.get('limit'), '1');
  probe.json({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '130' }, items: [] });
  const stream = (await pods.server.next()).stream();
  stream.event('MODIFIED', aPod('a').atVersion(129).build());
  await pods.untilDelivered('updated a');
  stream.break();
  await pods.waitOut();
  const next = await pods.server.next();
  assert.equal(next.query.get('limit'), '1', 'a probe again, and no listing of everything');
});

test('after a break that did no harm the watch goes on where it was, without a relist', async (t) => {
  const [pods, comparison] = await afterBreak(t);
  answerMetadata(comparison, '130', { a: 90, b: 120, c: 125 });
  const watch = await pods.server.next();
  assert.deepEqual([watch.isWatch, watch.query.get('resourceVersion')], [true, '100']);
});

test('fault 06: what a listing after the break lacked, and no event deletes, shows the rewind once the watch is there', async (t) => {
  const [pods, comparison] = await afterBreak(t);
  answerMetadata(comparison, '130', { a: 90 });
  const stream = (await pods.server.next()).stream();
  stream.event('MODIFIED', aPod('a').atVersion(129).build());
  await pods.untilDelivered('updated a');
  stream.bookmark('Pod', '131');
  await pods.sync('140', [aPod('a').atVersion(129).build()]);
  assert.deepEqual(pods.story.slice(-3), ['relisted rewound@140', 'deleted b (final state unknown)', 'updated a']);
});

test('a delete that comes with the events after the break is no rewind', async (t) => {
  const [pods, comparison] = await afterBreak(t);
  answerMetadata(comparison, '130', { a: 90 });
  const stream = (await pods.server.next()).stream();
  stream.event('DELETED', aPod('b').atVersion(128).build());
  stream.bookmark('Pod', '131');
  await pods.untilDelivered('progress 131');
  assert.equal(pods.informer.rewinds, 0);
  assert.equal(pods.informer.state.kind, 'watching');
});

test('fault 06: after a listing from the past one that has caught up is a rewind all the same', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await synced(pods);
  stream.error(410, 'Expired');
  await pods.waitOut();
  answerListing(await pods.server.next(), '95', []);
  await pods.waitOut();
  await pods.sync('150', [aPod('a').atVersion(90).build()]);
  assert.ok(pods.story.includes('relisted rewound@150'));
});

test('fault 06: a listing after 410 that contradicts what is held is made again as after a rewind', async (t) => {
  const pods = await FollowedPods.start(t, { consistencyMs: A_YEAR_MS });
  const stream = await synced(pods);
  stream.error(410, 'Expired');
  await pods.waitOut();
  answerListing(await pods.server.next(), '150', [aPod('a').atVersion(60).build()]);
  await pods.sync('151', [aPod('a').atVersion(60).build()]);
  assert.deepEqual(
    pods.story.filter((line) => line.startsWith('relisted')),
    ['relisted start@100', 'relisted rewound@151'],
  );
});

test('fault 06: a rewind that is reported is listed, whatever the versions say, and only once', async (t) => {
  const pods = await FollowedPods.start(t);
  await synced(pods);
  await pods.clock.advance(6_000);
  pods.informer.rewound();
  pods.informer.rewound();
  assert.equal(pods.informer.rewinds, 1);
  await pods.sync('900', [aPod('a').atVersion(90).build()]);
  assert.deepEqual([pods.informer.rewinds, pods.informer.lastVersion], [1, '900']);
  assert.ok(pods.story.includes('relisted rewound@900'));
});

test('a stream that is open is not suspected when another one breaks; one that is not is compared before it goes on', async (t) => {
  const pods = await FollowedPods.start(t, { consistencyMs: A_YEAR_MS });
  const stream = await synced(pods);
  stream.bookmark('Pod', '100');
  await pods.untilDelivered('progress 100');
  pods.informer.suspect();
  await pods.clock.advance(6_000);
  stream.end();
  const refused = await pods.server.next();
  assert.equal(refused.isWatch, true, 'no comparison');
  refused.refuse(429, 'TooManyRequests');
  await pods.untilWaiting();
  pods.informer.suspect();
  await pods.waitOut();
  answerMetadata(await pods.server.next(), '130', { a: 90, b: 95 });
  assert.equal((await pods.server.next()).isWatch, true);
});

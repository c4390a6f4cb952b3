import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultStage } from '../testing/fault-stage.ts';
import { FollowedSandbox } from '../testing/followed-sandbox.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const WATCHES = { verb: 'watch', resource: 'pods' };

test('fault 1: 410 at the opening of a watch makes one relist, a gap, and an inferred end of what went meanwhile', async (t) => {
  const stage = await FaultStage.start(t);
  const first = stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  const listings = stage.podListings.length;
  const seenAt = stage.clock.now();
  // The server is asked aside of the watch how far it is: that is the last proof before the outage.
  await stage.pass(10_000);
  stage.switchboard.arm({ kind: 'break', on: {}, times: 3 });
  stage.switchboard.arm({ kind: 'expire', on: WATCHES });
  let second = '';
  stage.away(() => {
    stage.remove('web');
    second = stage.pod('web', { ip: '10.0.0.8' });
  });
  await recorded.current();
  assert.equal(stage.podListings.length, listings + 1, 'listed once');
  const [old] = await recorded.tenures('10.0.0.7');
  const [young] = await recorded.tenures('10.0.0.8');
  assert.deepEqual([old?.holder.uid, old?.end?.source], [first, 'inferred']);
  assert.deepEqual([young?.holder.uid, young?.start.source], [second, 'list']);
  const [before, after] = await recorded.stretches();
  assert.deepEqual([before?.ended, after?.opened], [true, 'expired']);
  assert.ok((before?.to ?? 0) < (after?.from ?? 0), 'there is a gap');
  const inside = ((before?.to ?? 0) + (after?.from ?? 0)) / 2;
  assert.equal(await recorded.says('10.0.0.9', Math.floor(inside)), 'unknown gap');
  assert.equal(await recorded.says('10.0.0.7', seenAt), 'held web');
  assert.equal(await recorded.says('10.0.0.8'), 'held web');
});

test('fault 1: 410 inside the stream makes one relist and a new stretch, and what is still there goes on', async (t) => {
  const stage = await FaultStage.start(t);
  const uid = stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  const listings = stage.podListings.length;
  stage.switchboard.arm({ kind: 'expire-inside', on: WATCHES });
  stage.pod('late', { ip: '10.0.0.8' });
  await recorded.current();
  assert.equal(stage.podListings.length, listings + 1, 'listed once');
  assert.deepEqual(
    (await recorded.stretches()).map(({ opened }) => opened),
    ['start', 'expired'],
  );
  const [late] = await recorded.tenures('10.0.0.8');
  assert.equal(late?.start.source, 'list', 'nobody saw it begin');
  const web = await recorded.tenures('10.0.0.7');
  assert.deepEqual(
    web.map(({ holder, end }) => [holder.uid, end]),
    [[uid, undefined]],
    'one life, not two',
  );
});

test('fault 1: a listing whose pages expire between each other is begun again, and at last asked for whole', async (t) => {
  const stage = await FaultStage.start(t);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) stage.pod(name);
  // Really too old: what a token stands for is compacted before it is used.
  stage.onRequest = ({ query }) => {
    if (!query.has('continue')) return;
    stage.annotate('a', { at: stage.api.resourceVersion });
    stage.api.compact();
  };
  const pods = await FollowedSandbox.start(stage, { streaming: false, pageSize: 2 });
  await stage.until('everything is listed', () => pods.informer.synced);
  assert.deepEqual(pods.names, names);
  assert.equal(pods.informer.lister.get('default/a')?.metadata.annotations.get('at') !== undefined, true);
  assert.deepEqual(pods.story, ['relisted start', ...names.map((name) => `added ${name}`)], 'each is delivered once');
  assert.deepEqual(
    stage.podListings.map(({ query }) => [query.has('continue'), query.get('limit')]),
    [...[false, true, false, true].map((goesOn) => [goesOn, '2']), [false, null]],
  );
  assert.deepEqual(pods.pauses, []);
});

for (const streaming of [true, false]) {
  const how = streaming ? 'streams' : 'pages';
  test(`fault 1: a server on which every version has expired is listed by ${how} with growing pauses, and followed when it is well`, async (t) => {
    const stage = await FaultStage.start(t);
    stage.pod('web');
    const expiring = stage.switchboard.arm({ kind: 'expire', on: WATCHES, times: Number.POSITIVE_INFINITY });
    const pods = await FollowedSandbox.start(stage, { streaming });
    await stage.until('eight pauses', () => pods.pauses.length === 8);
    for (const [i, { ms }] of pods.pauses.entries()) {
      const longest = Math.min(30_000, 800 * 2 ** i);
      assert.ok(ms >= longest / 2 && ms <= longest, `pause ${i} of ${ms} ms`);
    }
    assert.ok(stage.requests.length <= 16, `${stage.requests.length} requests for eight failures`);
    assert.deepEqual(pods.names, ['web'], 'pages are served, so the cache is filled');
    stage.switchboard.disarm(expiring);
    stage.pod('late');
    await stage.until('the late pod is seen', () => pods.names.includes('late'));
  });
}

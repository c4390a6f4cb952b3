import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { DecodeError } from '@podtrail/machinery';
import { FaultStage } from '../testing/fault-stage.ts';
import { FollowedSandbox } from '../testing/followed-sandbox.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const WATCHES = { verb: 'watch', resource: 'pods' };

test('fault 10: watches that close as soon as they open are opened again with growing pauses, and nothing is missed', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  stage.switchboard.arm({ kind: 'close-at-once', on: WATCHES, times: 12 });
  const before = stage.podWatches.length;
  const listings = stage.podListings.length;
  const begun = stage.clock.monotonic();
  stage.away(() => stage.pod('late', { ip: '10.0.0.8' }));
  await recorded.current();
  const took = stage.clock.monotonic() - begun;
  assert.equal(stage.podWatches.length - before, 13, 'one request for each close, and the one that lives');
  assert.ok(took > 10_000, `twelve closes within ${took} ms are a hot loop`);
  const pauses = recorded.pauses.map(({ ms }) => ms);
  for (const [i, ms] of pauses.entries()) {
    const longest = Math.min(2_000, 100 * 2 ** i);
    assert.ok(ms >= longest / 2 && ms <= longest, `pause ${i} of ${ms} ms`);
  }
  assert.equal(stage.podListings.length, listings, 'no relist');
  const [late] = await recorded.tenures('10.0.0.8');
  assert.equal(late?.start.source, 'watch');
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
});

for (const [what, fault] of [
  ['a sign-in page', {}],
  ['a list', { contentType: 'application/json', body: '{"kind":"PodList","metadata":{"resourceVersion":"999"}}\n' }],
] as const) {
  test(`fault 10: a watch answered with ${what} is an error with a pause; no version moves and no object changes`, async (t) => {
    const stage = await FaultStage.start(t);
    stage.pod('web');
    const pods = await FollowedSandbox.start(stage);
    await stage.until('it is listed', () => pods.informer.synced);
    const version = pods.informer.lastVersion;
    const before = stage.podWatches.length;
    stage.switchboard.arm({ kind: 'wrong-body', on: WATCHES, times: 3, ...fault });
    stage.server.cutConnections();
    await stage.until('three pauses after three bodies', () => pods.pauses.length === 4);
    assert.equal(stage.podWatches.length - before, 3);
    for (const { ms, error } of pods.pauses.slice(1)) {
      assert.ok(error instanceof DecodeError);
      assert.ok(ms >= 400, `${ms}`);
    }
    assert.equal(pods.informer.lastVersion, version);
    assert.deepEqual(pods.names, ['web']);
    stage.pod('late');
    await stage.until('the watch lives again', () => pods.names.includes('late'));
    assert.deepEqual(pods.story, ['relisted start', 'added web', 'added late']);
  });
}

test('fault 13: 429 and 503 with Retry-After on a watch are waited out as asked, without a relist', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  const listings = stage.podListings.length;
  const asked = stage.podWatches.length;
  stage.switchboard.arm({ kind: 'refuse', code: 429, retryAfterSeconds: 7, on: WATCHES, times: 2 });
  stage.switchboard.arm({ kind: 'refuse', code: 503, retryAfterSeconds: 4, on: WATCHES });
  stage.away(() => stage.pod('late', { ip: '10.0.0.8' }));
  await recorded.current();
  const times = stage.podWatches.slice(asked).map(({ at }) => at);
  const waited = times.slice(1).map((at, i) => at - (times[i] ?? 0));
  assert.equal(waited.length, 3);
  for (const [i, seconds] of [7, 7, 4].entries()) {
    const ms = waited[i] ?? 0;
    // A tenth more, so that not everybody comes back at once; and the time of an answer.
    assert.ok(ms >= seconds * 1_000 && ms <= seconds * 1_100 + 500, `${ms} ms instead of ${seconds} s`);
  }
  assert.equal(stage.podListings.length, listings, 'no relist');
  assert.equal((await recorded.tenures('10.0.0.8'))[0]?.start.source, 'watch');
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
});

for (const [how, options, on] of [
  ['a listing by stream', {}, WATCHES],
  ['a listing by pages', { streaming: false }, { verb: 'list', resource: 'pods' }],
  ['a listing by pages, with the retries of the transport', { streaming: false, retries: true }, { verb: 'list' }],
] as const) {
  for (const code of [429, 503]) {
    test(`fault 13: ${code} with Retry-After on ${how} is waited out as asked`, async (t) => {
      const stage = await FaultStage.start(t);
      stage.pod('web');
      stage.switchboard.arm({ kind: 'refuse', code, retryAfterSeconds: 3, on });
      const pods = await FollowedSandbox.start(stage, options);
      await stage.until('it is listed', () => pods.informer.synced);
      const [first, second] = stage.requests;
      const ms = (second?.at ?? 0) - (first?.at ?? 0);
      assert.ok(ms >= 3_000 && ms <= 3_800, `${ms}`);
      assert.equal(pods.pauses.length, 'retries' in options ? 0 : 1, 'waited out by the reflector, or below it');
      assert.deepEqual([first?.verb, second?.verb], [on.verb, on.verb], 'the same is asked for again');
      assert.deepEqual(pods.names, ['web']);
    });
  }
}

test('fault 14: a token that expires is read again from its file, without a restart or a gap', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  const listings = stage.podListings.length;
  stage.server.access.revokeToken('first');
  const from = stage.requests.length;
  stage.away(() => stage.pod('late', { ip: '10.0.0.8' }));
  await stage.until('the old token is refused', () => recorded.pauses.length >= 3);
  assert.match(recorded.pauses.at(-1)?.error.message ?? '', /Unauthorized/);
  assert.ok(stage.requests.length - from < 40, 'not in a loop');
  await writeFile(stage.tokenFile, 'second');
  stage.server.access.addToken('second', 'recorder');
  await recorded.current();
  const [late] = await recorded.tenures('10.0.0.8');
  assert.equal(late?.start.source, 'watch');
  assert.equal(stage.podListings.length, listings, 'no relist');
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
});

test('fault 14: a token that was replaced in its file before the old one went costs each stream one refusal', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  await writeFile(stage.tokenFile, 'second');
  stage.server.access.addToken('second', 'recorder');
  stage.server.access.revokeToken('first');
  const from = stage.requests.length;
  stage.away(() => stage.pod('late', { ip: '10.0.0.8' }));
  await recorded.current();
  const refused = stage.requests.slice(from).filter(({ headers }) => headers.authorization === 'Bearer first');
  assert.ok(refused.length <= 4, `${refused.length} requests with a token that is known to be refused`);
  assert.equal(await recorded.says('10.0.0.8'), 'held late');
});

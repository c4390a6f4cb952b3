import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from '@podtrail/machinery';
import type { Fault } from '@podtrail/sandbox';
import { FaultStage } from '../testing/fault-stage.ts';
import { FollowedSandbox } from '../testing/followed-sandbox.ts';

const WATCHES = { verb: 'watch', resource: 'pods' };

test('fault 3: a stream that carries nothing any more is given up by its deadline and goes on without a relist', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 60_000 });
  const pods = await FollowedSandbox.start(stage);
  await stage.until('it is listed', () => pods.informer.synced);
  stage.switchboard.arm({ kind: 'half-open', on: WATCHES });
  const begun = stage.clock.monotonic();
  stage.pod('web');
  await stage.until('it is given up', () => pods.pauses.length === 1);
  assert.match(pods.pauses[0]?.error.message ?? '', /silent for 75 s/);
  assert.ok(stage.clock.monotonic() - begun <= 80_000);
  await stage.until('the event is here', () => pods.names.includes('web'));
  assert.deepEqual(pods.story, ['relisted start', 'added web']);
});

for (const form of ['protobuf', 'JSON'] as const) {
  for (const kind of ['truncate', 'garbage'] as const satisfies Fault['kind'][]) {
    test(`fault 12: after a frame of ${form} with the fault "${kind}" the version stays before it, and the event comes again`, async (t) => {
      const stage = await FaultStage.start(t);
      const pods = await FollowedSandbox.start(stage, { protobuf: form === 'protobuf' });
      await stage.until('it is listed', () => pods.informer.synced);
      stage.switchboard.arm({ kind, on: WATCHES, after: 1 });
      stage.pod('before');
      const applied = stage.api.resourceVersion;
      stage.pod('struck');
      stage.pod('after');
      await stage.until('the stream has failed', () => pods.pauses.length === 1);
      assert.equal(pods.informer.lastVersion, applied);
      assert.deepEqual(pods.names, ['before'], 'what came after the broken frame is not taken');
      assert.ok(pods.pauses[0]?.error instanceof DecodeError);
      await stage.until('everything is here', () => pods.names.length === 3);
      assert.equal(stage.podWatches.at(-1)?.query.get('resourceVersion'), applied, 'asked for from there');
      assert.deepEqual(pods.story, ['relisted start', 'added before', 'added struck', 'added after']);
    });
  }

  test(`fault 12: frames of ${form} that come in small pieces are whole again, also their characters`, async (t) => {
    const stage = await FaultStage.start(t);
    const pods = await FollowedSandbox.start(stage, { protobuf: form === 'protobuf' });
    await stage.until('it is listed', () => pods.informer.synced);
    stage.switchboard.arm({ kind: 'shred', on: WATCHES, times: 2 });
    // Of two, three and four bytes: whatever comes before them, pieces of an odd length end inside of some.
    const note = 'grüß € 🙂🙃 '.repeat(20);
    stage.pod('web', { annotations: { note } });
    stage.pod('late', { annotations: { note: `x${note}` } });
    await stage.until('both are here', () => pods.names.length === 2);
    const read = (name: string) => pods.informer.lister.get(`default/${name}`)?.metadata.annotations.get('note');
    assert.equal(read('web'), note);
    assert.equal(read('late'), `x${note}`);
    assert.deepEqual([pods.pauses, stage.switchboard.armed[0]?.struck], [[], 2]);
  });
}

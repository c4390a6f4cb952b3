import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

/** Until then a kubelet that is ready has found whatever it had left: see measured-limits.ts of the history. */
const ORPHAN_MS = 200_000;

test('fault 6: versions that go back begin a new epoch after a gap, and the old epoch stays as it was', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const kept = stage.pod('kept', { ip: '10.0.0.7' });
  stage.pod('ended', { ip: '10.0.0.9' });
  const backup = Number(stage.api.resourceVersion);
  const recorded = await RecordedSandbox.start(stage);
  const lost = stage.pod('lost', { ip: '10.0.0.8' });
  stage.remove('ended');
  await recorded.current();
  await stage.pass(10_000);
  const before = stage.clock.now();
  const [endedBefore] = await recorded.tenures('10.0.0.9');
  await stage.pass(10_000);
  stage.server.rewind(backup);
  // The number that the lost pod had is handed out again, to another.
  const young = stage.pod('young', { ip: '10.0.0.10' });
  assert.equal(stage.api.list('pods').length, 3);
  await recorded.current();
  const [old, next] = await recorded.stretches();
  assert.deepEqual([old?.epoch, old?.ended, next?.epoch, next?.opened], [1, true, 2, 'rewound']);
  assert.ok((old?.to ?? 0) < (next?.from ?? 0), 'there is a gap');

  const [ended, restored] = await recorded.tenures('10.0.0.9');
  assert.deepEqual([endedBefore?.start.epoch, endedBefore?.end?.source], [1, 'watch']);
  assert.deepEqual(ended, endedBefore, 'what had ended stays ended');
  assert.deepEqual([restored?.start.epoch, restored?.end], [2, undefined], 'the backup has it, so it lives once more');
  const [gone] = await recorded.tenures('10.0.0.8');
  assert.deepEqual([gone?.holder.uid, gone?.start.epoch, gone?.end?.source], [lost, 1, 'inferred']);
  assert.equal(await recorded.says('10.0.0.8', before), 'held lost');
  assert.deepEqual(
    (await recorded.tenures('10.0.0.7')).map(({ holder }) => holder.uid).filter((uid) => uid !== kept),
    [],
  );
  const now = async () => [await recorded.says('10.0.0.7'), await recorded.says('10.0.0.8')];
  assert.deepEqual(await now(), ['held kept', 'ambiguous lost'], 'what the API server forgot runs on for a while');
  await stage.pass(6_000);
  await recorded.current();
  assert.deepEqual(await now(), ['held kept', 'ambiguous lost'], 'its kubelet has written nothing since');
  await stage.leap(ORPHAN_MS + 20_000);
  await recorded.current();
  assert.deepEqual(await now(), ['held kept', 'free'], 'a kubelet that is ready has ended it by then');

  // Versions of the new epoch are lower than some of the old, and count.
  stage.remove('young');
  await recorded.current();
  const [short] = await recorded.tenures('10.0.0.10');
  assert.deepEqual([short?.holder.uid, short?.start.epoch, short?.end?.epoch], [young, 2, 2]);
});

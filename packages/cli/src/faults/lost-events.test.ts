import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

/** A kubelet that is ready has found by then whatever it had left: see measured-limits.ts of the history. */
const ORPHAN_MS = 200_000;
const WATCHES = { verb: 'watch', resource: 'pods' };

test('fault 4: a lost end, a lost beginning and a lost change are found by the consistency list, and their provenance says so', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.pod('gone', { ip: '10.0.0.7' });
  stage.pod('moved', { ip: '10.0.0.8', annotations: { note: 'old' } });
  const recorded = await RecordedSandbox.start(stage, { consistencyMs: 60_000 });
  const listings = stage.podListings.length;
  const dropping = stage.switchboard.arm({ kind: 'drop', on: WATCHES, times: Number.POSITIVE_INFINITY });
  stage.remove('gone');
  stage.pod('unseen', { ip: '10.0.0.9' });
  stage.annotate('moved', { note: 'new' });
  await stage.until('all events are lost', () => stage.switchboard.armed[0]?.struck === 6);
  stage.switchboard.disarm(dropping);
  await recorded.current();
  assert.equal(await recorded.says('10.0.0.7'), 'held gone', 'nobody can know yet');
  const isFound = (fact: StoredFact) => fact.kind === 'change' && fact.change.after?.text === 'new';
  await stage.until('it is found', () => recorded.facts().some(isFound));
  await recorded.current();
  const [gone] = await recorded.tenures('10.0.0.7');
  const [unseen] = await recorded.tenures('10.0.0.9');
  const change = (await recorded.changes()).at(-1);
  assert.deepEqual([gone?.end?.source, unseen?.start.source, change?.source], ['inferred', 'list', 'list']);
  assert.deepEqual([change?.before?.text, change?.after?.text], ['old', 'new']);
  const now = async () => [await recorded.says('10.0.0.7'), await recorded.says('10.0.0.9')];
  // Its kubelet's word was lost, too: it may have been deleted by force a moment ago, and its network may stand.
  assert.deepEqual(await now(), ['ambiguous gone', 'held unseen']);
  assert.deepEqual([stage.podComparisons.length, stage.podListings.length], [1, listings], 'no relist');
  await stage.leap(ORPHAN_MS + 20_000);
  await recorded.current();
  assert.deepEqual(await now(), ['free', 'held unseen'], 'its node was ready all the time');
  const [known] = await recorded.tenures('10.0.0.7');
  assert.ok((known?.end?.notAfter ?? 0) - (known?.end?.notBefore ?? 0) > 30_000, 'the end is only bounded');
  assert.equal(stage.podListings.length, listings, 'no relist');
});

test('fault 5: repeated, swapped and older events have no effect on the ledger', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web', { ip: '10.0.0.7', annotations: { n: '0' } });
  stage.pod('gone', { ip: '10.0.0.8' });
  const recorded = await RecordedSandbox.start(stage);
  stage.switchboard.arm({ kind: 'repeat', on: WATCHES, times: 3 });
  for (const n of ['1', '2', '3']) stage.annotate('web', { n });
  stage.switchboard.arm({ kind: 'swap', on: WATCHES });
  for (const n of ['4', '5']) stage.annotate('web', { n });
  stage.remove('gone');
  // Before each of these an earlier event comes once more: of web's old states, and of the pod that is gone.
  stage.switchboard.arm({ kind: 'older', on: WATCHES, times: 6 });
  for (const n of ['6', '7', '8', '9', '10', '11']) stage.annotate('web', { n });
  await recorded.current();
  assert.deepEqual(
    stage.switchboard.armed.map(({ struck }) => struck),
    [3, 1, 6],
    'all of them struck',
  );
  const changes = (await recorded.changes()).map(({ before, after }) => `${before?.text}>${after?.text}`);
  assert.deepEqual(changes, ['undefined>0', '0>1', '1>2', '2>3', '3>5', '5>6', '6>7', '7>8', '8>9', '9>10', '10>11']);
  assert.deepEqual([(await recorded.tenures('10.0.0.7')).length, (await recorded.tenures('10.0.0.8')).length], [1, 1]);
  assert.equal(await recorded.says('10.0.0.8'), 'free', 'nobody rises from the dead');
  assert.deepEqual(recorded.pauses, []);
  assert.equal((await recorded.stretches()).length, 1);
});

test('fault 7: bookmarks only, for an hour, move the checkpoint and write no rows', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 60_000 });
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  const before = await recorded.engine.status();
  const batches = recorded.batches.length;
  const checkpoints: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    const version = stage.move();
    await stage.clock.advance(60_000);
    const bookmarked = () => recorded.batches.at(-1)?.checkpoint?.resourceVersion ?? '';
    await stage.until(`the bookmark of ${version} is stored`, () => Number(bookmarked()) >= Number(version));
    checkpoints.push(bookmarked());
  }
  assert.deepEqual(checkpoints, [...new Set(checkpoints)], 'each minute has its own');
  const kinds = new Set(recorded.batches.slice(batches).flatMap(({ facts }) => facts.map(({ kind }) => kind)));
  assert.deepEqual([...kinds], ['coverage']);
  const after = await recorded.engine.status();
  const rows = ({ clusters: [one] }: typeof before) => [one?.tenures, one?.placements, one?.changes, one?.live];
  assert.deepEqual(rows(after), rows(before));
  assert.equal((await recorded.stretches()).length, 1);
  assert.equal(await recorded.says('10.0.0.9', stage.clock.now() - 1_800_000), 'free');
});

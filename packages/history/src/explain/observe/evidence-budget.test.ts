// Evidence from streams, and how much of it is stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedEvidence } from '../../observe/observation.ts';
import { TestCauses } from '../../testing/test-causes.ts';
import { at } from '../../testing/test-ledger.ts';

const event = (id: string, second: number, count = 1): ReportedEvidence => ({
  ...{
    id,
    what: 'event',
    at: at(second),
    reason: 'Preempted',
    message: 'x'.repeat(600),
    by: 'default-scheduler',
    count,
  },
  about: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'uid-web-1' },
  ...{ source: 'watch', resourceVersion: '7' },
});

test('what a stream reports is stored once by its id, with the provenance of the recorder and a message that is cut', async () => {
  const ledger = new TestCauses();
  await ledger.evidence(5, event('e1', 4));
  await ledger.evidence(6, event('e1', 4, 3));
  const [stored, ...others] = await ledger.records('evidence');
  assert.deepEqual(others, []);
  const { message, ...rest } = stored ?? assert.fail('nothing is stored');
  assert.equal(message.length, 512);
  const { message: _, ...reported } = event('e1', 4, 3);
  assert.deepEqual(rest, { ...reported, epoch: 1, collector: 'test', observedAt: at(6) });
});

test('a time of the future is when it was observed', async () => {
  const ledger = new TestCauses();
  await ledger.evidence(5, event('e1', 4e6));
  await ledger.evidence(6, event('e2', Number.NaN));
  assert.deepEqual(
    (await ledger.records('evidence')).map(({ at: when }) => when),
    [at(5), at(6)],
  );
});

test('of one object 64 records are stored in an hour; the rest is counted in the last of them', async () => {
  const ledger = new TestCauses();
  let written = 0;
  for (let i = 0; i < 64 + 5000; i++) written += (await ledger.evidence(10 + i / 10, event(`e${i}`, 10))).length;
  const stored = await ledger.records('evidence');
  assert.equal(stored.length, 64);
  assert.equal(stored.find(({ id }) => id === 'e63')?.count, 1 + 4096);
  // A flood is not written record by record.
  assert.equal(written, 64 + 13);
  await ledger.evidence(3600, event('later', 3600));
  assert.equal((await ledger.records('evidence')).length, 65);
});

test('records that give the UID of an object under another name, namespace or kind use up nothing of it', async () => {
  const ledger = new TestCauses();
  const { about } = event('real', 10);
  const forged = [{ name: 'x' }, { namespace: 'evil' }, { kind: 'Job' }];
  for (let i = 0; i < 300; i++) {
    await ledger.evidence(10, { ...event(`forged${i}`, 10), about: { ...about, ...forged[i % 3] } });
  }
  for (let i = 0; i < 64; i++) await ledger.evidence(11, event(`real${i}`, 11));
  const stored = (await ledger.records('evidence')).filter(({ id }) => id.startsWith('real'));
  assert.equal(stored.length, 64);
});

test('that an object is there, is to be deleted and is gone is stored, however much was said about it before', async () => {
  const ledger = new TestCauses();
  for (let i = 0; i < 100; i++) await ledger.evidence(10, event(`e${i}`, 10));
  const went = (['created', 'terminating', 'deleted', 'owned'] as const).map((what) => ({ ...event(what, 11), what }));
  for (const one of went) await ledger.evidence(11, one);
  const stored = await ledger.records('evidence');
  assert.deepEqual(
    went.map(({ id }) => stored.some((one) => one.id === id)),
    [true, true, true, true],
  );
});

test('Events about an object use up nothing of what it shows itself', async () => {
  const ledger = new TestCauses();
  for (let i = 0; i < 100; i++) await ledger.evidence(10, event(`e${i}`, 10));
  await ledger.evidence(11, { ...event('revision', 11), what: 'revision' });
  assert.ok((await ledger.records('evidence')).some(({ id }) => id === 'revision'));
});

test('every loss of a stream is stored, however often that is', async () => {
  const ledger = new TestCauses();
  const about = { kind: 'Stream', namespace: '', name: 'events', uid: '' };
  for (let i = 0; i < 50; i++) await ledger.evidence(10, { ...event(`lost${i}`, 10), what: 'stream-lost', about });
  assert.equal((await ledger.records('evidence')).length, 50);
});

test('other objects have budgets of their own, and those that are counted are bounded', async () => {
  const ledger = new TestCauses();
  for (let i = 0; i < 9000; i++) {
    const about = { kind: 'Pod', namespace: 'shop', name: `p${i}`, uid: '' };
    await ledger.evidence(10, { ...event(`e${i}`, 10), about });
  }
  assert.equal((await ledger.records('evidence')).length, 9000);
});

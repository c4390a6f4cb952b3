import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@podtrail/machinery/testing';
import { isLeaving } from './own-namespace.ts';
import { ToldNamespaces } from './testing/told-trackers.ts';

const namespace = (name: string, more: object = {}) => ({ metadata: { name, uid: `uid-${name}`, ...more } });
const DELETED = { deletionTimestamp: '2026-11-15T10:00:00Z' };

test('it leaves when its own namespace is being deleted, not when another is', async () => {
  const clock = new ManualClock();
  const namespaces = new ToldNamespaces(clock);
  namespaces.tell('ADDED', namespace('podtrail'));
  let answer: boolean | undefined;
  const asked = isLeaving(namespaces, 'podtrail', new AbortController().signal).then((said) => (answer = said));
  namespaces.tell('ADDED', namespace('other', DELETED));
  namespaces.tell('MODIFIED', namespace('podtrail', { labels: { a: 'b' } }));
  await clock.advance(10);
  assert.equal(answer, undefined);
  namespaces.tell('MODIFIED', namespace('podtrail', DELETED));
  assert.equal(await asked, true);
});

test('it leaves at once when that was so before it looked', async () => {
  const namespaces = new ToldNamespaces(new ManualClock());
  namespaces.tell('ADDED', namespace('podtrail', DELETED));
  assert.equal(await isLeaving(namespaces, 'podtrail', new AbortController().signal), true);
});

test('told to end, it does not leave', async () => {
  const namespaces = new ToldNamespaces(new ManualClock());
  const stop = new AbortController();
  const asked = isLeaving(namespaces, 'podtrail', stop.signal);
  stop.abort();
  assert.equal(await asked, false);
  assert.equal(await isLeaving(namespaces, 'podtrail', stop.signal), false);
});

// Whose a ConfigMap is: labels and owner references, at its creation and when trackers come and go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@podtrail/machinery';
import { changesHands, newShardObject, type Owners, readShard, shardPatch } from './shard-objects.ts';

const START = Date.UTC(2026, 10, 15, 10);
const write = { index: 0, isNew: true, set: new Map([['shop_web-1', 'n1']]), remove: new Set<string>() };
const [a, b] = ['a', 'b'].map((name) => ({ name, uid: `uid-${name}` })) as [Owners[number], Owners[number]];

function patchOf(object: KubeObject, owners?: Owners) {
  const stored = readShard({ ...object, metadata: { ...object.metadata, resourceVersion: '7' } });
  assert.ok(stored);
  return shardPatch(write, stored, owners) as { metadata: Record<string, unknown> };
}

test('for nobody there is no label of a tracker and no owner, and a tracker does not take it over', () => {
  const object = newShardObject(START, write);
  assert.equal(object.metadata.labels?.['podtrail.dev/tracker'], undefined);
  assert.equal(object.metadata.ownerReferences, undefined);
  assert.deepEqual(patchOf(object, [a]).metadata, { resourceVersion: '7' });
});

test('it changes hands when other trackers own it than of now, by UID; frozen or of nobody it does not', () => {
  const stored = (...owners: Owners) => readShard(newShardObject(START, write, owners))!;
  assert.equal(changesHands(stored(a), [a]), false);
  assert.equal(changesHands(stored(a), [{ ...a, uid: 'uid-of-its-successor' }]), true);
  assert.equal(changesHands(stored(a, b), [b]), true);
  assert.equal(changesHands(stored(a), []), false);
  assert.equal(changesHands(stored(), [a]), false);
  assert.equal(changesHands({ ...stored(a), frozen: true }, [b]), false);
});

test('for one tracker there are both, and nothing about them is written again', () => {
  const object = newShardObject(START, write, [a]);
  assert.equal(object.metadata.labels?.['podtrail.dev/tracker'], 'a');
  assert.deepEqual(patchOf(object, [a]).metadata, { resourceVersion: '7' });
});

test('when a second one comes the label goes and both own it; when one goes, the other has it', () => {
  const one = newShardObject(START, write, [a]);
  const { metadata } = patchOf(one, [a, b]);
  assert.deepEqual(metadata['labels'], { 'podtrail.dev/tracker': null });
  assert.deepEqual(
    (metadata['ownerReferences'] as Owners).map(({ uid }) => uid),
    ['uid-a', 'uid-b'],
  );
  const both = newShardObject(START, write, [a, b]);
  assert.equal(both.metadata.labels?.['podtrail.dev/tracker'], undefined);
  assert.deepEqual(patchOf(both, [b, a]).metadata, { resourceVersion: '7' });
  assert.deepEqual(patchOf(both, [b]).metadata['labels'], { 'podtrail.dev/tracker': 'b' });
});

test('what somebody writes for himself stops being a tracker’s, and no tracker takes it back; other owners stay', () => {
  const stored = (object: KubeObject) => readShard(object)!;
  const owned = newShardObject(START, write, [a]);
  assert.equal(changesHands(stored(owned)), true, 'though there is nothing else to write');
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'uid-x' };
  const ownerReferences = [...(owned.metadata.ownerReferences ?? []), other];
  const { metadata } = patchOf({ ...owned, metadata: { ...owned.metadata, ownerReferences } });
  assert.deepEqual(metadata, {
    ...{ resourceVersion: '7', labels: { 'podtrail.dev/tracker': null }, ownerReferences: [other] },
  });
  assert.equal(changesHands(stored(newShardObject(START, write))), false);
});

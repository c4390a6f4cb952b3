import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SliceIndex } from './slice-index.ts';
import type { SliceView } from './slice-view.ts';

function slice(name: string, version: number, keys: readonly string[], uid = `uid-${name}`): SliceView {
  const metadata = { name, uid, resourceVersion: `${version}` };
  const entries = new Map(keys.map((key) => [key, `${key}@${version}`]));
  return { metadata, tracker: 't', ownerUid: 'owner', holds: 'pods', labelled: true, entries };
}

const book = () => new SliceIndex('owner', 2);

test('what is delivered twice, or late, changes nothing', () => {
  const known = book();
  assert.deepEqual([...known.put(slice('a', 9, ['x']))], ['x']);
  assert.deepEqual([...known.put(slice('a', 9, ['x']))], []);
  assert.deepEqual([...known.put(slice('a', 10, ['x', 'y']))], ['x', 'y'], 'versions are numbers, not text');
  assert.deepEqual([...known.put(slice('a', 9, ['x']))], []);
  assert.equal(known.entry('x'), 'x@10');
});

test('a late word about an earlier slice of the name does not take its successor away', () => {
  const known = book();
  known.put(slice('a', 1, ['x'], 'first'));
  known.put(slice('a', 5, ['y'], 'second'));
  assert.deepEqual([...known.remove('a', 'first')], []);
  assert.equal(known.entry('y'), 'y@5');
  assert.equal(known.entry('x'), undefined);
});

test('a slice that we deleted does not come back by what the informer had still to deliver', () => {
  const known = book();
  known.put(slice('a', 1, ['x']));
  known.removeOurs('a', 'uid-a');
  assert.deepEqual([...known.put(slice('a', 2, ['x']))], []);
  assert.equal(known.size, 0);
  known.remove('a', 'uid-a');
  known.put(slice('a', 7, ['z'], 'successor'));
  assert.equal(known.entry('z'), 'z@7', 'another one of the name does');
});

test('a key in two slices has one place, and keeps one when that goes', () => {
  const known = book();
  known.put(slice('a', 1, ['x']));
  known.put(slice('b', 2, ['x', 'y']));
  assert.equal(known.placeOf('x')?.metadata.name, 'a');
  assert.deepEqual([...known.doublesOf('x')], ['b']);
  known.remove('a', 'uid-a');
  assert.equal(known.placeOf('x')?.metadata.name, 'b');
  assert.equal(known.hasDouble('x'), false);
  known.put(slice('b', 3, ['y']));
  assert.equal(known.placeOf('x'), undefined);
  assert.deepEqual([...known.keys()], ['y']);
});

test('there is room where fewer than the limit are', () => {
  const known = book();
  known.put(slice('a', 1, ['x', 'y']));
  known.put(slice('b', 2, ['z']));
  assert.deepEqual([...known.roomy], ['b']);
  known.put(slice('a', 3, ['x']));
  assert.deepEqual([...known.roomy].sort(), ['a', 'b']);
});

test('after etcd was restored, smaller versions are believed', () => {
  const known = book();
  known.put(slice('a', 100, ['x']));
  known.forget();
  assert.deepEqual([...known.put(slice('a', 5, ['y']))], ['y']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../objects/object-key.ts';
import { Lister } from './lister.ts';
import { ObjectStore } from './object-store.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly labels: ReadonlyMap<string, string>;
}

function listerOf(total: number, matching: number): Lister<Thing> {
  const store = new ObjectStore<Thing>();
  for (let i = 0; i < total; i++) {
    const labels = new Map(i < matching ? [['match', 'true']] : []);
    const thing: Thing = { metadata: { name: `obj-${i}`, namespace: i % 2 === 0 ? 'even' : 'odd' }, labels };
    store.set(keyOf(thing), thing);
  }
  return new Lister(store);
}

const matches = (thing: Thing) => thing.labels.get('match') === 'true';

test('a list holds all objects, those of a namespace, those that match, both, or none', () => {
  const lister = listerOf(10_000, 1_000);
  assert.equal(lister.list().length, 10_000);
  assert.equal(lister.list({ namespace: 'odd' }).length, 5_000);
  assert.equal(lister.list({ where: matches }).length, 1_000);
  assert.equal(lister.list({ namespace: 'even', where: matches }).length, 500);
  assert.deepEqual(lister.list({ where: () => false }), []);
  assert.deepEqual(lister.list({ namespace: 'none' }), []);
});

test('iterating a lister gives every object once', () => {
  assert.equal(new Set([...listerOf(100, 0)].map(keyOf)).size, 100);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, splitKey } from '../objects/object-key.ts';
import { ObjectStore } from './object-store.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly values: readonly string[];
}

const thing = (name: string, ...values: string[]): Thing => ({ metadata: { name, namespace: 'ns' }, values });

function storeOf(...things: Thing[]): ObjectStore<Thing> {
  const store = new ObjectStore<Thing>();
  store.addIndex('value', (t) => t.values);
  for (const t of things) store.set(keyOf(t), t);
  return store;
}

test('keys are namespace/name, or the name alone for cluster-scoped objects', () => {
  assert.equal(keyOf(thing('a')), 'ns/a');
  assert.equal(keyOf({ metadata: { name: 'node-1' } }), 'node-1');
  assert.deepEqual(splitKey('ns/a'), { namespace: 'ns', name: 'a' });
  assert.deepEqual(splitKey('node-1'), { namespace: '', name: 'node-1' });
});

test('an object is found under each of its index values, and no longer under those it lost', () => {
  const store = storeOf(thing('a', 'x', 'y'));
  assert.deepEqual(store.byIndex('value', 'x').map(keyOf), ['ns/a']);
  store.set('ns/a', thing('a', 'y', 'z'));
  assert.deepEqual(store.byIndex('value', 'x'), []);
  assert.deepEqual(store.byIndex('value', 'z').map(keyOf), ['ns/a']);
});

test('an index value that nobody has any more leaves no empty set behind', () => {
  const store = storeOf(thing('a', 'x'));
  store.delete('ns/a');
  assert.deepEqual(store.indexValues('value'), []);
});

test('an index value that another object still has is kept', () => {
  const store = storeOf(thing('a', 'x'), thing('b', 'x'));
  store.delete('ns/a');
  assert.deepEqual([...store.keysByIndex('value', 'x')], ['ns/b']);
});

test('replacing all objects rebuilds the indexes', () => {
  const store = storeOf(thing('a', 'x'));
  store.replace(new Map([['ns/b', thing('b', 'y')]]));
  assert.deepEqual(store.indexValues('value'), ['y']);
  assert.equal(store.get('ns/a'), undefined);
});

test('an index that is added late covers what is there already', () => {
  const store = storeOf(thing('a', 'x'));
  store.addIndex('first', (t) => t.values.slice(0, 1));
  assert.deepEqual(store.byIndex('first', 'x').map(keyOf), ['ns/a']);
});

test('index values called constructor and __proto__ are values like any other', () => {
  const store = storeOf(thing('a', 'constructor', '__proto__'));
  assert.deepEqual(store.byIndex('value', 'constructor').map(keyOf), ['ns/a']);
  assert.deepEqual(store.byIndex('value', 'toString'), []);
});

test('an unknown index is an error that names the known ones; a second index of one name is refused', () => {
  const store = storeOf();
  assert.throws(() => store.byIndex('node', 'n1'), { code: 'unknown-index', hint: 'declared are: value.' });
  assert.throws(() => store.addIndex('value', () => []), { code: 'index-exists' });
});

test('what is set is found, what is set again is replaced, what is deleted is gone', () => {
  const store = storeOf(thing('a', 'b'), thing('c', 'd'), thing('e', 'e'));
  assert.deepEqual(store.get('ns/a')?.values, ['b']);
  store.set('ns/a', thing('a', 'baz'));
  assert.deepEqual(store.get('ns/a')?.values, ['baz']);
  assert.equal(store.delete('ns/a')?.metadata.name, 'a');
  assert.equal(store.get('ns/a'), undefined);
  assert.equal(store.delete('ns/a'), undefined);
  assert.deepEqual([...store.keys()], ['ns/c', 'ns/e']);
  assert.equal(store.size, 2);
});

test('objects that share several values are found under each, through updates and deletes', () => {
  const store = storeOf(thing('one', 'ernie', 'bert'), thing('two', 'bert', 'oscar'), thing('tre', 'ernie', 'elmo'));
  const under = (value: string) => [...store.keysByIndex('value', value)].sort();
  assert.deepEqual(under('ernie'), ['ns/one', 'ns/tre']);
  assert.deepEqual(under('bert'), ['ns/one', 'ns/two']);
  assert.deepEqual(under('elmo'), ['ns/tre']);
  assert.deepEqual(under('nobody'), []);
  store.delete('ns/tre');
  assert.deepEqual(under('ernie'), ['ns/one']);
  assert.deepEqual(under('elmo'), []);
  store.set('ns/two', thing('two', 'oscar'));
  assert.deepEqual(under('bert'), ['ns/one']);
  assert.deepEqual(store.indexValues('value').sort(), ['bert', 'ernie', 'oscar']);
});

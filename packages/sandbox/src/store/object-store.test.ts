import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from './kube-object.ts';
import { ObjectStore } from './object-store.ts';

function aStore(options: { historyLimit?: number; historyAge?: number } = {}) {
  const clock = { time: 0, now: () => clock.time };
  const { historyLimit = 1000, historyAge } = options;
  return { clock, store: new ObjectStore({ clock, startVersion: 100, historyLimit, historyAge }) };
}

function anObject(name: string, value = 0): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, namespace: 'n' }, value };
}

const names = (objects: readonly KubeObject[] | undefined) => objects?.map(({ metadata }) => metadata.name);

test('every change of anything gets the next version', () => {
  const { store } = aStore();
  const one = store.put('a', 'n/one', anObject('one'));
  const two = store.put('b', 'n/two', anObject('two'));
  const gone = store.remove('a', 'n/one');
  assert.deepEqual(
    [one, two, gone].map((object) => object?.metadata.resourceVersion),
    ['101', '102', '103'],
  );
  assert.equal(store.version, 103);
});

test('an object equal to what is there is not written again', () => {
  const { store } = aStore();
  const one = store.put('a', 'n/one', anObject('one'));
  assert.equal(store.put('a', 'n/one', anObject('one')), one);
  assert.equal(store.version, 101);
});

test('a list is in the order of keys and can be read as it was', () => {
  const { store } = aStore();
  for (const name of ['c', 'a', 'b']) store.put('t', `n/${name}`, anObject(name));
  const then = store.version;
  store.remove('t', 'n/b');
  store.put('t', 'n/aa', anObject('aa'));
  store.put('t', 'n/c', anObject('c', 1));
  const table = store.table('t');
  assert.deepEqual(names(table.list('n/')), ['a', 'aa', 'c']);
  assert.deepEqual(names(table.listAt('n/', then)), ['a', 'b', 'c']);
  assert.deepEqual(
    table.listAt('n/', then)?.map((object) => object['value']),
    [0, 0, 0],
  );
});

test('what was compacted cannot be read any more, what came after can', () => {
  const { store } = aStore();
  for (const name of ['a', 'b', 'c']) store.put('t', `n/${name}`, anObject(name));
  store.compact(102);
  const table = store.table('t');
  assert.equal(table.listAt('', 101), undefined);
  assert.deepEqual(names(table.listAt('', 102)), ['a', 'b']);
  assert.deepEqual(
    table.eventsAfter(102).map((event) => event.key),
    ['n/c'],
  );
});

test('only so many changes are remembered', () => {
  const { store } = aStore({ historyLimit: 10 });
  for (let i = 0; i < 2000; i++) store.put('t', 'n/a', anObject('a', i));
  const table = store.table('t');
  assert.equal(table.historySize, 10);
  assert.equal(table.compactedAt, store.version - 10);
  assert.equal(table.eventsAfter(table.compactedAt).length, 10);
});

test('changes are forgotten by age as well', () => {
  const { store, clock } = aStore({ historyAge: 60_000 });
  store.put('t', 'n/a', anObject('a', 1));
  clock.time = 61_000;
  store.put('t', 'n/a', anObject('a', 2));
  assert.equal(store.table('t').compactedAt, 101);
});

test('a listener that writes gets its own change after the first', () => {
  const { store } = aStore();
  const received: string[] = [];
  store.listen('t', (event) => {
    if (event.key === 'n/a') store.put('t', 'n/b', anObject('b'));
  });
  store.listen('t', (event) => received.push(event.key));
  store.put('t', 'n/a', anObject('a'));
  assert.deepEqual(received, ['n/a', 'n/b']);
});

test('writes that belong together are emitted once all are made', () => {
  const { store } = aStore();
  const seen: number[] = [];
  store.listen('t', () => seen.push(store.version));
  store.together(() => {
    store.put('t', 'n/a', anObject('a'));
    store.put('t', 'n/b', anObject('b'));
  });
  assert.deepEqual(seen, [102, 102]);
});

test('a rewound store is as it was, counts versions on from there and emits what that changed', () => {
  const { store } = aStore();
  store.put('t', 'n/a', anObject('a', 1));
  store.put('t', 'n/b', anObject('b'));
  const then = store.version;
  store.put('t', 'n/a', anObject('a', 2));
  store.remove('t', 'n/b');
  store.put('t', 'n/c', anObject('c'));
  const received: string[] = [];
  store.listen('t', ({ type, key }) => received.push(`${type} ${key}`));
  store.rewind(then, () => received.push('restored'));
  assert.deepEqual(names(store.table('t').list('')), ['a', 'b']);
  assert.equal(store.table('t').get('n/a')?.['value'], 1);
  assert.deepEqual(received, ['restored', 'DELETED n/c', 'MODIFIED n/a', 'ADDED n/b']);
  assert.equal(store.put('t', 'n/d', anObject('d')).metadata.resourceVersion, String(then + 1));
  assert.throws(() => store.rewind(then - 1, () => {}), /only 102 to 103 are remembered/);
});

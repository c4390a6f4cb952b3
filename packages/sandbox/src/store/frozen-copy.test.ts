import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozenCopy } from './frozen-copy.ts';

test('a copy is frozen all the way down and leaves the given value alone', () => {
  const given = { a: [{ b: 1 }], c: undefined };
  const copy = frozenCopy(given);
  assert.deepEqual(copy, { a: [{ b: 1 }] });
  assert.ok(Object.isFrozen(copy) && Object.isFrozen(copy.a) && Object.isFrozen(copy.a[0]));
  assert.ok(!Object.isFrozen(given.a[0]));
});

test('what did not change is shared with the earlier version', () => {
  const earlier = frozenCopy({ spec: { list: [1, { x: 'y' }] }, status: { phase: 'Pending' } });
  const later = frozenCopy({ spec: { list: [1, { x: 'y' }] }, status: { phase: 'Running' } }, earlier);
  assert.equal(later.spec, earlier.spec);
  assert.notEqual(later.status, earlier.status);
});

test('an equal value gives back the earlier one itself', () => {
  const earlier = frozenCopy({ a: { b: [null, 'x'] }, n: 0 });
  assert.equal(frozenCopy({ n: 0, a: { b: [null, 'x'] } }, earlier), earlier);
});

for (const [what, before, after] of [
  ['a field that is gone', { a: 1, b: 2 }, { a: 1 }],
  ['a field that is new', { a: 1 }, { a: 1, b: null }],
  ['a shorter list', { a: [1, 2] }, { a: [1] }],
  ['a list that became an object', { a: [] }, { a: {} }],
  ['a field moved to another name', { a: 1 }, { b: 1 }],
] as const) {
  test(`${what} is a change`, () => {
    const earlier = frozenCopy<unknown>(before);
    const later = frozenCopy<unknown>(after, earlier);
    assert.notEqual(later, earlier);
    assert.deepEqual(later, after);
  });
}

test('fault 30: fields called __proto__ and constructor are fields like any other', () => {
  const given = JSON.parse('{"__proto__":"p","constructor":"c","inner":{"__proto__":{}}}');
  const copy = frozenCopy<unknown>(given, frozenCopy<unknown>({ inner: {} }));
  assert.equal(JSON.stringify(copy), JSON.stringify(given));
  assert.equal(frozenCopy<unknown>(JSON.parse(JSON.stringify(given)), copy), copy, 'the same is no change');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

test('a merge patch merges objects, replaces lists, removes with null and changes nothing it was given', () => {
  const target = Object.freeze({ a: Object.freeze({ b: 1, c: 2 }), list: [1, 2] });
  assert.deepEqual(applyMergePatch(target, { a: { b: null, d: { e: null, f: 3 } }, list: [3] }), {
    a: { c: 2, d: { f: 3 } },
    list: [3],
  });
});

const DOCUMENT = { a: { b: [1, 2], 'x/y': 1 } };
for (const [what, patch, result] of [
  ['adds to the end', [{ op: 'add', path: '/a/b/-', value: 3 }], { a: { b: [1, 2, 3], 'x/y': 1 } }],
  ['inserts', [{ op: 'add', path: '/a/b/0', value: 0 }], { a: { b: [0, 1, 2], 'x/y': 1 } }],
  ['removes by an escaped name', [{ op: 'remove', path: '/a/x~1y' }], { a: { b: [1, 2] } }],
  ['replaces in a list', [{ op: 'replace', path: '/a/b/1', value: 9 }], { a: { b: [1, 9], 'x/y': 1 } }],
  ['moves', [{ op: 'move', from: '/a/b', path: '/c' }], { a: { 'x/y': 1 }, c: [1, 2] }],
  ['copies', [{ op: 'copy', from: '/a/b/0', path: '/c' }], { a: { b: [1, 2], 'x/y': 1 }, c: 1 }],
  ['tests', [{ op: 'test', path: '/a/b', value: [1, 2] }], DOCUMENT],
  ['takes what is not there for null', [{ op: 'test', path: '/a/c', value: null }], DOCUMENT],
  ['counts from the end', [{ op: 'replace', path: '/a/b/-1', value: 9 }], { a: { b: [1, 9], 'x/y': 1 } }],
  ['replaces everything', [{ op: 'replace', path: '', value: { c: 1 } }], { c: 1 }],
  ['does not look at what stands before the first slash', [{ op: 'remove', path: 'x/a' }], {}],
  ['is nothing at all', null, DOCUMENT],
] as const) {
  test(`a JSON patch ${what}`, () => {
    assert.deepEqual(applyJsonPatch(DOCUMENT, patch), result);
    assert.deepEqual(DOCUMENT, { a: { b: [1, 2], 'x/y': 1 } });
  });
}

for (const [what, patch] of [
  ['a test that fails', [{ op: 'test', path: '/a/b', value: [] }]],
  ['what is not there to be removed', [{ op: 'remove', path: '/a/c' }]],
  ['a replacement below what is not there', [{ op: 'replace', path: '/c/d', value: 1 }]],
  ['a place behind the end', [{ op: 'add', path: '/a/b/3', value: 1 }]],
  ['an unknown operation', [{ op: 'twist', path: '/a' }]],
  ['a pointer without a slash', [{ op: 'add', path: 'a', value: 1 }]],
  ['the removal of everything', [{ op: 'remove', path: '' }]],
  ['a dash that should be replaced', [{ op: 'replace', path: '/a/b/-', value: 1 }]],
  ['a place before the beginning', [{ op: 'remove', path: '/a/b/-3' }]],
  ['a value below a plain one', [{ op: 'add', path: '/a/b/0/c', value: 1 }]],
] as const) {
  test(`a JSON patch is refused for ${what}`, () => {
    assert.throws(() => applyJsonPatch(DOCUMENT, patch), { code: 422 });
  });
}

test('a JSON patch that is no list of operations is refused as one that cannot be read', () => {
  for (const [patch, words] of [
    [{}, 'object into Go value of type []handlers.jsonPatchOp'],
    [[5], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: true }], 'bool into Go struct field jsonPatchOp.op of type string'],
  ] as const) {
    const message = `error decoding patch: json: cannot unmarshal ${words}`;
    assert.throws(() => applyJsonPatch(DOCUMENT, patch), { code: 400, message });
  }
  assert.throws(() => applyJsonPatch(DOCUMENT, new Array(10_001).fill({})), { code: 413 });
});

test('a strategic patch that cannot merge a list fails as the real server does', () => {
  const merge = (containers: unknown) => () =>
    applyStrategicMergePatch({ containers: [{ name: 'a' }] }, { containers });
  assert.throws(merge([{ image: '1' }]), {
    code: 500,
    message: 'map: map[image:1] does not contain declared merge key: name',
  });
  assert.throws(merge(['a']), { message: 'list element types are not identical: [[map[name:a]] [a]]' });
});

test('a JSON patch that replaces a key that is not there adds it, as on the real server', () => {
  const patched = applyJsonPatch(DOCUMENT, [{ op: 'replace', path: '/c', value: 1 }]);
  assert.equal((patched as { c?: number }).c, 1);
});

test('a strategic patch merges containers by name and keeps the order that is asked for', () => {
  const target = {
    containers: [
      { name: 'a', image: '1' },
      { name: 'b', image: '1', env: [{ name: 'X', value: '1' }] },
    ],
  };
  const patch = {
    '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
    containers: [{ name: 'b', image: '2', env: [{ name: 'Y', value: '2' }] }],
  };
  assert.deepEqual(applyStrategicMergePatch(target, patch), {
    containers: [
      {
        name: 'b',
        image: '2',
        env: [
          { name: 'Y', value: '2' },
          { name: 'X', value: '1' },
        ],
      },
      { name: 'a', image: '1' },
    ],
  });
});

test('a strategic patch deletes from lists, adds to sets and replaces lists without a key', () => {
  const target = { volumes: [{ name: 'v' }], finalizers: ['a'], tolerations: [{ key: 'x' }] };
  const patch = {
    volumes: [{ name: 'v', $patch: 'delete' }],
    finalizers: ['b'],
    tolerations: [{ key: 'y' }],
    '$deleteFromPrimitiveList/finalizers': ['a'],
  };
  assert.deepEqual(applyStrategicMergePatch(target, patch), {
    volumes: [],
    finalizers: ['b'],
    tolerations: [{ key: 'y' }],
  });
});

for (const [what, apply, patch] of [
  ['a merge patch', applyMergePatch, '{"data":{"__proto__":"q","x":"y"}}'],
  ['a strategic merge patch', applyStrategicMergePatch, '{"data":{"__proto__":"q","x":"y"}}'],
  [
    'a JSON patch',
    applyJsonPatch,
    '[{"op":"add","path":"/data/__proto__","value":"q"},{"op":"add","path":"/data/x","value":"y"}]',
  ],
] as const) {
  test(`fault 30: ${what} adds a key called __proto__ like any other`, () => {
    const target = { data: { constructor: 'c' } };
    const patched = JSON.stringify(apply(target, JSON.parse(patch)));
    assert.equal(patched, '{"data":{"constructor":"c","__proto__":"q","x":"y"}}');
  });
}

test('a strategic patch puts new elements before those that it does not name, unless these came before named ones', () => {
  const types = (list: readonly string[]) => ({ conditions: list.map((type) => ({ type })) });
  const merged = (present: readonly string[], patch: readonly string[]) =>
    applyStrategicMergePatch(types(present), types(patch));
  assert.deepEqual(merged(['Disrupted'], ['Ready']), types(['Ready', 'Disrupted']));
  assert.deepEqual(merged(['A', 'B', 'C'], ['B']), types(['A', 'B', 'C']));
  assert.deepEqual(merged(['A', 'B'], ['B', 'New']), types(['A', 'B', 'New']));
});

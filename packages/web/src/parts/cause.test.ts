import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUSE_FAMILIES, causeText, familyOf } from './cause.ts';

test('families differ in shape and colour', () => {
  for (const field of ['shape', 'colour', 'name'] as const)
    assert.equal(new Set(CAUSE_FAMILIES.map((family) => family[field])).size, CAUSE_FAMILIES.length, field);
});

test('a cause that the page does not know is not known', () => {
  assert.equal(familyOf('SomethingNew').name, 'Not known');
  assert.equal(familyOf('constructor').name, 'Not known');
});

test('causes are words', () => {
  assert.equal(causeText('NodeUnreachable'), 'node unreachable');
  assert.equal(causeText('OOMKilled'), 'OOM killed');
  assert.equal(causeText('StatefulSetUpdate'), 'stateful set update');
});

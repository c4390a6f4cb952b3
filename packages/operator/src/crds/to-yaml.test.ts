import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toYaml } from './to-yaml.ts';

test('mappings and lists nest by two spaces, and empty ones stay on their line', () => {
  const value = { a: { b: [1, { c: 'x', d: [] }], e: {} }, f: [['g']] };
  assert.equal(toYaml(value), 'a:\n  b:\n    - 1\n    - c: x\n      d: []\n  e: {}\nf:\n  - - g\n');
});

test('a string that YAML could read as something else is quoted', () => {
  const values = ['true', 'No', '1', '', 'a: b', '- a', '#', '~', 'a\nb', '*x', 'v1', 'a.b/c'];
  const lines = toYaml(values).trimEnd().split('\n');
  assert.deepEqual(lines, [...values.slice(0, -2).map((value) => `- ${JSON.stringify(value)}`), '- v1', '- a.b/c']);
});

test('what is undefined is left out', () => {
  assert.equal(toYaml({ a: undefined, b: true, c: null }), 'b: true\nc: null\n');
});

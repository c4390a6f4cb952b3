import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyFilter, matchesGlob } from './key-glob.ts';

test('a star is any run, a question mark any one character, the rest itself', () => {
  const table: readonly (readonly [pattern: string, key: string, matches: boolean])[] = [
    ['prometheus.io/*', 'prometheus.io/scrape', true],
    ['prometheus.io/*', 'prometheus.io/', true],
    ['prometheus.io/*', 'prometheusXio/scrape', false],
    ['*', '', true],
    ['*', 'constructor', true],
    ['', '', true],
    ['', 'a', false],
    ['*scrape', 'prometheus.io/scrape', true],
    ['*.io/*', 'prometheus.io/scrape', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'axxbyy', false],
    ['[a]', 'a', false],
    ['a**b', 'ab', true],
  ];
  for (const [pattern, key, matches] of table) assert.equal(matchesGlob(key, pattern), matches, `${pattern} ${key}`);
});

test('a pattern made to be slow is not', () => {
  const started = performance.now();
  assert.equal(matchesGlob('a'.repeat(5000), `${'a*'.repeat(50)}b`), false);
  assert.ok(performance.now() - started < 1000);
});

test('several patterns match what any of them does; none match everything', () => {
  assert.ok(keyFilter([])('x'));
  const filter = keyFilter(['a*', '*z']);
  assert.deepEqual(['abc', 'xyz', 'mno'].map(filter), [true, true, false]);
});

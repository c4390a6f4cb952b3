import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpTree } from '../testing/made-up-tree.ts';
import { findTestFiles } from './test-suites.ts';

const SUITE = {
  patterns: ['e2e/**/*.test.ts'],
  without: ['e2e/packed/'],
  concurrency: 1,
  fileLimitMs: 1,
  testLimitMs: 1,
};

test('a filter is a word of a path where there is such a word, and else any part of it', (t) => {
  const names = ['audit-webhook', 'audit', 'web/page', 'web/hostile', 'packed/web', 'causes-provoked', 'causes/made'];
  const root = madeUpTree(t, Object.fromEntries(names.map((name) => [`e2e/${name}.test.ts`, ''])));
  const found = (...filters: string[]) =>
    findTestFiles(root, SUITE, filters).map((path) => path.slice('e2e/'.length, -'.test.ts'.length));
  assert.deepEqual(found('web'), ['web/hostile', 'web/page']);
  assert.deepEqual(found('webh'), ['audit-webhook']);
  assert.deepEqual(found('causes'), ['causes-provoked', 'causes/made']);
  assert.deepEqual(found('audit', 'web/page'), ['audit-webhook', 'audit', 'web/page']);
  assert.equal(found().length, 6);
  assert.deepEqual(found('nothing'), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTestArguments } from './test-arguments.ts';

test('path parts, a name pattern and a file timeout are distinguished', () => {
  const args = parseTestArguments(['unit', 'queue', '--test-name-pattern', 'drains', '--file-timeout=5', 'codec']);
  assert.deepEqual(args.filters, ['queue', 'codec']);
  assert.equal(args.namePattern, 'drains');
  assert.equal(args.suite.fileLimitMs, 5_000);
});

test('an unknown suite, an unknown flag and a flag without value are refused in words', () => {
  assert.throws(() => parseTestArguments(['smoke']), /unit, e2e, packed; it was "smoke"/);
  assert.throws(() => parseTestArguments(['toString']), /it was "toString"/);
  assert.throws(() => parseTestArguments([]), /names a suite/);
  assert.throws(() => parseTestArguments(['unit', '--watch=1']), /--watch 1 is not understood/);
  assert.throws(() => parseTestArguments(['unit', '--file-timeout=soon']), /soon is not understood/);
  assert.throws(() => parseTestArguments(['unit', '--test-name-pattern']), /needs a value/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTallies, describeFailure, type FileOutcome, summaryLine, type TestRecord, tallyFile } from './tally.ts';

const aTest = (name: string, nesting = 0): TestRecord => ({ name, nesting, kind: 'test', passed: true });
const aFailure = (name: string, nesting = 0, failureType = 'testCodeFailure'): TestRecord => ({
  ...aTest(name, nesting),
  passed: false,
  failureType,
});
const aSuite = (name: string, nesting = 0): TestRecord => ({ name, nesting, kind: 'suite', passed: true });
const ended = (records: TestRecord[], code = 0): FileOutcome => ({
  file: 'x.test.ts',
  records,
  ended: { kind: 'exit', code },
});
const failures = (outcome: FileOutcome, byName = false) => tallyFile(outcome, byName).failed.map(({ title }) => title);
const count = (records: TestRecord[], code = 0) => summaryLine(tallyFile(ended(records, code), false));

test('suites and tests with subtests are headings and do not count', () => {
  const records = [aTest('a', 2), aSuite('deep', 1), aTest('b', 1), aSuite('outer'), aTest('c', 1), aTest('parent')];
  assert.equal(count(records), '3 passed, 0 failed, 0 skipped');
});

test('a suite that failed only because of its tests counts those tests alone', () => {
  const records = [
    aTest('a', 1),
    aFailure('b', 1),
    { ...aFailure('suite', 0, 'subtestsFailed'), kind: 'suite' } as const,
  ];
  assert.deepEqual(failures(ended(records, 1)), ['x.test.ts: suite > b']);
  assert.equal(count(records, 1), '1 passed, 1 failed, 0 skipped');
});

test('a failure of a heading itself, such as a hook, counts', () => {
  assert.equal(count([aTest('child', 1), aFailure('parent')], 1), '1 passed, 1 failed, 0 skipped');
  assert.equal(count([{ ...aFailure('suite', 0, 'hookFailed'), kind: 'suite' }], 1), '0 passed, 1 failed, 0 skipped');
});

test('skips, todos and skipped suites count as skipped and keep their reason', () => {
  const records: TestRecord[] = [
    { ...aTest('a'), skip: 'no server' },
    { ...aTest('b'), skip: true },
    { ...aFailure('c'), todo: 'later' },
    { ...aSuite('d'), skip: '' },
  ];
  const { skipped, failed } = tallyFile(ended(records), false);
  assert.deepEqual(
    skipped.map((skip) => [skip.title, skip.reason]),
    [
      ['a', 'no server'],
      ['b', undefined],
      ['c', 'later'],
      ['d', undefined],
    ],
  );
  assert.deepEqual(failed, []);
});

test('a test that says skip: false or todo: false is an ordinary test', () => {
  assert.equal(count([{ ...aTest('a'), skip: false, todo: false }]), '1 passed, 0 failed, 0 skipped');
});

test('a file that dies after its tests passed is a failure', () => {
  assert.deepEqual(failures(ended([aTest('a')], 7)), ['x.test.ts: the file ended with exit code 7']);
  const killed: FileOutcome = { file: 'x.test.ts', records: [aTest('a')], ended: { kind: 'killed', why: 'it hung' } };
  assert.equal(summaryLine(tallyFile(killed, false)), '1 passed, 1 failed, 0 skipped');
});

test('a file without tests is a failure, except when tests were chosen by name', () => {
  assert.deepEqual(failures(ended([])), ['x.test.ts: it contains no test']);
  assert.deepEqual(failures(ended([aSuite('empty')])), ['x.test.ts: it contains no test']);
  assert.deepEqual(failures(ended([]), true), []);
});

test('tallies of several files add up', () => {
  const tallies = [ended([aTest('a')]), ended([aFailure('b')], 1)].map((file) => tallyFile(file, false));
  assert.equal(summaryLine(addTallies(tallies)), '1 passed, 1 failed, 0 skipped');
});

test('a failure is reported with its first lines, cut to a readable length', () => {
  const [failed] = tallyFile(ended([{ ...aFailure('b'), message: 'expected 1\n\n  got 2' }], 1), false).failed;
  assert.ok(failed);
  assert.equal(describeFailure(failed), 'failed: x.test.ts: b\n    expected 1\n      got 2');
  const long = describeFailure({ title: 't', message: 'line\n'.repeat(50) + 'x' });
  assert.equal(long.split('\n').length, 32);
  assert.match(long, /\(and 21 lines more, above\)$/);
  assert.equal(describeFailure({ title: 't', message: 'x'.repeat(5000) }).length, 'failed: t\n    '.length + 400);
});

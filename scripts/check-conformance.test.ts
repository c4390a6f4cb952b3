import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConformanceFaults } from './check-conformance.ts';
import { compare } from './conformance/comparison.ts';
import { renderDocument } from './conformance/document.ts';
import { testTitles } from './conformance/our-tests.ts';
import { testNames } from './conformance/upstream-tests.ts';
import { madeUpTree } from './testing/made-up-tree.ts';

const GO = `
func TestMain(m *testing.M) {}

func helper(t *testing.T) {}

func TestPlain(t *testing.T) {
	table := []struct{ name string }{{name: "not asked for"}}
}

func TestTable(t *testing.T) {
	rows := []struct {
		name string
	}{
		{
			name: "first \\"quoted\\"",
		},
		//{
		//	name: "commented out",
		//},
		{
			name:  "second",
		},
	}
	for _, row := range rows {
		r := &Reflector{
			name: "not a row",
		}
	}
}

func TestSubtests(t *testing.T) {
	t.Run("alone", func(t *testing.T) {})
}
`;

test("names are read from Go's sources, rows only where they are asked for", () => {
  assert.deepEqual(testNames(GO, new Set(['TestTable', 'TestSubtests'])), [
    'TestPlain',
    'TestTable/first "quoted"',
    'TestTable/second',
    'TestSubtests/alone',
  ]);
  assert.throws(() => testNames(GO, new Set(['TestMain', 'TestPlain'])), /TestPlain is compared by rows/);
});

test('titles are the first arguments of test and it; a template stands for all it could give', () => {
  const titles = testTitles(
    'x.test.ts',
    `test('one', () => {}); it("it's two", () => {}); test.skip('three', () => {});
     for (const n of [1]) test(\`has \${n} of \${n}.\`, () => {});
     // test('four')
     best('five');`,
  );
  const known = (title: string) => titles.some((t) => t.matches(title));
  assert.deepEqual(['one', "it's two", 'three', 'has 4 of 5.'].map(known), [true, true, true, true]);
  assert.deepEqual(['four', 'five', 'has 4 of 5!', 'on'].map(known), [false, false, false, false]);
});

function tree(t: Parameters<typeof madeUpTree>[0], entries: readonly object[], files: Record<string, string> = {}) {
  const tests = { 'tools/cache/fifo_test.go': ['TestFIFO_basic', 'TestFIFO_addUpdate'] };
  return madeUpTree(t, {
    'packages/machinery/src/conformance-upstream.json': JSON.stringify({ module: 'm', version: 'v1', tests }),
    'packages/machinery/src/queue/conformance.json': JSON.stringify(entries),
    'packages/machinery/src/queue/queue.test.ts': "test('keeps order', () => {});",
    ...files,
  });
}
const file = 'tools/cache/fifo_test.go';
const basic = { upstream: 'TestFIFO_basic', file, ours: 'queue/queue.test.ts: keeps order' };
const update = { upstream: 'TestFIFO_addUpdate', file, absent: 'nothing is merged' };

test('a complete comparison has no fault once its document is written, and a stale document is one', (t) => {
  const root = tree(t, [basic, update]);
  assert.match(findConformanceFaults(root).join(), /CONFORMANCE\.md is stale/);
  const document = renderDocument(compare(root));
  assert.deepEqual(
    findConformanceFaults(tree(t, [basic, update], { 'packages/machinery/CONFORMANCE.md': document })),
    [],
  );
  assert.match(document, /1 of 2 have a test of ours \(50 %\)/);
  assert.match(document, /`TestFIFO_basic` \| \[queue\/queue\.test\.ts\]\(src\/queue\/queue\.test\.ts\): keeps order/);
  assert.match(document, /`TestFIFO_addUpdate` \| \*\*None\.\*\* nothing is merged/);
});

for (const [what, entries, fault] of [
  ['a test of theirs that nothing is said about', [basic], /nothing is said about .*TestFIFO_addUpdate/],
  ['a test of ours that does not exist', [{ ...basic, ours: 'queue/queue.test.ts: gone' }, update], /not there/],
  ['a file of ours that does not exist', [{ ...basic, ours: 'queue/gone.test.ts: gone' }, update], /not there/],
  ['a test of theirs that is there twice', [basic, update, basic], /TestFIFO_basic .* is there twice/],
  ['a test of theirs that does not exist', [basic, update, { ...basic, upstream: 'TestX' }], /is no test of client-go/],
  ['an absence without a reason', [basic, { ...update, absent: ' ' }], /absent without a reason/],
  ['both a test and an absence', [basic, { ...update, ours: basic.ours }], /needs either/],
] as const) {
  test(`${what} is a fault`, (t) => {
    assert.match(findConformanceFaults(tree(t, entries)).join('\n'), fault);
  });
}

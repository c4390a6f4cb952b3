// Counts what test files reported. Pure; called by scripts/run-tests.ts. Only leaves count: a describe() or a test()
// with subtests is a heading, unless it failed (a hook, an assertion of its own) or was skipped itself.

/** One line of tally-reporter.ts. Children come before their parent, with a nesting one higher. */
export interface TestRecord {
  readonly name: string;
  readonly nesting: number;
  readonly kind: 'suite' | 'test';
  readonly passed: boolean;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  /** Node's own word; `subtestsFailed` says that a child is to blame. */
  readonly failureType?: string;
  /** What the failed test said. */
  readonly message?: string;
}

export interface SkippedTest {
  readonly file: string;
  readonly title: string;
  /** What the test gave, or undefined when it gave nothing. */
  readonly reason: string | undefined;
}

export interface FailedTest {
  readonly title: string;
  /** What it said, where it could say something. */
  readonly message?: string | undefined;
}

export interface Tally {
  readonly passed: readonly string[];
  readonly failed: readonly FailedTest[];
  readonly skipped: readonly SkippedTest[];
}

export interface FileOutcome {
  readonly file: string;
  readonly records: readonly TestRecord[];
  /** Set when the process of the file did not end by itself with a code. */
  readonly ended: { readonly kind: 'exit'; readonly code: number } | { readonly kind: 'killed'; readonly why: string };
}

interface Leaf {
  readonly path: readonly string[];
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Invariant: a file that did not end well is a failure, even if every test it reported passed. */
export function tallyFile(outcome: FileOutcome, filteredByName: boolean): Tally {
  const { file, records, ended } = outcome;
  const leaves = collectLeaves(records);
  const titled = (kind: Leaf['outcome']) => leaves.filter((leaf) => leaf.outcome === kind);
  const failed: FailedTest[] = titled('failed').map((leaf) => ({
    title: `${file}: ${titleOf(leaf)}`,
    message: leaf.message,
  }));
  const failAsAWhole = (why: string) => failed.push({ title: `${file}: ${why}` });
  if (ended.kind === 'killed') failAsAWhole(ended.why);
  else if (ended.code !== 0 && failed.length === 0) failAsAWhole(`the file ended with exit code ${ended.code}`);
  else if (leaves.length === 0 && failed.length === 0 && !filteredByName) failAsAWhole('it contains no test');
  return {
    passed: titled('passed').map((leaf) => `${file}: ${titleOf(leaf)}`),
    failed,
    skipped: titled('skipped').map((leaf) => ({ file, title: titleOf(leaf), reason: leaf.reason })),
  };
}

export function addTallies(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.flatMap((tally) => tally.passed),
    failed: tallies.flatMap((tally) => tally.failed),
    skipped: tallies.flatMap((tally) => tally.skipped),
  };
}

const MESSAGE_LINES = 30;
const LINE_CHARACTERS = 400;

/** The end of a long log is what people see first, so a failure is reported there again, cut to a readable length. */
export function describeFailure({ title, message = '' }: FailedTest): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MESSAGE_LINES).map((line) => `    ${line.slice(0, LINE_CHARACTERS)}`);
  if (lines.length > MESSAGE_LINES) shown.push(`    (and ${lines.length - MESSAGE_LINES} lines more, above)`);
  return [`failed: ${title}`, ...shown].join('\n');
}

export function summaryLine(tally: Tally): string {
  return `${tally.passed.length} passed, ${tally.failed.length} failed, ${tally.skipped.length} skipped`;
}

function collectLeaves(records: readonly TestRecord[]): Leaf[] {
  // finished[n] holds the leaves reported at nesting n or deeper that have not met their parent yet.
  const finished: Leaf[][] = [];
  for (const record of records) {
    const children = finished.splice(record.nesting + 1).flat();
    const siblings = (finished[record.nesting] ??= []);
    siblings.push(...children.map((leaf) => ({ ...leaf, path: [record.name, ...leaf.path] })));
    const own = judge(record, children.length > 0);
    if (own !== undefined) siblings.push(own);
  }
  return finished.flat();
}

function judge(record: TestRecord, hasChildren: boolean): Leaf | undefined {
  const path = [record.name];
  const excuse = record.skip ?? record.todo;
  // A todo that fails does not fail the run in node:test; here it is a skip and needs its reason like any other.
  if (excuse !== undefined && excuse !== false) {
    return { path, outcome: 'skipped', reason: typeof excuse === 'string' && excuse !== '' ? excuse : undefined };
  }
  if (!record.passed) {
    return record.failureType === 'subtestsFailed' ? undefined : { path, outcome: 'failed', message: record.message };
  }
  return record.kind === 'suite' || hasChildren ? undefined : { path, outcome: 'passed' };
}

function titleOf(leaf: Leaf): string {
  return leaf.path.join(' > ');
}

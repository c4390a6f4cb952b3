// A node:test reporter that writes one JSON line for each finished test, for scripts/run-tests.ts to count. Loaded by
// Node itself (`--test-reporter`), inside the process of the test file. Never prints.
import type { TestEvent } from 'node:test/reporters';
import type { TestRecord } from './tally.ts';

export default async function* tallyReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, skip, todo, details } = event.data;
    const error: unknown = 'error' in details ? details.error : undefined;
    const record: TestRecord = {
      name,
      nesting,
      kind: details.type === 'suite' ? 'suite' : 'test',
      passed: event.type === 'test:pass',
      ...(skip === undefined ? {} : { skip }),
      ...(todo === undefined ? {} : { todo }),
      ...(isFailure(error) ? { failureType: error.failureType, message: messageOf(error) } : {}),
    };
    yield `${JSON.stringify(record)}\n`;
  }
}

/** Node wraps what a test threw; the words of the test are in the cause. */
function messageOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function isFailure(error: unknown): error is Error & { failureType: string } {
  return error instanceof Error && 'failureType' in error && typeof error.failureType === 'string';
}

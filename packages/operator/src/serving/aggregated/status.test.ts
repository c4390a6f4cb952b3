import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryError } from '@podtrail/history';
import { historyProblem } from '../api/history-problems.ts';
import { Problem } from '../problem.ts';
import { statusOf } from './status.ts';

test('kubectl shows the hint for command lines, and one of our own as it is', () => {
  const hints = { hint: 'write the namespace with -n.', parameterHint: 'write namespace=NAME.' };
  const problem = historyProblem(new HistoryError('bad-subject', 'no such kind', hints));
  assert.ok(problem instanceof Problem);
  assert.equal(problem.hint, 'write namespace=NAME.');
  assert.equal(statusOf(problem).message, 'no such kind: write the namespace with -n.');
  assert.equal(statusOf(new Problem(400, 'bad-watch', 'no', { hint: 'list.' })).message, 'no: list.');
});

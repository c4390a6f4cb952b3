import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provocation } from './provocation.ts';
import type { Outcome } from './run.ts';
import { type Row, reasonsOf, rowsOf, textTable } from './table.ts';

const taint: Provocation = {
  ...{ name: 'a taint', cause: 'Taint', evidence: 'the taint', by: 'control plane' },
  provoke: () => assert.fail('nothing is provoked here'),
};
const drain: Provocation = { ...taint, name: 'a drain', cause: 'Evicted' };

function anOutcome(more: Partial<Outcome>): Outcome {
  const verdict = { cause: 'Taint', certainty: 'certain', sentence: '', evidence: [] } as const;
  return { provocation: taint, overlapped: false, result: 'right', uid: '1', said: 'Taint', verdict, ...more };
}

function notCarriedOut(
  provocation: Provocation,
  error = 'Error: waited 60 s in vain until web-1 ends\n    at provoke',
): Outcome {
  const nothing = { uid: '', said: 'nothing', verdict: undefined } as const;
  return { provocation, overlapped: true, result: 'not carried out', ...nothing, error };
}

const outcomes = [
  anOutcome({}),
  anOutcome({ overlapped: true, result: 'wrong', said: 'Rollout' }),
  anOutcome({ result: 'unknown', said: 'Unknown' }),
  anOutcome({ provocation: drain, overlapped: true }),
  notCarriedOut(drain),
];

function linesOf(found: readonly Outcome[]): string[][] {
  const lines = textTable(rowsOf(found)).split('\n');
  return lines.map((line) => line.split(/ {2,}/));
}

test('a row counts what was right, wrong, unknown and not carried out; rows are in the order of the list of causes', () => {
  assert.deepEqual(linesOf(outcomes).slice(1, 4), [
    ['Evicted', 'a drain', '1', '1', '0', '0', '1'],
    ['Taint', 'a taint', '3', '1', '1 (Rollout)', '1', '0'],
    ['all', '4', '2', '1', '1', '1'],
  ]);
});

test('what was said with the audit log is counted beside', () => {
  const audited = { result: 'right', said: 'Taint', verdict: undefined } as const;
  const judged = outcomes.map((outcome) => (outcome.error === undefined ? { ...outcome, audited } : outcome));
  assert.deepEqual(linesOf(judged).slice(1, 4), [
    ['Evicted', 'a drain', '1', '1', '0', '0', '1', '1', '0', '0'],
    ['Taint', 'a taint', '3', '1', '1 (Rollout)', '1', '0', '3', '0', '0'],
    ['all', '4', '2', '1', '1', '1', '4', '0', '0'],
  ]);
});

test('a provocation that was not carried out is no pod and no wrong verdict, and its reason is listed', () => {
  const [row] = rowsOf([anOutcome({ overlapped: true }), notCarriedOut(taint)]);
  assert.equal(row?.pods, 1);
  assert.equal(row?.overlapped, 1);
  assert.equal(row?.plain.wrong, 0);
  assert.deepEqual(row?.notCarriedOut, ['waited 60 s in vain until web-1 ends']);
  assert.match(textTable([row as Row]), /^not carried out: a taint, 1 time: waited 60 s in vain until web-1 ends$/m);
});

test('one reason of many is listed once, with how often', () => {
  const rows = rowsOf([notCarriedOut(taint), notCarriedOut(taint), notCarriedOut(taint, 'Error: no node is free')]);
  assert.deepEqual(reasonsOf(rows), [
    'a taint, 2 times: waited 60 s in vain until web-1 ends',
    'a taint, 1 time: no node is free',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provocation } from './provocation.ts';
import type { Outcome } from './run.ts';
import { rowsOf, textTable } from './table.ts';

const taint: Provocation = {
  ...{ name: 'a taint', cause: 'Taint', evidence: 'the taint', by: 'control plane' },
  provoke: () => assert.fail('nothing is provoked here'),
};
const drain: Provocation = { ...taint, name: 'a drain', cause: 'Evicted' };

function anOutcome(more: Partial<Outcome>): Outcome {
  const verdict = { cause: 'Taint', certainty: 'certain', sentence: '', evidence: [] } as const;
  return { provocation: taint, overlapped: false, result: 'right', uid: '1', said: 'Taint', verdict, ...more };
}

const outcomes = [
  anOutcome({}),
  anOutcome({ overlapped: true, result: 'wrong', said: 'Rollout' }),
  anOutcome({ result: 'unknown', said: 'Unknown' }),
  anOutcome({ provocation: drain, overlapped: true }),
];

function linesOf(found: readonly Outcome[]): string[][] {
  const lines = textTable(rowsOf(found)).split('\n');
  return lines.map((line) => line.split(/ {2,}/));
}

test('a row counts what was right, wrong and unknown; rows are in the order of the list of causes', () => {
  assert.deepEqual(linesOf(outcomes).slice(1), [
    ['Evicted', 'a drain', '1', '1', '0', '0'],
    ['Taint', 'a taint', '3', '1', '1 (Rollout)', '1'],
    ['all', '4', '2', '1', '1'],
  ]);
});

test('what was said with the audit log is counted beside', () => {
  const audited = { result: 'right', said: 'Taint', verdict: undefined } as const;
  assert.deepEqual(linesOf(outcomes.map((outcome) => ({ ...outcome, audited }))).slice(1), [
    ['Evicted', 'a drain', '1', '1', '0', '0', '1', '0', '0'],
    ['Taint', 'a taint', '3', '1', '1 (Rollout)', '1', '3', '0', '0'],
    ['all', '4', '2', '1', '1', '4', '0', '0'],
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provocation } from './provocation.ts';
import type { Outcome } from './run.ts';
import { causesPage, rowsOf, textTable } from './table.ts';

const taint: Provocation = {
  ...{ name: 'a taint', cause: 'Taint', evidence: 'the taint', by: 'control plane' },
  provoke: () => assert.fail('nothing is provoked here'),
};
const drain: Provocation = { ...taint, name: 'a drain', cause: 'Evicted' };

function anOutcome(more: Partial<Outcome>): Outcome {
  const verdict = { cause: 'Taint', certainty: 'certain', sentence: '', evidence: [] } as const;
  return { provocation: taint, overlapped: false, result: 'right', uid: '1', said: 'Taint', verdict, ...more };
}

const rows = rowsOf([
  anOutcome({}),
  anOutcome({ overlapped: true, result: 'wrong', said: 'Rollout' }),
  anOutcome({ result: 'unknown', said: 'Unknown' }),
  anOutcome({ provocation: drain, overlapped: true }),
]);

test('a row counts what was right, wrong and unknown; rows are in the order of the list of causes', () => {
  const lines = textTable(rows)
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(lines.slice(1), [
    ['Evicted', 'a drain', '1', '1', '0', '0'],
    ['Taint', 'a taint', '3', '1', '1 (Rollout)', '1'],
    ['all', '4', '2', '1', '1'],
  ]);
});

test('the page has every cause: provoked, or with the reason why not', () => {
  const page = causesPage(rows, {
    ...{ command: 'npm run proof -- causes', kubernetes: 'v1.36.3' },
    notProvoked: new Map([['Reboot', 'needs a node']]),
  });
  assert.match(page, /\| `Taint` \| a taint \| the taint \| control plane \| 3 \| 1 \| 1 \| 1 \| 1 \| 1 \|/);
  assert.match(page, /- `Reboot`: needs a node\./);
  assert.match(page, /- `OOMKilled`: not yet\./);
  assert.doesNotMatch(page, /- `Evicted`/);
});

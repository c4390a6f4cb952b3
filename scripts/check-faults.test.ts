import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredFaults, readFaults } from './check-faults.ts';

test('rows are read by number and name, headings and other tables are not rows', () => {
  const markdown =
    '| # | fault | how |\n|---|---|---|\n| 1 | 410 Gone | S |\n| 12 | half a frame | S |\n| word | 3 | x |\n';
  assert.deepEqual(readFaults(markdown), [
    { number: 1, name: '410 Gone' },
    { number: 12, name: 'half a frame' },
  ]);
});

test('a title covers its row only when it begins with the number', () => {
  const source = `
    test('fault 3: bytes stop', () => {});
    test("fault 12: half a frame", () => {});
    test(\`fault 13: \${code} is honoured\`, () => {});
    test('survives fault 4: no', () => {});
    // fault 5: only a comment`;
  assert.deepEqual(coveredFaults(source), [3, 12, 13]);
});

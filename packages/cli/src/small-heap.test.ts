import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { runsForDays } from './small-heap.ts';

/** Makes garbage of which some is kept, and prints the size of the young generation. */
const program = (first: string) => `
import { getHeapSpaceStatistics } from 'node:v8';
import { keepHeapSmall } from ${JSON.stringify(new URL('./small-heap.ts', import.meta.url).href)};
${first}
let kept = [];
for (let n = 0; n < 2_000_000; n++) {
  kept.push({ n, text: 'x' + n });
  if (kept.length > 200_000) kept = [];
}
console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
`;

function youngBytes(first: string): number {
  const flags = ['--input-type=module', '-e', program(first)];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return Number(stdout);
}

test('the young generation of a process that records does not grow; by itself it would', () => {
  assert.ok(youngBytes('') > 16e6);
  assert.ok(youngBytes('keepHeapSmall();') < 8e6);
});

test('the commands that record are meant, wherever their flags stand', () => {
  assert.ok(runsForDays(['record']));
  assert.ok(runsForDays(['--store', 'memory:', 'operator']));
  assert.ok(!runsForDays(['who', '10.0.0.1']));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.ts';

const NODES = ['worker-1', 'worker-2', 'worker-10', 'control-plane-0', 'ip-10-0-1-7.ec2.internal'];

for (const [sentence, wanted, expected] of [
  ['a letter is missing', 'workr-2', 'worker-2'],
  ['a hyphen is missing', 'worker2', 'worker-2'],
  ['two letters are swapped', 'wokrer-1', 'worker-1'],
  ['the domain is missing', 'ip-10-0-1-7', 'ip-10-0-1-7.ec2.internal'],
  ['nothing is near', 'database', undefined],
  ['it is longer than all', 'control-plane-0.example.com', 'control-plane-0'],
] as const) {
  test(`the nearest name where ${sentence}: ${wanted}`, () => assert.equal(nearest(wanted, NODES), expected));
}

test('the nearest name is the same whatever the order', () => {
  assert.equal(nearest('worker-3', NODES), nearest('worker-3', NODES.toReversed()));
});

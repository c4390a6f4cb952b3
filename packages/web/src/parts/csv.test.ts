import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvText } from './csv.ts';

test('cells with commas, quotes and lines are quoted', () => {
  assert.equal(csvText(['a', 'b'], [['x,"y"', 'one\ntwo']]), 'a,b\r\n"x,""y""","one\ntwo"\r\n');
});

test('no cell is a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@a', '\tb']) assert.match(csvText(['a'], [[text]]), /\r\n"?'/);
});

test('numbers and nothing stay what they are', () => {
  assert.equal(csvText(['a', 'b'], [[-5, null]]), 'a,b\r\n-5,\r\n');
});

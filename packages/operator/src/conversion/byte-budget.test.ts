import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_BYTES, ByteBudget } from './byte-budget.ts';

const block = Buffer.alloc(BLOCK_BYTES, 'x');

test('bytes come out as they went in, whatever the chunks and wherever a character is cut', () => {
  const budget = new ByteBudget(10 * BLOCK_BYTES);
  const body = budget.open(() => {});
  const text = 'héllo 東京 🚀 '.repeat(9_000);
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += 1_001) assert.ok(body.append(bytes.subarray(i, i + 1_001)));
  assert.equal(body.size, bytes.length);
  assert.equal(body.text(0, body.size), text);
  const [from, to] = [BLOCK_BYTES - 10, BLOCK_BYTES + 10];
  assert.equal(body.text(from, to), bytes.toString('utf8', from, to));
  body.close();
  assert.equal(budget.held, 0);
});

test('when all is in use, whoever has the most loses it to one that has less', () => {
  const cut: string[] = [];
  const budget = new ByteBudget(4 * BLOCK_BYTES);
  const large = budget.open(() => cut.push('large'));
  for (let i = 0; i < 3; i++) assert.ok(large.append(block));
  const small = budget.open(() => cut.push('small'));
  assert.ok(small.append(block));
  assert.equal(large.append(block), false, 'the largest itself is refused');
  assert.deepEqual(cut, []);
  assert.ok(small.append(block));
  assert.deepEqual([cut, large.isOpen, budget.held], [['large'], false, 2 * BLOCK_BYTES]);
  assert.equal(large.append(block), false);
  large.close();
  assert.equal(budget.held, 2 * BLOCK_BYTES, 'it is given back once');
});

test('many of one byte cost a block each, and never more than the budget', () => {
  const budget = new ByteBudget(8 * BLOCK_BYTES);
  for (let i = 0; i < 20; i++) assert.ok(budget.open(() => {}).append(Buffer.from('x')), 'an older one went');
  assert.equal(budget.held, 8 * BLOCK_BYTES);
});

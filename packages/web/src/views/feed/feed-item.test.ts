import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aChange, aMove, NOW } from '../../testing/records.ts';
import { changeItem, itemText, mergeItems, moveItem } from './feed-item.ts';

test('moves and changes are one list, the newest first', () => {
  const items = mergeItems(
    [moveItem(aMove('a', NOW - 3)), changeItem(aChange('b', NOW - 2))],
    [changeItem(aChange('c', NOW - 4)), moveItem(aMove('d', NOW - 1))],
  );
  assert.deepEqual(
    items.map(({ at }) => NOW - at),
    [1, 2, 3, 4],
  );
});

test('a record that comes again is the same row, and the later word counts', () => {
  const [row, ...others] = mergeItems([moveItem(aMove('a', NOW))], [moveItem(aMove('a', NOW, { cause: 'Rollout' }))]);
  assert.deepEqual(others, []);
  assert.equal(row?.kind === 'move' && row.move.cause, 'Rollout');
});

test('two annotations that change at once are two rows', () => {
  const at = NOW;
  assert.equal(mergeItems([changeItem(aChange('a', at))], [changeItem(aChange('a', at, { key: 'other' }))]).length, 2);
});

test('the text of a row has names, addresses, nodes and values, in small letters', () => {
  const move = itemText(moveItem(aMove('Web', NOW, { to: 'node-b', fromIps: ['10.0.0.7'] })));
  for (const part of ['web', 'node-a', 'node-b', '10.0.0.7', 'evicted']) assert.ok(move.includes(part), part);
  const change = itemText(changeItem(aChange('x', NOW, { after: { text: 'GREEN' } })));
  for (const part of ['team', 'blue', 'green']) assert.ok(change.includes(part), part);
});

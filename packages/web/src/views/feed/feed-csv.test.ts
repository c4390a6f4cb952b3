import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aChange, aMove, NOW } from '../../testing/records.ts';
import { feedCommand } from './feed-command.ts';
import { feedCsv } from './feed-csv.ts';
import { feedFilter } from './feed-filter.ts';
import { changeItem, moveItem } from './feed-item.ts';

test('moves and changes are in one table, each value below its name', () => {
  const csv = feedCsv([moveItem(aMove('web-1', NOW, { to: 'node-b', downtimeMs: 5 })), changeItem(aChange('x', NOW))]);
  const [header = '', move = '', change = ''] = csv.split('\r\n').map((line) => line.split(','));
  const cell = (row: string | string[], name: string) => row[header.indexOf(name)];
  assert.deepEqual(
    ['time', 'what', 'pod', 'from', 'to', 'cause', 'downtime_ms', 'annotation'].map((name) => cell(move, name)),
    ['2026-11-18T12:00:00.000Z', 'move', 'web-1', 'node-a', 'node-b', 'Evicted', '5', ''],
  );
  assert.deepEqual(
    ['what', 'pod', 'cause', 'annotation', 'before', 'after'].map((name) => cell(change, name)),
    ['changed', 'x', '', 'team', 'blue', 'green'],
  );
  assert.deepEqual([move.length, change.length], [header.length, header.length]);
});

test('the command asks for the same moves', () => {
  const range = { from: NOW - 1_000, to: NOW };
  const times = '--since 2026-11-18T11:59:59.000Z --until 2026-11-18T12:00:00.000Z';
  const command = (parameters: Record<string, string>) => feedCommand(feedFilter(parameters), range, undefined);
  assert.equal(command({}), `podtrail moves -A ${times}`);
  assert.equal(command({ cause: 'Taint', namespace: 'shop' }), `podtrail moves --cause Taint -n shop ${times}`);
  assert.equal(
    command({ node: 'n 1' }),
    `podtrail moves -A --from-node 'n 1' ${times}\npodtrail moves -A --to-node 'n 1' ${times}`,
  );
  assert.equal(command({ kind: 'changes' }), '');
  assert.match(command({ kind: 'moves', q: "it's" }), / \| grep -iF -- 'it'\\''s'$/, 'the text is looked for, too');
});

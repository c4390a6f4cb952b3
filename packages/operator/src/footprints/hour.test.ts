import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseShardName, shardName, startOfHour } from './hour.ts';

test('hours are those of UTC, and a name can be read back', () => {
  const at = Date.UTC(2026, 10, 15, 23, 59, 59, 999);
  assert.equal(startOfHour(at), Date.UTC(2026, 10, 15, 23));
  assert.equal(startOfHour(at + 1), Date.UTC(2026, 10, 16, 0));
  assert.equal(shardName(startOfHour(at), 0), 'pod-ashiato-2026111523');
  assert.equal(shardName(startOfHour(at + 1), 12), 'pod-ashiato-2026111600-12');
  for (const index of [0, 1, 12]) {
    assert.deepEqual(parseShardName(shardName(startOfHour(at), index)), { start: startOfHour(at), index });
  }
});

test('names that are nobody’s hour are not taken for one', () => {
  for (const name of [
    'pod-ashiato-',
    'pod-ashiato-202611152',
    'pod-ashiato-2026111524',
    'pod-ashiato-2026023000',
    'pod-ashiato-2026111523-0',
    'pod-ashiato-2026111523-01',
    'pod-ashiato-2026111523-x',
    'my-pod-ashiato-2026111523',
    'pod-ashiato-2026111523-1-1',
  ]) {
    assert.equal(parseShardName(name), undefined, name);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { collectsSpentListings } from './spent-listing.ts';

test('what a stored batch held is reported as spent, by its number of facts', () => {
  const spent: number[] = [];
  const listener = collectsSpentListings({ stored: (facts) => void spent.push(facts) });
  const facts = Array.from({ length: 3 }, (_, n): StoredFact => ({ kind: 'live', uid: `${n}`, state: undefined }));
  listener.stored?.({ batch: { facts, checkpoint: undefined }, appendMs: 1, lagsMs: [] });
  assert.deepEqual(spent, [3]);
});

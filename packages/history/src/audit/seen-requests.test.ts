import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenRequests } from './seen-requests.ts';

test('a request that was added is there, and no other one, also when the table has grown', () => {
  const seen = new SeenRequests();
  for (let i = 0; i < 20_000; i++) assert.equal(seen.add(`request ${i}`), true);
  for (let i = 0; i < 20_000; i++) assert.equal(seen.add(`request ${i}`), false);
  assert.equal(seen.has('request 20000'), false);
});

test('the oldest are forgotten, a generation at a time, so that memory stays bounded', () => {
  const seen = new SeenRequests(100);
  for (let i = 0; i < 250; i++) seen.add(`request ${i}`);
  assert.equal(seen.has('request 249'), true);
  assert.equal(seen.has('request 100'), true);
  assert.equal(seen.has('request 0'), false);
});

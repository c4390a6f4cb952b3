import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentence } from './sentence.ts';

test('a sentence begins with a capital letter and ends with a point, and a command stays one that can be copied', () => {
  assert.equal(sentence('its node went'), 'Its node went.');
  assert.equal(sentence('did it?'), 'Did it?');
  const command = 'kubectl rollout history deployment/cart -n shop shows what changed.';
  assert.equal(sentence(command), command);
  assert.equal(sentence('podtrail gaps says when'), 'podtrail gaps says when.');
});

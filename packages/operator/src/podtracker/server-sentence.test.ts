import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverSentence } from './server-sentence.ts';

test('a sentence for people has no request before it, and is one line', () => {
  const said = 'GET /api/v1/namespaces/x/configmaps?limit=5: configmaps is forbidden: User "a" cannot\nlist';
  assert.equal(serverSentence(new Error(said)), 'configmaps is forbidden: User "a" cannot list');
  assert.equal(serverSentence(new Error('no answer: GET it')), 'no answer: GET it');
  assert.equal(serverSentence('plain'), 'plain');
});

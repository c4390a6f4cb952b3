import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsIn } from './check-words.ts';

const found = (text: string) => wordsIn('packages/a.ts', text).map(({ word, line }) => `${word} ${line}`);

test('a replaced word is found in a sentence, in a name and in a constant, with its line', () => {
  assert.deepEqual(found('// It is told.\nconst isTold = 1;\ntoldUntil();'), ['told 1', 'told 2', 'told 3']);
  assert.deepEqual(found('class PodWish {}\nSAME_WISH_MS'), ['wish 1', 'wish 2']);
  assert.deepEqual(found('Anew'), ['anew 1']);
});

test('a word that only contains one is not found', () => {
  assert.deepEqual(found('a stronghold, a wishbone, untold, overheard, withheld'), []);
});

test('the name of a file counts, and a place that is allowed does not', () => {
  assert.deepEqual(
    wordsIn('packages/told-ledger.ts', '').map(({ line }) => line),
    [0],
  );
  assert.deepEqual(wordsIn('CHANGELOG.md', 'told'), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverCarriedOut, notRight } from './not-right.ts';
import type { Provocation } from './provocation.ts';
import type { Outcome } from './run.ts';

const taint: Provocation = {
  ...{ name: 'a taint', cause: 'Taint', evidence: 'the taint', by: 'control plane' },
  provoke: () => assert.fail('nothing is provoked here'),
};
const verdict = { cause: 'Rollout', certainty: 'certain', sentence: 'was replaced.', evidence: [] } as const;
const right: Outcome = { provocation: taint, overlapped: false, result: 'right', uid: '1', said: 'Taint', verdict };
const wrong: Outcome = { ...right, result: 'wrong', said: 'Rollout' };
const failed: Outcome = {
  ...{ ...right, result: 'not carried out', uid: '', said: 'nothing', verdict: undefined },
  error: 'Error: no node is free',
};

test('what is right leaves nothing to say', () => {
  assert.deepEqual(notRight([taint], [right]), []);
  assert.deepEqual(notRight([taint], [{ ...right, audited: { ...right, result: 'right' } }], { isAudited: true }), []);
});

test('a wrong verdict, an unknown one and a provocation that was not carried out are not right', () => {
  assert.deepEqual(notRight([taint], [right, wrong, { ...right, result: 'unknown', said: 'Unknown' }, failed]), [
    'a taint: Rollout instead of Taint: was replaced.',
    'a taint: Unknown instead of Taint: was replaced.',
    'a taint was not carried out: Error: no node is free',
  ]);
});

test('with the audit log another verdict is not right, and neither is none', () => {
  const audited = { result: 'wrong', said: 'Rollout', verdict } as const;
  assert.deepEqual(notRight([taint], [{ ...right, audited }, right], { isAudited: true }), [
    'a taint, with the audit log: Rollout instead of Taint: was replaced.',
    'a taint was not judged with the audit log',
  ]);
});

test('a provocation without any pod that was judged is not right: nothing was provoked', () => {
  assert.deepEqual(notRight([taint], []), ['a taint: no pod was judged']);
  assert.deepEqual(neverCarriedOut([taint], []), ['a taint']);
  assert.deepEqual(neverCarriedOut([taint], [failed]), ['a taint']);
  assert.deepEqual(neverCarriedOut([taint], [failed, wrong]), []);
});

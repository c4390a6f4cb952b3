import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnsweredHolderDocument, WhoDocument } from '@podtrail/history/wire';
import { headline, unknownText } from './answer-sentence.ts';

const at = '2026-11-15T10:05:00.000Z';
const boundary = { at, notBefore: at, notAfter: at, source: 'watch' } as const;
const pod: AnsweredHolderDocument = {
  ...{ kind: 'Pod', namespace: 'shop', name: 'cart-1', pod: 'cart-1', uid: 'u', node: 'node-a' },
  ...{ workload: null, hostNetwork: false, start: boundary, end: null },
};
const node: AnsweredHolderDocument = { ...pod, kind: 'Node', namespace: '', name: 'node-a' };
const rest = {
  query: { cluster: 'c', clusterId: 'i', ip: '10.1.2.3', at },
  provisional: false,
  coverage: { scope: 'cluster', from: at, to: at, gaps: [] },
  evidence: [],
} as const;

const CASES: Readonly<Record<string, WhoDocument>> = {
  '10.1.2.3 was held by pod shop/cart-1 on node node-a': { ...rest, answer: 'held', holders: [pod] },
  'Nobody held 10.1.2.3': { ...rest, answer: 'free', holders: [] },
  '10.1.2.3 is outside the cluster': { ...rest, answer: 'free', reason: 'outside', holders: [] },
  '10.1.2.3 may have been held by node node-a': { ...rest, answer: 'ambiguous', holders: [node] },
  '10.1.2.3 may have been held by one of 2': { ...rest, answer: 'ambiguous', holders: [node, pod] },
  'It is unknown who held 10.1.2.3': { ...rest, answer: 'unknown', reason: 'gap', holders: [] },
};

for (const [sentence, document] of Object.entries(CASES))
  test(sentence, () => assert.equal(headline(document), sentence));

test('a reason of a newer server is still said', () => {
  assert.deepEqual(unknownText('bored')[0], 'Nobody knows (bored).');
  assert.deepEqual(unknownText('constructor')[0], 'Nobody knows (constructor).');
});

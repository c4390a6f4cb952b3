import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type AnsweredHolder, epochMillis, parseIp } from '@podtrail/history';
import { UTC } from '../times/zone.ts';
import { answerSentence } from './answer.ts';

const AT = epochMillis(Date.UTC(2026, 10, 15, 10));
const PROVENANCE = { source: 'watch', epoch: 1, resourceVersion: '7', observedAt: AT, collector: 'c' } as const;
const START = { ...PROVENANCE, at: AT, notBefore: AT, notAfter: AT };

function agent(name: string): AnsweredHolder {
  const pod = { kind: 'Pod', namespace: 'kube-system', name, uid: `uid-${name}`, node: 'node-a' } as const;
  return { ...pod, workload: undefined, hostNetwork: true, start: START, end: undefined };
}

test('an address that only pods on the host network show is said to be their node’s', () => {
  const answer = {
    ...{
      cluster: 'c',
      ip: parseIp('192.168.1.5')!,
      at: AT,
      answer: 'ambiguous',
      reason: undefined,
      provisional: false,
    },
    ...{ holders: [agent('agent'), agent('proxy')], conflicts: [], evidence: [] },
    coverage: { scope: { kind: 'cluster' }, from: AT, to: AT, gaps: [] },
  } as unknown as Answer;
  assert.equal(
    answerSentence(answer, { first: AT, last: AT }, UTC),
    '192.168.1.5 was shown at 2026-11-15T10:00:00Z on the host network of node node-a, which did not list it: the node itself or any of the 2 pods there may be meant.',
  );
});

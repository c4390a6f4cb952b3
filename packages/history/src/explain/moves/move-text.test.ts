import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Holder } from '../../model/records.ts';
import { CAUSES, type Verdict } from '../cause.ts';
import { aCase, aLife, aPod, evidence, NODE } from '../testing/case-builders.ts';
import { causeWords, moveText } from './move-text.ts';

const cordon = evidence(NODE, 'cordoned', 990);
const known = aCase(aLife(), { node: [cordon] });

function move(cause: Verdict['cause'], to: Partial<Holder> | undefined, more: Partial<Verdict> = {}) {
  const from = aLife({ pod: aPod('kafka-0', { node: 'node-35' }) });
  const successor = to && { life: aLife({ pod: aPod('kafka-0', to) }), certainty: 'certain' as const };
  return {
    from,
    to: successor,
    known,
    verdict: { cause, certainty: 'certain', sentence: '', evidence: [], ...more },
  } as const;
}

const LINES: Readonly<Record<string, readonly [ReturnType<typeof move>, string]>> = {
  'an eviction that cites a cordon is a drain': [
    move('Evicted', { node: 'node-06' }, { evidence: [cordon.id] }),
    'shop/kafka-0 moved node-35 → node-06: drained',
  ],
  'one that does not is an eviction; by whom is not for everybody who reads Events': [
    move('Evicted', { node: 'node-06' }, { actor: 'alice@example.com' }),
    'shop/kafka-0 moved node-35 → node-06: evicted',
  ],
  'nor is the name of a preemptor, which may be of another namespace': [
    move('Preempted', undefined, { actor: 'payments/secret-1' }),
    'shop/kafka-0 left node-35: preempted',
  ],
  'a successor with another name is named': [
    move('Rollout', { node: 'node-06', name: 'kafka-b' }),
    'shop/kafka-0 moved node-35 → node-06 as kafka-b: rollout',
  ],
  'on the same node nothing moved': [
    move('Crashed', { node: 'node-35', name: 'kafka-b' }),
    'shop/kafka-0 was replaced on node-35 as kafka-b: crashed',
  ],
  'a pod that its Job ended when that had failed': [
    move('JobCompleted', undefined, { sentence: 'was ended by Job load, which had failed.' }),
    'shop/kafka-0 left node-35: its job had failed',
  ],
  'nobody took its place': [move('ScaledDown', undefined), 'shop/kafka-0 left node-35: scaled down'],
  'its successor waits for a node': [
    move('NodeGone', { node: '' }),
    'shop/kafka-0 moved node-35 → no node yet: its node is gone',
  ],
};
for (const [sentence, [given, expected]] of Object.entries(LINES)) {
  test(`a move in one line: ${sentence}`, () => assert.equal(moveText(given), expected));
}

test('the words of a cause say by whom, if that is known', () => {
  assert.equal(causeWords(move('Evicted', undefined, { actor: 'karpenter' })), 'evicted by karpenter');
});

test('every cause has its words, short enough for a line of a terminal', () => {
  for (const cause of CAUSES) {
    const words = causeWords(move(cause, undefined));
    assert.ok(words.length > 0 && words.length <= 34, words);
  }
});

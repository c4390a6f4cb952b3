import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chance } from '../random.ts';
import { drawAddresses, drawPackets, judge, type NodeQuestion, undecidedBy } from './node-questions.ts';
import { PhysicalTruth, type Reservation } from './physical-truth.ts';

const START = 1_000_000;
const run = {
  seed: 1,
  cluster: 'c',
  nodes: [{ name: 'real-1', kubelet: 'v1.36.3' }],
  addresses: ['10.99.1.10', '10.99.1.11'],
  podCidrs: false,
  from: START,
  to: START + 60_000,
};

function reserved(seconds: readonly [number, number?], more: Partial<Reservation> = {}): Reservation {
  const [from, to] = seconds.map((second) => START + (second as number) * 1000) as [number, number?];
  const names = { ip: '10.99.1.10', sandbox: 's', node: 'real-1', pod: 'a', uids: ['uid-a'], mechanism: 'graceful' };
  return { ...names, from, to, up: from, down: to, nodeBack: undefined, shown: true, ...more };
}

function truthOf(...reservations: Reservation[]): PhysicalTruth {
  const packets = [5, 11, 19.5].map((second) => {
    return { ip: '10.99.1.10', at: START + second * 1000, uids: ['uid-a'], mechanism: 'graceful' };
  });
  return new PhysicalTruth(run, reservations, packets, []);
}

const question: NodeQuestion = {
  ...{ ip: '10.99.1.10', at: START, truth: ['uid-a'], mechanism: 'forced' },
  ...{ networkGone: false, leaked: false, undecidable: false, kind: 'address' as const },
};

for (const [sentence, truth, given, verdict] of [
  ['held by the one who held it is right', ['uid-a'], { answer: 'held', uids: ['uid-a'] }, 'right'],
  ['held by another is wrong', ['uid-a'], { answer: 'held', uids: ['uid-b'] }, 'wrong'],
  ['held although nobody held it is wrong', [], { answer: 'held', uids: ['uid-b'] }, 'wrong'],
  ['free although somebody held it is wrong', ['uid-a'], { answer: 'free', uids: [] }, 'wrong'],
  ['free is right when nobody held it', [], { answer: 'free', uids: [] }, 'right'],
  ['ambiguous with the holder is not wrong', ['uid-a'], { answer: 'ambiguous', uids: ['b', 'uid-a'] }, 'ambiguous'],
  ['ambiguous without the true holder is wrong', ['uid-a'], { answer: 'ambiguous', uids: ['b'] }, 'wrong'],
  ['any mirror of a static pod is right', ['m1', 'm2'], { answer: 'held', uids: ['m2'] }, 'right'],
  ['unknown is not decided', ['uid-a'], { answer: 'unknown', uids: [] }, 'unknown'],
] as const) {
  test(sentence, () => assert.equal(judge({ ...question, truth }, given), verdict));
}

test('no question lies nearer to a change than the margin, and half of them lie within five seconds of one', () => {
  const truth = truthOf(reserved([10, 20]), reserved([30, 40], { uids: ['uid-b'] }));
  const asked = drawAddresses(truth, 400, 1_000, new Chance(3));
  assert.equal(asked.length, 400);
  assert.ok(asked.every(({ ip, at }) => truth.distance(ip, at) >= 1_000));
  assert.ok(asked.filter(({ ip, at }) => truth.distance(ip, at) <= 5_000).length >= 200);
  for (const { ip, at, truth: said } of asked) {
    const held = ip === '10.99.1.10' && at >= START + 10_000 && at < START + 20_000;
    if (held) assert.deepEqual(said, ['uid-a']);
  }
});

test('a reservation that outlives its network is a leak only once its kubelet has reported again', () => {
  const [down, nodeBack] = [START + 12_000, START + 16_000];
  const asked = drawAddresses(truthOf(reserved([10, 40], { down, nodeBack })), 500, 1_000, new Chance(4));
  const held = asked.filter(({ ip, at }) => ip === '10.99.1.10' && at > START + 12_100 && at < START + 39_000);
  assert.ok(held.length > 50);
  for (const { at, networkGone, leaked } of held) {
    assert.equal(networkGone, true);
    assert.equal(leaked, at > START + 16_000);
  }
});

test('what is free while a pod of the node has a network and never shows its address cannot be decided', () => {
  const other = reserved([30, 40], { ip: '10.99.1.11', uids: ['uid-b'], shown: false });
  const asked = drawAddresses(truthOf(reserved([10, 20]), other), 500, 1_000, new Chance(6));
  const hidden = ({ at }: NodeQuestion): boolean => at >= START + 30_000 && at < START + 40_000;
  assert.ok(asked.some((one) => hidden(one) && one.truth.length === 0) && asked.some((one) => !hidden(one)));
  for (const one of asked) assert.equal(one.undecidable, hidden(one), `at ${one.at - START}`);
});

test('packets near a change are left out by the margin', () => {
  const asked = drawPackets(truthOf(reserved([10, 20])), 50, 1_000, new Chance(5));
  assert.deepEqual([...new Set(asked.map(({ at }) => at))].sort(), [START + 5_000, START + 11_000]);
});

test('why it was not decided is the true holder’s reason, or the first candidate’s where nobody held it', () => {
  const given = { answer: 'ambiguous', uids: ['uid-b', 'uid-a'], why: ['start-not-exact', 'sandbox-lost'] } as const;
  assert.equal(undecidedBy(question, given), 'sandbox-lost');
  assert.equal(undecidedBy({ ...question, truth: [] }, given), 'start-not-exact');
  assert.equal(undecidedBy(question, { answer: 'unknown', uids: [], why: ['gap'] }), 'gap');
});

// Why many pods ended, in one question, for who may see all and for who may not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTenure, at, tenureFact } from '../engines/testing/record-builders.ts';
import type { PodLife } from '../model/pod-life.ts';
import { ALL_VISIBLE, type Visibility } from '../query/visibility.ts';
import { causesOf, visibleMove } from './causes-of.ts';
import { readMove } from './moves/moves.ts';
import { Predecessors } from './moves/predecessor.ts';
import { readDeparture } from './read-case.ts';
import { aLife, aPod, because, disrupted, END, event, evidence, NODE, object } from './testing/case-builders.ts';
import { askStore, evidenceFact, livedFacts } from './testing/case-store.ts';

const EVICTED = disrupted('EvictionByEvictionAPI', { pod: aPod('evicted', { uid: 'uid-evicted' }) });
const OTHERS = aLife({ pod: aPod('other', { uid: 'uid-other', namespace: 'payments' }) });
const LIVING = aLife({ pod: aPod('living', { uid: 'uid-living' }), deletion: undefined, gone: undefined });
const SAID = [
  evidence(NODE, 'cordoned', END - 10),
  event(object('Pod', 'evicted'), 'kubelet', 'Killing', END + 1),
  evidence({ kind: 'Stream', namespace: '', name: 'events', uid: '' }, 'stream-followed', 0),
];

function facts(...lives: PodLife[]) {
  return [...lives.flatMap((life) => livedFacts(life)), ...SAID.map(evidenceFact)];
}

test('each pod that ended has its verdict; those that live or are not known have none', async () => {
  const found = await askStore(facts(EVICTED, OTHERS, LIVING), (snapshot) =>
    causesOf(snapshot, {
      pods: ['uid-living', 'uid-other', 'uid-evicted', 'uid-nobody'],
      visibility: ALL_VISIBLE,
    }),
  );
  assert.deepEqual(
    [...found].map(([uid, { verdict, move }]) => [uid, verdict.cause, move]),
    [
      ['uid-other', 'DeletedOnRequest', undefined],
      ['uid-evicted', 'Evicted', undefined],
    ],
  );
});

test('a departure that has been read gives the same as its UID, and moves are those of `moves`', async () => {
  await askStore(facts(EVICTED), async (snapshot) => {
    const departure = (await readDeparture(snapshot, 'uid-evicted')) ?? assert.fail('there is no departure');
    const question = { visibility: ALL_VISIBLE, withMoves: true };
    const byUid = await causesOf(snapshot, { ...question, pods: ['uid-evicted'] });
    assert.deepEqual(byUid, await causesOf(snapshot, { ...question, pods: [departure] }));
    assert.deepEqual(byUid.get('uid-evicted')?.move, await readMove(snapshot, departure));
  });
});

test('a pod whose departure has expired has the verdict of its life', async () => {
  const [life] = livedFacts(disrupted('PreemptionByScheduler', { disruption: because('PreemptionByScheduler', END) }));
  const found = await askStore(life === undefined ? [] : [life], (snapshot) =>
    causesOf(snapshot, { pods: [aPod().uid], visibility: ALL_VISIBLE }),
  );
  assert.equal(found.get(aPod().uid)?.verdict.cause, 'Preempted');
  assert.equal(found.get(aPod().uid)?.departure.at, at(END));
});

test('who may see some namespaces gets no pod of others, and no name of a node', async () => {
  const visibility: Visibility = { kind: 'namespaces', since: new Map([['shop', at(0)]]) };
  const found = await askStore(facts(EVICTED, OTHERS), (snapshot) =>
    causesOf(snapshot, { pods: ['uid-evicted', 'uid-other'], visibility, withMoves: true }),
  );
  assert.deepEqual([...found.keys()], ['uid-evicted']);
  const { verdict, move } = found.get('uid-evicted') ?? assert.fail('it may be seen');
  assert.equal(verdict.sentence, 'was evicted.');
  assert.deepEqual(move?.verdict, verdict);
});

const CLUSTER_WIDE = object('SparkCluster', 'spark');
const MINE = aLife({ owner: CLUSTER_WIDE, pod: aPod('mine', { uid: 'uid-mine' }) });
const NEXT = { created: at(END + 3), deletion: undefined, gone: undefined };
const THEIRS = aLife({
  owner: { ...CLUSTER_WIDE, namespace: 'payments' },
  pod: aPod('secret', { uid: 'uid-secret', namespace: 'payments', node: 'secret-node' }),
  ...NEXT,
});

test('a pod of another namespace takes no place, though it says that it has the same owner', async () => {
  await askStore(facts(MINE, THEIRS), async (snapshot) => {
    const found = await causesOf(snapshot, { pods: ['uid-mine'], visibility: ALL_VISIBLE, withMoves: true });
    const { move } = found.get('uid-mine') ?? assert.fail('it has ended');
    assert.deepEqual([move?.to, move?.known.siblings], [undefined, []]);
    assert.equal(await new Predecessors(snapshot, ALL_VISIBLE).of(THEIRS), undefined);
  });
});

test('a successor that may not be seen is left out of a move, with its addresses and the time without it', async () => {
  const own = aLife({ owner: CLUSTER_WIDE, pod: aPod('next', { uid: 'uid-next' }), ...NEXT });
  const held = tenureFact(aTenure('10.0.0.9', own.pod, END + 4));
  const shop: Visibility = { kind: 'namespaces', since: new Map([['shop', at(0)]]) };
  await askStore([...facts(MINE, own), held], async (snapshot) => {
    const departure = (await readDeparture(snapshot, 'uid-mine')) ?? assert.fail('there is no departure');
    const move = await readMove(snapshot, departure);
    assert.equal(move.addresses.to.length, 1);
    assert.deepEqual(visibleMove(move, shop).to, move.to);
    const to = { certainty: 'certain', life: THEIRS } as const;
    const seen = visibleMove({ ...move, to }, shop);
    assert.deepEqual([seen.to, seen.addresses.to, seen.downtimeMs], [undefined, [], undefined]);
    assert.deepEqual(seen.addresses.from, move.addresses.from);
  });
});

test('a pod of which only the departure is left is not said to be deleted on request', async () => {
  const [, departure] = livedFacts(EVICTED);
  const found = await askStore([departure ?? assert.fail('it has ended'), ...SAID.map(evidenceFact)], (snapshot) =>
    causesOf(snapshot, { pods: ['uid-evicted'], visibility: ALL_VISIBLE }),
  );
  const { cause, sentence } = found.get('uid-evicted')?.verdict ?? assert.fail('it has a verdict');
  assert.equal(cause, 'Unknown');
  assert.match(sentence, /the record of its life has expired, or was never made\.$/);
});

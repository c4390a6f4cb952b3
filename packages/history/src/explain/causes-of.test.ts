// Why many pods ended, in one question, for who may see all and for who may not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../engines/testing/record-builders.ts';
import type { PodLife } from '../model/pod-life.ts';
import { ALL_VISIBLE, type Visibility } from '../query/visibility.ts';
import { causesOf } from './causes-of.ts';
import { readMove } from './moves/moves.ts';
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

test('a pod of which only the departure is left is not said to be deleted on request', async () => {
  const [, departure] = livedFacts(EVICTED);
  const found = await askStore([departure ?? assert.fail('it has ended'), ...SAID.map(evidenceFact)], (snapshot) =>
    causesOf(snapshot, { pods: ['uid-evicted'], visibility: ALL_VISIBLE }),
  );
  const { cause, sentence } = found.get('uid-evicted')?.verdict ?? assert.fail('it has a verdict');
  assert.equal(cause, 'Unknown');
  assert.match(sentence, /the record of its life has expired, or was never made\.$/);
});

// What of a store makes the case of a pod, and what does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../engines/testing/record-builders.ts';
import type { Evidence } from '../model/evidence.ts';
import type { ObjectReference } from '../model/object-reference.ts';
import type { PodLife } from '../model/pod-life.ts';
import { explain } from './explain.ts';
import { readCase } from './read-case.ts';
import { STILL_FOLLOWED, STILL_LOST } from './streams.ts';
import { aLife, aPod, because, disrupted, END, event, evidence, NODE, object, POD } from './testing/case-builders.ts';
import { askStore, evidenceFact, livedFacts } from './testing/case-store.ts';

const HOUR = 3600;
const SET = object('ReplicaSet', 'cart-old');
const CART = object('Deployment', 'cart');
const owned = { pod: aPod('cart-1', { workload: { kind: 'Deployment', name: 'cart', inferred: true } }), owner: SET };

async function caseOf(life: PodLife, said: readonly Evidence[], others: readonly PodLife[] = []) {
  const facts = [life, ...others].flatMap((one) => livedFacts(one));
  const known = await askStore([...facts, ...said.map(evidenceFact)], (snapshot) => readCase(snapshot, life.pod.uid));
  return known ?? assert.fail('there is no case');
}

const ids = (found: readonly Evidence[]) => found.map(({ id }) => id);

test('a pod of which nothing is stored has no case, nor has one that has not ended', async () => {
  const alive = aLife({ deletion: undefined, gone: undefined });
  assert.equal(await askStore([], (snapshot) => readCase(snapshot, 'uid-nobody')), undefined);
  assert.equal(await askStore(livedFacts(alive), (snapshot) => readCase(snapshot, alive.pod.uid)), undefined);
});

test('one that goes on has a case where somebody asks why it changed', async () => {
  const alive = aLife({ deletion: undefined, gone: undefined });
  const known = await askStore(livedFacts(alive), (snapshot) => readCase(snapshot, alive.pod.uid, at(500)));
  assert.equal(known?.endedAt, at(500));
});

test('evidence about the pod is found by its UID, and by its name where it has none', async () => {
  const nameless = event({ ...POD, uid: '' }, 'taint-controller', 'TaintManagerEviction', END);
  const known = await caseOf(aLife(), [
    event(POD, 'kubelet', 'Killing', END + 1),
    nameless,
    event({ ...POD, uid: 'uid-of-another' }, 'kubelet', 'Evicted', END),
    event({ ...POD, name: 'cart-10', uid: '' }, 'kubelet', 'Evicted', END),
    { ...event(object('Pod', 'victim'), 'default-scheduler', 'Preempted', END), related: POD },
  ]);
  assert.deepEqual(
    known.pod.map(({ reason }) => reason),
    ['TaintManagerEviction', 'Killing'],
  );
});

test('an Event counts for a pod and its owner only with their kind, namespace and name, whatever UID its author wrote', async () => {
  const forge = (one: Evidence): Evidence => ({ ...one, id: `forged ${one.about.namespace} ${one.id}` });
  const forged = (about: ObjectReference, reason: string) => forge(event(about, 'default-scheduler', reason, END));
  const real = event(SET, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1');
  const { uid } = POD;
  const known = await caseOf(aLife({ ...owned, pod: { ...owned.pod, uid } }), [
    forged(object('Pod', 'anything', { namespace: 'evil', uid }), 'Preempted'),
    forged(object('Pod', 'cart-1', { namespace: 'evil', uid }), 'Preempted'),
    forged(object('Pod', 'cart-1', { namespace: '', uid }), 'Preempted'),
    forged(object('Pod', 'cart-10', { uid }), 'Preempted'),
    forged(object('Job', 'cart-1', { uid }), 'DeadlineExceeded'),
    forged({ ...SET, namespace: 'evil' }, 'SuccessfulDelete'),
    forged({ ...SET, kind: 'StatefulSet' }, 'RecreatingFailedPod'),
    forged({ ...SET, name: 'cart-older' }, 'SuccessfulDelete'),
    forge(evidence({ ...SET, namespace: 'evil' }, 'owned', 0, { related: object('Deployment', 'evil') })),
    real,
  ]);
  assert.deepEqual([ids(known.pod), ids(known.owner)], [[], [real.id]]);
});

test('an owner that is in no namespace is read: a Node, whose Events are in no namespace either', async () => {
  const ready = event(NODE, 'node-controller', 'NodeNotReady', END - 5);
  const known = await caseOf(aLife({ owner: { ...NODE, namespace: 'shop' } }), [ready]);
  assert.deepEqual(ids(known.owner), [ready.id]);
});

test('a preemptor that an event names by its UID only has its name where the store knows that pod', async () => {
  const urgent = aLife({ pod: aPod('urgent', { uid: 'uid-urgent', namespace: 'payments' }) });
  const said = event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod uid-urgent on node worker-2');
  const life = disrupted('PreemptionByScheduler');
  assert.equal(explain(await caseOf(life, [said], [urgent])).actor, 'payments/urgent');
  assert.equal(explain(await caseOf(life, [said])).actor, 'pod uid-urgent');
});

test("a node's day before the end is read, and a quarter of an hour after it", async () => {
  const known = await caseOf(aLife(), [
    evidence(NODE, 'condition', END - 25 * HOUR, { reason: 'Ready=True' }),
    evidence(NODE, 'cordoned', END - 23 * HOUR),
    evidence(NODE, 'uncordoned', END + 800),
    evidence(NODE, 'cordoned', END + 1000),
    evidence(object('Node', 'worker-3'), 'cordoned', END),
    evidence(object('Namespace', 'worker-2'), 'terminating', END),
  ]);
  assert.deepEqual(
    known.node.map(({ at: when }) => when),
    [at(END - 23 * HOUR), at(END + 800)],
  );
});

const DAY = 24 * HOUR;
const BEFORE_DAY: Readonly<Record<string, readonly [readonly Evidence[], readonly string[]]>> = {
  'a cordon and a taint that stand are read, however old': [
    [evidence(NODE, 'cordoned', 8 * DAY), evidence(NODE, 'tainted', 2 * DAY, { reason: 'a=b:NoExecute' })],
    ['tainted', 'cordoned'],
  ],
  'those that were taken back are not': [
    [
      evidence(NODE, 'cordoned', 8 * DAY),
      evidence(NODE, 'uncordoned', 8 * DAY + 60),
      evidence(NODE, 'tainted', 2 * DAY, { reason: 'a=b:NoExecute' }),
      evidence(NODE, 'untainted', 3 * DAY, { reason: 'a=b:NoExecute' }),
    ],
    [],
  ],
  'that it has not been ready since is read, however old': [
    [evidence(NODE, 'condition', 8 * DAY, { reason: 'Ready=Unknown' })],
    ['condition'],
  ],
  'that it was not ready and is again is not': [
    [
      evidence(NODE, 'condition', 8 * DAY, { reason: 'Ready=Unknown' }),
      evidence(NODE, 'condition', 8 * DAY + 60, { reason: 'Ready=True' }),
    ],
    [],
  ],
  'nor are those of a node that was made again before the day': [
    [evidence(NODE, 'cordoned', 5 * DAY), evidence(NODE, 'deleted', 6 * DAY), evidence(NODE, 'created', 6 * DAY + 60)],
    [],
  ],
  'nor where it was made again within the day': [
    [evidence(NODE, 'cordoned', 5 * DAY), evidence(NODE, 'created', 9.8 * DAY)],
    ['created'],
  ],
  'within the hour in which the day begins': [[evidence(NODE, 'cordoned', 9 * DAY - 120)], ['cordoned']],
};
for (const [sentence, [said, expected]] of Object.entries(BEFORE_DAY)) {
  test(`a node before the day of the end: ${sentence}`, async () => {
    const end = 10 * DAY;
    const life = aLife({ deletion: { requested: at(end), graceSeconds: 30 }, gone: at(end + 5) });
    const { node } = await caseOf(life, said);
    assert.deepEqual(
      node.map(({ what }) => what),
      expected,
    );
  });
}

test('a node that was cordoned three days before its pods were evicted was drained', async () => {
  const end = 10 * DAY;
  const gone = { deletion: { requested: at(end), graceSeconds: 30 }, gone: at(end + 5), resourceVersion: '999999999' };
  const life = disrupted('EvictionByEvictionAPI', gone, end);
  const known = await caseOf(life, [stream('events', 'stream-followed', 9 * DAY), evidence(NODE, 'cordoned', 7 * DAY)]);
  assert.equal(explain(known).sentence, 'was evicted: worker-2 was drained.');
});

test('the owner, its controller and the namespace are read, whenever they were changed', async () => {
  const belongs = evidence(SET, 'owned', -50 * HOUR, { related: CART, reason: '4' });
  const gone = evidence(CART, 'deleted', END - 1);
  const known = await caseOf(aLife(owned), [
    belongs,
    gone,
    evidence({ ...CART, uid: 'uid-of-the-one-before' }, 'deleted', END - 10),
    evidence({ ...CART, uid: 'uid-of-the-next' }, 'created', END),
    evidence(object('Namespace', 'shop'), 'terminating', END - 50 * HOUR),
    evidence(object('Namespace', 'bank'), 'terminating', END),
  ]);
  assert.deepEqual(ids(known.owner), [belongs.id]);
  assert.deepEqual(ids(known.workload), [gone.id]);
  assert.equal(known.namespace.length, 1);
});

test('a Deployment that was deleted and made again at once took its pods along', async () => {
  const known = await caseOf(aLife(owned), [
    evidence(SET, 'owned', 0, { related: CART }),
    evidence(CART, 'deleted', END - 1),
    evidence(SET, 'deleted', END - 0.5),
    evidence({ ...CART, uid: 'uid-of-the-next' }, 'created', END),
  ]);
  assert.deepEqual(
    [explain(known).cause, explain(known).sentence],
    ['OwnerDeleted', 'was deleted with Deployment cart.'],
  );
});

test('siblings are the pods of the same owner and of the same workload, and the numbers of their ReplicaSets are read', async () => {
  const newer = object('ReplicaSet', 'cart-new');
  const sibling = (name: string, seconds: number, more: Partial<PodLife>) =>
    aLife({
      ...owned,
      pod: { ...owned.pod, name, uid: `uid-${name}` },
      created: at(seconds),
      gone: undefined,
      ...more,
    });
  const living = { deletion: undefined };
  const number = evidence(newer, 'revision', 980, { reason: '5' });
  const known = await caseOf(
    aLife({ ...owned, revision: 'old' }),
    [number, event(SET, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1')],
    [
      sibling('cart-2', 990, { ...living, owner: newer, revision: 'new' }),
      sibling('cart-3', 10, { ...living, revision: 'old' }),
      sibling('cart-4', END + 2000, living),
      aLife({
        pod: aPod('other', { workload: { kind: 'Deployment', name: 'other', inferred: true } }),
        created: at(990),
      }),
    ],
  );
  assert.deepEqual(
    known.siblings.map(({ pod }) => pod.name),
    ['cart-3', 'cart-2'],
  );
  assert.deepEqual(ids(known.workload), [number.id]);
  assert.equal(
    explain(known).sentence,
    'ended in a rollout of Deployment cart to revision 5, or when it was scaled down.',
  );
});

test('of a controller that is no Deployment the pods of its other ReplicaSets are siblings, too', async () => {
  const rollout = object('Rollout', 'cart');
  const newer = object('ReplicaSet', 'cart-new');
  const other = object('ReplicaSet', 'other');
  const of = (set: ObjectReference, name: string, more: Partial<PodLife>) =>
    aLife({
      ...{ pod: aPod(name, { uid: `uid-${name}`, workload: { kind: 'ReplicaSet', name: set.name, inferred: false } }) },
      ...{ owner: set, ...more },
    });
  const living = { created: at(985), deletion: undefined, gone: undefined };
  const ownedBy = (set: ObjectReference, related: ObjectReference) => ({ ...evidence(set, 'owned', 500), related });
  const known = await caseOf(
    of(SET, 'cart-1', {}),
    [
      ownedBy(SET, rollout),
      ownedBy(newer, rollout),
      ownedBy(other, { ...rollout, uid: 'uid-of-the-rollout-before' }),
      evidence(SET, 'revision', 999.7, { reason: '5', message: 'generation 5' }),
      event(SET, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1'),
    ],
    [of(newer, 'cart-2', living), of(other, 'cart-3', living)],
  );
  assert.deepEqual(
    known.siblings.map(({ pod }) => pod.name),
    ['cart-2'],
  );
  assert.equal(explain(known).cause, 'Rollout');
});

test('of a StatefulSet its pods of lower numbers are siblings, however long they have lived', async () => {
  const set = object('StatefulSet', 'db');
  const of = (name: string, more: Partial<PodLife>) =>
    aLife({
      ...{ pod: aPod(name, { uid: `uid-${name}`, workload: { kind: 'StatefulSet', name: 'db', inferred: false } }) },
      ...{ owner: set, ...more },
    });
  const old = of('db-0', { created: at(-9 * HOUR), ready: at(-9 * HOUR + 5), deletion: undefined, gone: undefined });
  const known = await caseOf(of('db-1', {}), [], [old]);
  assert.deepEqual(
    known.siblings.map(({ pod }) => pod.name),
    ['db-0'],
  );
});

const stream = (name: string, what: 'stream-lost' | 'stream-followed', seconds: number, namespace = '', reason = '') =>
  evidence({ kind: 'Stream', namespace, name, uid: '' }, what, seconds, { reason });
const still = (name: string, what: 'stream-lost' | 'stream-followed', seconds: number) =>
  stream(name, what, seconds, '', what === 'stream-lost' ? STILL_LOST : STILL_FOLLOWED);

const UNWATCHED: Readonly<Record<string, readonly [readonly Evidence[], readonly string[]]>> = {
  'no stream of evidence was ever watched': [
    [evidence(NODE, 'cordoned', 900)],
    ['events', 'replicasets', 'deployments'],
  ],
  'nothing is recorded of a stream whose records have expired, and something of another': [
    [event(object('Pod', 'other'), 'kubelet', 'Killing', 100)],
    [],
  ],
  'a stream that is followed is watched': [[stream('events', 'stream-followed', 0)], []],
  'a stream that was lost before the end is not': [
    [stream('events', 'stream-followed', 0), stream('events', 'stream-lost', 900)],
    ['events'],
  ],
  'one that is lost within the minute after it is not': [
    [stream('events', 'stream-followed', 0), stream('events', 'stream-lost', END + 30)],
    ['events'],
  ],
  'one that was followed again before the end is': [
    [stream('events', 'stream-lost', 800), stream('events', 'stream-followed', 900)],
    [],
  ],
  'a flood in its namespace hides events of it': [
    [stream('events', 'stream-followed', 0), stream('events', 'stream-lost', 900, 'shop')],
    ['events'],
  ],
  'a flood in another namespace hides nothing': [
    [stream('events', 'stream-followed', 0), stream('events', 'stream-lost', 900, 'bank')],
    [],
  ],
  'one that was first followed long after the end was not watched': [
    [stream('replicasets', 'stream-followed', END + 600)],
    ['replicasets'],
  ],
  'a loss whose first record has expired stands where it is recorded again after the end': [
    [stream('replicasets', 'stream-followed', 0), still('events', 'stream-lost', END + 5 * HOUR)],
    ['events'],
  ],
  'a loss that begins hours after the end is none of its': [
    [stream('replicasets', 'stream-followed', 0), stream('events', 'stream-lost', END + 5 * HOUR)],
    [],
  ],
  'a stream whose first record has expired is watched where that is recorded again after the end': [
    [still('events', 'stream-followed', END + 1800), still('replicasets', 'stream-followed', END + 5 * HOUR)],
    [],
  ],
  'nothing is recorded of a stream, and of nodes more than one page before something of another': [
    [
      ...Array.from({ length: 1001 }, (_, i) => evidence(object('Node', `n${i}`), 'condition', i / 10)),
      event(object('Pod', 'other'), 'kubelet', 'Killing', 900),
    ],
    [],
  ],
  'audit events that were lost around the end': [
    [stream('audit', 'stream-lost', 950), stream('audit', 'stream-followed', END + 30)],
    ['audit'],
  ],
  'audit events that were lost before': [
    [stream('audit', 'stream-lost', 900), stream('audit', 'stream-followed', 950)],
    [],
  ],
  'audit events that were lost, and still are': [[stream('audit', 'stream-lost', 950)], ['audit']],
  'audit events that were lost just after the end': [[stream('audit', 'stream-lost', END + 20)], ['audit']],
  'audit events that nobody sends are not missing': [[stream('audit', 'stream-followed', END + 600)], []],
  'streams of owners that it does not have do not matter': [[stream('jobs', 'stream-lost', 0)], []],
};
for (const [sentence, [said, expected]] of Object.entries(UNWATCHED)) {
  test(`unwatched: ${sentence}`, async () => {
    assert.deepEqual((await caseOf(aLife(owned), said)).unwatched, expected);
  });
}

test('a pod that a listing lacked has no end in its life: it was gone when that was seen', async () => {
  const life = aLife({ deletion: undefined, gone: undefined });
  const facts = livedFacts(life, { at: at(END), observedAt: at(END + 600), source: 'inferred' });
  const known = await askStore([...facts, evidenceFact(evidence(NODE, 'deleted', END + 300))], (snapshot) =>
    readCase(snapshot, life.pod.uid),
  );
  assert.deepEqual([known?.endedAt, known?.life.gone], [at(END), at(END + 600)]);
  const verdict = explain(known ?? assert.fail());
  assert.deepEqual([verdict.cause, verdict.certainty], ['NodeGone', 'inferred']);
});

test('a pod that was collected began to end when the collector wrote so, not when its node was lost', async () => {
  const life = disrupted('DeletionByPodGC', { terminal: { phase: 'Failed', ...because('', END - 300) } });
  const facts = livedFacts(life, { at: at(END - 300) });
  const known = await askStore([...facts, evidenceFact(evidence(NODE, 'deleted', END - 60))], (snapshot) =>
    readCase(snapshot, life.pod.uid),
  );
  assert.equal(known?.endedAt, at(END));
  const verdict = explain(known ?? assert.fail());
  assert.deepEqual([verdict.cause, verdict.certainty, verdict.evidence.length], ['NodeGone', 'certain', 1]);
});

test('a flood of evidence about one object is read as far as the limit, and the last of it in any case', async () => {
  const flood = Array.from({ length: 5000 }, (_, i) => {
    const one = event(POD, 'kubelet', 'Killing', i / 10);
    return { ...one, id: `flood-${i}`, about: { ...POD, uid: '' } };
  });
  const known = await caseOf(aLife({ created: at(0) }), [
    ...flood,
    event({ ...POD, uid: '' }, 'taint-controller', 'TaintManagerEviction', END, 'Marking for deletion Pod shop/cart-1'),
  ]);
  assert.equal(explain(known).cause, 'Taint');
});

test('a flood of another namespace with the UID of a pod hides nothing that is said about the pod', async () => {
  const about = object('Pod', 'x', { namespace: 'evil', uid: POD.uid });
  const flood = Array.from({ length: 4500 }, (_, i) => ({
    ...event({ ...about, name: `x-${i}` }, 'kubelet', 'Killing', END - 100 + i / 100),
    id: `flood-${i}`,
  }));
  const real = event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod uid-urgent on node worker-2');
  assert.deepEqual(ids((await caseOf(aLife({ created: at(0) }), [...flood, real])).pod), [real.id]);
});

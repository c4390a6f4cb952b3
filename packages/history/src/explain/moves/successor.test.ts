// Who took whose place, in workloads of any size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { explain } from '../explain.ts';
import { aCase, aLife, aPod, disrupted, END, event, evidence, object } from '../testing/case-builders.ts';
import { successorOf } from './successor.ts';

const OWNER = object('ReplicaSet', 'web-1');
const WORKLOAD = { workload: { kind: 'Deployment', name: 'web', inferred: false } };

/** So many that are evicted in 50 minutes, each replaced a second later. In the order of creation. */
function drained(count: number): PodLife[] {
  return Array.from({ length: count }, (_, i) => {
    const seconds = END - 1500 + (i * 3000) / count;
    const of = (name: string, more: Partial<PodLife>) =>
      aLife({ owner: OWNER, revision: '1', pod: aPod(name, { uid: name, ...WORKLOAD }), ...more });
    const deletion = { requested: at(seconds), graceSeconds: 30 };
    return [
      of(`old-${i}`, { deletion, gone: at(seconds + 5) }),
      of(`new-${i}`, { created: at(seconds + 1), deletion: undefined, gone: undefined }),
    ];
  })
    .flat()
    .sort((a, b) => a.created - b.created);
}

/** The successor of one that was evicted among them, and how often the creation of a pod was looked at. */
function find(siblings: readonly PodLife[]) {
  let looks = 0;
  const counted = siblings.map((life) =>
    Object.defineProperty({ ...life }, 'created', {
      get: () => {
        looks++;
        return life.created;
      },
    }),
  );
  const removed = Array.from({ length: 60 }, (_, i) =>
    event(OWNER, 'replicaset-controller', 'SuccessfulDelete', END - 100 + i, `Deleted pod: other-${i}`),
  );
  const life = disrupted('EvictionByEvictionAPI', { owner: OWNER, revision: '1', pod: aPod('web-1-x', WORKLOAD) });
  const known = aCase(life, { siblings: counted, owner: removed });
  const verdict = explain(known);
  looks = 0;
  return { successor: successorOf(known, verdict), looks };
}

test('a pod of a DaemonSet that no node took has no successor: others that no node took are of other nodes', () => {
  const owner = object('DaemonSet', 'agent');
  const pod = (name: string) =>
    aPod(name, { node: '', workload: { kind: 'DaemonSet', name: 'agent', inferred: false } });
  const other = aLife({ pod: pod('agent-b'), owner, created: at(END + 1), deletion: undefined, gone: undefined });
  const known = aCase(aLife({ pod: pod('agent-a'), owner }), { siblings: [other] });
  assert.equal(successorOf(known, explain(known)), undefined);
});

test('twice as many pods of a workload are twice the work: each is looked at a few times', () => {
  for (const count of [250, 1000, 2000]) {
    const { successor, looks } = find(drained(count));
    assert.equal(successor?.certainty, 'inferred');
    assert.ok(looks <= 10 * 2 * count, `${looks} looks at ${2 * count} pods`);
  }
});

test('pods of one name that came and failed within one second: each is followed by the next, and none by the one before', () => {
  const owner = object('StatefulSet', 'db');
  const pod = (uid: string) => aPod('db-0', { uid, workload: { kind: 'StatefulSet', name: 'db', inferred: false } });
  const life = (uid: string, seconds: number, version: string) =>
    aLife({
      ...{ pod: pod(uid), owner, created: at(seconds), resourceVersion: version, deletion: undefined },
      ...{ terminal: { phase: 'Failed', reason: 'OutOfcpu', message: '', at: at(seconds) }, gone: at(seconds) },
    });
  const lives = [life('first', END, '11'), life('second', END, '22'), life('third', END + 1, '33')];
  const next = lives.map((one) => {
    const known = aCase(one, { siblings: lives.filter((other) => other !== one) });
    return successorOf(known, explain(known))?.life.pod.uid;
  });
  assert.deepEqual(next, ['second', 'third', undefined]);
});

const SET = object('StatefulSet', 'db');
const MEMBER = aPod('db-2', { workload: { kind: 'StatefulSet', name: 'db', inferred: false } });

/** The StatefulSet had fewer pods, and more again so many seconds later. */
function scaledDownAndUp(seconds: number) {
  const next = aLife({
    ...{ owner: SET, revision: 'db-1', pod: { ...MEMBER, uid: 'next', node: 'worker-3' } },
    ...{ created: at(END + seconds), deletion: undefined, gone: undefined },
  });
  return aCase(aLife({ pod: MEMBER, owner: SET, revision: 'db-1' }), {
    endVersion: { epoch: 1, resourceVersion: '105' },
    owner: [
      { ...evidence(SET, 'revision', END - 1, { reason: '2' }), resourceVersion: '100' },
      event(SET, 'statefulset-controller', 'SuccessfulDelete', END, 'delete Pod db-2 in StatefulSet db successful'),
      { ...evidence(SET, 'revision', END + seconds - 1, { reason: '3' }), resourceVersion: '110' },
    ],
    siblings: [next],
  });
}

test('a StatefulSet that had fewer pods for some seconds: the next of the name took the place', () => {
  const known = scaledDownAndUp(6);
  const verdict = explain(known);
  assert.equal(verdict.cause, 'ScaledDown');
  const found = successorOf(known, verdict);
  assert.deepEqual([found?.life.pod.uid, found?.certainty], ['next', 'certain']);
});

test('a StatefulSet that had fewer pods for an hour: nobody took the place', () => {
  const known = scaledDownAndUp(3600);
  const verdict = explain(known);
  assert.equal(verdict.cause, 'ScaledDown');
  assert.equal(successorOf(known, verdict), undefined);
});

const INDEX = 'batch.kubernetes.io/job-completion-index';
const ofJob = (name: string, index: string | undefined, more: Partial<PodLife> = {}) =>
  aLife({
    pod: aPod(name, { uid: name, workload: { kind: 'Job', name: 'load', inferred: false } }),
    ...{ owner: object('Job', 'load'), deletion: undefined, gone: undefined },
    ...(index === undefined ? {} : { labels: { [INDEX]: index } }),
    ...more,
  });
/** Index 1 is evicted, and takes its time to end. */
const evictedOfJob = ofJob('load-1-a', '1', {
  disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(END) },
  ...{ deletion: { requested: at(END), graceSeconds: 60 }, gone: at(END + 30) },
});
const INDEXED: Readonly<Record<string, readonly [readonly PodLife[], string | undefined]>> = {
  'the next of its index, though one of another index began before': [
    [ofJob('load-2-b', '2', { created: at(END + 2) }), ofJob('load-1-c', '1', { created: at(END + 31) })],
    'load-1-c certain',
  ],
  'nobody, while only one of another index is there': [[ofJob('load-2-b', '2', { created: at(END + 2) })], undefined],
  'perhaps one whose labels were not recorded': [
    [ofJob('load-b', undefined, { created: at(END + 2) })],
    'load-b inferred',
  ],
};
for (const [sentence, [siblings, expected]] of Object.entries(INDEXED)) {
  test(`the successor of a pod of an Indexed Job: ${sentence}`, () => {
    const known = aCase(evictedOfJob, { siblings });
    const found = successorOf(known, explain(known));
    assert.equal(found && `${found.life.pod.name} ${found.certainty}`, expected);
  });
}

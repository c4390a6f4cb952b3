import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintOf } from './guide.ts';
import { aLife, aPod, object } from './testing/case-builders.ts';

const life = aLife({ pod: aPod('cart-1', { workload: { kind: 'Deployment', name: 'cart', inferred: false } }) });

for (const [cause, actor, hint] of [
  ['Rollout', undefined, 'kubectl rollout history deployment/cart -n shop shows what changed.'],
  ['OwnerDeleted', undefined, 'see who deleted deployment/cart; an imported audit log names the user.'],
  ['OwnerDeleted', 'jane', 'see who deleted deployment/cart.'],
  ['NodeGone', undefined, 'see who removed worker-2: an autoscaler, the cloud controller, or kubectl delete node.'],
  ['ScaledDown', 'jane', 'see what else jane did then, in the audit log.'],
  [
    ...(['ScaledDown', 'HorizontalPodAutoscaler cart'] as const),
    'see what the autoscaler of deployment/cart measured: kubectl describe hpa -n shop.',
  ],
  [
    ...(['ScaledDown', undefined] as const),
    'see the autoscaler and the replicas: kubectl describe deployment/cart -n shop; an imported audit log names the user.',
  ],
  ['DeletedOnRequest', 'jane', 'see what else jane did then, in the audit log.'],
] as const) {
  test(`what to look at after ${cause}${actor === undefined ? '' : ` by ${actor}`}`, () => {
    assert.equal(hintOf({ cause, actor, sentence: '' }, life), hint);
  });
}

const JOB = object('Job', 'load');
const worker = aLife({ pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }), owner: JOB });
const SET = object('StatefulSet', 'db');
const member = aLife({
  pod: aPod('db-2', { workload: { kind: 'StatefulSet', name: 'db', inferred: false } }),
  owner: SET,
});
const agent = aLife({
  pod: aPod('agent-a', { workload: { kind: 'DaemonSet', name: 'agent', inferred: false } }),
  owner: object('DaemonSet', 'agent'),
});

const foreign = aLife({ owner: object('StrimziPodSet', 'kafka') });

for (const [cause, of, sentence, hint] of [
  [
    ...(['DeletedOnRequest', foreign] as const),
    'was deleted, and no trace says why or by whom, perhaps by its StrimziPodSet kafka.',
    'see the log of the controller of strimzipodset/kafka; an imported audit log names who it was.',
  ],
  [
    'JobCompleted',
    worker,
    'was ended by Job load, which had failed.',
    'see why job/load failed: kubectl describe job/load -n shop.',
  ],
  [
    'Rejected',
    life,
    'had run, and was rejected by the kubelet of worker-2 when that was started again: NodeAffinity.',
    'see what of worker-2 was changed before its kubelet was started again, its labels or what is allocatable: kubectl describe node worker-2.',
  ],
  [
    'Rejected',
    life,
    'was rejected by the kubelet of worker-2: OutOfcpu.',
    'the reason in the status names the resource; compare it with what is allocatable on worker-2.',
  ],
  ['JobCompleted', worker, 'completed its work for Job load.', 'nothing is wrong.'],
  ['JobCompleted', worker, 'was ended by Job load, which was complete.', 'nothing is wrong.'],
  [
    'JobCompleted',
    worker,
    'ended with its Job.',
    'nothing is wrong, unless the Job had failed: kubectl describe job/load -n shop says that.',
  ],
  [
    'ScaledDown',
    worker,
    'was removed when Job load was scaled down.',
    'see the parallelism of job/load: kubectl describe job/load -n shop.',
  ],
  [
    'ScaledDown',
    agent,
    'was removed because DaemonSet agent does not run on worker-2 any more.',
    'compare the node selector of daemonset/agent with the labels and taints of worker-2.',
  ],
  [
    'StatefulSetRecreated',
    member,
    'had ended and was created again by StatefulSet db.',
    'see how its containers ended, with -o wide.',
  ],
  [
    'StatefulSetRecreated',
    member,
    'was created again by StatefulSet db.',
    'see what changed statefulset/db then: kubectl describe statefulset/db -n shop.',
  ],
] as const) {
  test(`what to look at after ${cause}: it ${sentence}`, () => {
    assert.equal(hintOf({ cause, sentence }, of), hint);
  });
}

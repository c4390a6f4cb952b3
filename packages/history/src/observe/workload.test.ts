import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPod } from '../testing/observed-pod.ts';
import { workloadOf } from './workload.ts';

const of = (kind: string, name: string, hash?: string) =>
  workloadOf(
    aPod('p')
      .ownedBy(kind, name)
      .labelled(hash === undefined ? {} : { 'pod-template-hash': hash })
      .build().metadata,
  );

test('a ReplicaSet whose name ends in its template hash is shown as its Deployment, marked inferred', () => {
  assert.deepEqual(of('ReplicaSet', 'cart-7d9', '7d9'), { kind: 'Deployment', name: 'cart', inferred: true });
});

test('a ReplicaSet that nobody deploys is itself, and so is every other controller', () => {
  assert.deepEqual(of('ReplicaSet', 'cart-7d9'), { kind: 'ReplicaSet', name: 'cart-7d9', inferred: false });
  assert.deepEqual(of('ReplicaSet', 'cart7d9', '7d9'), { kind: 'ReplicaSet', name: 'cart7d9', inferred: false });
  assert.deepEqual(of('StatefulSet', 'db', '7d9'), { kind: 'StatefulSet', name: 'db', inferred: false });
});

test('a pod without a controlling owner has no workload', () => {
  const { metadata } = aPod('p').build();
  const helper = [{ kind: 'Helper', name: 'x', controller: false }];
  assert.equal(workloadOf({ ...metadata, ownerReferences: helper }), undefined);
});

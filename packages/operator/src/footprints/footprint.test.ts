import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '@podtrail/machinery';
import { aPod } from '@podtrail/machinery/testing';
import { footprintOf } from './footprint.ts';

const AT = Date.UTC(2026, 10, 15, 10, 5, 0, 250);

test('a footprint has the fields of pod-ashiato in their order, then ours', () => {
  const pod = aPod('cart-7d9-x2k').inNamespace('shop').onNode('worker-2').withIp('10.1.2.3', 'fd00::3').build();
  Object.assign(pod['status'] as object, {
    conditions: [
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-15T10:00:00Z' },
      { type: 'ContainersReady', status: 'False' },
    ],
  });
  Object.assign(pod['metadata'] as object, {
    labels: { 'pod-template-hash': '7d9' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-7d9', uid: 'u', controller: true }],
  });
  assert.equal(
    JSON.stringify(footprintOf(podCodec.fromJson(pod), AT)),
    JSON.stringify({
      namespace: 'shop',
      pod_name: 'cart-7d9-x2k',
      node_name: 'worker-2',
      pod_ip: '10.1.2.3',
      phase: 'Running',
      timestamp: '2026-11-15T10:05:00.250Z',
      conditions: [
        { type: 'Ready', status: 'True', last_transition_time: '2026-11-15T10:00:00Z' },
        { type: 'ContainersReady', status: 'False', last_transition_time: null },
      ],
      pod_ips: ['10.1.2.3', 'fd00::3'],
      uid: 'uid-cart-7d9-x2k',
      workload: { kind: 'Deployment', name: 'cart', inferred: true },
    }),
  );
});

test('a pod that waits for a node has every field too', () => {
  const footprint = footprintOf(podCodec.fromJson(aPod('web').inPhase('Pending').build()), AT);
  assert.deepEqual(footprint, {
    namespace: 'default',
    pod_name: 'web',
    node_name: '',
    pod_ip: '',
    phase: 'Pending',
    timestamp: '2026-11-15T10:05:00.250Z',
    conditions: [],
    pod_ips: [],
    uid: 'uid-web',
    workload: null,
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionIn, anEvent, type EventFields } from './testing/an-event.ts';

const about = (resource: string, verb: string, more: EventFields = {}): EventFields => {
  const [name = '', subresource] = resource.split('/');
  const apiGroup = /^(?:deployments|statefulsets|daemonsets|replicasets)$/.test(name) ? 'apps' : '';
  return anEvent({ verb, objectRef: { resource: name, subresource, apiGroup, namespace: 'shop', name: 'x' }, ...more });
};
const restart = { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } } };

const CASES: Readonly<Record<string, readonly [event: EventFields, what: string | undefined]>> = {
  'a pod is created': [about('pods', 'create'), 'create'],
  'a collection is deleted': [about('pods', 'deletecollection'), 'delete-collection'],
  'a pod is bound by the old resource': [about('bindings', 'create'), 'bind'],
  'exec is one over SPDY': [about('pods/exec', 'create'), 'exec'],
  'exec is one over a WebSocket, too': [about('pods/exec', 'get'), 'exec'],
  'a port is forwarded': [about('pods/portforward', 'create'), 'port-forward'],
  'a pod is resized': [about('pods/resize', 'patch'), 'resize'],
  'a subresource that is not known is something': [about('pods/future', 'update'), 'other'],
  'a log that was read is nothing': [about('pods/log', 'get'), undefined],
  'reading is nothing': [about('pods', 'list'), undefined],
  'a verb that the API does not have is nothing': [about('pods', 'frobnicate'), undefined],
  'a verb that the API does not have is nothing, whatever the subresource': [
    about('pods/status', 'frobnicate'),
    undefined,
  ],
  'a Deployment is scaled': [
    about('deployments/scale', 'patch', { requestObject: { spec: { replicas: 3 } } }),
    'scale',
  ],
  'a Deployment is scaled by a patch of nothing else': [
    about('deployments', 'patch', { requestObject: { spec: { replicas: 3 } } }),
    'scale',
  ],
  'a patch of more than the replicas is a patch': [
    about('deployments', 'patch', { requestObject: { spec: { replicas: 3, paused: true } } }),
    'patch',
  ],
  'a Deployment is restarted': [about('deployments', 'patch', { requestObject: restart }), 'restart'],
  'a node is cordoned': [about('nodes', 'patch', { requestObject: { spec: { unschedulable: true } } }), 'cordon'],
  'a node is uncordoned': [about('nodes', 'patch', { requestObject: { spec: { unschedulable: null } } }), 'uncordon'],
  'a node is tainted': [about('nodes', 'patch', { requestObject: { spec: { taints: [] } } }), 'taint'],
  'a JSON patch of a node is a patch': [about('nodes', 'patch', { requestObject: [{ op: 'add' }] }), 'patch'],
  'deployments of another group are not tracked': [
    anEvent({ verb: 'create', objectRef: { resource: 'deployments', apiGroup: 'example.com', name: 'x' } }),
    undefined,
  ],
  'secrets are not tracked': [about('secrets', 'create'), undefined],
};

for (const [sentence, [event, what]] of Object.entries(CASES)) {
  test(sentence, () => assert.equal(actionIn(event)?.what, what));
}

test('what the bodies say: replicas, the node of a binding, the grace of a deletion and of an eviction', () => {
  const details = (event: EventFields) => actionIn(event)?.details;
  assert.deepEqual(details(about('deployments/scale', 'update', { requestObject: { spec: { replicas: 0 } } })), {
    replicas: 0,
  });
  assert.deepEqual(details(about('pods/binding', 'create', { requestObject: { target: { name: 'node-1' } } })), {
    node: 'node-1',
  });
  assert.deepEqual(details(about('pods', 'delete', { requestObject: { gracePeriodSeconds: 0 } })), {
    gracePeriodSeconds: 0,
  });
  assert.deepEqual(
    details(about('pods/eviction', 'create', { requestObject: { deleteOptions: { gracePeriodSeconds: 5 } } })),
    { gracePeriodSeconds: 5 },
  );
  assert.deepEqual(details(about('pods', 'delete', { requestURI: '/api/v1/pods/x?gracePeriodSeconds=7' })), {
    gracePeriodSeconds: 7,
  });
});

test('a deletion that was answered with a Status has the UID of its details', () => {
  const answer = { kind: 'Status', status: 'Success', details: { name: 'web-1', uid: 'uid-1' } };
  assert.equal(actionIn(anEvent({ responseObject: answer }))?.object.uid, 'uid-1');
});

test('a namespace has no namespace, though its reference says so', () => {
  const { object } = actionIn(anEvent({ objectRef: { resource: 'namespaces', namespace: 'shop', name: 'shop' } }))!;
  assert.deepEqual(object, { kind: 'Namespace', namespace: '', name: 'shop', uid: undefined });
});

test('the token of a pod names the pod and its node', () => {
  const extra = {
    'authentication.kubernetes.io/pod-name': ['deployer-0'],
    'authentication.kubernetes.io/node-name': ['node-1'],
  };
  const { actor } = actionIn(anEvent({ user: { username: 'system:serviceaccount:shop:deployer', extra } }))!;
  assert.deepEqual([actor.pod, actor.node], ['deployer-0', 'node-1']);
});

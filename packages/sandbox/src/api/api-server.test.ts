import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer } from './api-server.ts';
import type { KubeObject } from './cluster-api.ts';

const START = Date.UTC(2026, 0, 1);

function aServer(options: { historyLimit?: number } = {}) {
  const clock = { time: START, now: () => clock.time };
  return { clock, api: new ApiServer({ clock, seed: 7, ...options }) };
}

function aPod(name: string, more: { node?: string; labels?: Record<string, string>; metadata?: object } = {}) {
  const { node, labels, metadata } = more;
  return {
    metadata: { name, namespace: 'default', ...(labels ? { labels } : {}), ...metadata },
    spec: { ...(node ? { nodeName: node } : {}), containers: [{ name: 'c', image: 'registry.example/app:1' }] },
  };
}

function ownedBy(owner: KubeObject, more: object = {}) {
  const { name, uid } = owner.metadata;
  const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, ...more };
  return { metadata: { ownerReferences: [reference] } };
}

const refusal = (code: number, message: string | RegExp) => (error: unknown) => {
  assert.equal((error as { code: number }).code, code);
  if (typeof message === 'string') assert.equal((error as Error).message, message);
  else assert.match((error as Error).message, message);
  return true;
};

test('a pod gets its defaults, an identity, a version and a generation when it is created', () => {
  const { api } = aServer();
  const pod = api.create('pods', aPod('a'));
  assert.equal(pod.kind, 'Pod');
  assert.equal(pod.metadata.generation, 1);
  assert.equal(pod.metadata.creationTimestamp, '2026-01-01T00:00:00Z');
  assert.match(pod.metadata.uid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
  assert.deepEqual(pod['status'], { phase: 'Pending', qosClass: 'BestEffort' });
  assert.equal((pod['spec'] as { schedulerName: string }).schedulerName, 'default-scheduler');
  assert.ok(Object.isFrozen(pod) && Object.isFrozen(pod['spec']));
});

test('the same seed gives the same identities', () => {
  const uids = [1, 2].map(() => aServer().api.get('namespaces', undefined, 'kube-system')?.metadata.uid);
  assert.equal(uids[0], uids[1]);
});

test('a status update changes the status only, and an update of the object all but the status', () => {
  const { api } = aServer();
  const pod = api.create('pods', aPod('a'));
  const running = api.update('pods', { ...pod, spec: {}, status: { phase: 'Running' } }, 'status');
  assert.deepEqual(running['status'], { phase: 'Running', qosClass: 'BestEffort' });
  assert.equal(running['spec'], pod['spec']);
  const labelled = api.update('pods', {
    ...running,
    metadata: { ...running.metadata, labels: { x: 'y' } },
    status: { phase: 'Failed' },
  });
  assert.deepEqual(labelled['status'], running['status']);
  assert.deepEqual(labelled.metadata.labels, { x: 'y' });
  assert.equal(labelled.metadata.generation, 1);
});

test('an update that changes nothing keeps the version and is not emitted', () => {
  const { api } = aServer();
  const pod = api.create('pods', aPod('a'));
  let reported = 0;
  api.watch('pods', () => reported++);
  assert.equal(api.update('pods', pod), pod);
  assert.equal(reported, 0);
});

test('an update from an old version is refused with a conflict', () => {
  const { api } = aServer();
  const pod = api.create('pods', aPod('a'));
  api.mergePatch('pods', 'default', 'a', { metadata: { labels: { x: '1' } } });
  assert.throws(
    () => api.update('pods', pod),
    refusal(
      409,
      'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
    ),
  );
});

test('a change of the spec counts up the generation; the same spec again does not', () => {
  const { api } = aServer();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  api.create('deployments.apps', { metadata: { name: 'd', namespace: 'default' }, spec });
  const scaled = api.mergePatch('deployments.apps', 'default', 'd', { spec: { replicas: 3 } }, 'scale');
  assert.deepEqual(scaled['spec'], { replicas: 3 });
  assert.equal(api.get('deployments.apps', 'default', 'd')?.metadata.generation, 2);
  api.mergePatch('deployments.apps', 'default', 'd', { spec: { replicas: 3 } });
  assert.equal(api.get('deployments.apps', 'default', 'd')?.metadata.generation, 2);
});

test('a pod on a node ends gracefully: marked, then confirmed, then gone', () => {
  const { api, clock } = aServer();
  api.create('pods', aPod('a', { node: 'n1' }));
  const reported: string[] = [];
  api.watch('pods', (type, { metadata }) => reported.push(`${type} ${metadata.deletionGracePeriodSeconds}`));
  api.delete('pods', 'default', 'a');
  assert.equal(api.get('pods', 'default', 'a')?.metadata.deletionTimestamp, '2026-01-01T00:00:30Z');
  api.delete('pods', 'default', 'a');
  clock.time += 5_000;
  api.delete('pods', 'default', 'a', { gracePeriodSeconds: 0 });
  assert.equal(api.get('pods', 'default', 'a'), undefined);
  assert.deepEqual(reported, ['MODIFIED 30', 'MODIFIED 0', 'DELETED 0']);
});

test('a pod without a node, or one that has ended, goes at once', () => {
  const { api } = aServer();
  api.create('pods', aPod('unscheduled'));
  api.delete('pods', 'default', 'unscheduled');
  const pod = api.create('pods', aPod('ended', { node: 'n1' }));
  api.update('pods', { ...pod, status: { phase: 'Succeeded' } }, 'status');
  api.delete('pods', 'default', 'ended');
  assert.deepEqual(api.list('pods'), []);
});

test('finalizers hold an object back until they are removed, and none can be added meanwhile', () => {
  const { api } = aServer();
  api.create('configmaps', { metadata: { name: 'c', namespace: 'default', finalizers: ['x/y'] } });
  api.delete('configmaps', 'default', 'c');
  const held = api.get('configmaps', 'default', 'c');
  assert.equal(held?.metadata.deletionGracePeriodSeconds, 0);
  const more = { metadata: { finalizers: ['x/y', 'x/z'] } };
  assert.throws(
    () => api.mergePatch('configmaps', 'default', 'c', more),
    refusal(422, /no new finalizers can be added/),
  );
  api.mergePatch('configmaps', 'default', 'c', { metadata: { finalizers: null } });
  assert.equal(api.get('configmaps', 'default', 'c'), undefined);
});

test('dependents go with their owner, and stay where the deletion orphans them', () => {
  const { api } = aServer();
  for (const policy of ['Background', 'Orphan', 'Foreground'] as const) {
    const owner = api.create('configmaps', { metadata: { name: 'owner', namespace: 'default' } });
    api.create('configmaps', {
      metadata: { name: 'child', namespace: 'default', ...ownedBy(owner, { blockOwnerDeletion: true }).metadata },
    });
    api.delete('configmaps', 'default', 'owner', { propagationPolicy: policy });
    const left = api.list('configmaps').map((object) => object.metadata.name);
    assert.deepEqual(left, policy === 'Orphan' ? ['child'] : [], policy);
    if (policy === 'Orphan') {
      assert.equal(api.list('configmaps')[0]?.metadata.ownerReferences, undefined);
      api.delete('configmaps', 'default', 'child');
    }
  }
});

test('a foreground deletion waits for pods that end gracefully', () => {
  const { api } = aServer();
  const owner = api.create('configmaps', { metadata: { name: 'owner', namespace: 'default' } });
  api.create('pods', aPod('p', { node: 'n1', ...ownedBy(owner, { blockOwnerDeletion: true }) }));
  api.delete('configmaps', 'default', 'owner', { propagationPolicy: 'Foreground' });
  assert.deepEqual(api.get('configmaps', 'default', 'owner')?.metadata.finalizers, ['foregroundDeletion']);
  api.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 });
  assert.equal(api.get('configmaps', 'default', 'owner'), undefined);
});

test('what is created for an owner that is gone already is collected', () => {
  const { api } = aServer();
  const owner = api.create('configmaps', { metadata: { name: 'owner', namespace: 'default' } });
  api.delete('configmaps', 'default', 'owner');
  api.create('pods', aPod('late', ownedBy(owner)));
  assert.deepEqual(api.list('pods'), []);
});

test('a namespace is emptied before it goes, and takes in nothing meanwhile', () => {
  const { api } = aServer();
  api.create('namespaces', { metadata: { name: 'tt' } });
  api.create('pods', { ...aPod('a', { node: 'n1' }), metadata: { name: 'a', namespace: 'tt' } });
  api.create('configmaps', { metadata: { name: 'c', namespace: 'tt' } });
  api.delete('namespaces', undefined, 'tt');
  assert.deepEqual(api.list('configmaps'), []);
  assert.deepEqual(api.get('namespaces', undefined, 'tt')?.['status'], { phase: 'Terminating' });
  assert.throws(
    () => api.create('configmaps', { metadata: { name: 'd', namespace: 'tt' } }),
    refusal(
      403,
      'configmaps "d" is forbidden: unable to create new content in namespace tt because it is being terminated',
    ),
  );
  api.delete('pods', 'tt', 'a', { gracePeriodSeconds: 0 });
  assert.equal(api.get('namespaces', undefined, 'tt'), undefined);
});

test('listeners get changes in the order of versions, also those that listeners make', () => {
  const { api } = aServer();
  const received: string[] = [];
  api.watch('pods', (type, pod) => {
    if (type === 'ADDED') api.bind('default', pod.metadata.name as string, 'n1');
  });
  api.watch('pods', (type, pod) => received.push(`${type} ${pod.metadata.resourceVersion}`));
  const pod = api.create('pods', aPod('a'));
  const first = Number(pod.metadata.resourceVersion);
  assert.deepEqual(received, [`ADDED ${first}`, `MODIFIED ${first + 1}`]);
  assert.equal(api.list('pods', { fieldSelector: 'spec.nodeName=n1' }).length, 1);
});

test('a pod is bound once', () => {
  const { api } = aServer();
  api.create('nodes', { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z' } } });
  api.create('pods', aPod('a'));
  api.bind('default', 'a', 'n1');
  assert.deepEqual(api.get('pods', 'default', 'a')?.metadata.labels, { 'topology.kubernetes.io/zone': 'z' });
  assert.throws(
    () => api.bind('default', 'a', 'n2'),
    refusal(409, 'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"'),
  );
});

test('an eviction marks why and deletes; a budget refuses it', () => {
  const { api } = aServer();
  for (const name of ['a', 'b']) {
    const pod = api.create('pods', aPod(name, { node: 'n1', labels: { app: 'x' } }));
    const conditions = [{ type: 'Ready', status: 'True' }];
    api.update('pods', { ...pod, status: { phase: 'Running', conditions } }, 'status');
  }
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
  api.create('poddisruptionbudgets.policy', { metadata: { name: 'budget', namespace: 'default' }, spec });
  api.evict('default', 'a');
  const evicted = api.get('pods', 'default', 'a');
  assert.ok(evicted?.metadata.deletionTimestamp);
  assert.match(JSON.stringify(evicted?.['status']), /"type":"DisruptionTarget".*"EvictionByEvictionAPI"/);
  assert.throws(
    () => api.evict('default', 'b'),
    refusal(429, "Cannot evict pod as it would violate the pod's disruption budget."),
  );
});

test('a definition makes a resource, with a status of its own, and takes it away again', () => {
  const { api } = aServer();
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} } };
  const names = { plural: 'trails', kind: 'Trail' };
  const spec = { group: 'example.io', scope: 'Namespaced', names, versions: [version] };
  api.create('customresourcedefinitions.apiextensions.k8s.io', { metadata: { name: 'trails.example.io' }, spec });
  const made = { metadata: { name: 't', namespace: 'default' }, spec: { a: 1 }, status: { b: 2 } };
  const trail = api.create('trails.example.io', made);
  assert.equal(trail.apiVersion, 'example.io/v1');
  const written = api.update('trails.example.io', { ...trail, status: { c: 3 } }, 'status');
  assert.deepEqual([written['spec'], written['status']], [{ a: 1 }, { c: 3 }]);
  api.delete('customresourcedefinitions.apiextensions.k8s.io', undefined, 'trails.example.io');
  assert.throws(() => api.list('trails.example.io'), refusal(404, 'the server could not find the requested resource'));
});

for (const [what, object, code, message] of [
  ['a name twice', aPod('there'), 409, 'pods "there" already exists'],
  [
    'an unknown namespace',
    { ...aPod('a'), metadata: { name: 'a', namespace: 'nope' } },
    404,
    'namespaces "nope" not found',
  ],
  [
    'no name',
    { ...aPod('a'), metadata: { namespace: 'default' } },
    422,
    'Pod "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  ['no containers', { ...aPod('a'), spec: {} }, 422, 'Pod "a" is invalid: spec.containers: Required value'],
  [
    'a name with capitals',
    aPod('A_b'),
    422,
    /^Pod "A_b" is invalid: metadata\.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain/,
  ],
] as const) {
  test(`${what} is refused in the real server's words`, () => {
    const { api } = aServer();
    api.create('pods', aPod('there'));
    assert.throws(() => api.create('pods', object), refusal(code, message));
  });
}

test('after a rewind what was created later is gone, and what was deleted is owned and collected again', () => {
  const { api } = aServer();
  const owner = api.create('configmaps', { metadata: { name: 'owner', namespace: 'default' } });
  api.create('configmaps', { metadata: { name: 'child', namespace: 'default', ...ownedBy(owner).metadata } });
  const then = Number(api.resourceVersion);
  api.delete('configmaps', 'default', 'owner');
  api.create('configmaps', { metadata: { name: 'later', namespace: 'default' } });
  api.rewind(then);
  assert.deepEqual(
    api.list('configmaps').map(({ metadata }) => metadata.name),
    ['child', 'owner'],
  );
  api.delete('configmaps', 'default', 'owner');
  assert.deepEqual(api.list('configmaps'), []);
});

test('an event is forgotten an hour after it was last written, once another one comes', () => {
  const { api, clock } = aServer();
  const event = (name: string) => ({
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'a', namespace: 'default' },
  });
  const listed = () => api.list('events').map(({ metadata }) => metadata.name);
  api.create('events', event('old'));
  api.create('events', event('counted'));
  clock.time += 1_800_000;
  api.mergePatch('events', 'default', 'counted', { count: 2 });
  clock.time += 1_800_000;
  api.create('events', event('new'));
  assert.deepEqual(listed(), ['counted', 'new']);
});

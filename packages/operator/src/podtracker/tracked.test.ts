import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTracker, namespaceView, nodeView, podView, Scene } from './testing/tracker-fixture.ts';
import { Tracked } from './tracked.ts';

function sceneWith(spec = {}): { scene: Scene; tracked: Tracked } {
  const scene = new Scene();
  scene.nodeViews.set('n1', nodeView('n1'));
  return { scene, tracked: new Tracked(aTracker('t', spec), scene) };
}

const listed = (tracked: Tracked) => tracked.wantedStatus({ kind: 'listed' }, 0);

test('a pod is listed with its addresses, node and phase under its UID', () => {
  const { scene, tracked } = sceneWith();
  assert.equal(scene.add(podView('a', { ip: '10.0.0.1,fd00::1' }), tracked), true);
  assert.deepEqual(listed(tracked).pods, {
    'uid-a': {
      podName: 'a',
      namespace: 'default',
      ip: '10.0.0.1',
      ips: ['10.0.0.1', 'fd00::1'],
      nodeName: 'n1',
      phase: 'Running',
    },
  });
  assert.deepEqual(listed(tracked).nodes, {
    n1: { nodeIP: '192.168.0.1', capacity: { cpu: '4', memory: '8Gi' }, allocatable: { cpu: '4' } },
  });
  assert.deepEqual(listed(tracked).counts, { pods: 1, nodes: 1, slices: 0 });
});

test('a pod without an address is not listed, nor one that has ended', () => {
  const { scene, tracked } = sceneWith();
  assert.equal(scene.add(podView('a', { ip: '', phase: 'Pending' }), tracked), false);
  assert.equal(scene.add(podView('b', { phase: 'Succeeded' }), tracked), false);
  assert.equal(scene.add(podView('c', { phase: 'Failed' }), tracked), false);
  assert.equal(scene.add(podView('d', { phase: 'Pending' }), tracked), true, 'one that pulls its image is');
  assert.deepEqual(Object.keys(listed(tracked).pods ?? {}), ['uid-d']);
});

test('what is not listed may change without a pass', () => {
  const { scene, tracked } = sceneWith();
  scene.add(podView('a'), tracked);
  assert.equal(scene.add(podView('a', { annotations: { x: 'y' } }), tracked), false);
  assert.equal(scene.add(podView('a', { labels: { x: 'y' } }), tracked), false);
  assert.equal(scene.add(podView('a', { ip: '10.0.0.2' }), tracked), true);
});

test('a pod that stops being selected, or goes, is not listed any more, and its node goes with the last one', () => {
  const { scene, tracked } = sceneWith({ podSelector: { matchLabels: { app: 'web' } } });
  scene.add(podView('a', { labels: { app: 'web' } }), tracked);
  scene.add(podView('b', { labels: { app: 'web' } }), tracked);
  assert.equal(scene.add(podView('a', { labels: { app: 'api' } }), tracked), true);
  assert.deepEqual(listed(tracked).counts, { pods: 1, nodes: 1, slices: 0 });
  assert.equal(scene.remove(podView('b'), tracked), true);
  assert.equal(scene.remove(podView('b'), tracked), false, 'a second word of it changes nothing');
  assert.deepEqual(listed(tracked).counts, { pods: 0, nodes: 0, slices: 0 });
  assert.equal(listed(tracked).pods, undefined);
});

test('a pod on a node that has no Node object is listed; the node is not', () => {
  const { scene, tracked } = sceneWith();
  scene.add(podView('a', { node: 'unknown' }), tracked);
  assert.deepEqual(listed(tracked).counts, { pods: 1, nodes: 0, slices: 0 });
  scene.nodeViews.set('unknown', nodeView('unknown'));
  assert.equal(tracked.seeNode('unknown'), true);
  assert.equal(tracked.seeNode('elsewhere'), false);
  assert.deepEqual(Object.keys(listed(tracked).nodes ?? {}), ['unknown']);
});

test('labels of a namespace that come later, or change, decide again about its pods', () => {
  const { scene, tracked } = sceneWith({ namespaceSelector: { matchLabels: { team: 'a' } } });
  assert.equal(scene.add(podView('p', { namespace: 'shop' }), tracked), false);
  scene.namespaceViews.set('shop', namespaceView('shop', { team: 'a' }));
  assert.equal(tracked.seeNamespace('shop'), true);
  assert.equal(tracked.pods, 1);
  scene.namespaceViews.set('shop', namespaceView('shop', { team: 'b' }));
  assert.equal(tracked.seeNamespace('shop'), true);
  assert.equal(tracked.pods, 0);
});

test('a new spec selects again among all pods, and an old word of the tracker counts for nothing', () => {
  const { scene, tracked } = sceneWith({ namePrefix: 'a' });
  scene.add(podView('a1'), tracked);
  scene.add(podView('b1'), tracked);
  const old = aTracker('t', { namePrefix: 'a' });
  const changed = aTracker('t', { namePrefix: 'b' });
  changed.metadata = { ...changed.metadata, generation: 2, resourceVersion: '10' };
  assert.equal(tracked.learnTracker(changed), true);
  assert.deepEqual(Object.keys(listed(tracked).pods ?? {}), ['uid-b1']);
  assert.equal(tracked.learnTracker(old), false);
  assert.deepEqual(Object.keys(listed(tracked).pods ?? {}), ['uid-b1']);
  assert.equal(listed(tracked).observedGeneration, 2);
});

test('a spec that changed without a new generation, as through v1alpha1, selects again too; a new status does not', () => {
  const { scene, tracked } = sceneWith({ namePrefix: 'a', podSelector: { matchLabels: {} } });
  scene.add(podView('a1'), tracked);
  scene.add(podView('b1'), tracked);
  let looked = 0;
  const pods = scene.pods.bind(scene);
  scene.pods = () => {
    looked++;
    return pods();
  };
  const sameSpec = aTracker('t', { podSelector: { matchLabels: {} }, namePrefix: 'a' });
  sameSpec.metadata = { ...sameSpec.metadata, resourceVersion: '10' };
  assert.equal(tracked.learnTracker(sameSpec), true);
  assert.equal(looked, 0, 'the order of its fields means nothing');
  const changed = aTracker('t', { namePrefix: 'b' });
  changed.metadata = { ...changed.metadata, resourceVersion: '11' };
  assert.equal(tracked.learnTracker(changed), true);
  assert.deepEqual(Object.keys(listed(tracked).pods ?? {}), ['uid-b1']);
});

test('an address that another pod takes within five minutes is reported once, and not after', async () => {
  const { scene, tracked } = sceneWith();
  scene.add(podView('a', { ip: '10.0.0.1' }), tracked);
  scene.add(podView('a', { ip: '10.0.0.1', phase: 'Succeeded' }), tracked);
  await scene.clock.advance(3_000);
  scene.add(podView('b', { ip: '10.0.0.1' }), tracked);
  scene.add(podView('b', { ip: '10.0.0.1', annotations: { a: 'b' } }), tracked);
  assert.deepEqual(
    scene.reuses.map(({ address, pod, from, afterMs }) => [address, pod.metadata.name, from.podName, afterMs]),
    [['10.0.0.1', 'b', 'a', 3_000]],
  );
  scene.remove(podView('b'), tracked);
  await scene.clock.advance(301_000);
  scene.add(podView('c', { ip: '10.0.0.1' }), tracked);
  assert.equal(scene.reuses.length, 1);
});

test('a pod that gets its own address back has not taken it from anybody', () => {
  const { scene, tracked } = sceneWith();
  scene.add(podView('a', { ip: '10.0.0.1' }), tracked);
  scene.add(podView('a', { ip: '' }), tracked);
  scene.add(podView('a', { ip: '10.0.0.1' }), tracked);
  assert.deepEqual(scene.reuses, []);
});

test('one change among 20,000 pods is planned by looking at one', () => {
  const { scene, tracked } = sceneWith();
  for (let i = 0; i < 20_000; i++) scene.add(podView(`p${i}`), tracked);
  tracked.decide();
  const writes = tracked.planSlices('pods');
  assert.equal(writes.length, 200);
  let version = 1;
  for (const write of writes) {
    assert.ok(write.kind === 'create');
    const metadata = { name: write.name, uid: `uid-${write.name}`, resourceVersion: `${version++}` };
    const slice = { metadata, tracker: 't', ownerUid: 'uid-t', holds: 'pods', labelled: true } as const;
    assert.equal(tracked.learnSlice({ ...slice, entries: write.entries }), false);
  }
  assert.equal(tracked.dirtyKeys, 1, 'the node, which is in status');
  scene.add(podView('p77', { ip: '10.9.9.9' }), tracked);
  assert.equal(tracked.dirtyKeys, 2);
  const [write, ...others] = tracked.planSlices('pods');
  assert.ok(write?.kind === 'patch' && write.changes.size === 1);
  assert.deepEqual(others, []);
});

test('a standby, which writes nothing, does not remember every pod that came and went', () => {
  const { scene, tracked } = sceneWith();
  for (let i = 0; i < 10_000; i++) {
    scene.add(podView(`p${i}`), tracked);
    scene.remove(podView(`p${i}`), tracked);
  }
  assert.ok(tracked.dirtyKeys < 2_000, `${tracked.dirtyKeys} keys`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type EventRecorder, fencedClient, type Outcome } from '@podtrail/machinery';
import { settle } from '@podtrail/machinery/testing';
import { Collections, nodeView, podView, Scene } from './testing/tracker-fixture.ts';
import type { Tracked } from './tracked.ts';
import { TrackerPass } from './tracker-pass.ts';

const signal = new AbortController().signal;

async function stage(pods: number, spec = {}) {
  const scene = new Scene();
  scene.nodeViews.set('n1', nodeView('n1'));
  for (let i = 0; i < pods; i++) scene.add(podView(`p${i}`, { ip: `10.0.${i >> 8}.${i & 255}` }));
  const collections = new Collections();
  const tracked = await collections.create('t', spec, scene);
  const events: string[] = [];
  const record: EventRecorder['record'] = ({ reason }) => void events.push(reason);
  let leads = true;
  const { trackers, slices } = collections;
  const pass = new TrackerPass({
    clock: scene.clock,
    trackers: fencedClient(trackers, () => leads),
    slices: fencedClient(slices, () => leads),
    events: { record },
    degradedAfter: 3,
  });
  collections.forgetCalls();
  return { scene, collections, tracked, pass, events, lose: () => void (leads = false) };
}

async function run(pass: TrackerPass, tracked: Tracked, scene: Scene): Promise<Outcome> {
  await scene.clock.advance(1_000);
  const outcome = await pass.run(tracked, signal);
  await settle();
  return outcome;
}

const status = (collections: Collections) => collections.trackers.peek('t')?.status;
const condition = (collections: Collections, type: string) =>
  status(collections)?.conditions?.find((each) => each.type === type);

test('a small tracker is one write, and then none', async () => {
  const { scene, collections, tracked, pass } = await stage(3);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.deepEqual(collections.written, ['patch t']);
  assert.equal(Object.keys(status(collections)?.pods ?? {}).length, 3);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.deepEqual(collections.written, ['patch t']);
});

test('a large one gets slices that it owns, a status without pods, and nothing that its deletion waits for', async () => {
  const { scene, collections, tracked, pass } = await stage(250);
  await run(pass, tracked, scene);
  assert.equal(collections.trackers.peek('t')?.metadata.finalizers, undefined);
  assert.deepEqual(status(collections)?.counts, { pods: 250, nodes: 1, slices: 3 });
  assert.equal(status(collections)?.pods, undefined);
  assert.equal(condition(collections, 'Sliced')?.status, 'True');
  const slice = collections.slices.peek('t-0');
  assert.equal(Object.keys(slice?.entries ?? {}).length, 100);
  assert.equal(slice?.metadata.ownerReferences?.[0]?.uid, tracked.uid);
});

test('a change in a large one is one small patch, with the version that it was made from', async () => {
  const { scene, collections, tracked, pass } = await stage(250);
  await run(pass, tracked, scene);
  collections.forgetCalls();
  scene.add(podView('p7', { ip: '10.9.9.9' }), tracked);
  const before = collections.slices.peek('t-0')?.metadata.resourceVersion;
  await run(pass, tracked, scene);
  assert.deepEqual(collections.written, ['patch t-0']);
  assert.deepEqual(collections.slices.calls[0]?.body, {
    kind: 'merge',
    body: {
      metadata: { resourceVersion: before },
      entries: { 'uid-p7': { ip: '10.9.9.9', ips: ['10.9.9.9'] } },
    },
  });
});

test('passes of one tracker are a second apart', async () => {
  const { scene, collections, tracked, pass } = await stage(1);
  await run(pass, tracked, scene);
  scene.add(podView('p0', { ip: '10.9.9.9' }), tracked);
  const outcome = await pass.run(tracked, signal);
  assert.deepEqual(outcome, { kind: 'requeue', afterMs: 1_000 });
  assert.deepEqual(collections.written, ['patch t']);
});

test('after a conflict the slice is read again, and the next pass writes what is still missing', async () => {
  const { scene, collections, tracked, pass } = await stage(250);
  await run(pass, tracked, scene);
  const foreign = { kind: 'merge', body: { entries: { 'uid-p8': { ip: '1.1.1.1' } } } } as const;
  await collections.slices.patch('t-0', foreign);
  scene.add(podView('p7', { ip: '10.9.9.9' }), tracked);
  assert.equal((await run(pass, tracked, scene)).kind, 'requeue');
  assert.equal(pass.counts.conflicts, 1);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  const entries = collections.slices.peek('t-0')?.entries;
  assert.equal(entries?.['uid-p7']?.ip, '10.9.9.9');
  assert.equal(entries?.['uid-p8']?.ip, '10.0.0.8', 'and the foreign change is undone');
});

test('after a conflict on status it is read again', async () => {
  const { scene, collections, tracked, pass } = await stage(2);
  await collections.trackers.patch('t', { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  assert.deepEqual(await run(pass, tracked, scene), { kind: 'requeue', afterMs: 100 });
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.equal(status(collections)?.counts?.pods, 2);
});

test('a create whose answer was lost is found again, not repeated under another name', async () => {
  const { scene, collections, tracked, pass } = await stage(150);
  collections.slices.loseReplyOfNext('create');
  assert.equal((await run(pass, tracked, scene)).kind, 'retry');
  await collections.deliverSlices(tracked);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  const { items } = await collections.slices.list();
  const uids = items.flatMap(({ entries }) => Object.keys(entries ?? {}));
  assert.equal(uids.length, 150);
  assert.equal(new Set(uids).size, 150);
});

test('a process that no longer leads sends nothing', async () => {
  const { scene, collections, tracked, pass, lose } = await stage(250);
  lose();
  assert.equal((await run(pass, tracked, scene)).kind, 'requeue');
  assert.deepEqual(collections.written, []);
});

test('after three failures the tracker is Degraded with the error, and heals with the first success', async () => {
  const { scene, collections, tracked, pass, events } = await stage(150);
  const forbidden = new ApiError(403, { reason: 'Forbidden', message: 'no slices for you' }, undefined);
  for (let i = 0; i < 3; i++) {
    collections.slices.failNext('create', forbidden, 2);
    assert.equal(condition(collections, 'Degraded'), undefined);
    assert.equal((await run(pass, tracked, scene)).kind, 'retry');
  }
  assert.equal(condition(collections, 'Degraded')?.status, 'True');
  assert.equal(condition(collections, 'Degraded')?.reason, 'Forbidden');
  assert.equal(condition(collections, 'Degraded')?.message, 'no slices for you');
  assert.equal(condition(collections, 'Ready')?.status, 'False');
  assert.deepEqual(events, ['Degraded']);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.equal(condition(collections, 'Degraded')?.status, 'False');
  assert.equal(condition(collections, 'Ready')?.status, 'True');
});

test('one slice that cannot be written does not keep the others from being written', async () => {
  const { scene, collections, tracked, pass } = await stage(250);
  collections.slices.failNext('create', new ApiError(422, { reason: 'Invalid', message: 'no' }, undefined));
  await run(pass, tracked, scene);
  assert.equal((await collections.slices.list()).items.length, 2);
  await run(pass, tracked, scene);
  const { items } = await collections.slices.list();
  const uids = items.flatMap(({ entries }) => Object.keys(entries ?? {}));
  assert.equal(new Set(uids).size, 250, 'and is written by the next pass');
});

test('a condition keeps its time until its answer changes', async () => {
  const { scene, collections, tracked, pass } = await stage(1);
  await run(pass, tracked, scene);
  const before = condition(collections, 'Ready')?.lastTransitionTime;
  scene.add(podView('more'), tracked);
  await scene.clock.advance(60_000);
  await run(pass, tracked, scene);
  assert.equal(status(collections)?.counts?.pods, 2);
  assert.equal(condition(collections, 'Ready')?.lastTransitionTime, before);
});

test('the number of pods may pass 100 in the middle of a pass: status never holds more', async () => {
  const { scene, collections, tracked, pass } = await stage(150);
  await run(pass, tracked, scene);
  for (let i = 60; i < 150; i++) scene.remove(podView(`p${i}`), tracked);
  // While the slices are given up, more pods come than status can hold.
  collections.trackers.interceptNext('patch', () => {
    for (let i = 200; i < 260; i++) scene.add(podView(`p${i}`), tracked);
  });
  await run(pass, tracked, scene);
  for (let i = 0; i < 5; i++) await run(pass, tracked, scene);
  assert.equal(status(collections)?.pods, undefined);
  assert.deepEqual(status(collections)?.counts, { pods: 120, nodes: 1, slices: 2 });
});

test('pods that go in the middle of a pass, so that status would hold the rest, make another plan', async () => {
  const { scene, collections, tracked, pass } = await stage(150);
  collections.slices.interceptNext('create', () => {
    for (let i = 60; i < 150; i++) scene.remove(podView(`p${i}`), tracked);
  });
  assert.equal((await run(pass, tracked, scene)).kind, 'requeue');
  assert.equal(status(collections), undefined, 'a status from half of the old plan is not written');
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.deepEqual(status(collections)?.counts, { pods: 60, nodes: 1, slices: 0 });
  assert.deepEqual((await collections.slices.list()).items, []);
});

test('a tracker stays in slices down to 81 pods, and is in status from 80 on', async () => {
  const { scene, collections, tracked, pass } = await stage(101);
  await run(pass, tracked, scene);
  assert.equal(status(collections)?.counts?.slices, 2);
  for (let i = 81; i < 101; i++) scene.remove(podView(`p${i}`), tracked);
  await run(pass, tracked, scene);
  assert.deepEqual(status(collections)?.counts, { pods: 81, nodes: 1, slices: 1 });
  assert.equal(status(collections)?.pods, undefined);
  scene.remove(podView('p80'), tracked);
  await run(pass, tracked, scene);
  assert.deepEqual(status(collections)?.counts, { pods: 80, nodes: 1, slices: 0 });
  assert.equal(Object.keys(status(collections)?.pods ?? {}).length, 80);
});

test('what a pass planned and did not come to is planned again', async () => {
  const { scene, collections, tracked, pass } = await stage(250);
  await run(pass, tracked, scene);
  // The last slice becomes empty; before it is deleted, status meets a conflict.
  for (const uid of Object.keys(collections.slices.peek('t-2')?.entries ?? {})) {
    scene.remove(podView(uid.replace('uid-', '')), tracked);
  }
  await collections.trackers.patch('t', { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  assert.equal((await run(pass, tracked, scene)).kind, 'requeue');
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.equal(collections.slices.peek('t-2'), undefined);
  assert.deepEqual(status(collections)?.counts, { pods: 200, nodes: 1, slices: 2 });
});

test('slices of nodes are written although slices of pods could not be', async () => {
  const { scene, collections, tracked, pass } = await stage(0);
  for (let i = 0; i < 120; i++) {
    scene.nodeViews.set(`node-${i}`, nodeView(`node-${i}`));
    scene.add(podView(`p${i}`, { node: `node-${i}` }), tracked);
  }
  await run(pass, tracked, scene);
  assert.deepEqual(status(collections)?.counts, { pods: 120, nodes: 120, slices: 4 });
  scene.add(podView('p7', { node: 'node-7', ip: '10.9.9.9' }), tracked);
  scene.nodeViews.set('node-8', nodeView('node-8', '64'));
  tracked.seeNode('node-8');
  collections.slices.failNext('patch', new ApiError(500, { message: 'not now' }, undefined));
  assert.equal((await run(pass, tracked, scene)).kind, 'retry');
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.equal(collections.slices.peek('t-0')?.entries?.['uid-p7']?.ip, '10.9.9.9');
  assert.equal(collections.slices.peek('t-n0')?.nodes?.['node-8']?.capacity?.['cpu'], '64');
});

/** As an earlier build left it. */
async function finalized(collections: Collections, tracked: Tracked, more: object = {}): Promise<void> {
  const body = { metadata: { finalizers: ['example.com/hold', 'podtrail.dev/cleanup'], ...more } };
  tracked.learnTracker(await collections.trackers.patch('t', { kind: 'merge', body }));
  collections.forgetCalls();
}

test('the finalizer of an earlier build is taken off, those of others stay', async () => {
  const { scene, collections, tracked, pass } = await stage(3);
  await finalized(collections, tracked);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.deepEqual(collections.trackers.peek('t')?.metadata.finalizers, ['example.com/hold']);
  assert.deepEqual(collections.written, ['patch t', 'patch t'], 'the finalizer, then status');
});

test('it is taken off at once where the tracker is being deleted, and nothing else is written', async () => {
  const { scene, collections, tracked, pass } = await stage(250);
  await run(pass, tracked, scene);
  await finalized(collections, tracked, { deletionTimestamp: '2026-11-15T10:00:00Z' });
  scene.add(podView('more'), tracked);
  assert.equal((await pass.run(tracked, signal)).kind, 'done');
  assert.deepEqual(collections.trackers.peek('t')?.metadata.finalizers, ['example.com/hold']);
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.deepEqual(collections.written, ['patch t']);
});

test('a conflict over the finalizer is tried again from what is there now', async () => {
  const { scene, collections, tracked, pass } = await stage(3);
  await finalized(collections, tracked, { deletionTimestamp: '2026-11-15T10:00:00Z' });
  await collections.trackers.patch('t', { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  assert.deepEqual(await run(pass, tracked, scene), { kind: 'requeue', afterMs: 100 });
  assert.equal((await run(pass, tracked, scene)).kind, 'done');
  assert.deepEqual(collections.trackers.peek('t')?.metadata.finalizers, ['example.com/hold']);
});

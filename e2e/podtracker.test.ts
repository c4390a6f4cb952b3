// PodTrackers on a real API server with 2,000 pods: what is listed, what it costs, and what happens when things go
// wrong. The idle time is the minute that the acceptance asks for; PODTRAIL_E2E_IDLE_SECONDS makes it another.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@podtrail/machinery';
import type { PodEntry, PodTrackerSpec } from '@podtrail/operator';
import { until, useCluster } from './controlplane/index.ts';
import { forEach, Hand, installDefinitions, PodTrackerStage } from './podtracker-stage.ts';

const PODS = 2_000;
const NODES = 5;
const IDLE_SECONDS = Number(process.env['PODTRAIL_E2E_IDLE_SECONDS'] ?? '60');
const SEED = Number(process.env['PODTRAIL_SEED'] ?? '20261115');
const NAMESPACES = ['shop', 'bank', 'empty'];

const cluster = await useCluster({ needs: ['own control plane'] });
const { skip } = cluster;

/** One controller for all tests that do not need their own. */
let stage: PodTrackerStage | undefined;
after(() => stage?.stop());

async function set(t: TestContext): Promise<{ hand: Hand; stage: PodTrackerStage }> {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  if (stage === undefined) {
    await installDefinitions(plane);
    for (const name of NAMESPACES) {
      const labels = { team: name === 'bank' ? 'money' : 'retail' };
      await hand.client.namespaces().create({ metadata: { name, labels } });
    }
    for (let i = 0; i < NODES; i++) await hand.createNode(`node-${i}`);
    stage = await PodTrackerStage.start({ after: () => {} }, plane);
  }
  return { hand, stage };
}

const address = (i: number) => `10.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;

function assertListed(actual: ReadonlyMap<string, PodEntry>, wanted: ReadonlyMap<string, PodEntry>): void {
  assert.equal(actual.size, wanted.size);
  for (const [uid, entry] of wanted) assert.deepEqual(actual.get(uid), entry);
}

interface Selects {
  readonly name: string;
  readonly spec: PodTrackerSpec;
  readonly selects: Parameters<Hand['selected']>[0];
}

const TRACKERS: readonly Selects[] = [
  { name: 'all', spec: {}, selects: () => true },
  { name: 'shop', spec: { namespaces: ['shop'] }, selects: ({ metadata }) => metadata.namespace === 'shop' },
  {
    name: 'money',
    spec: { namespaceSelector: { matchLabels: { team: 'money' } }, namePrefix: 'web-1' },
    selects: ({ metadata }) => metadata.namespace === 'bank' && metadata.name?.startsWith('web-1') === true,
  },
  {
    name: 'few',
    spec: {
      podSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold'] }] },
      nodeNames: ['node-1'],
    },
    selects: ({ metadata, spec }) => metadata.labels?.['tier'] === 'gold' && spec.nodeName === 'node-1',
  },
];

async function untilListed(hand: Hand, withinMs = 60_000): Promise<void> {
  for (const { name, selects } of TRACKERS) {
    await until(
      `tracker ${name} lists what it selects`,
      async () => {
        const wanted = await hand.selected(selects);
        assertListed(await hand.listed(name), wanted);
        const { status } = await hand.trackers.get(name);
        assert.equal(status?.counts?.pods, wanted.size);
        return true;
      },
      { withinMs, everyMs: 300 },
    );
  }
}

interface Life {
  readonly namespace: string;
  readonly name: string;
}

const alive: Life[] = [];

/** Every fiftieth. */
const gold = (name: string) => Number(name.match(/\d+$/)?.[0]) % 50 === 1;

async function givePod(hand: Hand, i: number): Promise<void> {
  const life = { namespace: i % 3 === 0 ? 'bank' : 'shop', name: `web-${i}` };
  await hand.createPod(
    life.namespace,
    life.name,
    `node-${i % NODES}`,
    address(i),
    gold(`web-${i}`) ? { tier: 'gold' } : {},
  );
  alive.push(life);
}

test('2,000 pods are listed, each in status or in exactly one slice', { skip, timeout: 240_000 }, async (t) => {
  const { hand } = await set(t);
  for (const { name, spec } of TRACKERS) await hand.createTracker(name, spec);
  await forEach(
    Array.from({ length: PODS }, (_, i) => i),
    (i) => givePod(hand, i),
  );
  await untilListed(hand);
  const all = await hand.trackers.get('all');
  assert.deepEqual(all.status?.counts, { pods: PODS, nodes: NODES, slices: (await hand.slicesOf('all')).length });
  assert.equal(Object.keys(all.status?.nodes ?? {}).length, NODES);
  assert.equal(all.status?.pods, undefined);
  assert.equal((await hand.condition('all', 'Ready'))?.status, 'True');
  assert.equal((await hand.condition('all', 'Sliced'))?.status, 'True');
  assert.equal((await hand.condition('few', 'Sliced'))?.status, 'False');
  assert.equal(all.status?.observedGeneration, 1);
  assert.deepEqual(all.status?.nodes?.['node-1'], {
    nodeIP: '192.168.0.1',
    capacity: { cpu: '8', memory: '32Gi', pods: '110' },
    allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
  });
});

test(`after random changes (seed ${SEED}) what is listed is what is there`, { skip, timeout: 240_000 }, async (t) => {
  const { hand } = await set(t);
  const random = seededRandom(SEED);
  const pick = (n: number) => Math.floor(random() * n);
  let created = PODS;
  for (let round = 0; round < 5; round++) {
    const changes: (() => Promise<unknown>)[] = [];
    // Each pod at most once in a round, so that the round may run in any order.
    const untouched = [...alive];
    for (let i = 0; i < 120; i++) {
      const [life] = untouched.splice(pick(untouched.length), 1) as [Life];
      const { namespace, name } = life;
      const kind = pick(5);
      if (kind === 0) changes.push(() => hand.setStatus(namespace, name, address(50_000 + pick(10_000)), 'Running'));
      else if (kind === 1) changes.push(() => hand.setStatus(namespace, name, address(pick(10_000)), 'Succeeded'));
      else if (kind === 2) {
        alive.splice(alive.indexOf(life), 1);
        changes.push(() => hand.deletePod(namespace, name));
      } else if (kind === 3) changes.push(() => hand.annotate(namespace, name, { round: `${round}` }));
      else {
        const next = created++;
        changes.push(() => givePod(hand, next));
      }
    }
    await forEach(changes, (change) => change());
    if (round === 2)
      await hand.client
        .namespaces()
        .patch('shop', { kind: 'merge', body: { metadata: { labels: { team: 'money' } } } });
    if (round === 3)
      await hand.client
        .namespaces()
        .patch('shop', { kind: 'merge', body: { metadata: { labels: { team: 'retail' } } } });
    if (round !== 2) await untilListed(hand);
  }
});

/** What a user sent to trackers and slices since `since`; watches and reads carry nothing. */
async function writesSince(since: string): Promise<string[]> {
  const events = (await cluster.controlPlane.auditLog()).filter(
    ({ user, objectRef, verb, requestReceivedTimestamp }) =>
      user.username === 'podtracker' &&
      objectRef?.apiGroup === 'podtrail.dev' &&
      verb !== 'watch' &&
      requestReceivedTimestamp > since,
  );
  return events.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.name}`);
}

async function sentBytes(): Promise<number> {
  const plane = cluster.controlPlane;
  const [trackers, slices] = await Promise.all(
    ['podtrackers', 'podtrackerslices'].map((resource) => plane.requestBodyBytes({ resource })),
  );
  return (trackers?.bytes ?? 0) + (slices?.bytes ?? 0);
}

/** Everything that was asked for has been written, and a second of rest has passed. */
async function quiet(hand: Hand): Promise<void> {
  await untilListed(hand);
  let last = -1;
  await until(
    'nothing is written any more',
    async () => {
      const before = last;
      last = (stage?.controller.writes.slices ?? 0) + (stage?.controller.writes.status ?? 0);
      return last === before;
    },
    { everyMs: 1_500 },
  );
}

test(`${IDLE_SECONDS} idle seconds cost no request to trackers and slices`, { skip, timeout: 360_000 }, async (t) => {
  const { hand } = await set(t);
  await quiet(hand);
  const since = new Date().toISOString();
  const bytes = await sentBytes();
  await sleep(IDLE_SECONDS * 1_000);
  assert.deepEqual(await writesSince(since), []);
  assert.equal((await sentBytes()) - bytes, 0);
});

test('300 irrelevant annotation changes cost no request', { skip, timeout: 180_000 }, async (t) => {
  const { hand, stage } = await set(t);
  await quiet(hand);
  const since = new Date().toISOString();
  const bytes = await sentBytes();
  await forEach(
    Array.from({ length: 300 }, (_, i) => alive[i % alive.length] as Life),
    ({ namespace, name }, i) => hand.annotate(namespace, name, { irrelevant: `${i}` }),
  );
  await until(
    'the informer has seen them',
    () => stage.pods.lister.list({ where: ({ metadata }) => metadata.annotations.has('irrelevant') }).length === 300,
  );
  await sleep(1_500);
  assert.deepEqual(await writesSince(since), []);
  assert.equal((await sentBytes()) - bytes, 0);
});

test("one pod's new address costs one object and less than 2 kB for a tracker", {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { hand } = await set(t);
  await quiet(hand);
  const since = new Date().toISOString();
  const bytes = await sentBytes();
  const pod = [...(await hand.listed('shop')).values()].find(({ podName }) => !gold(podName)) as PodEntry;
  await hand.setStatus(pod.namespace, pod.podName, '10.99.0.1', 'Running');
  await quiet(hand);
  const writes = (await writesSince(since)).map((write) => write.replace(/\d+$/, 'N'));
  assert.deepEqual(writes.sort(), ['patch podtrackerslices/all-N', 'patch podtrackerslices/shop-N']);
  const cost = (await sentBytes()) - bytes;
  assert.ok(cost > 0 && cost < 2_000, `${cost} bytes`);
  t.diagnostic(`${cost} bytes in ${writes.length} writes to two trackers`);
});

test('a burst of changes to one slice is written at most once a second', { skip, timeout: 180_000 }, async (t) => {
  const { hand, stage } = await set(t);
  await quiet(hand);
  const before = stage.controller.writes.slices;
  const started = performance.now();
  const [uid] = [...(await hand.listed('all'))].find(([, { namespace }]) => namespace === 'bank') as [string, PodEntry];
  const { namespace, podName } = (await hand.listed('all')).get(uid) as PodEntry;
  for (let i = 0; i < 60; i++) {
    await hand.setStatus(namespace, podName, address(90_000 + i), 'Running');
    await sleep(40);
  }
  await quiet(hand);
  const seconds = (performance.now() - started) / 1_000;
  const writes = stage.controller.writes.slices - before;
  // In at most two trackers that are sliced.
  assert.ok(writes <= 2 * (seconds + 1), `${writes} writes in ${seconds} s`);
});

const byLength = (a: readonly unknown[], b: readonly unknown[]) => a.length - b.length;

test('a tracker around 100 pods goes into slices once, and back into status only below 80', {
  skip,
  timeout: 270_000,
}, async (t) => {
  const { hand } = await set(t);
  await hand.createTracker('edge', { namespaces: ['empty'] });
  const grow = (from: number, to: number) =>
    forEach(
      Array.from({ length: to - from }, (_, i) => from + i),
      (i) => hand.createPod('empty', `edge-${i}`, 'node-0', address(120_000 + i)),
    );
  const shrinkTo = async (size: number, first: string[] = []) => {
    const names = [...(await hand.listed('edge')).values()].map(({ podName }) => podName);
    const leaving = [...first, ...names.filter((name) => !first.includes(name))].slice(0, names.length - size);
    await forEach(leaving, (name) => hand.deletePod('empty', name));
  };
  const listed = (pods: number, slices: number) =>
    until(`${pods} pods in ${slices} slices`, async () => {
      const { status, metadata } = await hand.trackers.get('edge');
      assert.deepEqual(status?.counts, { pods, nodes: pods === 0 ? 0 : 1, slices });
      assert.equal(Object.keys(status?.pods ?? {}).length, slices === 0 ? pods : 0);
      assert.equal((await hand.slicesOf('edge')).length, slices);
      assert.equal((await hand.listed('edge')).size, pods);
      assert.equal(metadata.finalizers, undefined);
      return true;
    });
  await listed(0, 0);
  await grow(0, 100);
  await listed(100, 0);
  await grow(100, 101);
  await listed(101, 2);
  // Entries stay where they are: which pod is alone in the second slice depends on the order in which they came.
  const smallest = (await hand.slicesOf('edge')).map(({ entries = {} }) => Object.values(entries)).sort(byLength)[0];
  assert.equal(smallest?.length, 1);
  await shrinkTo(95, [smallest[0]?.podName ?? '']);
  await listed(95, 1);
  await grow(101, 107);
  await listed(101, 2);
  await shrinkTo(80);
  await listed(80, 0);
  await shrinkTo(0);
  await listed(0, 0);
  await hand.trackers.delete('edge');
});

test('strays are adopted, doubles are taken out, and what was tampered with is put right', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { hand } = await set(t);
  await quiet(hand);
  const slices = await hand.slicesOf('shop');
  const [first, second] = slices as [(typeof slices)[0], (typeof slices)[0]];
  const [uid, entry] = Object.entries(first.entries ?? {})[0] as [string, PodEntry];
  const labels = { 'podtrail.dev/tracker': 'shop', 'podtrail.dev/holds': 'pods' };
  await hand.slices.create({
    apiVersion: 'podtrail.dev/v1',
    kind: 'PodTrackerSlice',
    metadata: { name: 'stray', labels },
    entries: { [uid]: entry, 'not-a-pod': { ...entry, podName: 'nobody' } },
  });
  const patch = { entries: { [Object.keys(second.entries ?? {})[0] as string]: { ip: '1.2.3.4' } } };
  await hand.slices.patch(second.metadata.name ?? '', { kind: 'merge', body: patch });
  await hand.slices.patch(first.metadata.name ?? '', { kind: 'merge', body: { metadata: { ownerReferences: null } } });
  await until(
    'the stray is gone',
    async () => !(await hand.slicesOf('shop')).some(({ metadata }) => metadata.name === 'stray'),
  );
  await untilListed(hand);
  await until('the owner is back', async () => {
    const { metadata } = await hand.slices.get(first.metadata.name ?? '');
    return metadata.ownerReferences?.[0]?.name === 'shop';
  });
  await hand.slices.delete(second.metadata.name ?? '');
  await untilListed(hand);
});

test('slices of a tracker that does not exist are collected', { skip }, async (t) => {
  const { hand } = await set(t);
  const labels = { 'podtrail.dev/tracker': 'nobody', 'podtrail.dev/holds': 'pods' };
  const metadata = { name: 'orphan', labels };
  await hand.slices.create({ apiVersion: 'podtrail.dev/v1', kind: 'PodTrackerSlice', metadata, entries: {} });
  await until('the orphan is gone', async () => (await hand.slicesOf('nobody')).length === 0);
});

test('an address that passes from one tracked pod to another is recorded as an Event', { skip }, async (t) => {
  const { hand } = await set(t);
  await hand.createTracker('reuse', { namespaces: ['empty'] });
  await hand.createPod('empty', 'first', 'node-0', '10.77.0.1');
  await until('it is listed', async () => (await hand.listed('reuse')).size === 1);
  await hand.deletePod('empty', 'first');
  await hand.createPod('empty', 'second', 'node-0', '10.77.0.1');
  const note = await until('there is an Event', async () => {
    const { items } = await hand.client.events('default').list();
    const found = items.find((event) => (event['regarding'] as { name?: string }).name === 'reuse');
    return found?.['reason'] === 'IPReused' && String(found['note']);
  });
  assert.match(note, /^10\.77\.0\.1 went from empty\/first to empty\/second within \d+\.\d s$/);
  await hand.deletePod('empty', 'second');
  await hand.trackers.delete('reuse');
});

test('fault 23: in a storm of 50 foreign writes a second the tracker keeps up, with bounded conflicts', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { hand, stage } = await set(t);
  await hand.createTracker('stormy', { namespaces: ['empty'] });
  await until('it is ready', async () => (await hand.condition('stormy', 'Ready'))?.status === 'True');
  const before = stage.controller.writes.conflicts;
  const storm: Promise<unknown>[] = [];
  for (let i = 0; i < 150; i++) {
    const annotations = { storm: `${i}` };
    storm.push(hand.trackers.patch('stormy', { kind: 'merge', body: { metadata: { annotations } } }));
    if (i % 30 === 0) storm.push(hand.createPod('empty', `storm-${i}`, 'node-0', address(130_000 + i)));
    await sleep(20);
  }
  await Promise.all(storm);
  await until('all are listed', async () => (await hand.trackers.get('stormy')).status?.counts?.pods === 5);
  const conflicts = stage.controller.writes.conflicts - before;
  assert.ok(conflicts < 60, `${conflicts} conflicts`);
  t.diagnostic(`${conflicts} conflicts`);
  for (let i = 0; i < 150; i += 30) await hand.deletePod('empty', `storm-${i}`);
  await hand.trackers.delete('stormy');
});

test('a deleted tracker goes with its slices and its ConfigMaps', { skip, timeout: 180_000 }, async (t) => {
  const { hand } = await set(t);
  const configMaps = { enabled: true, namespace: 'empty' };
  await hand.createTracker('leaving', { footprints: { configMaps } });
  await until('it is in slices', async () => ((await hand.trackers.get('leaving')).status?.counts?.slices ?? 0) > 10);
  const { uid = '' } = (await hand.trackers.get('leaving')).metadata;
  const labels = { app: 'pod-ashiato', type: 'pod-node-mapping', 'app.kubernetes.io/managed-by': 'podtrail' };
  const owner = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name: 'leaving' };
  const hours = hand.client.configMaps('empty');
  await hours.create({ metadata: { name: 'of-it', labels, ownerReferences: [{ ...owner, uid }] } });
  await hours.create({ metadata: { name: 'of-another', labels, ownerReferences: [{ ...owner, uid: 'another' }] } });
  const started = performance.now();
  await hand.trackers.delete('leaving');
  await assert.rejects(hand.trackers.get('leaving'), /not found/, 'its deletion waits for nothing');
  // There is no garbage collector here: it is the operator that does it.
  await until('its slices are gone', async () => (await hand.slicesOf('leaving')).length === 0);
  await until('its ConfigMap is gone', async () =>
    (await hours.list()).items.every((m) => m.metadata.name !== 'of-it'),
  );
  t.diagnostic(`${Math.round(performance.now() - started)} ms`);
  assert.equal((await hours.get('of-another')).metadata.name, 'of-another');
});

test('made again under the same name, a tracker loses the ConfigMaps of the one before and keeps its own', {
  skip,
}, async (t) => {
  const { hand } = await set(t);
  const hours = hand.client.configMaps('empty');
  const labels = { app: 'pod-ashiato', type: 'pod-node-mapping', 'app.kubernetes.io/managed-by': 'podtrail' };
  const makeWith = async (hour: string) => {
    await hand.createTracker('again', { footprints: { configMaps: { enabled: true, namespace: 'empty' } } });
    const { uid = '' } = (await hand.trackers.get('again')).metadata;
    const owner = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name: 'again', uid };
    await hours.create({ metadata: { name: hour, labels, ownerReferences: [owner] } });
    await until('it is ready', async () => (await hand.condition('again', 'Ready'))?.status === 'True');
  };
  await makeWith('of-the-first');
  await hand.trackers.delete('again');
  await makeWith('of-the-second');
  const names = async () => (await hours.list()).items.map(({ metadata }) => metadata.name);
  await until('what the first one left is gone', async () => !(await names()).includes('of-the-first'));
  assert.ok((await names()).includes('of-the-second'));
  assert.equal((await hand.listed('again')).size, (await hand.selected(() => true)).size);
  await hand.trackers.delete('again');
  await until('so is what the second one left', async () => !(await names()).includes('of-the-second'));
});

test('a standby writes nothing, and takes over without writing again what is written', {
  skip,
  timeout: 270_000,
}, async (t) => {
  const { hand } = await set(t);
  await quiet(hand);
  await stage?.stop();
  let leader = 'first';
  const start = (user: string) =>
    PodTrackerStage.start(t, cluster.controlPlane, { user, controller: { isLeader: () => leader === user } });
  const [first, second] = [await start('first'), await start('second')];
  const written = ({ controller: { writes } }: PodTrackerStage) => writes.slices + writes.status;
  // In slices of `all` and `shop`; a golden one would also be in the status of `few`.
  const life = [...(await hand.listed('shop')).values()].find(({ podName }) => !gold(podName)) as PodEntry;
  await hand.setStatus(life.namespace, life.podName, '10.66.0.1', 'Running');
  await untilListed(hand);
  // A new process compares everything, and finds that only this differs.
  assert.equal(written(first), 2, 'one slice of each of two trackers');
  leader = 'second';
  await hand.setStatus(life.namespace, life.podName, '10.66.0.2', 'Running');
  await untilListed(hand);
  await sleep(1_500);
  assert.equal(written(first), 2);
  assert.equal(written(second), 2);
  stage = await PodTrackerStage.start({ after: () => {} }, cluster.controlPlane);
});

test('deleted while no operator is there, a tracker goes at once, and an operator that comes removes its slices', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { hand } = await set(t);
  assert.ok((await hand.slicesOf('money')).length > 0);
  await stage?.stop();
  await hand.trackers.delete('money');
  await assert.rejects(hand.trackers.get('money'), /not found/);
  stage = await PodTrackerStage.start({ after: () => {} }, cluster.controlPlane);
  await until('its slices are gone', async () => (await hand.slicesOf('money')).length === 0);
});

test('the finalizer of an earlier build is taken off, also where the tracker is being deleted already', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { hand } = await set(t);
  await stage?.stop();
  for (const name of ['stays', 'goes']) {
    const metadata = { name, finalizers: ['podtrail.dev/cleanup'] };
    await hand.trackers.create({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata, spec: {} });
  }
  await hand.trackers.delete('goes');
  assert.ok((await hand.trackers.get('goes')).metadata.deletionTimestamp);
  stage = await PodTrackerStage.start({ after: () => {} }, cluster.controlPlane);
  await until('the one is free', async () => (await hand.trackers.get('stays')).metadata.finalizers === undefined);
  await until('the other is gone', async () =>
    (await hand.trackers.list()).items.every(({ metadata }) => metadata.name !== 'goes'),
  );
  await hand.trackers.delete('stays');
});

test('a tracker that may not be written is Degraded, says why, and heals', { skip, timeout: 180_000 }, async (t) => {
  const { hand } = await set(t);
  await cluster.kubectl([
    'create',
    'clusterrole',
    'watcher',
    '--verb=list,watch,get',
    '--resource=pods,nodes,namespaces,podtrackers.podtrail.dev,podtrackerslices.podtrail.dev',
  ]);
  await cluster.kubectl(['create', 'clusterrolebinding', 'watcher', '--clusterrole=watcher', '--user=limited']);
  await cluster.kubectl([
    'create',
    'clusterrole',
    'writer',
    '--verb=patch',
    '--resource=podtrackers.podtrail.dev/status',
  ]);
  await cluster.kubectl(['create', 'clusterrolebinding', 'writer', '--clusterrole=writer', '--user=limited']);
  await stage?.stop();
  stage = await PodTrackerStage.start({ after: () => {} }, cluster.controlPlane, {
    user: 'limited',
    groups: [],
    controller: { degradedAfter: 2 },
  });
  // New slices are needed, and may not be made.
  await hand.createTracker('forbidden', { namespaces: ['shop'] });
  const degraded = await until('it is degraded', async () => {
    const condition = await hand.condition('forbidden', 'Degraded');
    return condition?.status === 'True' && condition;
  });
  assert.equal(degraded.reason, 'Forbidden');
  assert.match(degraded.message, /cannot create resource "podtrackerslices"/);
  assert.equal((await hand.condition('forbidden', 'Ready'))?.status, 'False');
  await cluster.kubectl([
    'create',
    'clusterrole',
    'slicer',
    '--verb=create,patch,delete',
    '--resource=podtrackerslices.podtrail.dev',
  ]);
  await cluster.kubectl(['create', 'clusterrolebinding', 'slicer', '--clusterrole=slicer', '--user=limited']);
  await until('it is ready', async () => (await hand.condition('forbidden', 'Ready'))?.status === 'True');
  assert.equal((await hand.condition('forbidden', 'Degraded'))?.status, 'False');
  await hand.trackers.delete('forbidden');
});

test('fault 25: the definitions are deleted under it; pods are followed on, and new trackers are served when they are back', {
  skip,
  timeout: 360_000,
}, async (t) => {
  const { hand } = await set(t);
  await stage?.stop();
  stage = await PodTrackerStage.start({ after: () => {} }, cluster.controlPlane);
  const pods = stage.pods;
  await pods.waitForSync();
  await cluster.kubectl([
    'delete',
    'crd',
    'podtrackers.podtrail.dev',
    'podtrackerslices.podtrail.dev',
    '--timeout=120s',
  ]);
  await hand.createPod('empty', 'meanwhile', 'node-0', '10.88.0.1');
  await until('the pod is seen', () => pods.lister.getIn('empty', 'meanwhile')?.status.podIP === '10.88.0.1');
  assert.equal(pods.counters.relists, 0);
  await installDefinitions(cluster.controlPlane);
  await until('a tracker is taken', () => hand.createTracker('again', { namespaces: ['empty'] }).then(() => true));
  await until('it lists the pod', async () => (await hand.listed('again')).size === 1, { withinMs: 60_000 });
});

test('it used the rights that its documentation names, and no other', { skip }, async () => {
  const rights = rightsOf(readFileSync(new URL('../docs/podtracker.md', import.meta.url), 'utf8'));
  const used = new Set<string>();
  for (const { user, verb, objectRef } of await cluster.controlPlane.auditLog()) {
    if (user.username !== 'podtracker' || objectRef?.resource === undefined) continue;
    const { resource, subresource, apiGroup } = objectRef;
    const group = apiGroup === undefined || apiGroup === '' ? '' : `.${apiGroup}`;
    used.add(`${verb} ${resource}${group}${subresource === undefined ? '' : `/${subresource}`}`);
  }
  assert.deepEqual(
    [...used].filter((right) => !rights.has(right)),
    [],
    'not named',
  );
  // Listing is for servers that cannot stream it, reading a slice for conflicts, patching an Event for repetitions; the
  // definition is the conversion endpoint's.
  const elsewhere = /^list |^get podtrackerslices|^patch events|customresourcedefinitions/;
  assert.deepEqual(
    [...rights].filter((right) => !used.has(right) && !elsewhere.test(right)),
    [],
    'not used',
  );
});

/** The table under "Rights": resources in the first column, verbs in the second. */
function rightsOf(document: string): Set<string> {
  const [, table = ''] = document.split('## Rights');
  const rights = new Set<string>();
  for (const line of table.split('\n').slice(3)) {
    const [, first = '', second = ''] = line.split('|');
    // "configmaps, where footprints write them" names one resource and says where.
    const resources = first.split(',').map((part) => part.trim());
    for (const resource of resources.filter((part) => /^[a-z0-9./]+$/.test(part))) {
      for (const verb of second.split(',')) rights.add(`${verb.trim()} ${resource}`);
    }
  }
  return rights;
}

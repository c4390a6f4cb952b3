import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventInput, type KubeObject, seededRandom } from '@podtrail/machinery';
import { aPod, ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import type { PodTrackerSpec } from '../crds/podtracker.ts';
import { HourlyConfigMaps } from '../footprints/hourly-config-maps.ts';
import { ToldInformer } from '../footprints/testing/told-informer.ts';
import { keptLog, ToldNamespaces, ToldTrackers } from './testing/told-trackers.ts';
import { TrackerFootprints } from './tracker-footprints.ts';

const TEN = Date.UTC(2026, 10, 15, 10);
const HOUR = 3_600_000;
const FIRST = 'pod-ashiato-2026111510';

class Stage {
  readonly clock = new ManualClock(TEN);
  readonly pods = new ToldInformer(this.clock);
  readonly namespaces = new ToldNamespaces(this.clock);
  readonly trackers = new ToldTrackers(this.clock);
  readonly servers = new Map<string, MemoryResourceClient>();
  readonly events: EventInput[] = [];
  readonly kept = keptLog();
  leads = true;
  out = '';
  readonly footprints: TrackerFootprints;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor() {
    const { clock, pods, namespaces, trackers } = this;
    this.footprints = new TrackerFootprints({
      ...{ clock, pods, namespaces, trackers, random: seededRandom(1), intervalMs: 1_000, log: this.kept.log },
      client: {
        configMaps: (namespace) => this.server(namespace ?? ''),
        // The names, as the server's table has them.
        table: async (_resource, { namespace = '', labelSelector = '' } = {}) => {
          const wanted = labelSelector.split(',').map((part) => part.split('='));
          const { items } = await this.server(namespace).list();
          const found = items.filter(({ metadata }) => wanted.every(([k = '', v]) => metadata.labels?.[k] === v));
          const rows = found.map(({ metadata }) => ({ cells: [metadata.name] }));
          return { kind: 'Table', metadata: {}, columnDefinitions: [{ name: 'Name' }], rows } as never;
        },
      },
      isLeader: () => this.leads,
      events: { record: (event) => void this.events.push(event) },
      write: async (lines) => void (this.out += lines),
    });
  }

  server(namespace: string): MemoryResourceClient {
    const known = this.servers.get(namespace);
    if (known !== undefined) return known;
    const made = new MemoryResourceClient({ apiVersion: 'v1', kind: 'ConfigMap', now: () => this.clock.now() });
    this.servers.set(namespace, made);
    return made;
  }

  lead(): void {
    this.#running = this.footprints.run(this.#stop.signal);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  data(namespace: string, name = FIRST): unknown {
    return this.server(namespace).peek(name)?.['data'];
  }

  writes(namespace: string): string[] {
    const reads = ['get', 'list'];
    return this.server(namespace).calls.flatMap(({ verb, name }) => (reads.includes(verb) ? [] : `${verb} ${name}`));
  }
}

const wants = (namespace: string, more: PodTrackerSpec = {}): PodTrackerSpec => ({
  ...more,
  footprints: { log: false, configMaps: { enabled: true, namespace, retention: '48h' } },
});
const pod = (name: string, namespace = 'shop') => aPod(name).inNamespace(namespace).onNode('n1').withIp('10.0.0.1');

test('the ConfigMap of a tracker has the pods that it selects, its label and its owner', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'), pod('db-1', 'bank'));
  stage.trackers.put('ADDED', 'shop', wants('default', { namespaces: ['shop'] }));
  stage.lead();
  await stage.clock.advance(10);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1' });
  const metadata = stage.server('default').peek(FIRST)?.metadata;
  assert.equal(metadata?.labels?.['podtrail.dev/tracker'], 'shop');
  assert.deepEqual(metadata?.ownerReferences, [
    { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name: 'shop', uid: 'uid-shop' },
  ]);
  await stage.end();
});

test('two trackers with one namespace share its ConfigMaps: neither has the label, both own them', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'), pod('db-1', 'bank'));
  stage.trackers.put('ADDED', 'shop', wants('default', { namespaces: ['shop'] }));
  stage.lead();
  await stage.clock.advance(10);
  stage.trackers.put('ADDED', 'bank', wants('default', { namespaces: ['bank'] }));
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1', 'bank_db-1': 'n1' });
  const both = stage.server('default').peek(FIRST)?.metadata;
  assert.equal(both?.labels?.['podtrail.dev/tracker'], undefined);
  assert.deepEqual(
    both?.ownerReferences?.map(({ name }) => name),
    ['shop', 'bank'],
  );
  await stage.end();
});

test('a tracker that is being deleted is written for no more, not even at the end', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  // Seen, and not yet written.
  stage.pods.add(pod('web-2'));
  stage.trackers.put('MODIFIED', 'shop', wants('default'), { deletionTimestamp: '2026-11-15T10:00:00Z' });
  await stage.server('default').delete(FIRST);
  await stage.clock.advance(5_000);
  await stage.end();
  assert.equal(stage.data('default'), undefined);
  assert.deepEqual(stage.writes('default'), [`create ${FIRST}`, `delete ${FIRST}`]);
});

const owners = (stage: Stage) =>
  stage
    .server('default')
    .peek(FIRST)
    ?.metadata.ownerReferences?.map(({ uid }) => uid);

test('a tracker made anew under the same name takes over what it finds, though no pod changed', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  stage.trackers.put('DELETED', 'shop', wants('default'));
  stage.trackers.put('ADDED', 'shop', wants('default'), { uid: 'uid-anew' });
  await stage.clock.advance(1_000);
  assert.deepEqual(owners(stage), ['uid-anew'], 'the garbage collector has nothing against it');
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1' });
  await stage.end();
});

test('what was removed with a tracker that shared it is written again for the other, though no pod changed', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'one', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  // Before the next round: the ConfigMap is of the first alone when that goes.
  stage.trackers.put('ADDED', 'two', wants('default'));
  stage.trackers.put('DELETED', 'one', wants('default'));
  await stage.server('default').delete(FIRST);
  await stage.clock.advance(2_000);
  assert.deepEqual(owners(stage), ['uid-two']);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1' });
  await stage.end();
});

test('an hour to which podtrail footprints wrote too is nobody’s, whoever made it, and does not go with the tracker', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  assert.deepEqual(owners(stage), ['uid-shop']);
  const { clock } = stage;
  const beside = new HourlyConfigMaps({
    ...{ configMaps: stage.server('default'), listNames: async () => [FIRST], clock, random: seededRandom(2) },
  });
  beside.follow(stage.pods);
  assert.deepEqual(await beside.flush(), { writes: 1, entries: 0 }, 'it has the same pods');
  stage.pods.add(pod('web-2'));
  await clock.advance(1_000);
  await clock.advance(1_000);
  assert.deepEqual(owners(stage), []);
  assert.equal(stage.server('default').peek(FIRST)?.metadata.labels?.['podtrail.dev/tracker'], undefined);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1', 'shop_web-2': 'n1' });
  await stage.end();
});

test('a standby writes nothing and knows what was; as leader it writes what it saw', async () => {
  const stage = new Stage();
  stage.leads = false;
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  await stage.clock.advance(1);
  stage.pods.delete(pod('web-1'));
  stage.pods.add(pod('web-2'));
  await stage.clock.advance(60_000);
  assert.deepEqual(stage.writes('default'), []);
  stage.leads = true;
  stage.lead();
  await stage.clock.advance(10);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1', 'shop_web-2': 'n1' });
  await stage.end();
});

test('a round in which nothing changed writes nothing; a standby of hours says nothing', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  for (let i = 0; i < 20; i++) await stage.clock.advance(1_000);
  assert.deepEqual(stage.writes('default'), [`create ${FIRST}`]);
  await stage.end();
  const standby = new Stage();
  standby.leads = false;
  standby.pods.list(pod('web-1'));
  standby.trackers.put('ADDED', 'shop', wants('default'));
  for (let i = 0; i < 6; i++) {
    await standby.clock.advance(HOUR);
    standby.pods.add(pod(`web-${i + 2}`));
  }
  assert.deepEqual(standby.kept.lines, []);
});

test('a spec that selects more takes note of what is there already; so do labels of a namespace', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'), pod('db-1', 'bank'), pod('x-1', 'lab'));
  stage.trackers.put('ADDED', 'some', wants('default', { namespaces: ['shop'] }));
  stage.lead();
  await stage.clock.advance(10);
  stage.trackers.put('MODIFIED', 'some', wants('default', { namespaces: ['shop', 'bank'] }));
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1', 'bank_db-1': 'n1' });
  const team = { namespaceSelector: { matchLabels: { team: 'a' } } };
  stage.trackers.put('MODIFIED', 'some', wants('default', team));
  stage.namespaces.tell('ADDED', { metadata: { name: 'lab', uid: 'lab', labels: { team: 'a' } } });
  await stage.clock.advance(2_000);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1', 'bank_db-1': 'n1', 'lab_x-1': 'n1' });
  await stage.end();
});

test('a spec that changed through v1alpha1, with the generation of before, is noticed', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'), pod('db-1', 'bank'));
  stage.trackers.put('ADDED', 'some', wants('default', { namespaces: ['shop'] }), { generation: 1 });
  stage.lead();
  await stage.clock.advance(10);
  stage.trackers.put('MODIFIED', 'some', wants('default', { namespaces: ['shop', 'bank'] }), { generation: 1 });
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1', 'bank_db-1': 'n1' });
  await stage.end();
});

test('what a tracker leaves in a namespace that it no longer names expires there too; what is not its own stays', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  const configMaps = { enabled: true, namespace: 'old', retention: '1h' };
  stage.trackers.put('ADDED', 'shop', { footprints: { log: false, configMaps } });
  stage.lead();
  await stage.clock.advance(10);
  const { labels = {} } = stage.server('old').peek(FIRST)?.metadata ?? {};
  assert.equal(labels['podtrail.dev/tracker'], 'shop');
  const { 'podtrail.dev/tracker': _, ...nobodys } = labels;
  await stage.server('old').create({ metadata: { name: 'pod-ashiato-2026111509', labels: nobodys } } as KubeObject);
  stage.trackers.put('MODIFIED', 'shop', { footprints: { log: false, configMaps: { ...configMaps, enabled: false } } });
  await stage.clock.advance(HOUR);
  assert.ok(stage.server('old').peek(FIRST), 'its hour is just over');
  await stage.clock.advance(HOUR);
  assert.equal(stage.server('old').peek(FIRST), undefined);
  assert.ok(stage.server('old').peek('pod-ashiato-2026111509'));
  assert.equal(stage.server('old').peek('podtrail-clock'), undefined);
  const asked = stage.server('old').calls.length;
  await stage.clock.advance(HOUR);
  assert.equal(stage.server('old').calls.length, asked, 'nothing is left: it is not looked for again');
  await stage.end();
});

test('lines are printed for the trackers that ask, with the name of the tracker', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'), pod('db-1', 'bank'));
  stage.trackers.put('ADDED', 'shop', { namespaces: ['shop'], footprints: { log: true } });
  stage.lead();
  await stage.clock.advance(10);
  const lines = stage.out.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ tracker, pod_name }) => [tracker, pod_name]),
    [['shop', 'web-1']],
  );
  await stage.end();
});

test('ConfigMaps that cannot be written are told in the log and on the tracker, and tried again', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.server('default').failNext('create', new Error('no such namespace'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  assert.deepEqual(
    stage.events.map(({ reason, regarding }) => [reason, regarding.name]),
    [['Degraded', 'shop']],
  );
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1' });
  await stage.end();
});

test('a namespace that stays away is told in the log ever more seldom; the event is renewed each time', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.server('default').failNext('create', new Error('no such namespace'), 100);
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  for (let i = 0; i < 40; i++) await stage.clock.advance(1_000);
  const told = stage.kept.lines.filter(({ level }) => level === 'error').map(({ times }) => times);
  assert.deepEqual(told, [1, 2, 4, 8, 16, 32]);
  assert.equal(stage.events.length, 41);
  await stage.end();
});

test('an hour that needs a second ConfigMap is an event on the trackers whose it is', async () => {
  const stage = new Stage();
  const names = Array.from({ length: 2_200 }, (_, i) => `${'x'.repeat(225)}-${i}`);
  stage.pods.list(...names.map((name) => pod(name)));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  assert.deepEqual(
    stage.events.map(({ reason, regarding, note }) => [reason, regarding.name, note]),
    [['ConfigMapSharded', 'shop', `The footprints of this hour continue in the ConfigMap default/${FIRST}-1`]],
  );
  const stored = [FIRST, `${FIRST}-1`].flatMap((name) => Object.keys(stage.data('default', name) as object));
  assert.equal(stored.length, names.length);
  await stage.end();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type EventInput, type KubeObject, seededRandom } from '@podtrail/machinery';
import { aPod, ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import type { PodTrackerSpec } from '../crds/podtracker.ts';
import { HourlyConfigMaps } from '../footprints/hourly-config-maps.ts';
import { FedInformer } from '../footprints/testing/fed-informer.ts';
import { FootprintReports } from '../podtracker/footprint-reports.ts';
import { FedNamespaces, FedTrackers, keptLog } from './testing/fed-trackers.ts';
import { TrackerFootprints } from './tracker-footprints.ts';

const TEN = Date.UTC(2026, 10, 15, 10);
const HOUR = 3_600_000;
const FIRST = 'pod-ashiato-2026111510';

class Stage {
  readonly clock = new ManualClock(TEN);
  readonly pods = new FedInformer(this.clock);
  readonly namespaces = new FedNamespaces(this.clock);
  readonly trackers = new FedTrackers(this.clock);
  readonly servers = new Map<string, MemoryResourceClient>();
  readonly events: EventInput[] = [];
  readonly reports = new FootprintReports();
  /** Trackers whose status may have to say something else. */
  readonly changed: string[] = [];
  readonly kept = keptLog();
  leads = true;
  out = '';
  readonly footprints: TrackerFootprints;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor() {
    const { clock, pods, namespaces, trackers, reports } = this;
    reports.onChange((tracker) => void this.changed.push(tracker));
    for (const name of ['default', 'old']) namespaces.deliver('ADDED', { metadata: { name, uid: name } });
    this.footprints = new TrackerFootprints({
      home: 'podtrail',
      ...{ clock, pods, namespaces, trackers, reports, intervalMs: 1_000, log: this.kept.log, random: seededRandom(1) },
      client: {
        configMaps: (namespace) => this.server(namespace ?? ''),
        // The names, as the server's table has them.
        table: async (_resource, { namespace = '', labelSelector = '' } = {}) => {
          const wanted = labelSelector.split(',').map((part) => part.split('='));
          const { items } = await this.server(namespace).list();
          const found = items.filter(({ metadata }) => wanted.every(([k = '', v]) => metadata.labels?.[k] === v));
          const rows = found.map(({ metadata }) => ({ cells: [metadata.name], object: { metadata } }));
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

test('a tracker that names no namespace has its ConfigMaps in the namespace of the operator', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', { footprints: { log: false, configMaps: { enabled: true } } });
  stage.lead();
  await stage.clock.advance(10);
  assert.deepEqual([stage.data('podtrail'), stage.data('default')], [{ 'shop_web-1': 'n1' }, undefined]);
  await stage.end();
});

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

test('a tracker made again under the same name takes over what it finds, though no pod changed', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  stage.trackers.put('DELETED', 'shop', wants('default'));
  stage.trackers.put('ADDED', 'shop', wants('default'), { uid: 'uid-again' });
  await stage.clock.advance(1_000);
  assert.deepEqual(owners(stage), ['uid-again'], 'the garbage collector has nothing against it');
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
  stage.namespaces.deliver('ADDED', { metadata: { name: 'lab', uid: 'lab', labels: { team: 'a' } } });
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

/** As status remembers it. */
const remembering = (...places: [namespace: string, retention: string][]) => ({
  status: { configMaps: places.map(([namespace, retention]) => ({ namespace, retention })) },
});

test('what a tracker leaves in a namespace that it no longer names expires there too; what is not its own stays', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  const configMaps = { enabled: true, namespace: 'old', retention: '1h' };
  stage.trackers.put('ADDED', 'shop', { footprints: { log: false, configMaps } });
  stage.lead();
  await stage.clock.advance(10);
  const { labels = {} } = stage.server('old').peek(FIRST)?.metadata ?? {};
  await stage.server('old').create({ metadata: { name: 'pod-ashiato-2026111509', labels } } as KubeObject);
  const off = { footprints: { log: false, configMaps: { ...configMaps, enabled: false } } };
  stage.trackers.put('MODIFIED', 'shop', off, {}, remembering(['old', '1h']));
  await stage.clock.advance(HOUR);
  assert.ok(stage.server('old').peek(FIRST), 'its hour is just over');
  await stage.clock.advance(HOUR);
  assert.equal(stage.server('old').peek(FIRST), undefined);
  assert.ok(stage.server('old').peek('pod-ashiato-2026111509'));
  assert.equal(stage.server('old').peek('podtrail-clock'), undefined);
  assert.ok(stage.reports.isEmptied('uid-shop', 'old'));
  assert.deepEqual(stage.changed.slice(-1), ['shop'], 'status is to forget it');
  stage.trackers.put('MODIFIED', 'shop', off, {}, { status: {} });
  assert.ok(!stage.reports.isEmptied('uid-shop', 'old'), 'status has it');
  const asked = stage.server('old').calls.length;
  await stage.clock.advance(HOUR);
  assert.equal(stage.server('old').calls.length, asked, 'nothing is left: it is not looked for again');
  await stage.end();
});

const shardOf = (name: string, ...owners: string[]) => {
  const labels = { app: 'pod-ashiato', type: 'pod-node-mapping', 'app.kubernetes.io/managed-by': 'podtrail' };
  const ownerReferences = owners.map((uid) => ({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name: uid, uid }));
  return { metadata: { name, labels, ownerReferences } } as KubeObject;
};

test('a leader that was started after the spec had changed finds what was left, where status says, at once', async () => {
  const stage = new Stage();
  stage.namespaces.deliver('DELETED', { metadata: { name: 'gone', uid: 'gone' } });
  const names = ['pod-ashiato-2026111507', 'pod-ashiato-2026111508', 'pod-ashiato-2026111506'];
  await stage.server('old').create(shardOf(names[0]!, 'uid-shop', 'uid-bank'));
  await stage.server('old').create(shardOf(names[1]!, 'uid-shop'));
  await stage.server('old').create(shardOf(names[2]!, 'uid-other'));
  stage.trackers.put(
    'ADDED',
    'shop',
    wants('default'),
    {},
    remembering(['default', '48h'], ['old', '1h'], ['gone', '1h']),
  );
  stage.trackers.put('ADDED', 'bank', {}, {}, remembering(['old', '3h']));
  stage.lead();
  await stage.clock.advance(10);
  const left = names.filter((name) => stage.server('old').peek(name) !== undefined);
  assert.deepEqual(left, [names[0], names[2]], 'what two of them left is kept as long as the longer says');
  assert.ok(stage.reports.isEmptied('uid-shop', 'gone'), 'a namespace that is gone holds nothing');
  assert.ok(!stage.reports.isEmptied('uid-shop', 'old'));
  await stage.clock.advance(HOUR);
  assert.equal(stage.server('old').peek(names[0]!), undefined);
  assert.ok(stage.reports.isEmptied('uid-shop', 'old') && stage.reports.isEmptied('uid-bank', 'old'));
  assert.ok(stage.server('old').peek(names[2]!), 'what belongs to another stays');
  await stage.end();
});

test('what was left where another tracker still writes expires with what that one writes', async () => {
  const stage = new Stage();
  await stage.server('old').create(shardOf('pod-ashiato-2026111507', 'uid-shop', 'uid-bank'));
  stage.trackers.put('ADDED', 'shop', {}, {}, remembering(['old', '1h']));
  stage.trackers.put('ADDED', 'bank', wants('old'));
  stage.lead();
  await stage.clock.advance(10);
  assert.ok(stage.server('old').peek('pod-ashiato-2026111507'), 'it is kept for 48 hours');
  assert.ok(stage.reports.isEmptied('uid-shop', 'old'));
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

const forbidden = (message: string) => new ApiError(403, { reason: 'Forbidden', message }, undefined);

test('ConfigMaps that are refused are reported in the log, on the tracker and for its status, and tried again', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  const quota = 'exceeded quota: few, requested: configmaps=1';
  stage.server('default').failNext('create', forbidden(quota));
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  assert.deepEqual(stage.reports.stateIn('default'), { kind: 'unknown' });
  await stage.clock.advance(10);
  assert.deepEqual(
    stage.events.map(({ reason, regarding }) => [reason, regarding.name]),
    [['Degraded', 'shop']],
  );
  const message = `The hourly ConfigMaps in default cannot be written: ${quota}`;
  assert.deepEqual(stage.reports.stateIn('default'), { kind: 'failing', reason: 'Forbidden', message });
  assert.deepEqual(stage.changed, ['shop']);
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.data('default'), { 'shop_web-1': 'n1' });
  assert.deepEqual(stage.reports.stateIn('default'), { kind: 'working' });
  assert.deepEqual(stage.changed, ['shop', 'shop']);
  await stage.end();
});

test('where the operator has no rights the sentence says which to give; where there is no namespace, that', async () => {
  const stage = new Stage();
  const noRights = 'configmaps is forbidden: User "x" cannot create resource "configmaps" in the namespace';
  for (const name of ['default', 'nowhere']) stage.server(name).failNext('create', forbidden(noRights), 100);
  stage.pods.list(pod('web-1'));
  stage.trackers.put('ADDED', 'one', wants('default'));
  stage.trackers.put('ADDED', 'two', wants('nowhere'));
  stage.lead();
  await stage.clock.advance(10);
  const said = ['default', 'nowhere'].map((name) => stage.reports.stateIn(name) as { reason: string; message: string });
  assert.deepEqual(
    said.map(({ reason }) => reason),
    ['Forbidden', 'NamespaceNotFound'],
  );
  assert.match(said[0]!.message, /bind the ClusterRole podtrail-footprints to the operator there$/);
  assert.match(said[1]!.message, /there is no such namespace; create it, or name another in/);
  // Long after: it is tried once a minute, and at once when the namespace comes.
  for (let i = 0; i < 200; i++) await stage.clock.advance(1_000);
  const tried = () => stage.writes('nowhere').length;
  const before = tried();
  await stage.clock.advance(1_000);
  assert.equal(tried(), before);
  stage.namespaces.deliver('ADDED', { metadata: { name: 'nowhere', uid: 'nowhere' } });
  await stage.clock.advance(1_000);
  assert.equal(tried(), before + 1);
  await stage.end();
});

test('what may pass by itself is reported when it has failed three times', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.server('default').failNext('create', new Error('no answer'), 3);
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.reports.stateIn('default'), { kind: 'unknown' });
  await stage.clock.advance(1_000);
  await stage.clock.advance(1_000);
  const message = 'The hourly ConfigMaps in default cannot be written: no answer';
  assert.deepEqual(stage.reports.stateIn('default'), { kind: 'failing', reason: 'NotWritten', message });
  await stage.end();
});

test('what stays refused is tried more and more slowly and reported in the log ever more seldom; the event is renewed', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.server('default').failNext('create', forbidden('no'), 100);
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  for (let i = 0; i < 400; i++) await stage.clock.advance(1_000);
  const reported = stage.kept.lines.filter(({ level }) => level === 'error').map(({ times }) => times);
  assert.deepEqual(reported, [1, 2, 4, 8]);
  // After 0, 1, 3, 7, 15, 31, 63 s and then every minute.
  assert.equal(stage.events.length, 12);
  assert.equal(stage.writes('default').length, 12);
  assert.deepEqual(stage.changed, ['shop'], 'the same again is no news for status');
  await stage.end();
});

test('an hour that was given up is reported on the trackers that wanted it, once', async () => {
  const stage = new Stage();
  stage.pods.list(pod('web-1'));
  stage.server('default').failNext('create', forbidden('no'), 10_000);
  stage.trackers.put('ADDED', 'shop', wants('default'));
  stage.lead();
  await stage.clock.advance(10);
  for (let i = 0; i < 3 * 60 + 2; i++) await stage.clock.advance(60_000);
  const reported = stage.events.filter(({ reason }) => reason === 'HourGivenUp');
  assert.deepEqual(
    reported.map(({ regarding, note }) => [regarding.name, note]),
    [['shop', `default/${FIRST} could not be written for hours: what it lacks is in the ledger only`]],
  );
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

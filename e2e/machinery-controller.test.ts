// Controllers and managers on a real API server: a controller that copies data.value of each ConfigMap of a namespace
// into an annotation, through restarts, conflicts, shutdowns and changes of leadership.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  CONFIG_MAPS,
  Controller,
  DONE,
  fencedClient,
  Informer,
  isConflict,
  jsonCodec,
  type KubeObject,
  LEASES,
  LeaderElector,
  type Lease,
  LeaseLock,
  loadClusterConfig,
  Manager,
  type ManagerOptions,
  type ManagerOutcome,
  type PassReport,
  splitKey,
} from '@podtrail/machinery';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const { skip } = cluster;

const COPY = 'example.com/copy';

interface MirrorOptions extends Pick<ManagerOptions, 'shutdownDeadlineMs' | 'abortGraceMs'> {
  /** Also the identity in the election and the user in the audit log. */
  readonly name?: string;
  readonly elected?: boolean;
  /** Between the reading of the cache and the write. */
  readonly beforeWrite?: (name: string, signal: AbortSignal) => Promise<void>;
}

class Mirror {
  readonly client: Client;
  readonly maps: Informer<KubeObject>;
  readonly controller: Controller;
  readonly manager: Manager;
  readonly outcome: Promise<ManagerOutcome>;
  readonly passes: string[] = [];
  readonly failures: PassReport<string>[] = [];
  readonly #stop = new AbortController();

  static async start(t: TestContext, namespace: string, options: MirrorOptions = {}): Promise<Mirror> {
    const user = options.name ?? 'mirror';
    const kubeconfig = await cluster.controlPlane.kubeconfig({ user, groups: ['system:masters'] });
    const mirror = new Mirror(Client.connect(await loadClusterConfig({ kubeconfig })), namespace, options);
    t.after(async () => {
      await mirror.stop();
      await mirror.client.close();
    });
    return mirror;
  }

  private constructor(client: Client, namespace: string, options: MirrorOptions) {
    this.client = client;
    const { transport } = client;
    this.maps = new Informer({ transport, resource: CONFIG_MAPS, codec: jsonCodec('v1', 'ConfigMap'), namespace });
    const election = options.elected
      ? new LeaderElector({
          leaseDurationMs: 5_000,
          renewDeadlineMs: 4_000,
          retryPeriodMs: 500,
          lock: new LeaseLock({
            client: client.resource<Lease>(LEASES, namespace),
            namespace,
            name: 'mirror',
            identity: options.name ?? 'mirror',
          }),
        })
      : undefined;
    this.manager = new Manager({ ...options, ...(election === undefined ? {} : { election }) });
    const writes = fencedClient(client.configMaps(namespace), () => this.manager.isLeader());
    this.controller = new Controller({
      name: 'mirror',
      concurrency: 2,
      onFailure: (report) => this.failures.push(report),
      reconcile: async (key, { signal }) => {
        const { name } = splitKey(key);
        this.passes.push(name);
        const map = this.maps.lister.get(key);
        const value = dataOf(map);
        if (map === undefined || value === undefined || map.metadata.annotations?.[COPY] === value) return DONE;
        await options.beforeWrite?.(name, signal);
        const annotations = { ...map.metadata.annotations, [COPY]: value };
        await writes.update({ ...map, metadata: { ...map.metadata, annotations } }, { signal });
        return DONE;
      },
    });
    this.controller.follow(this.maps, ({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    this.manager.addController(this.controller);
    this.outcome = this.manager.run(this.#stop.signal);
  }

  stop(): Promise<ManagerOutcome> {
    this.#stop.abort();
    return this.outcome;
  }
}

/** The administrator's hand on the maps of a namespace, without kubectl's start-up time. */
class Maps {
  readonly #path: string;

  constructor(namespace: string) {
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  async create(name: string, value: string): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
    const answer = await cluster.controlPlane.request(this.#path, { body });
    assert.equal(answer.status, 201, answer.body);
  }

  /** Without a resourceVersion: it always wins. */
  async set(name: string, data: Record<string, string>): Promise<void> {
    const answer = await cluster.controlPlane.request(`${this.#path}/${name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { data },
    });
    assert.equal(answer.status, 200, answer.body);
  }

  async untilCopied(name: string, value: string): Promise<void> {
    const copied = async () => {
      const map = (await cluster.controlPlane.request(`${this.#path}/${name}`)).json();
      return map.metadata.annotations?.[COPY] === value;
    };
    await until(`${name} is copied`, copied);
  }
}

function dataOf(map: KubeObject | undefined): string | undefined {
  return (map?.['data'] as { value?: string } | undefined)?.value;
}

/** Held until opened; tells who waits. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  pass(): Promise<void> {
    this.#reached.resolve();
    return this.#opened.promise;
  }

  open(): void {
    this.#opened.resolve();
  }
}

test('a pass that meets a killed API server is retried until it is back, and later changes are seen as well', {
  skip,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const { apiserver } = cluster.controlPlane;
  const maps = new Maps(namespace);
  const gate = new Gate();
  const mirror = await Mirror.start(t, namespace, { beforeWrite: () => gate.pass() });
  await maps.create('a', '1');
  await gate.reached;
  await apiserver.kill();
  gate.open();
  await until('the pass has failed', () => mirror.failures.length > 0);
  assert.equal(mirror.failures[0]?.bug, false);
  await apiserver.start();
  await maps.untilCopied('a', '1');
  await maps.create('b', '2');
  await maps.untilCopied('b', '2');
  assert.equal(mirror.controller.counts.panics, 0);
  assert.equal((await mirror.stop()).kind, 'stopped');
});

test('in a storm of 50 foreign writes a second (as in fault 23) conflicts are retried in bounds, other keys go on, and it ends well', {
  skip,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const maps = new Maps(namespace);
  // Longer than the time between two foreign writes: during the storm every write comes too late.
  const beforeWrite = async (name: string) => void (name === 'stormy' && (await sleep(60)));
  const mirror = await Mirror.start(t, namespace, { beforeWrite });
  await maps.create('stormy', '0');
  await maps.untilCopied('stormy', '0');
  const before = mirror.passes.length;
  const storm: Promise<void>[] = [];
  let calmAt = 0;
  for (let i = 1; i <= 150; i++) {
    storm.push(maps.set('stormy', { value: `${i}` }));
    if (i === 50) storm.push(maps.create('calm', 'x').then(() => maps.untilCopied('calm', 'x')));
    if (calmAt === 0 && mirror.passes.includes('calm')) calmAt = i;
    await sleep(20);
  }
  await Promise.all(storm);
  assert.ok(calmAt > 0, 'another key had its pass while the storm went on');
  await until('the storm is copied', () => {
    const map = mirror.maps.lister.getIn(namespace, 'stormy');
    return map?.metadata.annotations?.[COPY] === dataOf(map);
  });
  const conflicts = mirror.failures.filter((failure) => isConflict(failure.error)).length;
  const passes = mirror.passes.length - before;
  assert.ok(conflicts > 10, `${conflicts} conflicts`);
  assert.equal(conflicts, mirror.failures.length, 'nothing else failed');
  assert.ok(passes < 150, `${passes} passes: fewer than foreign writes`);
  const asked = await requestsOf('mirror', { resource: 'configmaps', namespace });
  const written = asked.filter((verb) => verb === 'update').length;
  assert.ok(written <= mirror.passes.length, `${written} writes in ${mirror.passes.length} passes: no hidden retries`);
  assert.deepEqual([...new Set(asked)].sort(), ['update', 'watch'], 'and no read but the watch');
  assert.equal(mirror.controller.counts.panics, 0);
});

test('a stop waits for the passes under way, begins no other and reports how many were left', { skip }, async (t) => {
  const namespace = await cluster.namespace(t);
  const maps = new Maps(namespace);
  const gate = new Gate();
  const mirror = await Mirror.start(t, namespace, { beforeWrite: () => gate.pass() });
  for (const name of ['one', 'two', 'three']) await maps.create(name, '1');
  await until('two passes are under way and a key waits', () => {
    return mirror.passes.length >= 2 && mirror.controller.queued === 1;
  });
  const underWay = [...mirror.passes];
  assert.equal(underWay.length, 2);
  const stopped = mirror.stop();
  gate.open();
  assert.deepEqual(await stopped, { kind: 'stopped', cutOff: [], leftQueued: 1 });
  for (const name of underWay) await maps.untilCopied(name, '1');
  assert.deepEqual(mirror.passes, underWay);
});

test('a pass that hangs on a frozen API server is cut off at the shutdown deadline, and named', { skip }, async (t) => {
  const namespace = await cluster.namespace(t);
  const { apiserver } = cluster.controlPlane;
  const maps = new Maps(namespace);
  const gate = new Gate();
  const options = { beforeWrite: () => gate.pass(), shutdownDeadlineMs: 700, abortGraceMs: 500 };
  const mirror = await Mirror.start(t, namespace, options);
  await maps.create('hanging', '1');
  await gate.reached;
  await apiserver.pause();
  gate.open();
  const started = performance.now();
  const outcome = await mirror.stop();
  const took = performance.now() - started;
  await apiserver.resume();
  assert.deepEqual(outcome.cutOff, [{ name: 'controller mirror', keys: [`${namespace}/hanging`] }]);
  // A timer counts from the turn of the event loop in which it was set, which began a little earlier.
  assert.ok(took >= 690 && took < 2_000, `${took} ms`);
  assert.equal(mirror.controller.counts.aborted, 1);
});

test('a standby keeps its caches warm without a pass, and reconciles at once when the leadership comes', {
  skip,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const maps = new Maps(namespace);
  const first = await Mirror.start(t, namespace, { name: 'first', elected: true });
  await maps.create('before', '1');
  await maps.untilCopied('before', '1');
  const second = await Mirror.start(t, namespace, { name: 'second', elected: true });
  await until('the second one stands by', () => second.manager.phase === 'standby');
  await maps.create('meanwhile', '1');
  await maps.untilCopied('meanwhile', '1');
  await until('its cache has the copy', () => {
    return second.maps.lister.getIn(namespace, 'meanwhile')?.metadata.annotations?.[COPY] === '1';
  });
  assert.equal((await second.manager.ready.report()).ok, true);
  assert.equal(second.manager.isLeader(), false);
  assert.deepEqual(second.passes, []);

  assert.equal((await first.stop()).kind, 'stopped');
  const stopped = performance.now();
  await maps.create('orphan', '1');
  await maps.untilCopied('orphan', '1');
  const took = performance.now() - stopped;
  assert.ok(took < 4_000, `${took} ms: before the lease of the first one would have run out`);
  assert.equal(second.manager.phase, 'active');
  assert.equal(first.passes.includes('orphan'), false);
  const asked = await requestsOf('second', { resource: 'configmaps', namespace });
  assert.deepEqual([...new Set(asked)].sort(), ['update', 'watch'], 'one watch, no listing again, only the writes');
  assert.equal(second.maps.counters.relists, 0);
});

test('listers read without asking the API server', { skip }, async (t) => {
  const namespace = await cluster.namespace(t);
  const maps = new Maps(namespace);
  for (let i = 0; i < 5; i++) await maps.create(`map-${i}`, `${i}`);
  const kubeconfig = await cluster.controlPlane.kubeconfig({ user: 'reader', groups: ['system:masters'] });
  const client = Client.connect(await loadClusterConfig({ kubeconfig }));
  const stop = new AbortController();
  t.after(async () => {
    stop.abort();
    await client.close();
  });
  const { transport } = client;
  for (const streaming of [true, false]) {
    const informer = new Informer({
      transport,
      resource: CONFIG_MAPS,
      codec: jsonCodec('v1', 'ConfigMap'),
      namespace,
      streaming,
      indexes: { value: (map) => [dataOf(map) ?? ''] },
    });
    void informer.start(stop.signal);
    await informer.waitForSync();
    for (let i = 0; i < 2_000; i++) {
      assert.equal(informer.lister.list({ namespace }).length, 5);
      assert.equal(dataOf(informer.lister.getIn(namespace, 'map-3')), '3');
      assert.equal(informer.lister.byIndex('value', '4').length, 1);
    }
  }
  await maps.set('map-0', { value: 'last' });
  const asked = await until('both watches are in the audit log', async () => {
    const asked = await requestsOf('reader');
    return asked.filter((verb) => verb === 'watch').length >= 2 && asked;
  });
  assert.deepEqual(asked.sort(), ['list', 'watch', 'watch']);
});

/** The verbs of a user's requests, one for each. */
async function requestsOf(user: string, about: { resource?: string; namespace?: string } = {}): Promise<string[]> {
  const events = (await cluster.controlPlane.auditLog()).filter(
    ({ user: { username }, objectRef }) =>
      username === user &&
      objectRef?.resource === (about.resource ?? objectRef?.resource) &&
      objectRef?.namespace === (about.namespace ?? objectRef?.namespace),
  );
  return [...new Map(events.map((event) => [event.auditID, event.verb])).values()];
}

// The event recorder on a real API server: what people see with kubectl, and what happens when the server refuses, is
// away or gets too much.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  Client,
  EVENTS,
  type EventInput,
  EventRecorder,
  type EventRecorderOptions,
  isForbidden,
  type KubeEvent,
  type KubeObject,
  loadClusterConfig,
  referenceTo,
} from '@podtrail/machinery';
import { until, useCluster } from './controlplane/index.ts';
import { pod } from './informer-stage.ts';

// Without a controller manager, a namespace that is deleted stays in its last phase for ever.
const cluster = await useCluster();
const skip = cluster.skipUnless('own control plane');

const CONTROLLER = 'podtrail.dev/e2e';

class Stage {
  readonly namespace: string;
  readonly recorder: EventRecorder;
  readonly errors: unknown[] = [];
  readonly #client: Client;

  static async open(
    t: TestContext,
    options: Partial<EventRecorderOptions> & { kubeconfig?: string; namespace?: string } = {},
  ): Promise<Stage> {
    const { kubeconfig = cluster.kubeconfig, namespace = await cluster.namespace(t), ...rest } = options;
    const stage = new Stage(Client.connect(await loadClusterConfig({ kubeconfig })), namespace, rest);
    t.after(async () => {
      await stage.recorder.shutDown(0);
      await stage.#client.close();
    });
    return stage;
  }

  private constructor(client: Client, namespace: string, options: Partial<EventRecorderOptions>) {
    this.namespace = namespace;
    this.#client = client;
    this.recorder = new EventRecorder({
      events: (namespace) => client.resource<KubeEvent>(EVENTS, namespace),
      reportingController: CONTROLLER,
      reportingInstance: 'replica-1',
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  kubectl(...args: string[]): Promise<string> {
    return cluster.kubectl(['-n', this.namespace, ...args]);
  }

  async aPod(name = 'web'): Promise<KubeObject> {
    await cluster.kubectl(['-n', this.namespace, 'create', '-f', '-'], { input: pod(name) });
    return await cluster.kubectlJson(['-n', this.namespace, 'get', 'pod', name]);
  }

  /** About something that need not exist. */
  about(name: string, event: Partial<EventInput> = {}): EventInput {
    const regarding = { apiVersion: 'v1', kind: 'ConfigMap', namespace: this.namespace, name };
    return { regarding, type: 'Normal', reason: 'Noticed', note: 'was noticed', ...event };
  }

  async written(): Promise<KubeEvent[]> {
    const all = await cluster.kubectlJson(['-n', this.namespace, 'get', 'events.events.k8s.io']);
    return all.items.filter((event: KubeEvent) => event.reportingController === CONTROLLER);
  }
}

test('a recorded event is seen by kubectl get events, kubectl events and kubectl describe of the object', async (t) => {
  const stage = await Stage.open(t);
  const regarding = referenceTo(await stage.aPod());
  stage.recorder.record({ regarding, type: 'Warning', reason: 'Moved', action: 'Move', note: 'moved to node-b' });
  await stage.recorder.flush();
  assert.deepEqual(stage.errors, []);
  assert.match(await stage.kubectl('get', 'events'), /Warning +Moved +pod\/web +moved to node-b/);
  assert.match(await stage.kubectl('events', '--for', 'pod/web'), /Warning +Moved +Pod\/web +moved to node-b/);
  assert.match(
    await stage.kubectl('describe', 'pod', 'web'),
    /Warning +Moved .* podtrail\.dev\/e2e.* +moved to node-b/,
  );
  const [event] = await stage.written();
  assert.equal(event?.regarding.uid, regarding.uid);
  assert.equal(event?.reportingInstance, 'replica-1');
  assert.equal(event?.action, 'Move');
});

test('an event about a node is kept in the namespace default and described with the node', { skip }, async (t) => {
  const stage = await Stage.open(t, { namespace: 'default' });
  const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } });
  await cluster.kubectl(['create', '-f', '-'], { input: manifest });
  const regarding = referenceTo(await cluster.kubectlJson(['get', 'node', 'node-a']));
  stage.recorder.record({ regarding, type: 'Normal', reason: 'Counted', note: 'has 3 pods' });
  await stage.recorder.flush();
  assert.deepEqual(stage.errors, []);
  assert.match(await cluster.kubectl(['describe', 'node', 'node-a']), /Normal +Counted .*has 3 pods/);
});

test('repetitions become one event with a count, which people see', async (t) => {
  const stage = await Stage.open(t);
  const regarding = referenceTo(await stage.aPod());
  for (let i = 1; i <= 7; i++) {
    stage.recorder.record({ regarding, type: 'Normal', reason: 'Repeated', note: `time ${i}` });
    await stage.recorder.flush();
  }
  const [event, ...others] = await stage.written();
  assert.deepEqual(others, []);
  assert.equal(event?.series?.count, 2, 'the second sighting makes the series known, later ones wait');
  assert.deepEqual(await stage.recorder.shutDown(10_000), { unwritten: 0 });
  assert.equal((await stage.written())[0]?.series?.count, 7);
  assert.deepEqual(
    [stage.recorder.counts.written, stage.recorder.counts.repeated],
    [3, 6],
    'created, made a series, ended',
  );
  assert.match(await stage.kubectl('describe', 'pod', 'web'), /Repeated .*\(x7 over /);
});

test('a source that talks too much about one object is cut, and only about that one and for that reason', async (t) => {
  const stage = await Stage.open(t, { spamLimit: { burst: 5, perSecond: 0.001 } });
  const related = (i: number) => ({ related: { apiVersion: 'v1', kind: 'Pod', name: `pod-${i}` } });
  for (let i = 0; i < 40; i++) stage.recorder.record(stage.about('noisy', related(i)));
  stage.recorder.record(stage.about('noisy', { reason: 'Rare' }));
  stage.recorder.record(stage.about('quiet'));
  await stage.recorder.flush();
  assert.equal(stage.recorder.counts.spam, 35);
  const written = await stage.written();
  const names = written.map((event) => event.regarding.name).sort();
  assert.deepEqual(names, ['noisy', 'noisy', 'noisy', 'noisy', 'noisy', 'noisy', 'quiet']);
  assert.equal(written.filter(({ reason }) => reason === 'Rare').length, 1);
});

test('where the ServiceAccount has no rights the event is counted and reported, and other namespaces get theirs', {
  skip,
}, async (t) => {
  const [granted, refused] = [await cluster.namespace(t), await cluster.namespace(t)];
  const own = (...args: string[]) => cluster.kubectl(['-n', granted, ...args]);
  await own('create', 'serviceaccount', 'reporter');
  await own('create', 'role', 'report', '--verb=create,patch', '--resource=events.events.k8s.io');
  await own('create', 'rolebinding', 'report', '--role=report', `--serviceaccount=${granted}:reporter`);
  const can = ['auth', 'can-i', 'create', 'events.events.k8s.io', `--as=system:serviceaccount:${granted}:reporter`];
  await until('the grant works', async () => (await own(...can)).startsWith('yes'));
  const kubeconfig = await cluster.controlPlane.kubeconfig({
    serviceAccount: { namespace: granted, name: 'reporter' },
  });
  const stage = await Stage.open(t, { kubeconfig, namespace: granted });
  const elsewhere = { apiVersion: 'v1', kind: 'ConfigMap', namespace: refused, name: 'b' };
  stage.recorder.record(stage.about('a', { regarding: elsewhere }));
  stage.recorder.record(stage.about('c'));
  await stage.recorder.flush();
  const { forbidden, written } = stage.recorder.counts;
  assert.deepEqual({ forbidden, written }, { forbidden: 1, written: 1 });
  assert.equal(stage.errors.length, 1);
  assert.ok(isForbidden(stage.errors[0]));
  assert.equal((await stage.written()).length, 1);
});

test('an event about an object in a terminating namespace is given up and counted as such', { skip }, async (t) => {
  const stage = await Stage.open(t);
  await cluster.kubectl(['delete', 'namespace', stage.namespace, '--wait=false']);
  stage.recorder.record(stage.about('too-late'));
  await stage.recorder.flush();
  assert.equal(stage.recorder.counts.namespaceTerminating, 1);
  assert.equal(stage.recorder.counts.forbidden, 0);
});

test('while the API server is away nobody waits; what was recorded arrives later, once', { skip }, async (t) => {
  const stage = await Stage.open(t);
  const { apiserver } = cluster.controlPlane;
  await apiserver.kill();
  const started = performance.now();
  for (let i = 0; i < 50; i++) stage.recorder.record(stage.about(`thing-${i}`));
  assert.ok(performance.now() - started < 250, 'recording is not waiting');
  await apiserver.start();
  await stage.recorder.flush();
  const names = (await stage.written()).map((event) => event.regarding.name);
  assert.equal(new Set(names).size, 50);
  assert.equal(names.length, 50);
});

test('a shutdown writes what is left, and with a server that hangs ends at its deadline and says what was lost', {
  skip,
}, async (t) => {
  const stage = await Stage.open(t);
  for (let i = 0; i < 30; i++) stage.recorder.record(stage.about(`thing-${i}`));
  assert.deepEqual(await stage.recorder.shutDown(20_000), { unwritten: 0 });
  assert.equal((await stage.written()).length, 30);

  const { apiserver } = cluster.controlPlane;
  const second = await Stage.open(t, { namespace: stage.namespace });
  await apiserver.pause();
  for (let i = 0; i < 3; i++) second.recorder.record(second.about(`lost-${i}`));
  const started = performance.now();
  const { unwritten } = await second.recorder.shutDown(500);
  const took = performance.now() - started;
  await apiserver.resume();
  // A timer counts from the turn of the event loop in which it was set, which began a little earlier.
  assert.ok(took >= 490 && took < 2_000, `${took} ms`);
  assert.equal(unwritten, 3);
});

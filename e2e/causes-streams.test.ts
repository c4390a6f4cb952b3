// The streams of evidence on a real control plane: stored with the rights of the manifests, refused without them, and
// flooded. Who held an address is the same each time.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allRecords, type Evidence, epochMillis, gaps, parseIp, who, withSnapshot } from '@podtrail/history';
import { Client, EVENTS, type KubeObject, loadClusterConfig } from '@podtrail/machinery';
import { podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { aRunningPod, type Ledger, ledgerOf, monitored } from './recorder-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true, kwok: { nodes: 1 } });
const { skip } = cluster;
const ROLES = fileURLToPath(new URL('../deploy/kustomize/roles.yaml', import.meta.url));
const LACKING = 'causes may lack evidence; recording goes on';
const STREAMS = [
  ...['events', 'replicasets', 'deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'namespaces'],
];
const FLOOD = 50_000;
const AT_ONCE = 24;
/** What a recorder of so few pods may take at most, the flood included. */
const MOST_BYTES = 320e6;

/** A kubeconfig of somebody with the ClusterRoles of the manifests. */
async function userWith(t: TestContext, user: string, roles: readonly string[]): Promise<string> {
  await cluster.kubectl(['apply', '-f', ROLES]);
  for (const role of roles) {
    const name = `${user}-${role}`;
    await cluster.kubectl(['create', 'clusterrolebinding', name, `--clusterrole=${role}`, `--user=${user}`]);
    t.after(() => cluster.kubectl(['delete', 'clusterrolebinding', name]));
  }
  const can = async (...words: string[]) =>
    (await cluster.kubectl(['auth', 'can-i', ...words, '-A', '--as', user])).trim() === 'yes';
  await until('the rights are in force', async () => {
    return (await can('watch', 'pods')) && (roles.length === 1 || (await can('watch', 'events.events.k8s.io')));
  });
  return await cluster.controlPlane.kubeconfig({ user });
}

async function says({ engine, id }: Ledger, ip: string, at: number): Promise<string> {
  const { answer, holders } = await withSnapshot(engine, id, (snapshot) =>
    who(snapshot, { ip: parseIp(ip)!, at: epochMillis(at) }),
  );
  return [answer, ...holders.map(({ name }) => name)].join(' ');
}

async function untilSays(ledger: Ledger, ip: string, wanted: string): Promise<void> {
  await until(`${ip} is ${wanted}`, async () => {
    const said = await says(ledger, ip, Date.now() - 1_000);
    if (said !== wanted) throw new Error(said);
    return true;
  });
}

async function evidence({ engine, id }: Ledger): Promise<Evidence[]> {
  const found: Evidence[] = [];
  for await (const fact of allRecords(engine, id)) if (fact.kind === 'evidence') found.push(fact.evidence);
  return found;
}

async function noGapSince({ engine, id }: Ledger, from: number): Promise<void> {
  const span = { from: epochMillis(from), to: epochMillis(Date.now()) };
  const found = await until('the ledger reaches until now', async () => {
    const said = await withSnapshot(engine, id, (snapshot) => gaps(snapshot, { span }));
    if (said.last === undefined || said.last < span.to) throw new Error(`it reaches until ${said.last}`);
    return said.gaps;
  });
  assert.deepEqual(found, []);
}

test('with the rights of the manifests a rollout leaves its traces, and every stream is followed', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const kubeconfig = await userWith(t, 'carol', ['podtrail-recorder', 'podtrail-evidence']);
  const { recorder, store, readyz } = await monitored(t, kubeconfig);
  await until('it is ready', async () => (await readyz()).status === 200);
  const kubectl = (...words: string[]) => cluster.kubectl(['-n', namespace, ...words]);
  await kubectl('create', 'deployment', 'web', '--image=registry.example/web:1', '--replicas=2');
  await kubectl('wait', '--for=jsonpath={.status.observedGeneration}=1', 'deployment/web', '--timeout=60s');
  await kubectl('scale', 'deployment', 'web', '--replicas=1');
  const ledger = await ledgerOf(t, store);
  const found = await until('the deletion of a pod by its ReplicaSet is stored', async () => {
    const all = (await evidence(ledger)).filter(({ about }) => about.namespace === namespace);
    if (all.some(({ what, reason }) => what === 'event' && reason === 'SuccessfulDelete')) return all;
    throw new Error(all.map(({ what, reason, about }) => `${about.kind} ${what} ${reason}`).join(', '));
  });
  const deletion = found.find(({ reason }) => reason === 'SuccessfulDelete');
  assert.match(deletion?.message ?? '', /^Deleted pod: web-/);
  assert.equal(deletion?.by, 'replicaset-controller');
  assert.equal(found.find(({ what }) => what === 'owned')?.related?.name, 'web');
  await until('every stream is recorded as followed', async () => {
    const followed = (await evidence(ledger)).filter(({ what }) => what === 'stream-followed');
    const names = followed.map(({ about }) => about.name).sort();
    if (names.join() === [...STREAMS].sort().join()) return true;
    throw new Error(names.join(', '));
  });
  assert.ok(!recorder.err.includes(LACKING), recorder.err);
  const doctor = await podtrail(`doctor --kubeconfig ${kubeconfig} --store ${store}`);
  assert.match(doctor.out, /may watch evidence +ok/);
  assert.equal((await recorder.end('SIGTERM')).code, 0);
});

test('without these rights the recorder is ready, answers as ever, and records that nobody watched', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const ip = await aRunningPod(cluster, namespace, 'web');
  const kubeconfig = await userWith(t, 'dave', ['podtrail-recorder']);
  const { recorder, store, readyz, metrics } = await monitored(t, kubeconfig);
  await until('it is ready', async () => (await readyz()).status === 200);
  const since = Date.now();
  const ledger = await ledgerOf(t, store);
  await untilSays(ledger, ip, 'held web');
  await untilSays(ledger, '203.0.113.9', 'free');
  await until('every stream is recorded as lost', async () => {
    const lost = (await evidence(ledger)).filter(({ what }) => what === 'stream-lost');
    assert.deepEqual(
      lost.map(({ about, reason }) => `${about.name} ${reason}`).sort(),
      STREAMS.map((name) => `${name} Forbidden`).sort(),
    );
    return true;
  });
  const later = await aRunningPod(cluster, namespace, 'later');
  await untilSays(ledger, later, 'held later');
  assert.equal((await readyz()).status, 200);
  await noGapSince(ledger, since);
  assert.equal(recorder.err.split(LACKING).length - 1, STREAMS.length, 'once for each');
  assert.match(await metrics(), /^podtrail_watch_current\{resource="events"\} 0$/m);
  assert.match(await metrics(), /^podtrail_recorder_current 1$/m);
  const doctor = await podtrail(`doctor --kubeconfig ${kubeconfig} --store ${store}`);
  assert.match(doctor.out, /may watch evidence +warning +this user may not list and watch events.events.k8s.io/);
  assert.equal((await recorder.end('SIGTERM')).code, 0);
});

test('fifty thousand Events do not change an answer, and neither memory nor the store grows with them', {
  skip,
  timeout: 420_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const ip = await aRunningPod(cluster, namespace, 'web');
  const kubeconfig = await userWith(t, 'erin', ['podtrail-recorder', 'podtrail-evidence']);
  const { recorder, store, readyz, metrics } = await monitored(t, kubeconfig);
  await until('it is ready', async () => (await readyz()).status === 200);
  const ledger = await ledgerOf(t, store);
  await untilSays(ledger, ip, 'held web');
  const before = residentBytes(await metrics());
  const since = Date.now();
  let most = before;
  const client = Client.connect(await loadClusterConfig({ kubeconfig: cluster.kubeconfig }));
  t.after(() => client.close());
  const events = client.resource<KubeObject>(EVENTS, namespace);
  let next = 0;
  const write = async () => {
    for (let i = next++; i < FLOOD; i = next++) {
      await events.create(anEvent(namespace, i));
      if (i % 5_000 === 0) most = Math.max(most, residentBytes(await metrics()));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
  const seconds = (Date.now() - since) / 1000;
  const last = await aRunningPod(cluster, namespace, 'last');
  await untilSays(ledger, last, 'held last');
  await until('the flood is recorded', async () => {
    const lost = (await evidence(ledger)).filter(({ what }) => what === 'stream-lost');
    assert.deepEqual(
      lost.map(({ about, reason }) => [about.name, about.namespace, reason]),
      [['events', namespace, 'Flooded']],
    );
    return true;
  });
  most = Math.max(most, residentBytes(await metrics()));
  const kept = (await evidence(ledger)).filter(({ what }) => what === 'event').length;
  const dropped = Number(/^podtrail_evidence_dropped_total\{resource="events"\} (\d+)$/m.exec(await metrics())?.[1]);
  t.diagnostic(`${FLOOD} Events in ${seconds.toFixed(0)} s: ${kept} kept, ${dropped} dropped`);
  t.diagnostic(`resident: ${mega(before)} before, at most ${mega(most)}`);
  assert.ok(kept <= 5_000 + (1_000 * seconds) / 60 + 1_000, `${kept} kept`);
  assert.ok(dropped > FLOOD / 2, `${dropped} dropped`);
  assert.ok(most < MOST_BYTES, `${mega(most)}`);
  assert.equal(await says(ledger, ip, Date.now() - 2_000), 'held web');
  assert.equal(await says(ledger, '203.0.113.9', Date.now() - 2_000), 'free');
  await noGapSince(ledger, since);
  assert.equal((await readyz()).status, 200);
  assert.equal((await recorder.end('SIGTERM')).code, 0);
});

function anEvent(namespace: string, i: number): KubeObject {
  const now = new Date().toISOString().replace('Z', '000Z');
  return {
    ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: `flood-${i}`, namespace } },
    ...{
      eventTime: now,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `flood ${i} `.padEnd(900, 'x'),
    },
    regarding: { kind: 'Pod', apiVersion: 'v1', namespace, name: `pod-${i % 20_000}` },
    ...{ reportingController: 'example.com/flood', reportingInstance: 'flood-1' },
  };
}

function residentBytes(page: string): number {
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(page)?.[1]);
}

function mega(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

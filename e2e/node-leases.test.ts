// The Lease of a node on a real control plane, renewed by kwok as a kubelet does: it is read while a pod that was deleted
// by force may still have its network there, with the ClusterRole of deploy/kustomize and no other right on Leases.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { epochMillis, gaps, parseIp, who, withSnapshot } from '@podtrail/history';
import { podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { aRunningPod, type Ledger, ledgerOf, monitored } from './recorder-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true, kwok: { nodes: 1 } });
const { skip } = cluster;
const ROLES = fileURLToPath(new URL('../deploy/kustomize/roles.yaml', import.meta.url));
const RIGHT = ['get', 'leases.coordination.k8s.io', '-n', 'kube-node-lease'];
const MISSING = 'Leases of nodes may not be read; recording goes on';
/** Twice as long as the recorder waits between two readings of one node. */
const QUIET_MS = 6_500;

/** A kubeconfig of somebody with the rights of the recorder and, if so, that on Leases. */
async function recorderOf(t: TestContext, user: string, { leases }: { leases: boolean }): Promise<string> {
  await cluster.kubectl(['apply', '-f', ROLES]);
  await cluster.kubectl(['create', 'clusterrolebinding', user, '--clusterrole=podtrail-recorder', `--user=${user}`]);
  t.after(() => cluster.kubectl(['delete', 'clusterrolebinding', user]));
  if (leases) await grantLeases(t, user);
  const can = async (...words: string[]) =>
    (await cluster.kubectl(['auth', 'can-i', ...words, '--as', user])).trim() === 'yes';
  await until('the rights are in force', async () => {
    return (await can('watch', 'pods', '-A')) && (!leases || (await can(...RIGHT)));
  });
  return await cluster.controlPlane.kubeconfig({ user });
}

async function grantLeases(t: TestContext, user: string): Promise<void> {
  const words = ['create', 'rolebinding', user, '--clusterrole=podtrail-node-leases', `--user=${user}`];
  await cluster.kubectl(['-n', 'kube-node-lease', ...words]);
  t.after(() => cluster.kubectl(['-n', 'kube-node-lease', 'delete', 'rolebinding', user]));
}

async function force(namespace: string, name: string): Promise<void> {
  await cluster.kubectl(['-n', namespace, 'delete', 'pod', name, '--force', '--grace-period=0']);
}

/** Leases that were read, by what came of it. */
function reads(page: string): Record<string, number> {
  const lines = page.matchAll(/^podtrail_node_lease_reads_total\{result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, result, count]) => [result, Number(count)]));
}

async function untilHeld({ engine, id }: Ledger, ip: string, name: string): Promise<void> {
  await until(`the ledger says that ${name} has ${ip}`, async () => {
    const answer = await withSnapshot(engine, id, (snapshot) =>
      who(snapshot, { ip: parseIp(ip)!, at: epochMillis(Date.now() - 1_000) }),
    );
    if (answer.answer === 'held' && answer.holders[0]?.name === name) return true;
    throw new Error(`${answer.answer} ${answer.reason ?? ''}`);
  });
}

test('after a forced deletion the Lease of the node is read until that is settled, with the right of the manifests alone', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const ip = await aRunningPod(cluster, namespace, 'web');
  const { recorder, store, metrics, readyz } = await monitored(t, await recorderOf(t, 'ann', { leases: true }));
  await until('it is ready', async () => (await readyz()).status === 200);
  // What kubelets did before it watched is not known: one that was started just then finds its pods late.
  const ledger = await ledgerOf(t, store);
  await untilHeld(ledger, await aRunningPod(cluster, namespace, 'witness'), 'witness');
  assert.deepEqual(Object.values(reads(await metrics())), [0, 0, 0, 0, 0], 'nobody is in question');
  await force(namespace, 'web');
  await until('the Lease was read, and read again when kwok had renewed it', async () => {
    const { renewed = 0 } = reads(await metrics());
    if (renewed >= 2) return true;
    throw new Error(JSON.stringify(reads(await metrics())));
  });
  assert.match(await metrics(), /^podtrail_api_requests_total\{verb="get",resource="leases",code="200"\} [1-9]/m);
  await until(
    'nobody is in question any more',
    async () => {
      const before = reads(await metrics());
      await sleep(QUIET_MS);
      assert.deepEqual(reads(await metrics()), before);
      return true;
    },
    { withinMs: 400_000 },
  );
  const at = epochMillis(Date.now() - 2_000);
  assert.equal(
    (await withSnapshot(ledger.engine, ledger.id, (snapshot) => who(snapshot, { ip: parseIp(ip)!, at }))).answer,
    'free',
  );
  const counts = reads(await metrics());
  assert.deepEqual([counts['forbidden'], counts['failed'], counts['absent']], [0, 0, 0]);
  assert.ok(!recorder.err.includes(MISSING));
  t.diagnostic(`read: ${JSON.stringify(counts)}`);
  assert.equal((await recorder.end('SIGTERM')).code, 0);
});

test('without that right there is one line in the log, a warning of doctor, and everything else is recorded', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  for (const name of ['web', 'other']) await aRunningPod(cluster, namespace, name);
  const kubeconfig = await recorderOf(t, 'bob', { leases: false });
  const { recorder, store, metrics, readyz } = await monitored(t, kubeconfig);
  await until('it is ready', async () => (await readyz()).status === 200);
  const since = epochMillis(Date.now());
  for (const name of ['web', 'other']) await force(namespace, name);
  await recorder.untilSaid(MISSING);
  const line = JSON.parse(recorder.err.split('\n').find((text) => text.includes(MISSING))!);
  assert.equal(line.level, 'warn');
  assert.equal(line.missing, 'get leases.coordination.k8s.io in namespace kube-node-lease');
  assert.match(line.problem, /User "bob" cannot get resource "leases"/);
  assert.match(line.effect, /about a minute longer/);
  const ledger = await ledgerOf(t, store);
  await untilHeld(ledger, await aRunningPod(cluster, namespace, 'next'), 'next');
  await sleep(QUIET_MS);
  assert.equal(recorder.err.split(MISSING).length - 1, 1, 'once');
  const { forbidden = 0, ...others } = reads(await metrics());
  assert.ok(forbidden >= 1 && forbidden <= 4, `${forbidden}`);
  assert.deepEqual(new Set(Object.values(others)), new Set([0]));
  assert.equal((await readyz()).status, 200);
  const span = { from: since, to: epochMillis(Date.now() - 2_000) };
  assert.deepEqual((await withSnapshot(ledger.engine, ledger.id, (snapshot) => gaps(snapshot, { span }))).gaps, []);
  const doctor = await podtrail(`doctor --kubeconfig ${kubeconfig} --store ${store}`);
  assert.match(doctor.out, /may read node leases +warning +this user may not get leases in kube-node-lease/);
  assert.equal((await recorder.end('SIGTERM')).code, 0);
});

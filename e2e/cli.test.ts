// The podtrail command on a real cluster: a recorder in its own process, and the questions that people ask beside it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { BIN, PodtrailProcess, podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ controllerManager: true, scheduler: true, kwok: { nodes: 3 } });
const run = promisify(execFile);

interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string };
  spec: { nodeName: string };
  status: { phase: string; podIP: string };
}

/** A store of its own for one test, and the flags that name it. */
async function aStore(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-cli-e2e-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return `sqlite:${join(directory, 'ledger.db')}`;
}

async function record(t: TestContext, store: string, ...more: string[]): Promise<PodtrailProcess> {
  const words = ['record', '--kubeconfig', cluster.kubeconfig, '--store', store, '--cluster-name', 'e2e', ...more];
  const recorder = new PodtrailProcess(words);
  t.after(() => recorder.end('SIGKILL'));
  await recorder.untilSaid('"msg":"watching"');
  return recorder;
}

function runningPods(namespace: string, count: number): Promise<Pod[]> {
  return until(
    `${count} pods run in ${namespace}`,
    async () => {
      const pods: Pod[] = (await cluster.kubectlJson(['-n', namespace, 'get', 'pods'])).items;
      const running = pods.filter((pod) => pod.status.phase === 'Running' && pod.status.podIP);
      return running.length === count && pods.every((pod) => !pod.metadata.deletionTimestamp) && running;
    },
    { withinMs: 120_000, everyMs: 200 },
  );
}

async function json(words: string) {
  const { out, err, code } = await podtrail(`${words} -o json`);
  assert.notEqual(out, '', `${words} ended with ${code}: ${err}`);
  return JSON.parse(out);
}

test('record, who, trail, node, gaps and attribute, with an address that is used again after a drain', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const store = await aStore(t);
  const recorder = await record(t, store);
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  t.after(() => cluster.kubectl(['uncordon', 'node-0', 'node-1']));
  await kubectl('create', 'deployment', 'cart', '--image=none', '--replicas=6');
  const before = await runningPods(namespace, 6);
  const calm = new Date(Date.now() + 500).toISOString();
  await until('the instant has passed', () => Date.now() > Date.parse(calm) + 2000);
  // Two nodes one after the other: what the first drain freed is there to be given when the second one needs it.
  for (const node of ['node-0', 'node-1']) {
    await cluster.kubectl(['drain', node, '--ignore-daemonsets', '--pod-selector=app=cart']);
    await runningPods(namespace, 6);
  }
  const after = await runningPods(namespace, 6);
  const known = new Set(before.map((pod) => pod.metadata.uid));
  const successor = after.find(
    (pod) => !known.has(pod.metadata.uid) && before.some((old) => old.status.podIP === pod.status.podIP),
  );
  assert.ok(successor, 'no address was used again');
  const ip = successor.status.podIP;
  const predecessor = before.find((pod) => pod.status.podIP === ip)!;

  const now = await until('the ledger knows the successor', async () => {
    const answer = await json(`who ${ip} --store ${store}`);
    return answer.answer === 'held' && answer.holders[0].uid === successor.metadata.uid && answer;
  });
  assert.equal(now.holders[0].node, successor.spec.nodeName);
  assert.deepEqual(now.holders[0].workload, { kind: 'Deployment', name: 'cart', inferred: true });
  const then = await json(`who ${ip} --at ${calm} --store ${store}`);
  assert.equal(then.answer, 'held');
  assert.equal(then.holders[0].uid, predecessor.metadata.uid);
  assert.equal(then.provisional, false);
  const table = await podtrail(`who ${ip} --at ${calm} --store ${store}`);
  assert.equal(table.code, 0);
  assert.match(table.out, new RegExp(`^${ip} was held by pod ${namespace}/${predecessor.metadata.name} on node`));
  assert.equal(table.err, `--at ${calm}\nasking ${store}\n`);

  const free = await podtrail(`who 10.255.255.1 --at ${calm} --store ${store}`);
  assert.deepEqual([free.code, /^Nobody held/.test(free.out)], [3, true], free.out);
  const long = await podtrail(`who ${ip} --at 2020-01-01 --store ${store}`);
  assert.deepEqual([long.code, /nobody was watching before/.test(long.out)], [5, true], long.out);

  const trail = await json(`trail ${ip} --store ${store}`);
  const uids = trail.stays.map((stay: { uid: string }) => stay.uid);
  assert.ok(uids.indexOf(predecessor.metadata.uid) < uids.indexOf(successor.metadata.uid));
  const workload = await json(`trail deploy/cart -n ${namespace} --store ${store}`);
  const lives = new Set(workload.stays.map((stay: { uid: string }) => stay.uid));
  for (const pod of [...before, ...after]) assert.ok(lives.has(pod.metadata.uid), pod.metadata.name);

  const node = await json(`node ${predecessor.spec.nodeName} --at ${calm} -n ${namespace} --store ${store}`);
  const there = before.filter((pod) => pod.spec.nodeName === predecessor.spec.nodeName).map((pod) => pod.metadata.name);
  assert.deepEqual(node.pods.map((pod: { pod: string }) => pod.pod).sort(), there.sort());
  assert.deepEqual((await json(`gaps --store ${store}`)).coverage.gaps, []);

  const flows = before.map((pod) => `${calm},${pod.status.podIP},${pod.metadata.name}`).join('\n');
  const input = `time,src,expected\n${flows}\n${calm},10.255.255.1,\n`;
  const attributed = await podtrail(`attribute - --ip src --time time --store ${store}`, { input });
  assert.equal(attributed.code, 0, attributed.err);
  const rows = attributed.out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','));
  assert.equal(rows.length, 7);
  for (const [, , expected, answer, , , pod] of rows.slice(0, 6)) assert.deepEqual([answer, pod], ['held', expected]);
  assert.equal(rows[6]?.[3], 'free');
  // Pods that hold their address still, and nobody, are provisional until the server has said how far it is.
  const closing = /^asking \S+\n(7 rows: .*? unknown)(?:; (\d) of them provisional: .+)?\nmost rows: .+\n$/.exec(
    attributed.err,
  );
  assert.ok(closing, attributed.err);
  const [, percent, provisional = '0'] = closing;
  assert.equal(percent, '7 rows: 85.7% held, 14.3% free, 0.0% ambiguous, 0.0% unknown');
  const staying = before.filter((pod) => after.some(({ metadata }) => metadata.uid === pod.metadata.uid));
  assert.ok([0, staying.length + 1].includes(Number(provisional)), attributed.err);

  const second = await podtrail(`record --kubeconfig ${cluster.kubeconfig} --store ${store}`);
  assert.equal(second.code, 1);
  assert.match(second.err, /is being written by process \d+/);
  const stopped = await recorder.end('SIGTERM');
  assert.equal(stopped.code, 0, stopped.err);
  assert.match(stopped.err, /"msg":"stopped"/);
  for (const line of stopped.err.trimEnd().split('\n')) JSON.parse(line);
});

test('fault 17: a recorder that was killed goes on where the store says, and knows what happened meanwhile', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const store = await aStore(t);
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  const first = await record(t, store);
  await kubectl('run', 'before', '--image=none');
  const [before] = await runningPods(namespace, 1);
  await until(
    'the ledger knows the pod',
    async () => (await json(`who ${before!.status.podIP} --store ${store}`)).answer === 'held',
  );
  await first.end('SIGKILL');
  await kubectl('run', 'meanwhile', '--image=none');
  const meanwhile = (await runningPods(namespace, 2)).find((pod) => pod.metadata.name === 'meanwhile')!;
  await kubectl('delete', 'pod', 'meanwhile', '--now');
  await record(t, store);
  const trail = await until('the ledger knows the short life', async () => {
    const { stays } = await json(`trail meanwhile -n ${namespace} --store ${store}`);
    return stays.length === 1 && stays[0].end !== null && stays;
  });
  assert.equal(trail[0].uid, meanwhile.metadata.uid);
  assert.equal(trail[0].ip, meanwhile.status.podIP);
  assert.deepEqual((await json(`gaps --store ${store}`)).coverage.gaps, [], 'the events could still be had: no gap');
  const verified = await podtrail(`store verify --store ${store}`);
  assert.deepEqual([verified.code, /all as they were written/.test(verified.out)], [0, true], verified.out);
});

test('kubectl podtrail is podtrail, and so is npx podtrail', async (t) => {
  const store = await aStore(t);
  const recorder = await record(t, store);
  const namespace = await cluster.namespace(t);
  await cluster.kubectl(['-n', namespace, 'run', 'web', '--image=none']);
  const [pod] = await runningPods(namespace, 1);
  const env = { ...process.env, PATH: `${BIN}:${process.env['PATH']}`, KUBECONFIG: cluster.kubeconfig };
  const words = ['who', pod!.status.podIP, '--store', store, '-o', 'name'];
  await until('the plugin answers', async () => {
    const { stdout } = await run(cluster.kubectlPath, ['podtrail', ...words], { env });
    return stdout === `pod/${namespace}/web\n`;
  });
  const { stdout } = await run('npx', ['podtrail', ...words], { env: { ...process.env }, cwd: join(BIN, '../..') });
  assert.equal(stdout, `pod/${namespace}/web\n`);
  assert.equal((await recorder.end('SIGINT')).code, 0);
});

test('a cluster that cannot be reached is tried again until Ctrl+C', async (t) => {
  const store = await aStore(t);
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-cli-e2e-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: {} }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const recorder = new PodtrailProcess(['record', '--kubeconfig', kubeconfig, '--store', store]);
  t.after(() => recorder.end('SIGKILL'));
  await until('it was tried twice', () => recorder.err.split('the cluster cannot be reached; trying again').length > 2);
  const { code, out } = await recorder.end('SIGINT');
  assert.deepEqual([code, out], [130, '']);
});

test('a user without rights on the whole cluster gets a clear refusal, and may record a namespace: free becomes unknown', {
  skip: cluster.skipUnless('own control plane'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  await kubectl('create', 'role', 'watcher', '--verb=list,watch', '--resource=pods,services');
  await kubectl('create', 'rolebinding', 'watcher', '--role=watcher', '--user=jane');
  const kubeconfig = await cluster.controlPlane.kubeconfig({ user: 'jane' });
  const store = await aStore(t);
  const refused = await podtrail(`record --kubeconfig ${kubeconfig} --store ${store}`);
  assert.equal(refused.code, 6);
  assert.match(refused.err, /may not read the namespace kube-system.*\nhint: .*--cluster-id/);
  const doctor = await podtrail(`doctor --kubeconfig ${kubeconfig} --store ${store}`);
  assert.equal(doctor.code, 6, doctor.out);
  assert.match(doctor.out, /may watch pods +failed/);

  const words = [
    'record',
    '--kubeconfig',
    kubeconfig,
    '--store',
    store,
    '--cluster-id',
    'mine',
    '--namespaces',
    namespace,
  ];
  const recorder = new PodtrailProcess(words);
  t.after(() => recorder.end('SIGKILL'));
  await recorder.untilSaid('"msg":"watching"');
  await kubectl('run', 'web', '--image=none');
  const [pod] = await runningPods(namespace, 1);
  await until(
    'the ledger knows the pod',
    async () => (await json(`who ${pod!.status.podIP} --store ${store}`)).answer === 'held',
  );
  const other = await until('the watch has passed the instant', async () => {
    const answer = await podtrail(`who 10.255.255.1 --store ${store}`);
    return answer.code === 5 && answer;
  });
  assert.match(other.out, new RegExp(`only the namespace ${namespace} was being watched`));
});

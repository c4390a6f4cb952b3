// `podtrail footprints` on a real cluster: what it prints, what it stores, and what it costs the API server.
// Runs alone: it measures how soon a process ends and what rounds cost.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, type Clock, Informer, loadClusterConfig, PODS, podCodec, systemClock } from '@podtrail/machinery';
import { configMapNames, HourlyConfigMaps, type HourlyNews } from '@podtrail/operator';
import { PodtrailProcess, podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { hourWithRoomFor } from './hour-turn.ts';

// Without the controller that, after 40 s or more, removes pods whose node does not exist.
const controllerManager = { flags: ['--controllers=*,-pod-garbage-collector-controller'] };
const cluster = await useCluster({ controllerManager, scheduler: true, kwok: { nodes: 3 } });
const AGENT = 'podtrail';
const run = promisify(execFile);

interface Line {
  namespace: string;
  pod_name: string;
  node_name: string;
  pod_ip: string;
  phase: string;
  timestamp: string;
  uid: string;
  workload: { kind: string; name: string } | null;
}

function linesOf(out: string): Line[] {
  assert.ok(out === '' || out.endsWith('\n'), `cut: ${out.slice(-80)}`);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function runningPods(namespace: string, count: number) {
  return await until(
    `${count} pods run in ${namespace}`,
    async () => {
      const { items } = await cluster.kubectlJson(['-n', namespace, 'get', 'pods']);
      const running = items.filter((pod: { status: { podIP?: string } }) => pod.status.podIP);
      return running.length === count && running;
    },
    { withinMs: 120_000, everyMs: 200 },
  );
}

function footprints(t: TestContext, ...words: string[]): PodtrailProcess {
  const started = new PodtrailProcess(['footprints', '--kubeconfig', cluster.kubeconfig, ...words]);
  t.after(() => started.end('SIGKILL'));
  return started;
}

/** The union of an hour's shards in a namespace. */
async function mappings(namespace: string): Promise<Map<string, Record<string, string>>> {
  const { items } = await cluster.kubectlJson([
    '-n',
    namespace,
    'get',
    'cm',
    '-l',
    'app=pod-ashiato,type=pod-node-mapping',
  ]);
  const hours = new Map<string, Record<string, string>>();
  for (const { metadata, data } of items) {
    const hour = /^pod-ashiato-(\d{10})/.exec(metadata.name)?.[1] ?? metadata.name;
    hours.set(hour, { ...hours.get(hour), ...data });
  }
  return hours;
}

/** Requests of podtrail processes so far, by verb and resource. */
async function asked(): Promise<string[]> {
  const log = await cluster.controlPlane.auditLog();
  return log
    .filter(({ userAgent, stage }) => userAgent?.includes(AGENT) && stage !== 'RequestReceived')
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}${objectRef?.name ? `/${objectRef.name}` : ''}`);
}

test('a one-shot prints one line for each pod, with filters, and stores the hour', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  await kubectl('create', 'deployment', 'cart', '--image=none', '--replicas=4');
  await kubectl('run', 'single', '--image=none', '--labels=tier=db');
  const pods = await runningPods(namespace, 5);
  const base = `footprints --kubeconfig ${cluster.kubeconfig} --oneshot --namespace ${namespace}`;
  const all = await podtrail(`${base} --store-in-cm --cm-namespace ${namespace}`);
  assert.deepEqual([all.code, all.err], [0, '']);
  const lines = linesOf(all.out);
  assert.equal(lines.length, 5);
  for (const { metadata, spec, status } of pods) {
    const line = lines.find(({ uid }) => uid === metadata.uid);
    assert.deepEqual(
      [line?.namespace, line?.pod_name, line?.node_name, line?.pod_ip, line?.phase],
      [namespace, metadata.name, spec.nodeName, status.podIP, status.phase],
    );
  }
  assert.equal(lines.filter(({ workload }) => workload?.name === 'cart' && workload.kind === 'Deployment').length, 4);
  const [union] = [...(await mappings(namespace)).values()];
  assert.deepEqual(
    union,
    Object.fromEntries(lines.map(({ pod_name, node_name }) => [`${namespace}_${pod_name}`, node_name])),
  );
  assert.equal(linesOf((await podtrail(`${base} --name cart-`)).out).length, 4);
  assert.equal(linesOf((await podtrail(`${base} --label tier=db`)).out)[0]?.pod_name, 'single');
  assert.equal(linesOf((await podtrail(`${base} -l tier=none`)).out).length, 0);
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-footprints-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const store = `sqlite:${join(directory, 'ledger.db')}`;
  const imported = await podtrail(`import - --cluster e2e --store ${store}`, { input: all.out });
  assert.equal(imported.code, 0, imported.err);
  const who = await podtrail(`who ${lines[0]?.pod_ip} --at ${lines[0]?.timestamp} --store ${store} -o json`);
  assert.deepEqual([who.code, JSON.parse(who.out).holders[0]?.uid], [4, lines[0]?.uid], 'a sighting, not a holder');
  const everywhere = linesOf((await podtrail(`footprints --kubeconfig ${cluster.kubeconfig} --oneshot`)).out);
  assert.ok(everywhere.length >= 5);
});

test('errors are sentences: a bad selector, a namespace that is not there, no rights', async (t) => {
  const base = `footprints --kubeconfig ${cluster.kubeconfig} --oneshot`;
  const selector = await podtrail(`${base} --label a==b==c`);
  assert.equal(selector.code, 2);
  assert.match(selector.err, /the label selector a==b==c is refused: .*\nhint: selectors are written as for kubectl/);
  const missing = await podtrail(`${base} --store-in-cm --cm-namespace not-there`);
  if (linesOf(missing.out).length > 0) {
    assert.equal(missing.code, 1);
    assert.match(missing.err, /the ConfigMaps in not-there could not be written: .*\nhint: create the namespace/);
  }
  if (cluster.skipUnless('own control plane') !== false) return;
  const jane = await cluster.controlPlane.kubeconfig({ user: 'jane' });
  t.after(() => rm(jane, { force: true }));
  const forbidden = await podtrail(`footprints --kubeconfig ${jane} --oneshot`);
  assert.equal(forbidden.code, 6);
  assert.match(forbidden.err, /^podtrail: pods may not be watched: .*\nhint: grant list and watch on pods/);
});

test('rounds cost no API call, changes cost one small patch, and SIGTERM leaves whole lines and exit code 0', {
  skip: cluster.skipUnless('own control plane', 'simulated nodes'),
}, async (t) => {
  await hourWithRoomFor(60);
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  await kubectl('create', 'deployment', 'cart', '--image=none', '--replicas=6');
  await runningPods(namespace, 6);
  const words = ['--namespace', namespace, '--interval', '200ms', '--store-in-cm', '--cm-namespace', namespace];
  const running = footprints(t, ...words);
  const rounds = () =>
    new Set(linesOf(running.out.slice(0, running.out.lastIndexOf('\n') + 1)).map((l) => l.timestamp));
  const stored = async () => Object.assign({}, ...(await mappings(namespace)).values()) as Record<string, string>;
  await until('the hour is stored', async () => Object.keys(await stored()).length === 6);
  await until('some rounds were printed', () => rounds().size >= 8, { withinMs: 60_000 });
  const before = (await asked()).length;
  const seen = rounds().size;
  await until('many more rounds were printed', () => rounds().size >= seen + 15, { withinMs: 60_000 });
  assert.deepEqual((await asked()).slice(before), [], 'rounds asked the API server');

  // A namespace that ends takes ConfigMaps with it, and whoever makes them again sends bytes too.
  await until('no namespace of an earlier test is ending', async () => {
    const { items } = await cluster.kubectlJson(['get', 'namespaces']);
    return items.every(({ status }: { status: { phase: string } }) => status.phase === 'Active');
  });
  const bytes = await cluster.controlPlane.requestBodyBytes({ resource: 'configmaps' });
  await kubectl('run', 'one-more', '--image=none');
  await runningPods(namespace, 7);
  const key = `${namespace}_one-more`;
  await until('the new pod is in the hour', async () =>
    [...(await mappings(namespace)).values()].some((data) => data[key] !== undefined),
  );
  const after = await cluster.controlPlane.requestBodyBytes({ resource: 'configmaps' });
  const writes = (await asked()).slice(before).filter((line) => !line.startsWith('watch'));
  assert.ok(writes.length >= 1 && writes.every((line) => /^patch configmaps\//.test(line)), writes.join());
  assert.ok(after.bytes - bytes.bytes < 2000, `${after.bytes - bytes.bytes} bytes`);

  await kubectl('delete', 'pod', 'one-more', '--wait=true', '--grace-period=0', '--force');
  const ended = await running.end('SIGTERM');
  assert.equal(ended.code, 0, ended.err);
  linesOf(ended.out);
  const union = await stored();
  assert.ok(union[key] !== undefined, 'a pod that is gone stays in its hour');

  // Another process goes on with the same hour and writes nothing that is there already.
  const second = await podtrail(
    `footprints --kubeconfig ${cluster.kubeconfig} --oneshot -n ${namespace} --store-in-cm --cm-namespace ${namespace}`,
  );
  assert.equal(second.code, 0, second.err);
  assert.deepEqual(await stored(), union);
});

test('a reader that does not read: nothing is lost, and SIGTERM ends it with whole lines once he reads on', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  await cluster.kubectl(['-n', namespace, 'create', 'deployment', 'many', '--image=none', '--replicas=40']);
  await runningPods(namespace, 40);
  const running = footprints(t, '--namespace', namespace, '--interval', '10ms');
  await until('it prints', () => running.out !== '', { withinMs: 60_000 });
  running.process.stdout?.pause();
  // Some hundred rounds more than a pipe holds.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  running.process.kill('SIGTERM');
  running.process.stdout?.resume();
  const ended = await running.ended();
  assert.equal(ended.code, 0, ended.err);
  assert.ok(linesOf(ended.out).length > 40);
});

test('SIGTERM ends it within five seconds also if nobody ever reads on; what did come out are whole lines', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  await cluster.kubectl(['-n', namespace, 'create', 'deployment', 'many', '--image=none', '--replicas=40']);
  await runningPods(namespace, 40);
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-pipe-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  // A pipe of the shell's, whose reader takes one byte, says so, and does nothing more until it is asked to.
  const program = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
  const words = `footprints --kubeconfig '${cluster.kubeconfig}' --namespace ${namespace} --interval 10ms`;
  const script = `mkfifo go; { '${process.execPath}' '${program}' ${words} & echo $! > pid; wait $!; echo $? > code; } | { dd bs=1 count=1 2> begun; read go < go; cat; }`;
  const shell = spawn('sh', ['-c', script], { cwd: directory, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => {
    // All of its group; without it the reader would wait for ever.
    if (shell.exitCode === null && shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  });
  let out = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const read = async (name: string) => (await readFile(join(directory, name), 'utf8').catch(() => '')).trim() || false;
  const pid = Number(await until('it has begun', () => read('pid')));
  await until('the first byte was read', () => read('begun'));
  // Long enough to fill the pipe: it holds 64 KiB, and a round is some 16.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const started = performance.now();
  process.kill(pid, 'SIGTERM');
  const code = await until('it has ended', () => read('code'), { withinMs: 20_000, everyMs: 50 });
  t.diagnostic(`${Math.round(performance.now() - started)} ms`);
  assert.ok(performance.now() - started < 5_500);
  assert.equal(code, '0');
  await writeFile(join(directory, 'go'), 'go\n');
  await once(shell, 'close');
  assert.ok(linesOf(out).length > 40, `${out.length} characters`);
});

test('invariant 13: the union of the hour’s shards is the ledger’s answer for that hour', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  await hourWithRoomFor(90);
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-footprints-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const store = `sqlite:${join(directory, 'ledger.db')}`;
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  const recorder = new PodtrailProcess(['record', '--kubeconfig', cluster.kubeconfig, '--store', store]);
  t.after(() => recorder.end('SIGKILL'));
  await recorder.untilSaid('"msg":"watching"');
  const writer = footprints(
    t,
    '--namespace',
    namespace,
    '--interval',
    '300ms',
    '--store-in-cm',
    '--cm-namespace',
    namespace,
  );
  await kubectl('create', 'deployment', 'cart', '--image=none', '--replicas=6');
  await runningPods(namespace, 6);
  await until('both watch', () => writer.out.split('\n').length > 6, { withinMs: 60_000 });
  await kubectl('rollout', 'restart', 'deployment/cart');
  await kubectl('rollout', 'status', 'deployment/cart', '--timeout=120s');
  await kubectl('run', 'short', '--image=none');
  await until(
    'it has a node',
    async () => (await cluster.kubectlJson(['-n', namespace, 'get', 'pod', 'short'])).spec.nodeName,
  );
  await kubectl('delete', 'pod', 'short', '--grace-period=0', '--force');
  await kubectl('scale', 'deployment', 'cart', '--replicas=2');
  await until(
    'the others are gone',
    async () => (await cluster.kubectlJson(['-n', namespace, 'get', 'pods'])).items.length === 2,
  );
  assert.equal((await writer.end('SIGTERM')).code, 0);
  const hours = await mappings(namespace);
  const now = Date.now();
  await until('the recorder has seen it all', () => Date.now() > now + 2500);
  assert.equal((await recorder.end('SIGTERM')).code, 0);
  for (const [hour, union] of hours) {
    const [, y, mo, d, h] = /^(\d{4})(\d{2})(\d{2})(\d{2})$/.exec(hour) ?? [];
    const from = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h));
    const since = new Date(from).toISOString();
    const untilText = new Date(Math.min(from + 3_600_000, now)).toISOString();
    const answer = new Map<string, string>();
    for (const node of ['node-0', 'node-1', 'node-2']) {
      const asked = `node ${node} --since ${since} --until ${untilText} -n ${namespace} --store ${store} -o json`;
      const { out, err } = await podtrail(asked);
      assert.notEqual(out, '', err);
      for (const { pod } of JSON.parse(out).pods) answer.set(`${namespace}_${pod}`, node);
    }
    assert.deepEqual(new Map(Object.entries(union).sort()), new Map([...answer].sort()), hour);
  }
  assert.ok([...hours.values()].some((union) => Object.keys(union).length >= 13));
});

test('fault 24: two thousand pods with long names need two ConfigMaps; little more than the data is sent, and it is quick', {
  skip: cluster.skipUnless('own control plane'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const plane = cluster.controlPlane;
  const COUNT = 2000;
  // On nodes that nobody simulates. The last names are so long that with the namespace they are no key any more.
  const nameOf = (i: number) => `${'x'.repeat(i < COUNT - 5 ? 225 : 248)}-${String(i).padStart(4, '0')}`;
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let i = worker; i < COUNT; i += 8) {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: nameOf(i), labels: { load: 'yes' } },
        spec: { nodeName: `worker-${i % 200}.example`, containers: [{ name: 'c', image: 'none' }] },
      };
      const { status } = await plane.request(`/api/v1/namespaces/${namespace}/pods`, { body: JSON.stringify(pod) });
      assert.equal(status, 201);
    }
  });
  await Promise.all(workers);
  const before = await plane.requestBodyBytes({ resource: 'configmaps' });
  const started = performance.now();
  const { code, out, err } = await podtrail(
    `footprints --kubeconfig ${cluster.kubeconfig} --oneshot --label load=yes -n ${namespace} --store-in-cm --cm-namespace ${namespace}`,
  );
  const seconds = (performance.now() - started) / 1000;
  assert.equal(code, 0, err);
  assert.match(err, /^{[^\n]*"msg":"the hour got another ConfigMap"[^\n]*-1"}\n$/);
  const lines = linesOf(out);
  assert.equal(lines.length, COUNT);
  const sent = (await plane.requestBodyBytes({ resource: 'configmaps' })).bytes - before.bytes;
  const union = Object.assign({}, ...(await mappings(namespace)).values()) as Record<string, string>;
  assert.equal(Object.keys(union).length, COUNT);
  for (const { pod_name, node_name } of lines) {
    const key = `${namespace}_${pod_name}`;
    if (key.length <= 253) assert.equal(union[key], node_name);
  }
  assert.equal(Object.keys(union).filter((key) => /_[0-9a-f]{16}$/.test(key)).length, 5);
  const data = Object.entries(union).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  t.diagnostic(`${COUNT} pods in ${seconds.toFixed(1)} s, ${sent} bytes sent for ${data} bytes of data`);
  assert.ok(sent <= 1.2 * data, `${sent} bytes for ${data}`);
  assert.ok(seconds < 20, `${seconds} s`);

  // What is stored, in the form in which it is stored, is what the planner counts: below its limit, and not far.
  const { items } = await cluster.kubectlJson(['-n', namespace, 'get', 'cm', '-l', 'app=pod-ashiato']);
  const sizes = [];
  for (const { metadata } of items) {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${metadata.name}`;
    const { body } = await plane.request(path, { headers: { accept: 'application/vnd.kubernetes.protobuf' } });
    sizes.push(body.length);
  }
  t.diagnostic(`stored: ${sizes.join(', ')} bytes`);
  assert.equal(sizes.length, 2);
  const largest = Math.max(...sizes);
  assert.ok(largest <= 1_048_576 && largest > 0.97 * 1_048_576, `${largest} bytes`);
});

test('hours roll over by the clock, somebody else’s writes are kept, and what has expired is deleted', async (t) => {
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  const client = Client.connect(await loadClusterConfig({ kubeconfig: cluster.kubeconfig }));
  const HOUR = 3_600_000;
  // In the middle of an hour, whenever the test runs.
  let ahead = HOUR / 2 - (systemClock.now() % HOUR);
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const pods = new Informer({ transport: client.transport, resource: PODS, codec: podCodec, namespace, clock });
  const news: HourlyNews[] = [];
  const hourly = new HourlyConfigMaps({
    configMaps: client.configMaps(namespace),
    listNames: configMapNames(client, namespace),
    clock,
    retentionMs: 0,
    onNews: (one) => void news.push(one),
  });
  hourly.follow(pods);
  const stop = new AbortController();
  const running = pods.start(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    await client.close();
  });
  await pods.waitForSync();
  const place = async (name: string) => {
    const spec = { nodeName: 'node-0', containers: [{ name: 'c', image: 'none' }] };
    await client.pods(namespace).create({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    await until(`${name} is in the cache`, () => pods.lister.getIn(namespace, name) !== undefined);
  };
  const nameOfHour = () => `pod-ashiato-${new Date(clock.now()).toISOString().slice(0, 13).replace(/[-T]/g, '')}`;
  const dataOf = async (name: string) => (await cluster.kubectlJson(['-n', namespace, 'get', 'cm', name])).data;

  const first = nameOfHour();
  await place('a');
  assert.deepEqual(await hourly.flush(), { writes: 1, entries: 1 });
  await kubectl('patch', 'cm', first, '--type=merge', '-p', '{"data":{"x_theirs":"n9"}}');
  await place('b');
  await hourly.flush();
  const both = { [`${namespace}_a`]: 'node-0', [`${namespace}_b`]: 'node-0' };
  assert.deepEqual(await dataOf(first), { ...both, x_theirs: 'n9' });
  assert.deepEqual(await hourly.flush(), { writes: 0, entries: 0 });
  assert.deepEqual(news, []);

  ahead += HOUR;
  assert.deepEqual(await hourly.flush(), { writes: 1, entries: 2 });
  assert.deepEqual(await dataOf(nameOfHour()), both);
  assert.deepEqual(news, [{ kind: 'expired', names: [first] }]);
  const left: { metadata: { name: string } }[] = (await cluster.kubectlJson(['-n', namespace, 'get', 'cm'])).items;
  assert.ok(left.every(({ metadata }) => metadata.name !== first));
});

test('while the API server cannot be reached nothing is claimed; then rounds go on, and the hour is complete', {
  skip: cluster.skipUnless('own control plane', 'simulated nodes'),
}, async (t) => {
  const plane = cluster.controlPlane;
  const namespace = await cluster.namespace(t);
  await cluster.kubectl(['-n', namespace, 'create', 'deployment', 'cart', '--image=none', '--replicas=3']);
  await runningPods(namespace, 3);
  const proxy = await plane.proxyTo(plane.apiserver);
  const kubeconfig = await plane.kubeconfig({ server: proxy.url });
  const words = ['-n', namespace, '--interval', '200ms', '--store-in-cm', '--cm-namespace', namespace];
  const running = new PodtrailProcess(['footprints', '--kubeconfig', kubeconfig, ...words]);
  t.after(() => running.end('SIGKILL'));
  await until('it prints rounds', () => running.out.split('\n').length > 12, { withinMs: 60_000 });
  await proxy.refuse();
  proxy.cut();
  const cutAt = Date.now();
  await running.untilSaid('no rounds while the cluster is not being watched');
  await cluster.kubectl(['-n', namespace, 'scale', 'deployment', 'cart', '--replicas=5']);
  await runningPods(namespace, 5);
  const before = running.out.length;
  await until('it was silent for a while', () => Date.now() > cutAt + 6000);
  assert.equal(running.out.length, before, 'it printed while it was blind');
  await proxy.resume();
  const resumedAt = Date.now();
  await until('rounds go on with all pods', () => {
    const since = running.out.slice(before, running.out.lastIndexOf('\n') + 1);
    return new Set(linesOf(since).map(({ pod_name }) => pod_name)).size === 5;
  });
  const ended = await running.end('SIGTERM');
  assert.equal(ended.code, 0, ended.err);
  const blind = linesOf(ended.out).filter(({ timestamp }) => {
    const at = Date.parse(timestamp);
    return at > cutAt + 3000 && at < resumedAt;
  });
  assert.deepEqual(blind, []);
  const union = Object.assign({}, ...(await mappings(namespace)).values());
  assert.equal(Object.keys(union).length, 5);
});

test('a reader that has gone ends it quietly', { skip: cluster.skipUnless('simulated nodes') }, async (t) => {
  const namespace = await cluster.namespace(t);
  await cluster.kubectl(['-n', namespace, 'create', 'deployment', 'some', '--image=none', '--replicas=3']);
  await runningPods(namespace, 3);
  const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
  const words = [main, 'footprints', '--kubeconfig', cluster.kubeconfig, '--interval', '50ms', '-n', namespace];
  // The shell ends with the code of podtrail, not of head.
  const script = 'set -o pipefail; "$0" "$@" | head -n 1';
  const { stdout, stderr } = await run('bash', ['-c', script, process.execPath, ...words], { timeout: 60_000 });
  assert.equal(linesOf(stdout).length, 1);
  assert.equal(stderr, '');
});

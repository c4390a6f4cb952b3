// `podtrail operator` in this process, on a sandbox: that its parts are joined, that probes tell the truth, how it ends.
// e2e/operator*.test.ts have the same on a real control plane, with its rights and with replicas.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { Client, type Clock, loadClusterConfig, systemClock } from '@podtrail/machinery';
import { type SandboxServer, startSandboxServer } from '@podtrail/sandbox';
import { parse } from 'yaml';
import { type Ran, run } from '../testing/run-in-process.ts';

const CRDS = ['podtrackers', 'podtrackerslices'].map(
  (name) => new URL(`../../../../deploy/crds/${name}.podtrail.dev.yaml`, import.meta.url),
);
const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const TRACKERS = { group: 'podtrail.dev', version: 'v1', resource: 'podtrackers' };
/** Only against hanging. */
const PATIENCE_MS = 60_000;
const NO_RETRY = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 1, longestDelayMs: 1 };

async function until<T>(what: string, ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    assert.ok(performance.now() < deadline, `in vain: ${what}`);
    await sleep(20);
  }
}

class Stage {
  readonly server: SandboxServer;
  readonly kubeconfig: string;
  readonly engine: Engine;
  /** By how much the operator's monotonic clock is ahead: minutes that nobody has to wait. */
  aheadMs = 0;
  readonly #clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() + this.aheadMs,
    setTimer: (ms, act, keepsAlive) => systemClock.setTimer(ms, act, keepsAlive),
  };
  readonly #t: TestContext;

  static async start(t: TestContext): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-operator-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const server = await startSandboxServer({ server: { seed: 7 } });
    t.after(() => server.close());
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig());
    return new Stage(t, server, kubeconfig, await openStore('memory:', { access: 'write' }));
  }

  private constructor(t: TestContext, server: SandboxServer, kubeconfig: string, engine: Engine) {
    this.#t = t;
    this.server = server;
    this.kubeconfig = kubeconfig;
    this.engine = engine;
  }

  async installDefinitions(client: Client): Promise<void> {
    for (const url of CRDS) await client.resource(DEFINITIONS).create(parse(await readFile(url, 'utf8')));
  }

  pod(name: string, ip: string): void {
    this.server.api.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'none' }] },
    });
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }] };
    this.server.api.mergePatch('pods', 'default', name, { status }, 'status');
  }

  operator(...words: string[]) {
    const stop = new AbortController();
    const said = { text: '' };
    const stderr = { isTTY: false, write: async (text: string | Uint8Array) => void (said.text += String(text)) };
    const conversion = words.some((word) => word.startsWith('--conversion')) ? [] : ['--no-conversion'];
    const all = ['operator', '--kubeconfig', this.kubeconfig, '--namespace', 'default', ...conversion, ...words];
    const ports = ['--metrics-port', '0', '--health-port', '0', '--footprint-interval', '200ms'];
    const ended: Promise<Ran> = run([...all, ...ports], {
      ...{ engine: this.engine, clock: this.#clock, random: Math.random, signal: stop.signal, stderr },
      loadConfig: (options) => loadClusterConfig(options),
      connect: (config, observer) => Client.connect(config, observer === undefined ? {} : { observer }),
    });
    this.#t.after(async () => {
      stop.abort();
      await ended;
    });
    const log = () => said.text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const health = async () => {
      const { health: url } = await until('it listens', () => log().find(({ msg }) => msg === 'operator'));
      const answer = await fetch(url);
      return { status: answer.status, text: await answer.text() };
    };
    const metric = async (series: string) => {
      const { metrics: url } = await until('it listens', () => log().find(({ msg }) => msg === 'operator'));
      const line = (await (await fetch(url)).text()).split('\n').find((text) => text.startsWith(`${series} `));
      return Number(line?.split(' ').at(-1));
    };
    return { ended, log, health, metric, said, stop };
  }
}

test('without the definitions it records and is ready; with them it serves PodTrackers; asked to end, it does', async (t) => {
  const stage = await Stage.start(t);
  stage.server.api.create('nodes', { metadata: { name: 'node-a' } });
  stage.pod('web-1', '10.0.0.1');
  const operator = stage.operator();
  await until('it is ready', async () => (await operator.health()).status === 200);
  const at = epochMillis(Date.now());
  await until('the pod is in the ledger', async () => {
    const [cluster] = await stage.engine.clusters();
    if (cluster === undefined) return false;
    const { holders } = await withSnapshot(stage.engine, cluster.id, (snapshot) =>
      who(snapshot, { ip: parseIp('10.0.0.1')!, at }),
    );
    return holders[0]?.name === 'web-1';
  });
  // The definitions are not there: that is reported once, then ever more seldom, and counted each time.
  const errors = async () => await operator.metric('podtrail_watch_errors_total{resource="podtrackers"}');
  await until('the watch of PodTrackers was refused three times', async () => (await errors()) >= 3);
  const refusals = operator.log().filter(({ msg, resource }) => `${resource} ${msg}`.startsWith('podtrackers cannot'));
  assert.ok(refusals.length < (await errors()), `${refusals.length} lines`);
  const client = Client.connect(await loadClusterConfig({ kubeconfig: stage.kubeconfig }));
  t.after(() => client.close());
  await stage.installDefinitions(client);
  await client.resource(TRACKERS).create({
    ...{ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name: 'all' } },
    spec: {
      footprints: { log: true, configMaps: { enabled: true, namespace: 'default', retention: '48h' } },
      annotations: { enabled: true },
    },
  });
  await until('the tracker lists the pod', async () => {
    const { items } = await client.resource(TRACKERS).list();
    const status = items[0]?.['status'] as { counts?: { pods: number } } | undefined;
    return status?.counts?.pods === 1;
  });
  await until('the hour has its ConfigMap', async () => {
    const { items } = await client.configMaps('default').list({ labelSelector: 'podtrail.dev/tracker=all' });
    return items[0] !== undefined && 'default_web-1' in (items[0]['data'] as object);
  });
  await until('keys are in the queue of annotations', async () => {
    return (await operator.metric('podtrail_workqueue_adds_total{queue="annotations"}')) > 0;
  });
  const started = performance.now();
  operator.stop.abort();
  const { code, out } = await operator.ended;
  assert.equal(code, 0, operator.said.text);
  assert.ok(performance.now() - started < 10_000);
  assert.match(out, /"tracker":"all".*"pod_name":"web-1"/);
  const [lease] = (await client.leases('default').list()).items as { spec?: { holderIdentity?: string } }[];
  assert.equal(lease?.spec?.holderIdentity, '', 'the lease is given back');
});

/** An operator on a cluster with the definitions, one pod and a tracker of all pods. */
async function served(t: TestContext, lease?: { readonly holderIdentity: string }) {
  const stage = await Stage.start(t);
  const client = Client.connect(await loadClusterConfig({ kubeconfig: stage.kubeconfig }));
  t.after(() => client.close());
  await stage.installDefinitions(client);
  stage.pod('web-1', '10.0.0.1');
  const metadata = { name: 'all' };
  await client.resource(TRACKERS).create({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata, spec: {} });
  if (lease !== undefined) {
    const now = new Date().toISOString().replace('Z', '000Z');
    const spec = { ...lease, leaseDurationSeconds: 3_600, acquireTime: now, renewTime: now, leaseTransitions: 1 };
    await client.leases('default').create({ metadata: { name: 'podtrail-operator', namespace: 'default' }, spec });
  }
  const operator = stage.operator();
  const status = async () => (await client.resource(TRACKERS).get('all'))['status'];
  await until('it is ready', async () => (await operator.health()).status === 200);
  return { stage, client, operator, status };
}

test('a standby is ready and records, and writes nothing to the API', async (t) => {
  const { stage, operator, status } = await served(t, { holderIdentity: 'another' });
  await until('it has seen who leads', () => operator.log().some(({ leader }) => leader === 'another'));
  await until('it says who serves', () => operator.log().some(({ msg }) => /^PodTrackers are followed; /.test(msg)));
  assert.ok(!operator.log().some(({ msg }) => msg === 'PodTrackers are served'));
  stage.pod('web-2', '10.0.0.2');
  const at = epochMillis(Date.now() + 50);
  await until('the pod is in the ledger', async () => {
    const [cluster] = await stage.engine.clusters();
    const { holders } = await withSnapshot(stage.engine, cluster?.id ?? '', (snapshot) =>
      who(snapshot, { ip: parseIp('10.0.0.2')!, at }),
    );
    return holders[0]?.name === 'web-2';
  });
  assert.equal(await status(), undefined);
});

test('fault 22: a leader whose lease somebody else has taken ends with exit code 1, and says to whom', async (t) => {
  const { client, operator, status } = await served(t);
  await until('it leads', async () => (await status()) !== undefined);
  const body = { spec: { holderIdentity: 'another', renewTime: '2026-11-15T10:00:00.000000Z' } };
  await client.leases('default').patch('podtrail-operator', { kind: 'merge', body });
  const { code } = await operator.ended;
  assert.equal(code, 1);
  assert.match(operator.said.text, /the lease was lost to another \(taken\)/);
});

test('a leader that cannot renew its lease in time ends with exit code 1, and names nobody else', {
  timeout: 110_000,
}, async (t) => {
  const { stage, operator, status } = await served(t);
  await until('it leads', async () => (await status()) !== undefined);
  const refusal = { kind: 'answer', status: 500, body: '{}' } as const;
  stage.server.setFaults({ request: ({ resource }) => (resource.startsWith('leases') ? refusal : undefined) });
  const { code } = await operator.ended;
  assert.equal(code, 1);
  assert.match(operator.said.text, /the lease was lost: it could not be renewed in time \(deadline\)/);
});

test('a recorder whose ledger somebody else has taken over ends the process with exit code 1', async (t) => {
  const { stage, operator } = await served(t);
  const [cluster] = await stage.engine.clusters();
  assert.ok(cluster);
  await stage.engine.takeOver(cluster);
  const { code } = await operator.ended;
  assert.equal(code, 1);
});

test('asked to end while the cluster cannot be reached, it ends with 0; until then it is alive, not ready, and says why', async (t) => {
  const stage = await Stage.start(t);
  await stage.server.close();
  const stop = new AbortController();
  const said = { text: '' };
  const stderr = { isTTY: false, write: async (text: string | Uint8Array) => void (said.text += String(text)) };
  const ended = run(
    ['operator', '--kubeconfig', stage.kubeconfig, '--metrics-port', '0', '--health-port', '0', '--no-conversion'],
    {
      ...{ engine: stage.engine, clock: systemClock, signal: stop.signal, stderr },
      loadConfig: (options) => loadClusterConfig(options),
      connect: (config) => Client.connect(config, { retry: NO_RETRY }),
    },
  );
  await until('it says so', () => said.text.includes('the cluster cannot be reached'));
  const url = /"health":"([^"]+)"/.exec(said.text)?.[1] ?? '';
  const ready = await fetch(url);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), /^\[-\]recorder failed: the cluster or its ledger is still being opened$/m);
  assert.equal((await fetch(url.replace('/readyz', '/livez'))).status, 200);
  stop.abort();
  assert.equal((await ended).code, 0);
});

test('asked to end while the API server is silent, a leader ends within ten seconds', async (t) => {
  const { stage, operator, status } = await served(t);
  await until('it leads', async () => (await status()) !== undefined);
  stage.server.setFaults({ request: () => ({ kind: 'hang' }) });
  stage.pod('web-2', '10.0.0.2');
  const started = performance.now();
  operator.stop.abort();
  const { code } = await operator.ended;
  assert.equal(code, 0, operator.said.text);
  assert.ok(performance.now() - started < 10_000, `${performance.now() - started} ms`);
  t.diagnostic(`${Math.round(performance.now() - started)} ms`);
});

test('a lease that cannot be reached, or a watch that is refused, is not ready after a minute; the log is not flooded', async (t) => {
  const stage = await Stage.start(t);
  const started = performance.now();
  const operator = stage.operator('--namespace', 'nope');
  await until('it is ready', async () => (await operator.health()).status === 200);
  await until('the lease was tried', () => operator.log().some(({ msg }) => /^the lease could not/.test(msg)));
  const refusal = { kind: 'answer', status: 403, body: '{}' } as const;
  stage.server.setFaults({ request: ({ resource }) => (resource === 'namespaces' ? refusal : undefined) });
  stage.server.cutConnections();
  await until('the watch was refused', () =>
    operator.log().some(({ resource, level }) => resource === 'namespaces' && level === 'warn'),
  );
  stage.aheadMs = 61_000;
  const { status, text } = await operator.health();
  assert.equal(status, 503);
  const longestS = Math.ceil(61 + (performance.now() - started) / 1_000);
  const isReported = (what: RegExp) => {
    const seconds = Number(what.exec(text)?.[1]);
    assert.ok(seconds >= 61 && seconds <= longestS, `${seconds} s, at most ${longestS}: ${text}`);
  };
  isReported(/^\[-\]controllers failed: .*watch-namespaces: cannot be watched for (\d+) s: /m);
  isReported(
    /^\[-\]controllers failed: .*election: the lease nope\/podtrail-operator has not been reachable for (\d+) s: .*nope/m,
  );
});

test('outside of a cluster, where no Service leads to it, the definition stays as it is, and the log says why', async (t) => {
  const stage = await Stage.start(t);
  const client = Client.connect(await loadClusterConfig({ kubeconfig: stage.kubeconfig }));
  t.after(() => client.close());
  await stage.installDefinitions(client);
  const definition = async () => (await client.resource(DEFINITIONS).get('podtrackers.podtrail.dev'))['spec'] as object;
  const before = await definition();
  const operator = stage.operator('--conversion-port', '0');
  await until('it is ready', async () => (await operator.health()).status === 200);
  await until('it leads', () => operator.log().some(({ msg }) => msg === 'the leader is'));
  const notServed = () => operator.log().filter(({ msg }) => msg === 'v1alpha1 is not served from here');
  await until('it says so', () => notServed().length > 0);
  const said = notServed();
  assert.equal(said.length, 1);
  assert.match(said[0].why, /no Service leads to 127\.0\.0\.1/);
  // Announcing took less than a second after the start.
  await sleep(1_500);
  assert.deepEqual(await definition(), before);
});

test('ports that are the same, names that cannot be and a URL that is none are refused with a sentence', async () => {
  const twice = await run(['operator', '--metrics-port', '9000', '--health-port', '9000']);
  assert.deepEqual([twice.code, twice.err.split('\n')[0]], [2, 'podtrail: two ports are both 9000']);
  const lease = await run(['operator', '--lease-name', 'BAD_']);
  assert.deepEqual(
    [lease.code, lease.err.split('\n')[0]],
    [2, 'podtrail: --lease-name BAD_ is not the name of an object'],
  );
  const namespace = await run(['operator', '--namespace', 'a/b']);
  assert.deepEqual([namespace.code, namespace.err.split('\n')[0]], [2, 'podtrail: --namespace a/b is not a namespace']);
  const url = await run(['operator', '--conversion-url', 'http://x']);
  assert.deepEqual([url.code, url.err.split('\n')[0]], [2, 'podtrail: --conversion-url http://x is no https URL']);
});

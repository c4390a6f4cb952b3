// The audit webhook on a real control plane: kube-apiserver sends its audit events to the operator, and a deletion has its
// author within seconds. A webhook that is down, slow or flooded costs the API server's clients nothing.
// Runs alone: it compares times of requests.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { podtrail } from './cli/podtrail-process.ts';
import { freePort } from './controlplane/free-port.ts';
import { until, useCluster } from './controlplane/index.ts';
import { install, OperatorReplica } from './operator-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], kwok: { nodes: 1 } });
const { skip } = cluster;
const CLIENT = 'kube-apiserver-audit';

interface Webhook {
  readonly words: readonly string[];
  readonly port: number;
  readonly client: { readonly key: string; readonly certificate: string };
}

/** Certificates of both sides, and the API server started again with the file that names the webhook. */
async function configure(): Promise<Webhook> {
  const { controlPlane: plane } = cluster;
  const { pki } = plane;
  const port = await freePort();
  const serving = await pki.serving('audit-webhook');
  const client = await pki.write('audit-client', { subject: { commonName: CLIENT }, usage: 'client' });
  const file = join(plane.directory, 'audit-webhook.kubeconfig');
  await writeFile(
    file,
    `apiVersion: v1
kind: Config
clusters:
  - name: podtrail
    cluster:
      server: https://127.0.0.1:${port}/audit
      certificate-authority: ${pki.clusterCaFile}
users:
  - name: api-server
    user:
      client-certificate: ${client.certificateFile}
      client-key: ${client.keyFile}
contexts:
  - name: webhook
    context: { cluster: podtrail, user: api-server }
current-context: webhook
`,
  );
  const { apiserver } = plane;
  apiserver.extraFlags.push(`--audit-webhook-config-file=${file}`, '--audit-webhook-batch-max-wait=1s');
  await apiserver.restart();
  const words = [
    ...['--no-conversion', '--audit-webhook-port', String(port), '--audit-webhook-client-name', CLIENT],
    ...['--audit-webhook-cert', serving.certificateFile, '--audit-webhook-key', serving.keyFile],
    ...['--audit-webhook-client-ca', pki.clusterCaFile],
  ];
  return { words, port, client };
}

let webhook: Promise<Webhook> | undefined;
const configured = () => (webhook ??= configure());

async function aPod(name: string): Promise<void> {
  const [node] = (await cluster.kubectlJson(['get', 'nodes'])).items;
  const spec = { nodeName: node.metadata.name, containers: [{ name: 'main', image: 'registry.example/main:1' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  await cluster.kubectl(['-n', 'default', 'create', '-f', '-'], { input: JSON.stringify(pod) });
  await until(`${name} has an address`, async () => {
    const { status } = await cluster.kubectlJson(['-n', 'default', 'get', 'pod', name]);
    return status.podIP as string;
  });
}

async function explained(store: string, pod: string): Promise<{ sentence: string; certainty: string; actor: string }> {
  const { out } = await podtrail(`explain ${pod} -n default --store ${store} -o json`);
  return JSON.parse(out);
}

async function replica(
  t: TestContext,
  name: string,
  words: readonly string[],
  store?: string,
): Promise<OperatorReplica> {
  const started = await OperatorReplica.start(t, cluster.controlPlane, name, {
    words,
    ...(store === undefined ? {} : { store }),
  });
  await started.process.untilSaid('audit events are taken');
  await started.untilReady();
  return started;
}

/** Median milliseconds of requests that are audited, one after the other. */
async function latency(count = 300): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const begun = performance.now();
    const { status } = await cluster.controlPlane.request('/api/v1/namespaces/default');
    assert.equal(status, 200);
    taken.push(performance.now() - begun);
  }
  return taken.sort((a, b) => a - b)[count >> 1]!;
}

function post({ port, client }: Webhook, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path: '/audit', method: 'POST', ca: cluster.controlPlane.pki.clusterTrust },
        ...{ key: client.key, cert: client.certificate, agent: false },
      },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test("a person's kubectl delete is explained with the person within seconds", { skip, timeout: 300_000 }, async (t) => {
  await install(cluster.controlPlane);
  const { words } = await configured();
  const operator = await replica(t, 'audit-a', words);
  await cluster.kubectl(['create', 'clusterrolebinding', 'jane-edits', '--clusterrole=cluster-admin', '--user=jane']);
  t.after(() => cluster.kubectl(['delete', 'clusterrolebinding', 'jane-edits']));
  const kubeconfig = await cluster.controlPlane.kubeconfig({ user: 'jane' });
  await aPod('by-jane');
  await until(
    'the operator has seen it',
    async () => (await operator.metric('podtrail_cached_objects{resource="pods"}')) > 0,
  );
  await until('jane may delete it', async () =>
    (await cluster.kubectl(['auth', 'can-i', 'delete', 'pods', '-n', 'default', '--as', 'jane'])).includes('yes'),
  );
  const begun = Date.now();
  await cluster.kubectl(['-n', 'default', 'delete', 'pod', 'by-jane', '--kubeconfig', kubeconfig, '--wait=false']);
  const cause = await until(
    'the cause has its author',
    async () => {
      const found = await explained(operator.store, 'by-jane');
      if (found.actor === 'jane') return found;
      const page = await (await fetch(operator.address('metrics'))).text();
      const audit = page.split('\n').filter((line) => line.startsWith('podtrail_audit'));
      throw new Error(`${found.sentence} ${found.certainty}\n${audit.join('\n')}\n${JSON.stringify(found)}`);
    },
    { withinMs: 30_000 },
  );
  t.diagnostic(`jane is named ${Date.now() - begun} ms after kubectl delete began`);
  assert.deepEqual([cause.sentence, cause.certainty], ['was deleted by jane.', 'certain']);
  assert.ok((await operator.metric('podtrail_audit_events_total{result="stored"}')) > 0);
  assert.equal((await operator.metric('podtrail_audit_requests_total{code="429"}')) || 0, 0);
});

test('a webhook that is up, stands still, or is killed: requests take the API server no longer', {
  skip,
  timeout: 300_000,
}, async (t) => {
  await install(cluster.controlPlane);
  const { words } = await configured();
  const operator = await replica(t, 'audit-b', words);
  await latency();
  const up = await latency();
  operator.process.process.kill('SIGSTOP');
  const still = await latency();
  await operator.process.end('SIGKILL');
  const killed = await latency();
  t.diagnostic(
    `median of a request: up ${up.toFixed(2)} ms, stopped ${still.toFixed(2)} ms, killed ${killed.toFixed(2)} ms`,
  );
  for (const one of [still, killed]) assert.ok(one < 2 * up + 5, `${one} ms, and ${up} ms with the webhook`);
  // It comes back, and what was not delivered meanwhile is sent again.
  const again = await replica(t, 'audit-c', words, operator.store);
  await until(
    'events arrive again',
    async () => (await again.metric('podtrail_audit_requests_total{code="200"}')) > 0,
    {
      withinMs: 90_000,
    },
  );
});

test('a flood is bounded: refused with 429, counted, and in the causes; who held an address is answered', {
  skip,
  timeout: 300_000,
}, async (t) => {
  await install(cluster.controlPlane);
  const hook = await configured();
  const operator = await replica(t, 'audit-d', hook.words);
  const now = new Date().toISOString();
  const event = (i: number, j: number) => ({
    ...{
      level: 'RequestResponse',
      auditID: `flood-${i}-${j}`,
      stage: 'ResponseComplete',
      requestURI: '/',
      verb: 'patch',
    },
    ...{ user: { username: 'robot' }, objectRef: { resource: 'pods', namespace: 'default', name: `p-${i}-${j}` } },
    ...{ responseStatus: { code: 200 }, requestReceivedTimestamp: now, stageTimestamp: now },
    ...{
      annotations: { 'authorization.k8s.io/decision': 'allow' },
      requestObject: { metadata: { x: 'y'.repeat(2000) } },
    },
  });
  const codes = new Map<number, number>();
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let i = 0; i < 60; i++) {
      const items = Array.from({ length: 400 }, (__, j) => event(worker * 1000 + i, j));
      const body = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
      const status = await post(hook, body);
      codes.set(status, (codes.get(status) ?? 0) + 1);
    }
  });
  await Promise.all(workers);
  const rss = await operator.metric('process_resident_memory_bytes');
  t.diagnostic(`answers ${JSON.stringify([...codes])} of ${8 * 60} batches of 400, ${Math.round(rss / 1e6)} MB`);
  assert.deepEqual(
    [...codes.keys()].filter((code) => code !== 200 && code !== 429),
    [],
  );
  assert.ok((codes.get(429) ?? 0) > 0, 'nothing was refused');
  assert.ok(rss < 450e6, `${rss} bytes`);
  await operator.process.untilSaid('causes may lack who did it');
  await aPod('after-flood');
  const { status } = await cluster.kubectlJson(['-n', 'default', 'get', 'pod', 'after-flood']);
  await until('its address is held by it', async () => {
    const { out } = await podtrail(`who ${status.podIP} --store ${operator.store} -o json`);
    return JSON.parse(out).holders[0]?.pod === 'after-flood';
  });
});

// v1alpha1 on a real API server: served once the webhook answers, through a URL on loopback; v1 goes on without it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { ConversionEndpoint, type ConversionEndpointOptions } from '@podtrail/operator';
import { until, useCluster } from './controlplane/index.ts';
import { CRDS, forEach, Hand, installDefinitions, PodTrackerStage } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const { skip } = cluster;
const DEFINITION = 'podtrackers.podtrail.dev';

async function startEndpoint(t: TestContext, identity: string, options: Partial<ConversionEndpointOptions> = {}) {
  const client = Client.connect(await loadClusterConfig({ kubeconfig: cluster.controlPlane.adminKubeconfig }));
  const stop = new AbortController();
  const errors: unknown[] = [];
  const endpoint = new ConversionEndpoint({
    client,
    host: '127.0.0.1',
    port: 0,
    address: { url: (port: number) => `https://127.0.0.1:${port}` },
    identity,
    checkMs: 300,
    onError: (error: unknown) => errors.push(error),
    ...options,
  });
  const running = endpoint.run(stop.signal);
  const end = async () => {
    if (stop.signal.aborted) return;
    stop.abort();
    await running;
    await client.close();
  };
  t.after(end);
  return { end, errors };
}

const spec = { namespaces: ['shop'], podSelector: { matchLabels: { app: 'web' } }, namePrefix: 'web-' };
const status = {
  counts: { pods: 1, nodes: 0, slices: 0 },
  pods: {
    'uid-1': {
      podName: 'web-1',
      namespace: 'shop',
      ip: '10.0.0.1',
      ips: ['10.0.0.1', 'fd00::1'],
      nodeName: 'n1',
      creationTimestamp: '2026-11-15T10:00:00Z',
      phase: 'Running',
    },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the test reads what it knows to be there.
async function definition(): Promise<any> {
  return await cluster.kubectlJson(['get', 'crd', DEFINITION]);
}

async function bundle(): Promise<string[]> {
  const { caBundle } = (await definition()).spec.conversion.webhook.clientConfig;
  const text = Buffer.from(caBundle, 'base64').toString();
  return (text.match(/-----BEGIN[\s\S]*?END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem).serialNumber,
  );
}

async function untilServed(): Promise<void> {
  await until('v1alpha1 is served', async () => {
    return (await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers')).status === 200;
  });
}

test('before the webhook answers there is v1 only; then both show the same tracker, without loss', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  await installDefinitions(cluster.controlPlane);
  await hand.createTracker('web', spec);
  await hand.trackers.patch('web', { kind: 'merge', body: { status } }, { subresource: 'status' });
  await assert.rejects(cluster.kubectl(['get', 'podtrackers.v1alpha1.podtrail.dev']), /doesn't have a resource type/);
  const before = await hand.trackers.get('web');

  const { errors } = await startEndpoint(t, 'replica-0');
  await untilServed();
  const shown = await until('kubectl knows v1alpha1', () => {
    return cluster.kubectlJson(['get', 'podtrackers.v1alpha1.podtrail.dev', 'web']);
  });
  assert.equal(shown.apiVersion, 'podtrail.dev/v1alpha1');
  assert.deepEqual(shown.spec, { namespace: 'shop' });
  assert.deepEqual(
    shown.status.podIPs.map(({ podName, ip }: { podName: string; ip: string }) => [podName, ip]),
    [['web-1', '10.0.0.1']],
  );
  const table = await cluster.kubectl(['get', 'podtrackers.v1alpha1.podtrail.dev', 'web', '-o', 'wide']);
  assert.match(table, /^NAME +NAMESPACE +CHANGED +AGE +SLICES\nweb +shop /);
  // What an editor of v1alpha1 does: read, change a label, write all of it back.
  shown.metadata.labels = { edited: 'yes' };
  await cluster.kubectl(['replace', '-f', '-'], { input: JSON.stringify(shown) });
  const after = await hand.trackers.get('web');
  assert.deepEqual(after['spec'], before['spec']);
  assert.deepEqual(after.status, before.status);
  assert.deepEqual(after.metadata.labels, { edited: 'yes' });
  assert.equal(after.metadata.annotations, undefined);

  const applied = {
    apiVersion: 'podtrail.dev/v1alpha1',
    kind: 'PodTracker',
    metadata: { name: 'old' },
    spec: { namespace: 'bank' },
  };
  await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(applied) });
  assert.deepEqual((await hand.trackers.get('old'))['spec'], { namespaces: ['bank'] });
  assert.deepEqual(errors, []);
});

/** What v1alpha1 answers to a write of it, tried without doing it. */
async function refusal(metadata: Record<string, unknown>, tried: unknown = {}): Promise<string> {
  const tracker = { apiVersion: 'podtrail.dev/v1alpha1', kind: 'PodTracker', metadata, spec: tried };
  try {
    await cluster.kubectl(['create', '--dry-run=server', '-f', '-'], { input: JSON.stringify(tracker) });
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

/** Asked for one by one; 500 in one review are in the tests of the conversion server. */
const FULL = 60;

/** As full as a status may be, with names as they are in clouds: 60 kB. */
function fullStatus(): object {
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const quantities = { cpu: '64', 'ephemeral-storage': '1056889268Ki', memory: '263846612Ki', pods: '110' };
  const node = (i: number) => `ip-10-0-${i}-114.eu-central-1.compute.internal`;
  const pod = (i: number) => ({
    ...{ podName: `payments-checkout-api-7cbb44f847-${i}`, namespace: 'payments', ip: `10.244.${i}.17` },
    ...{ ips: [`10.244.${i}.17`, `fd00:10:244:${i}::17`], nodeName: node(i), phase: 'Running' },
    creationTimestamp: '2026-11-15T10:00:00Z',
  });
  return {
    counts: { pods: 100, nodes: 100, slices: 0 },
    pods: Object.fromEntries(numbers.map((i) => [`3f2c8a1e-7b4d-4c9a-9e2f-${String(i).padStart(12, '0')}`, pod(i)])),
    nodes: Object.fromEntries(
      numbers.map((i) => [node(i), { nodeIP: `10.0.${i}.114`, capacity: quantities, allocatable: quantities }]),
    ),
  };
}

test(`${FULL} full trackers are listed as v1alpha1`, { skip, timeout: 300_000 }, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  await installDefinitions(cluster.controlPlane);
  const names = Array.from({ length: FULL }, (_, i) => `full-${i}`);
  const body = { status: fullStatus() };
  await forEach(names, async (name) => {
    await hand.createTracker(name);
    await hand.trackers.patch(name, { kind: 'merge', body }, { subresource: 'status' });
  });
  const { end } = await startEndpoint(t, 'replica-0');
  const begun = performance.now();
  // The first list fills the server's cache of this version: it asks for every tracker, one by one.
  const path = '/apis/podtrail.dev/v1alpha1/podtrackers?limit=500&resourceVersion=0';
  const items = await until(
    'all are listed',
    async () => {
      const answer = await cluster.controlPlane.request(path, { timeoutMs: 60_000 });
      return answer.status === 200 && (answer.json().items as { status: { nodeInfo: unknown[] } }[]);
    },
    { withinMs: 120_000 },
  );
  const full = items.filter(({ status: shown }) => shown?.nodeInfo?.length === 100);
  assert.equal(full.length, FULL);
  t.diagnostic(`after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  await end();
  await forEach(names, (name) => hand.trackers.delete(name));
});

test('v1alpha1 is no way round what v1 refuses', { skip, timeout: 180_000 }, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  await startEndpoint(t, 'replica-0');
  await untilServed();
  const name = 'forged';
  // The server takes a moment to turn from the endpoint of the test before to this one.
  await until('what is right is accepted', async () => {
    const answer = await refusal({ name }, { namespace: 'shop' });
    assert.equal(answer, 'accepted');
    return true;
  });
  assert.match(await refusal({ name: 'x'.repeat(64) }), /choose a name of at most 63 characters/);
  assert.match(await refusal({ name }, { namespace: 'team-*' }), /spec.namespace: .*name each namespace in full/);
  assert.match(await refusal({ name }, { namespace: 'x'.repeat(64) }), /spec.namespace: Too long/);
  const forged = (diff: unknown) => ({ name, annotations: { 'podtrail.dev/v1': JSON.stringify({ diff }) } });
  const refused: readonly (readonly [diff: unknown, says: RegExp])[] = [
    [{ spec: { namespaces: 'abc' } }, /spec.namespaces is "abc": write a list/],
    [{ spec: { podSelector: { matchExpressions: 5 } } }, /spec.podSelector.matchExpressions is 5: write a list/],
    [{ spec: { namePrefix: ['a'] } }, /spec.namePrefix is \["a"\]: write a text/],
    [{ spec: { footprints: { configMaps: { namespace: '../../x' } } } }, /write the name of one namespace/],
    [{ spec: { footprints: { configMaps: { namespace: 5 } } } }, /namespace is 5: write a text/],
  ];
  for (const [diff, says] of refused) {
    const answer = await refusal(forged(diff));
    assert.match(answer, says);
    assert.doesNotMatch(answer, /TypeError|is not a function|Cannot read/);
  }
  const harmless = { apiVersion: 'podtrail.dev/v1alpha1', kind: 'PodTracker', spec: { namespace: 'shop' } };
  const input = JSON.stringify({ ...harmless, metadata: forged({ spec: null }) });
  await cluster.kubectl(['create', '-f', '-'], { input });
  assert.deepEqual((await hand.trackers.get(name))['spec'], { namespaces: ['shop'] });
  await hand.trackers.delete(name);
});

test('what v1alpha1 changes only by its annotation is followed, although the generation stays', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  await startEndpoint(t, 'replica-0');
  await untilServed();
  await PodTrackerStage.start(t, cluster.controlPlane);
  await hand.createNode('c1');
  for (const name of ['web-1', 'api-1']) await hand.createPod('default', name, 'c1', `10.9.0.${name.length}`);
  await hand.createTracker('quiet', { namespaces: ['default'], namePrefix: 'web-' });
  const names = async () => [...(await hand.listed('quiet')).values()].map(({ podName }) => podName);
  await until('web-1 is listed', async () => (await names()).join() === 'web-1');
  const before = await hand.trackers.get('quiet');
  const shown = await until('kubectl knows v1alpha1', () => {
    return cluster.kubectlJson(['get', 'podtrackers.v1alpha1.podtrail.dev', 'quiet']);
  });
  const residue = JSON.parse(shown.metadata.annotations['podtrail.dev/v1']);
  residue.diff.spec.namePrefix = 'api-';
  shown.metadata.annotations['podtrail.dev/v1'] = JSON.stringify(residue);
  delete shown.metadata.resourceVersion;
  await cluster.kubectl(['replace', '-f', '-'], { input: JSON.stringify(shown) });
  const after = await hand.trackers.get('quiet');
  assert.equal(after['spec']?.namePrefix, 'api-');
  assert.equal(after.metadata.generation, before.metadata.generation, 'the server sees no change');
  await until('api-1 is listed instead', async () => (await names()).join() === 'api-1');
  await hand.trackers.delete('quiet');
  for (const name of ['web-1', 'api-1']) await hand.deletePod('default', name);
});

test('a definition that is applied again is set right again', { skip, timeout: 180_000 }, async (t) => {
  await startEndpoint(t, 'replica-0');
  await untilServed();
  await cluster.kubectl(['apply', '-f', CRDS]);
  await until('it is served again', async () => (await definition()).spec.versions[1].served === true);
  await untilServed();
});

test('every replica is trusted, a restarted one replaces what it announced, and a renewed certificate is taken over without a refusal', {
  skip,
  timeout: 270_000,
}, async (t) => {
  const other = await startEndpoint(t, 'replica-1');
  await until('replica-1 is trusted', async () => (await bundle()).length === 2);
  await other.end();
  // Certificates of 15 seconds, looked at every 1.5: renewed after ten, used a look later, by when the API server has
  // to know of it.
  const before = await bundle();
  const { errors } = await startEndpoint(t, 'replica-1', { validMs: 15_000, checkMs: 1_500 });
  const first = await until('its new certificate is trusted', async () => {
    const now = await bundle();
    return now.join() !== before.join() && now;
  });
  assert.equal(first.length, 2, 'and the one of before is not');
  const webhook = (await definition()).spec.conversion.webhook.clientConfig.url;
  assert.match(webhook, /^https:\/\/127\.0\.0\.1:\d+\/convert$/);
  const refusals: number[] = [];
  const ask = async () => (await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers/web')).status;
  await until('the server has turned to this endpoint', async () => (await ask()) === 200);
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    const answer = await ask();
    if (answer !== 200) refusals.push(answer);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.notDeepEqual(await bundle(), first);
  assert.deepEqual(refusals, []);
  assert.deepEqual(errors, []);
});

async function writeAsV1alpha1(name: string): Promise<void> {
  const written = { apiVersion: 'podtrail.dev/v1alpha1', kind: 'PodTracker', metadata: { name }, spec: {} };
  await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(written) });
  const { metadata } = await cluster.kubectlJson(['get', 'pt', name, '--show-managed-fields']);
  const versions = metadata.managedFields.map(({ apiVersion }: { apiVersion: string }) => apiVersion);
  assert.ok(versions.includes('podtrail.dev/v1alpha1'), `the server will convert for ${versions}`);
}

test('with the webhook gone v1 is read and written as before, also for a tracker that was written as v1alpha1', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  const { end } = await startEndpoint(t, 'replica-1');
  await untilServed();
  await until('it converts', async () => {
    return (await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers/web')).status === 200;
  });
  await writeAsV1alpha1('old-hand');
  await end();
  const answer = await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers/web');
  assert.notEqual(answer.status, 200, 'nobody answers any more');
  assert.equal((await hand.trackers.get('web')).metadata.name, 'web');
  await hand.trackers.patch('web', { kind: 'merge', body: { metadata: { labels: { still: 'works' } } } });
  await hand.trackers.delete('web');
  await PodTrackerStage.start(t, cluster.controlPlane);
  await until('its status is written', async () => (await hand.condition('old-hand', 'Ready'))?.status === 'True');
  await hand.createPod('default', 'late', 'c1', '10.9.0.99');
  await until('and goes on', async () => {
    return [...(await hand.listed('old-hand')).values()].some(({ podName }) => podName === 'late');
  });
  await hand.deletePod('default', 'late');
  await hand.trackers.delete('old-hand');
});

/** Takes connections and says nothing. */
async function startSilent(t: TestContext): Promise<{ port: number; sockets: ReadonlySet<Socket> }> {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  const sockets = new Set<Socket>();
  silent.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  await once(silent, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  return { port: (silent.address() as AddressInfo).port, sockets };
}

test('an endpoint that takes connections and says nothing delays the first write after v1alpha1, and no other', {
  skip,
  timeout: 270_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  const { end } = await startEndpoint(t, 'replica-1');
  await untilServed();
  await until('it converts', () => writeAsV1alpha1('slow-hand').then(() => true));
  await end();
  const { port, sockets } = await startSilent(t);
  const clientConfig = { url: `https://127.0.0.1:${port}/convert` };
  const body = JSON.stringify({ spec: { conversion: { webhook: { clientConfig } } } });
  await cluster.kubectl(['patch', 'crd', DEFINITION, '--type=merge', '-p', body]);
  await until('the server asks the silent one', async () => {
    await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers/slow-hand?timeout=1s');
    return sockets.size > 0;
  });
  const label = async (value: string) => {
    const began = performance.now();
    const body = { metadata: { labels: { value } } };
    const { metadata } = await hand.trackers.patch('slow-hand', { kind: 'merge', body });
    const took = Math.round(performance.now() - began);
    // A write begins with what the server's cache has: this answers when the cache has come to this write.
    const path = `/apis/podtrail.dev/v1/podtrackers/slow-hand?resourceVersion=${metadata.resourceVersion}`;
    assert.equal((await cluster.controlPlane.request(path)).status, 200);
    return took;
  };
  const first = await label('1');
  const second = await label('2');
  t.diagnostic(`the first write took ${first} ms, the second ${second} ms`);
  assert.ok(first < 35_000, `${first} ms`);
  assert.ok(second < 2_000, `${second} ms`);
  await hand.trackers.delete('slow-hand');
});

test('an endpoint that falls silent later is taken back too', { skip, timeout: 270_000 }, async (t) => {
  const sockets = new Set<Socket>();
  let [target, isSilent] = [0, false];
  // In between, so that it can go silent: connections stay open and new ones are taken.
  const relay = createServer((socket) => {
    if (isSilent) return void sockets.add(socket.on('error', () => {}));
    const onward = connect(target, '127.0.0.1');
    for (const end of [socket, onward]) sockets.add(end.on('error', () => {}));
    socket.on('data', (chunk) => isSilent || onward.write(chunk)).on('end', () => onward.end());
    onward.on('data', (chunk) => isSilent || socket.write(chunk)).on('end', () => socket.end());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  const { port } = relay.address() as AddressInfo;
  const url = (own: number) => {
    target = own;
    return `https://127.0.0.1:${port}`;
  };
  const { errors } = await startEndpoint(t, 'replica-1', { checkMs: 20_000, address: { url } });
  await untilServed();
  await until('it converts', () => writeAsV1alpha1('falls-silent').then(() => true));
  isSilent = true;
  const began = performance.now();
  await until('it is taken back', async () => (await definition()).spec.conversion.strategy === 'None');
  const seconds = (performance.now() - began) / 1000;
  t.diagnostic(`after ${seconds.toFixed(1)} s`);
  assert.ok(seconds < 60, `${seconds} s`);
  await until('an error is reported', () => errors.length > 0);
  assert.equal((errors[0] as { code?: string }).code, 'conversion-silent');
  await cluster.kubectl(['delete', 'pt', 'falls-silent', '--timeout=60s']);
});

test('what API servers turn out not to reach is taken back within half a minute: then nobody waits for it', {
  skip,
  timeout: 270_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  const { end } = await startEndpoint(t, 'replica-1');
  await untilServed();
  await until('it converts', () => writeAsV1alpha1('kept-waiting').then(() => true));
  await end();
  // It answers itself; the address that API servers are given leads nowhere, as behind a firewall.
  const { port } = await startSilent(t);
  const { errors } = await startEndpoint(t, 'replica-1', {
    checkMs: 60_000,
    address: { url: () => `https://127.0.0.1:${port}` },
  });
  const strategy = async () => (await definition()).spec.conversion.strategy;
  await until('it is announced', async () => {
    return (await definition()).spec.conversion.webhook?.clientConfig.url === `https://127.0.0.1:${port}/convert`;
  });
  const began = performance.now();
  await until('it is taken back', async () => (await strategy()) === 'None');
  const seconds = (performance.now() - began) / 1000;
  const { versions } = (await definition()).spec;
  assert.equal(versions.find(({ name }: { name: string }) => name === 'v1alpha1').served, false);
  await until('an error is reported', () => errors.length > 0);
  assert.equal((errors[0] as { code?: string }).code, 'conversion-silent');
  await until('the server knows of it', async () => {
    return (await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers')).status === 404;
  });
  const before = await hand.trackers.get('kept-waiting');
  const asked = performance.now();
  const labels = { value: '1' };
  const { spec: after } = await hand.trackers.patch('kept-waiting', { kind: 'merge', body: { metadata: { labels } } });
  const waited = Math.round(performance.now() - asked);
  t.diagnostic(`taken back after ${seconds.toFixed(1)} s; a write then took ${waited} ms`);
  assert.ok(seconds < 30, `${seconds} s`);
  assert.ok(waited < 2_000, `${waited} ms`);
  assert.deepEqual(after, before.spec);
  await hand.trackers.delete('kept-waiting');
});

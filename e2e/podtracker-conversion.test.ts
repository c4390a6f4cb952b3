// v1alpha1 on a real API server: served once the webhook answers, through a URL on loopback; v1 never depends on it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { ConversionEndpoint, type ConversionEndpointOptions } from '@podtrail/operator';
import { until, useCluster } from './controlplane/index.ts';
import { CRDS, Hand, installDefinitions } from './podtracker-stage.ts';

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

test('a definition that is applied anew is set right again', { skip, timeout: 180_000 }, async (t) => {
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
  // Certificates of six seconds, looked at every 300 ms: renewed after four.
  const validMs = 6_000;
  const before = await bundle();
  const { errors } = await startEndpoint(t, 'replica-1', { validMs });
  const first = await until('its new certificate is trusted', async () => {
    const now = await bundle();
    return now.join() !== before.join() && now;
  });
  assert.equal(first.length, 2, 'and the one of before is not');
  const webhook = (await definition()).spec.conversion.webhook.clientConfig.url;
  assert.match(webhook, /^https:\/\/127\.0\.0\.1:\d+\/convert$/);
  const refusals: number[] = [];
  const end = Date.now() + 12_000;
  await untilServed();
  while (Date.now() < end) {
    const { status: answer } = await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers/web');
    if (answer !== 200) refusals.push(answer);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.notDeepEqual(await bundle(), first);
  assert.deepEqual(refusals, []);
  assert.deepEqual(errors, []);
});

test('with the webhook gone v1 is read and written as before', { skip, timeout: 180_000 }, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  const answer = await cluster.controlPlane.request('/apis/podtrail.dev/v1alpha1/podtrackers/web');
  assert.notEqual(answer.status, 200, 'nobody answers any more');
  assert.equal((await hand.trackers.get('web')).metadata.name, 'web');
  await hand.trackers.patch('web', { kind: 'merge', body: { metadata: { labels: { still: 'works' } } } });
  await hand.trackers.delete('web');
});

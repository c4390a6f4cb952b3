// Real clients meet the sandbox: kubectl, a client-go informer, @kubernetes/client-node. What kubectl prints is
// compared with what it prints on a real API server with the same objects; only ages, times and ids may differ.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { type ClientStage, endMarkedPods, openStage } from './conformance/clients/client-stage.ts';
import { buildInformer, GoInformer } from './conformance/clients/go-informer.ts';
import { SHOP } from './conformance/clients/scene.ts';
import { aPod, core } from './conformance/objects.ts';
import { startRealServer } from './conformance/servers/real.ts';
import { startSandbox } from './conformance/servers/sandbox.ts';

const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given && 'needs to start a control plane of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster';

// Skipped tests look at neither.
const [sandbox, real] = given
  ? ([] as unknown as [ClientStage, ClientStage])
  : await Promise.all([openStage(startSandbox), openStage(startRealServer)]);
after(() => Promise.all([sandbox?.close(), real?.close()]));

/** Spaces count as one; what a server draws or a clock shows is masked. */
function masked(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/\b(\d+y)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(?= ago|\s|\)|$)/gm, (age) => (age === '' ? '' : 'AGE'))
    .replace(/ +/g, ' ')
    .trim();
}

async function printsTheSame(...args: string[]): Promise<string> {
  const [there, here] = await Promise.all([real.kubectl(args), sandbox.kubectl(args)]);
  assert.equal(masked(here), masked(there));
  return here;
}

describe('kubectl prints on the sandbox what it prints on a real API server', () => {
  for (const command of [
    'get pods',
    'get pods -o wide',
    'get pods -o wide --show-labels',
    'get pods -A --field-selector spec.nodeName=node-a',
    'get pods -l app=web -o name',
    'get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName,IP:.status.podIP',
    'get pods web-abc-one -o jsonpath={.status.podIPs[*].ip}',
    'get nodes',
    'get nodes -o wide',
    'get deployments,replicasets -o wide',
    'get services -o wide',
    'get configmaps settings',
    'get events',
    'get namespaces shop',
    'get all',
    'describe pod web-abc-two',
    'describe deployment web',
    'describe configmap settings',
    'describe service web',
    'auth can-i delete pods',
  ]) {
    test(`kubectl ${command}`, { skip }, async () => {
      const printed = await printsTheSame(...command.split(' '));
      assert.notEqual(printed.trim(), '', 'it prints something');
    });
  }

  test('kubectl get pods -o json gives the same pods', { skip }, async () => {
    // What is not set may be written as null or {} or not at all: no client can tell.
    const isSet = (value: unknown) => value !== null && JSON.stringify(value) !== '{}';
    const pods = async (stage: ClientStage) => {
      const text = await stage.kubectl(['get', 'pods', '-o', 'json']);
      const { items } = JSON.parse(text, (_, value) => (isSet(value) ? value : undefined));
      for (const { metadata } of items) {
        for (const key of ['uid', 'resourceVersion', 'creationTimestamp']) delete metadata[key];
        for (const owner of metadata.ownerReferences ?? []) delete owner.uid;
      }
      return items;
    };
    assert.deepEqual(await pods(sandbox), await pods(real));
  });

  test('kubectl get of what is not there fails with the same words', { skip }, async () => {
    for (const args of [
      ['get', 'pods', 'none'],
      ['get', 'things'],
      ['delete', 'pod', 'none'],
    ]) {
      const words = async (stage: ClientStage) =>
        stage.kubectl(args).then(
          () => assert.fail('it should fail'),
          (error: Error) => error.message,
        );
      assert.equal(await words(sandbox), await words(real));
    }
  });

  test('kubectl patch of what does not fit fails with the same words', { skip }, async () => {
    // The object that a merge patch would have made is shown whole: see the accepted differences of the sandbox.
    const withoutObject = (words: string) => words.replace(/Invalid value: "\{[\s\S]*\}": /, 'Invalid value: OBJECT: ');
    for (const [type, patch] of [
      ['strategic', '{"spec":{"replicas":"many"}}'],
      ['strategic', '{"spec":{"template":{"spec":{"containers":{}}}}}'],
      ['merge', '{"spec":{"replicas":"many"}}'],
      ['merge', '{"metadata":{"name":"other"}}'],
      ['merge', '{"metadata":{"resourceVersion":"1"}}'],
      ['merge', '{"spec":{"selector":{"matchLabels":{"more":"x"}}}}'],
      ['json', '[{"op":"test","path":"/spec/replicas","value":99}]'],
      ['json', '[{"op":"remove","path":"/spec/none"}]'],
      ['json', '[{"op":"add","path":"/metadata/labels","value":[]}]'],
    ] as const) {
      const words = async (stage: ClientStage) =>
        stage.kubectl(['patch', 'deployment', 'web', `--type=${type}`, '-p', patch]).then(
          () => assert.fail('it should fail'),
          (error: Error) => withoutObject(error.message),
        );
      assert.equal(await words(sandbox), await words(real));
    }
  });

  test('kubectl annotate, label, cordon and uncordon', { skip }, async () => {
    await printsTheSame('annotate', 'pod', 'web-abc-one', 'note=first');
    await printsTheSame('annotate', 'pod', 'web-abc-one', 'note=second', '--overwrite');
    await printsTheSame('get', 'pod', 'web-abc-one', '-o', 'jsonpath={.metadata.annotations.note}');
    await printsTheSame('label', 'pod', 'web-abc-one', 'tier=front');
    await printsTheSame('label', 'pod', 'web-abc-one', 'tier-');
    await printsTheSame('cordon', 'node-a');
    await printsTheSame('get', 'nodes');
    await printsTheSame('uncordon', 'node-a');
  });

  test('kubectl apply creates, leaves alone and changes', { skip }, async () => {
    const manifest = (color: string) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { color } });
    for (const color of ['red', 'red', 'blue']) {
      const said = await Promise.all(
        [real, sandbox].map((stage) => stage.kubectl(['apply', '-f', '-'], manifest(color))),
      );
      assert.equal(said[1], said[0]);
    }
    await printsTheSame('get', 'configmap', 'applied', '-o', 'jsonpath={.data}');
    await printsTheSame('delete', 'configmap', 'applied');
  });

  test('kubectl apply of a list creates, leaves alone and changes, and refuses a field that no kind has', {
    skip,
  }, async () => {
    const list = (color: string, more: object = {}) => {
      const map = (name: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { color },
        ...more,
      });
      const port = { port: 80, protocol: 'TCP' };
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'listed' }, spec: { ports: [port] } };
      return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [map('one'), map('two'), service] });
    };
    for (const color of ['red', 'red', 'blue']) {
      const [there, here] = await Promise.all(
        [real, sandbox].map((stage) => stage.kubectl(['apply', '-f', '-'], list(color))),
      );
      assert.equal(here, there);
    }
    await printsTheSame('get', 'configmap', 'two', '-o', 'jsonpath={.data}');
    for (const stage of [real, sandbox]) {
      await assert.rejects(stage.kubectl(['apply', '-f', '-'], list('red', { colour: {} })), /unknown field "?colour/);
    }
    await printsTheSame('delete', 'configmap/one', 'configmap/two', 'service/listed');
  });

  test('kubectl scale, rollout restart and patch', { skip }, async () => {
    await printsTheSame('scale', 'deployment/web', '--replicas=5');
    await printsTheSame('scale', 'deployment/web', '--replicas=2', '--current-replicas=5');
    await printsTheSame('rollout', 'restart', 'deployment/web');
    await printsTheSame('set', 'image', 'deployment/web', 'main=registry.k8s.io/pause:3.9');
    await printsTheSame('patch', 'deployment', 'web', '--type=merge', '-p', '{"spec":{"replicas":3}}');
    await printsTheSame('get', 'deployment', 'web', '-o', 'wide');
  });

  test('kubectl wait', { skip }, async () => {
    await printsTheSame('wait', '--for=condition=Ready', 'pod/web-abc-one', '--timeout=5s');
  });
});

test('kubectl get -w shows changes as they happen', { skip }, async () => {
  const args = ['--kubeconfig', sandbox.kubeconfig, 'get', 'pods', '-w', '-o', 'wide', '--output-watch-events'];
  const child = spawn(sandbox.kubectlPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (pattern: RegExp): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, `kubectl ended before ${pattern}`);
      if (pattern.test(value)) return;
    }
  };
  try {
    await next(/^ADDED +web-abc-two /);
    await sandbox.client.create(core(SHOP, 'pods'), aPod('fresh'));
    await next(/^ADDED +fresh +0\/1 +Pending/);
    const status = { phase: 'Running', podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] };
    await sandbox.client.patch(`${core(SHOP, 'pods')}/fresh/status`, 'merge', { status });
    await next(/^MODIFIED +fresh +0\/1 +Running +0 +\S+ +10\.0\.0\.9 /);
    await sandbox.client.delete(`${core(SHOP, 'pods')}/fresh`, { gracePeriodSeconds: 0 });
    await next(/^DELETED +fresh /);
  } finally {
    child.kill();
    await once(child, 'close');
  }
});

test('a client-go informer lists, watches and resumes, in JSON and in protobuf', { skip }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-informer-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const program = await buildInformer(directory);
  for (const [index, type] of ['application/json', 'application/vnd.kubernetes.protobuf'].entries()) {
    const informer = new GoInformer(program, [
      `-kubeconfig=${sandbox.kubeconfig}`,
      `-namespace=${SHOP}`,
      `-content-type=${type}`,
    ]);
    try {
      assert.equal(await informer.seen(/^synced/), 'synced 3 of a page of 1');
      await informer.seen(/^add web-abc-one Running 10\.0\.0\.7$/);
      const name = `case-${index}`;
      await sandbox.client.create(core(SHOP, 'pods'), aPod(name));
      await informer.seen(new RegExp(`^add ${name} Pending`));
      const status = { phase: 'Running', podIP: '10.0.0.8', podIPs: [{ ip: '10.0.0.8' }] };
      await sandbox.client.patch(`${core(SHOP, 'pods')}/${name}/status`, 'merge', { status });
      await informer.seen(new RegExp(`^update ${name} Running 10\\.0\\.0\\.8$`));
      await sandbox.client.delete(`${core(SHOP, 'pods')}/${name}`, { gracePeriodSeconds: 0 });
      await informer.seen(new RegExp(`^delete ${name} `));
    } finally {
      await informer.end();
    }
  }
});

test('@kubernetes/client-node lists, and its informer follows', { skip }, async () => {
  const config = new KubeConfig();
  config.loadFromFile(sandbox.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const list = () => api.listNamespacedPod({ namespace: SHOP });
  assert.deepEqual(
    (await list()).items.map((pod) => pod.metadata?.name),
    ['waiting', 'web-abc-one', 'web-abc-two'],
  );
  const informer = makeInformer(config, core(SHOP, 'pods'), list);
  const waitFor = (event: 'add' | 'update' | 'delete', name: string) =>
    new Promise<V1Pod>((resolve) => {
      const listener = (pod: V1Pod) => {
        if (pod.metadata?.name === name) resolve(pod);
      };
      informer.on(event, listener);
    });
  const ready = waitFor('add', 'web-abc-two');
  await informer.start();
  try {
    assert.equal((await ready).status?.podIP, '10.0.1.7');
    const [added, changed, gone] = [waitFor('add', 'noted'), waitFor('update', 'noted'), waitFor('delete', 'noted')];
    await api.createNamespacedPod({ namespace: SHOP, body: aPod('noted') });
    await added;
    await sandbox.client.patch(`${core(SHOP, 'pods')}/noted`, 'merge', { metadata: { labels: { a: 'b' } } });
    assert.equal((await changed).metadata?.labels?.['a'], 'b');
    await api.deleteNamespacedPod({ namespace: SHOP, name: 'noted' });
    await gone;
  } finally {
    await informer.stop();
  }
});

test('kubectl drain evicts through the Eviction API and kubectl delete waits for the end', { skip }, async () => {
  const stops = await Promise.all([real, sandbox].map((stage) => endMarkedPods(stage.client)));
  try {
    const said = await Promise.all(
      [real, sandbox].map((stage) => stage.kubectl(['drain', 'node-b', '--ignore-daemonsets', '--timeout=60s'])),
    );
    assert.equal(said[1], said[0]);
    assert.match(said[1] as string, /evicting pod shop\/web-abc-two|node\/node-b drained/);
    await printsTheSame('get', 'pods', '-o', 'name');
    await printsTheSame('delete', 'pod', 'web-abc-one');
    await printsTheSame('get', 'pods', '-o', 'name');
    await printsTheSame('delete', 'deployment', 'web', '--wait=false');
    await printsTheSame('delete', 'node', 'node-a', 'node-b');
  } finally {
    for (const stop of stops) await stop();
  }
});

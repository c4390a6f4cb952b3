// `podtrail operator` on a real control plane, as deploy/kustomize installs it: with the token of its ServiceAccount
// and no other rights.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until, useCluster } from './controlplane/index.ts';
import { install, KUSTOMIZE, OPERATOR_USER, OperatorReplica } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;

test('the manifests are admitted without a warning, twice, under restricted pod security', { skip }, async () => {
  const plane = cluster.controlPlane;
  // Warnings come on standard error; as errors they end kubectl.
  const first = await cluster.kubectl(['apply', '--warnings-as-errors', '-k', KUSTOMIZE]);
  assert.match(first, /statefulset.apps\/podtrail-operator created/);
  await install(plane);
  const again = await cluster.kubectl(['apply', '--warnings-as-errors', '-k', KUSTOMIZE]);
  assert.doesNotMatch(again, /created/);
  await cluster.kubectl([
    'apply',
    '--warnings-as-errors',
    '-f',
    new URL('../deploy/examples/', import.meta.url).pathname,
    '--dry-run=server',
  ]);
  const pods = await until('the StatefulSet makes its pods', async () => {
    const { items } = await cluster.kubectlJson(['-n', 'podtrail', 'get', 'pods']);
    return items.length === 2 && items;
  });
  assert.equal(pods[0].spec.containers[0].securityContext.readOnlyRootFilesystem, true);
});

test('one process records, serves PodTrackers, v1alpha1, ConfigMaps and annotations, answers probes, and ends in time', {
  skip,
  timeout: 360_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  const operator = await OperatorReplica.start(t, plane, 'one', {
    words: ['--conversion-url', 'https://127.0.0.1'],
  });
  await operator.untilReady();
  await operator.untilLeads();
  await hand.createNode('node-1');
  await hand.createPod('default', 'web-1', 'node-1', '10.0.0.1');
  await hand.createTracker('all', {
    footprints: { log: true, configMaps: { enabled: true, namespace: 'default', retention: '48h' } },
    annotations: { enabled: true },
  });
  await until('the tracker lists the pod', async () => (await hand.listed('all')).size === 1);
  const { items } = await until('the ConfigMap is there', async () => {
    const list = await cluster.kubectlJson(['-n', 'default', 'get', 'cm', '-l', 'podtrail.dev/tracker=all']);
    return list.items.length === 1 && list;
  });
  assert.deepEqual(items[0].data, { 'default_web-1': 'node-1' });
  assert.equal(items[0].metadata.ownerReferences[0].kind, 'PodTracker');
  await until('a footprint line is printed', () => operator.process.out.includes('"pod_name":"web-1"'));
  await hand.annotate('default', 'web-1', { 'example.com/owner': 'jane' });
  await until('the change of an annotation is told', () => operator.log.some(({ msg }) => msg === 'annotations'));
  await until('v1alpha1 is served', async () => {
    const answer = await plane.request('/apis/podtrail.dev/v1alpha1/podtrackers/all');
    return answer.status === 200 && answer.json().status.podIPs[0].ip === '10.0.0.1';
  });
  assert.ok((await operator.metric('podtrail_workqueue_adds_total')) > 0);
  assert.equal(await operator.metric('podtrail_controller_cache_synced'), 1);
  await hand.trackers.delete('all');
  await until('what belonged to it is gone', async () => {
    const list = await cluster.kubectlJson(['-n', 'default', 'get', 'cm', '-l', 'app=pod-ashiato']);
    return list.items.length === 0;
  });
  const started = performance.now();
  const { code } = await operator.process.end('SIGTERM');
  assert.equal(code, 0, operator.process.err.slice(-2000));
  assert.ok(performance.now() - started < 10_000);
  const log = await plane.auditLog();
  const refused = log.filter(
    ({ user, responseStatus }) => user.username === OPERATOR_USER && responseStatus?.code === 403,
  );
  assert.deepEqual(
    refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    [],
  );
});

test('the kubectl commands of docs/install.md work, one after the other', { skip, timeout: 360_000 }, async (t) => {
  const root = new URL('../', import.meta.url);
  const page = await readFile(new URL('docs/install.md', root), 'utf8');
  const fences = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines = '']) => lines);
  const commands = fences.flatMap((lines) => lines.split('\n')).filter((line) => line.startsWith('kubectl'));
  assert.ok(commands.length >= 7, `${commands.length} commands`);
  const PATH = `${dirname(cluster.kubectlPath)}${delimiter}${process.env['PATH']}`;
  const env = { ...process.env, PATH, KUBECONFIG: cluster.kubeconfig };
  for (const command of commands) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: fileURLToPath(root), env });
    t.diagnostic(`${command}: ${stdout.split('\n').length - 1} lines`);
  }
  await assert.rejects(cluster.kubectl(['get', 'namespace', 'podtrail']), /NotFound/);
  await assert.rejects(cluster.kubectl(['get', 'crd', 'podtrackers.podtrail.dev']), /NotFound/);
});

// `podtrail operator` on a real control plane, as deploy/kustomize installs it: with the token of its ServiceAccount
// and no other rights.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { hourWithRoomFor } from './hour-turn.ts';
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
  const examples = fileURLToPath(new URL('../deploy/examples/', import.meta.url));
  const tried = await cluster.kubectl(['apply', '--warnings-as-errors', '-f', examples, '--dry-run=server']);
  assert.match(tried, /^flowschema\.flowcontrol\.apiserver\.k8s\.io\/podtrail\S* created \(server dry run\)$/m);
  const pods = await until('the StatefulSet makes its pods', async () => {
    const { items } = await cluster.kubectlJson(['-n', 'podtrail', 'get', 'pods']);
    return items.length === 2 && items;
  });
  assert.equal(pods[0].spec.containers[0].securityContext.readOnlyRootFilesystem, true);
});

test('beside the cluster, where no Service leads to it, the definition stays as it was applied', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const definition = async () => (await cluster.kubectlJson(['get', 'crd', 'podtrackers.podtrail.dev'])).spec;
  const before = await definition();
  const operator = await OperatorReplica.start(t, plane, 'beside', { words: [] });
  await operator.process.untilSaid('v1alpha1 is not served from here');
  await operator.untilReady();
  await operator.untilLeads();
  const after = await definition();
  assert.deepEqual(after, before);
  assert.equal(after.versions.find(({ name }: { name: string }) => name === 'v1alpha1').served, false);
  assert.equal((await operator.process.end('SIGTERM')).code, 0);
});

test('an hour that two trackers share, or podtrail footprints too, does not go with one of them', {
  skip,
  timeout: 360_000,
}, async (t) => {
  await hourWithRoomFor(90);
  const hand = await Hand.of(t, cluster.controlPlane);
  const operator = await OperatorReplica.start(t, cluster.controlPlane, 'shared');
  await operator.untilLeads();
  await hand.createNode('node-s');
  await hand.createPod('default', 'shared-1', 'node-s', '10.0.7.1');
  const spec = { footprints: { configMaps: { enabled: true, retention: '48h' } } };
  const hour = async () => {
    const { items } = await cluster.kubectlJson(['-n', 'podtrail', 'get', 'cm', '-l', 'app=pod-ashiato']);
    const [found, ...more] = items;
    assert.deepEqual(more, []);
    return found as { metadata: { uid: string; ownerReferences?: { name: string }[] } } | undefined;
  };
  const ownedBy = async (...names: string[]) => {
    const found = await hour();
    const owners = found?.metadata.ownerReferences?.map(({ name }) => name) ?? [];
    return found !== undefined && owners.sort().join() === names.join() && found;
  };
  const goes = async (name: string) => {
    await hand.trackers.delete(name);
    await until(
      `${name} is gone`,
      async () => !(await hand.trackers.list()).items.some((x) => x.metadata.name === name),
    );
    // The operator collects at once what such a tracker leaves, the garbage collector after a moment.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  };
  await hand.createTracker('sa', spec);
  const { uid } = (await until('the hour is there', () => ownedBy('sa'))).metadata;
  await hand.createTracker('sb', spec);
  await until('both own it, though no pod changed', () => ownedBy('sa', 'sb'));
  await goes('sa');
  assert.equal((await until('the other has it', () => ownedBy('sb'))).metadata.uid, uid);
  const words = `footprints --kubeconfig ${cluster.kubeconfig} --oneshot --store-in-cm --cm-namespace podtrail`;
  assert.equal((await podtrail(words)).code, 0);
  await until('it is nobody’s', () => ownedBy());
  await goes('sb');
  assert.equal((await hour())?.metadata.uid, uid);
  await cluster.kubectl(['-n', 'podtrail', 'delete', 'cm', '-l', 'app=pod-ashiato']);
  await cluster.kubectl(['-n', 'default', 'delete', 'pod', 'shared-1', '--force', '--grace-period=0']);
  assert.equal((await operator.process.end('SIGTERM')).code, 0);
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
    footprints: { log: true, configMaps: { enabled: true, retention: '48h' } },
    annotations: { enabled: true },
  });
  await until('the tracker lists the pod', async () => (await hand.listed('all')).size === 1);
  const { items } = await until('the ConfigMap is there', async () => {
    const list = await cluster.kubectlJson(['-n', 'podtrail', 'get', 'cm', '-l', 'podtrail.dev/tracker=all']);
    return list.items.length > 0 && list;
  });
  assert.deepEqual(items[0].data, { 'default_web-1': 'node-1' });
  assert.equal(items[0].metadata.ownerReferences[0].kind, 'PodTracker');
  await until('a footprint line is printed', () => operator.process.out.includes('"pod_name":"web-1"'));
  await hand.annotate('default', 'web-1', { 'example.com/owner': 'jane' });
  await until('the change of an annotation is reported', () => operator.log.some(({ msg }) => msg === 'annotations'));
  await until('v1alpha1 is served', async () => {
    const answer = await plane.request('/apis/podtrail.dev/v1alpha1/podtrackers/all');
    return answer.status === 200 && answer.json().status.podIPs[0].ip === '10.0.0.1';
  });
  assert.ok((await operator.metric('podtrail_workqueue_adds_total')) > 0);
  assert.equal(await operator.metric('podtrail_controller_cache_synced'), 1);
  await hand.trackers.delete('all');
  await until('what belonged to it is gone', async () => {
    const list = await cluster.kubectlJson(['-n', 'podtrail', 'get', 'cm', '-l', 'app=pod-ashiato']);
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
  const readme = await readFile(new URL('README.md', root), 'utf8');
  const shown = readme.split('\n').filter((line) => line.startsWith('kubectl'));
  assert.ok(shown.length >= 4);
  for (const line of shown) assert.ok(commands.includes(line), `${line} of README.md is not in docs/install.md`);
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

// What is left of the history API when podtrail ends, in order or not: namespaces can be deleted, discovery works, and an
// uninstall removes the APIService. On a real control plane with the real namespace controller and garbage collector.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useCluster } from './controlplane/index.ts';
import { install, KUSTOMIZE } from './operator-stage.ts';
import { API_SERVICE, HISTORY, serveHistory } from './serving-stage.ts';

// Without the pods of the StatefulSet, which would never run here.
const cluster = await useCluster({
  needs: ['own control plane'],
  controllerManager: { flags: ['--controllers=*,-statefulset-controller'] },
});
const { skip } = cluster;

const kubectl = (words: string) => cluster.kubectl(words.split(' '));

async function isRegistered(): Promise<boolean> {
  return (await kubectl(`get apiservice ${API_SERVICE} --ignore-not-found -o name`)) !== '';
}

async function deletesNamespace(name: string): Promise<void> {
  await kubectl(`create namespace ${name}`);
  await kubectl(`delete namespace ${name} --timeout=60s`);
}

test('when the last replica ends in order the APIService goes, and namespaces and discovery are as before', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  await install(plane);
  const { operator } = await serveHistory(t, plane, 'ends-in-order');
  await deletesNamespace('while-served');
  assert.equal((await operator.process.end('SIGTERM')).code, 0);
  assert.equal(await isRegistered(), false);
  await deletesNamespace('after-the-end');
  assert.doesNotMatch(await kubectl('api-resources'), /podtrail\.dev\/v1 +true +Tenure/);
});

test('when all replicas are killed kubectl goes on, and when the deadline passes the APIService goes and namespaces go', {
  skip,
  timeout: 420_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const { operator } = await serveHistory(t, plane, 'killed');
  await operator.process.end('SIGKILL');
  assert.equal(await isRegistered(), true);
  await until('API servers have noticed', async () => (await plane.request(`/apis/${HISTORY}/v1`)).status === 503, {
    withinMs: 120_000,
    everyMs: 500,
  });
  assert.equal(await kubectl('get pods -n default -o name'), '', 'kubectl goes on');
  await kubectl('create configmap still-here -n default');
  await kubectl('create namespace waits');
  await kubectl('delete namespace waits --wait=false');
  const stuck = await until(
    'the namespace controller says why it waits',
    async () => {
      const { status } = JSON.parse(await kubectl('get namespace waits -o json'));
      const why = status.conditions?.find(({ type }: { type: string }) => type === 'NamespaceDeletionDiscoveryFailure');
      return why?.status === 'True' && why;
    },
    { withinMs: 120_000 },
  );
  assert.match(stuck.message, /history\.podtrail\.dev\/v1/);
  const { spec, status } = JSON.parse(await kubectl('-n podtrail get job podtrail-history-deadline -o json'));
  const passes = Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
  assert.ok(passes > Date.now() && passes < Date.now() + 310_000, `within five minutes: ${new Date(passes)}`);
  assert.equal(status.active ?? 0, 0, 'it runs no pod');
  // Sooner, so that the test need not wait for it.
  const sooner = '{"spec":{"activeDeadlineSeconds":1}}';
  await cluster.kubectl(['-n', 'podtrail', 'patch', 'job', 'podtrail-history-deadline', '--type=merge', '-p', sooner]);
  await until('the APIService is gone', async () => !(await isRegistered()), { withinMs: 120_000 });
  await until('the namespace goes', async () => (await kubectl('get namespace waits --ignore-not-found')) === '', {
    withinMs: 180_000,
  });
  await serveHistory(t, plane, 'back');
  assert.equal(await isRegistered(), true, 'registered again, with a deadline');
  assert.match(await kubectl(`get apiservice ${API_SERVICE} -o jsonpath={.metadata.ownerReferences}`), /IPAddress/);
  await kubectl('-n podtrail get job podtrail-history-deadline');
});

test('an uninstall in one command, with the operator running, leaves no APIService and no namespace behind', {
  skip,
  timeout: 420_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  await serveHistory(t, plane, 'uninstalled');
  const { metadata } = JSON.parse(await kubectl(`get apiservice ${API_SERVICE} -o json`));
  assert.equal(metadata.ownerReferences[0].kind, 'IPAddress');
  await cluster.kubectl(['delete', '-k', KUSTOMIZE, '--timeout=120s']);
  await until('the APIService is gone', async () => !(await isRegistered()), { withinMs: 120_000 });
  await deletesNamespace('after-uninstall');
});

// Uninstalling in any order, on a real control plane with the real garbage collector: nothing is left, nothing is
// stuck. Each test installs deploy/kustomize again, with an operator that runs as a process beside the cluster.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KubeObject } from '@podtrail/machinery';
import { until, useCluster } from './controlplane/index.ts';
import { hourWithRoomFor } from './hour-turn.ts';
import { grantFootprints, install, KUSTOMIZE, OperatorReplica } from './operator-stage.ts';
import { CRDS, forEach, Hand } from './podtracker-stage.ts';

// Without the pods and volumes of the StatefulSet, which would never run here: a namespace with volumes takes 8 s more,
// for reasons of its own. e2e/operator.test.ts uninstalls with them.
const cluster = await useCluster({
  needs: ['own control plane'],
  controllerManager: { flags: ['--controllers=*,-statefulset-controller'] },
});
const { skip } = cluster;
const PODS = 120;
/** The garbage collector begins a broken watch again after up to a minute. */
const COLLECTED = { withinMs: 180_000 };
const FOOTPRINTS = { log: false, configMaps: { enabled: true, namespace: 'default', retention: '48h' } };

async function configMaps(): Promise<KubeObject[]> {
  return (await cluster.kubectlJson(['get', 'cm', '--all-namespaces', '-l', 'app=pod-ashiato'])).items;
}

/** The operator leads, serves v1alpha1, and has a tracker in slices and one with ConfigMaps. */
async function installed(t: TestContext): Promise<{ hand: Hand; operator: OperatorReplica }> {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  if ((await hand.client.nodes().list()).items.length === 0) {
    await hand.createNode('node-1');
    const pods = Array.from({ length: PODS }, (_, i) => i);
    await forEach(pods, (i) => hand.createPod('default', `web-${i}`, 'node-1', `10.0.0.${i}`));
  }
  await install(plane);
  // Elsewhere than in the operator's namespace, which would take them with it.
  await cluster.kubectl(['-n', 'default', 'delete', 'rolebinding', 'podtrail-footprints', '--ignore-not-found']);
  await grantFootprints(plane, 'default');
  const [operator] = await Promise.all([
    OperatorReplica.start(t, plane, 'one', { words: ['--conversion-url', 'https://127.0.0.1'] }),
    // The garbage collector looks for new kinds every 30 s, and at its start. On a cluster where somebody uninstalls
    // podtrail it has known them for long.
    plane.controllerManager.restart(),
  ]);
  await operator.untilLeads();
  await untilCollected(hand, 'of no tracker that ever was');
  await hand.createTracker('large');
  await hand.createTracker('books', { footprints: FOOTPRINTS });
  await until('both are sliced', async () => {
    return (await hand.listed('large')).size === PODS && (await hand.listed('books')).size === PODS;
  });
  await until('the ConfigMap is there', async () => (await configMaps()).length > 0);
  await until('v1alpha1 is served', async () => {
    return (await plane.request('/apis/podtrail.dev/v1alpha1/podtrackers')).status === 200;
  });
  return { hand, operator };
}

/** The garbage collector knows PodTrackers, and has taken away what belongs to this one, which is no more. */
async function untilCollected(hand: Hand, uid: string): Promise<void> {
  const inDefault = hand.client.configMaps('default');
  const owner = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name: 'books', uid };
  await inDefault.create({ metadata: { name: 'stray', ownerReferences: [owner] } });
  await until(
    'the garbage collector has removed a stray',
    async () => (await inDefault.list()).items.every(({ metadata }) => metadata.name !== 'stray'),
    COLLECTED,
  );
}

/** Of what was installed and of what the operator made. */
async function untilNothingIsLeft(t: TestContext, since: number): Promise<void> {
  const plane = cluster.controlPlane;
  const labelled = (kinds: string) => ['get', kinds, '--all-namespaces', '-l', 'app.kubernetes.io/name=podtrail'];
  await until(
    'nothing is left',
    async () => {
      const kinds = 'crd,clusterroles,clusterrolebindings,rolebindings,serviceaccounts,services,statefulsets,leases';
      const { items } = await cluster.kubectlJson(labelled(kinds));
      const names = (objects: KubeObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      assert.deepEqual(names(items), []);
      assert.deepEqual(names(await configMaps()), []);
      const namespaces: (KubeObject & { status: { phase: string } })[] = (
        await cluster.kubectlJson(['get', 'namespaces'])
      ).items;
      assert.deepEqual(names(namespaces.filter(({ status }) => status.phase !== 'Active')), []);
      assert.ok(namespaces.every(({ metadata }) => metadata.name !== 'podtrail'));
      assert.equal((await plane.request('/apis/podtrail.dev')).status, 404);
      return true;
    },
    { withinMs: 120_000, everyMs: 200 },
  );
  t.diagnostic(`nothing is left after ${((performance.now() - since) / 1000).toFixed(1)} s`);
}

const deleteAll = () => cluster.kubectl(['delete', '-k', KUSTOMIZE, '--ignore-not-found', '--timeout=120s']);

test('a tracker made again under the same name lists everything; then trackers first, then the rest', {
  skip,
  timeout: 600_000,
}, async (t) => {
  await hourWithRoomFor(150);
  const { hand, operator } = await installed(t);
  const before = (await hand.trackers.get('books')).metadata.uid ?? '';
  await hand.trackers.delete('books');
  await hand.createTracker('books', { footprints: FOOTPRINTS });
  const { uid = '' } = (await hand.trackers.get('books')).metadata;
  const isWhole = async () => {
    assert.equal((await hand.listed('books')).size, PODS);
    const [hour, ...others] = (await configMaps()) as (KubeObject & { data: Record<string, string> })[];
    assert.deepEqual(others, []);
    assert.equal(Object.keys(hour?.data ?? {}).length, PODS);
    const slices: KubeObject[] = await hand.slicesOf('books');
    for (const { metadata } of [...slices, hour!]) assert.equal(metadata.ownerReferences?.[0]?.uid, uid);
    return true;
  };
  await until('it lists everything', isWhole);
  // What belongs to the tracker of before goes, and by then whatever else the garbage collector would take. It has to
  // be one that looks at everything again: its watch breaks whenever the definition changes, and one that lists trackers
  // just after this one was replaced takes the two for one.
  await cluster.controlPlane.controllerManager.restart();
  await untilCollected(hand, before);
  assert.ok(await isWhole());

  const since = performance.now();
  await cluster.kubectl(['delete', 'pt', 'large', '--timeout=120s']);
  await cluster.kubectl(['delete', 'pt', 'books', '--cascade=foreground', '--timeout=120s']);
  await until('the operator has removed what they left', async () => {
    return (await hand.slices.list()).items.length === 0 && (await configMaps()).length === 0;
  });
  await deleteAll();
  await untilNothingIsLeft(t, since);
  await operator.process.end('SIGKILL');
});

test('everything at one stroke, with everything there', { skip, timeout: 480_000 }, async (t) => {
  const { operator } = await installed(t);
  const since = performance.now();
  await deleteAll();
  await untilNothingIsLeft(t, since);
  await operator.process.end('SIGKILL');
});

test('the operator and its rights first, then trackers, then definitions', { skip, timeout: 480_000 }, async (t) => {
  const { hand, operator } = await installed(t);
  const since = performance.now();
  await operator.process.end('SIGKILL');
  const kinds = 'clusterrolebindings,clusterroles,rolebindings,serviceaccounts,statefulsets';
  await cluster.kubectl(['delete', kinds, '-l', 'app.kubernetes.io/name=podtrail', '-n', 'podtrail', '--timeout=120s']);
  await cluster.kubectl(['delete', 'pt', '--all', '--timeout=120s']);
  await until(
    'the garbage collector has removed what they left',
    async () => (await hand.slices.list()).items.length === 0 && (await configMaps()).length === 0,
    COLLECTED,
  );
  // The webhook that converts v1alpha1 is still named there, and answers no more.
  await cluster.kubectl(['delete', '-f', CRDS, '--timeout=120s']);
  await deleteAll();
  await untilNothingIsLeft(t, since);
});

test('the operator first, then the definitions with trackers in them', { skip, timeout: 480_000 }, async (t) => {
  const { operator } = await installed(t);
  const since = performance.now();
  await operator.process.end('SIGKILL');
  await cluster.kubectl(['delete', '-f', CRDS, '--timeout=120s']);
  await deleteAll();
  await untilNothingIsLeft(t, since);
});

test('the definitions first, under an operator that runs on', { skip, timeout: 480_000 }, async (t) => {
  const { operator } = await installed(t);
  const since = performance.now();
  await cluster.kubectl(['delete', '-f', CRDS, '--timeout=120s']);
  await until('no ConfigMap is left', async () => (await configMaps()).length === 0);
  await deleteAll();
  await untilNothingIsLeft(t, since);
  await operator.process.end('SIGKILL');
});

test('the namespace first: the operator ends, and nothing waits for it', { skip, timeout: 480_000 }, async (t) => {
  const { hand, operator } = await installed(t);
  const since = performance.now();
  await cluster.kubectl(['delete', 'namespace', 'podtrail', '--timeout=120s']);
  assert.equal((await operator.process.ended()).code, 1, 'it cannot renew its lease');
  assert.equal((await hand.trackers.list()).items.length, 2, 'trackers are in no namespace');
  await deleteAll();
  await untilNothingIsLeft(t, since);
});

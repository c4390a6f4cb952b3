// What deploy/kustomize grants the operator, beside what the audit log shows it using: the same verbs, on the same
// objects, in the same namespaces, but for the few that docs/operator.md names. Then the definitions are taken away
// under it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { until, useCluster } from './controlplane/index.ts';
import { covers, type Grant, grantsOf, spelled, usesBy } from './operator-grants.ts';
import { install, OPERATOR_USER, OperatorReplica, SERVICE_ACCOUNT } from './operator-stage.ts';
import { CRDS, forEach, Hand } from './podtracker-stage.ts';
import { serveHistory } from './serving-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;

/** Granted for what does not happen every day; each has its line in docs/operator.md. */
const SELDOM = [
  ...['nodes', 'services', 'namespaces'].map((resource) => `list ${resource}`),
  ...['replicasets', 'deployments', 'statefulsets', 'daemonsets'].map((resource) => `list ${resource}.apps`),
  ...['list jobs.batch', 'list cronjobs.batch', 'list events.events.k8s.io'],
  ...['get', 'list'].flatMap((verb) =>
    ['podtrackers', 'podtrackerslices'].map((kind) => `${verb} ${kind}.podtrail.dev`),
  ),
  ...['get', 'list'].map((verb) => `${verb} configmaps in kube-system named extension-apiserver-authentication`),
  ...['create tokenreviews.authentication.k8s.io'],
  ...['update apiservices.apiregistration.k8s.io named v1.history.podtrail.dev'],
  ...['patch jobs.batch in podtrail named podtrail-history-deadline'],
  ...['patch events.events.k8s.io in default', 'get configmaps in podtrail', 'delete configmaps in podtrail'],
];

/** What is called as people, or the hour, have it: no role can name it. */
const NAMED_BY_OTHERS = [
  ...['podtrackers.podtrail.dev', 'podtrackers.podtrail.dev/status', 'podtrackerslices.podtrail.dev'],
  ...['configmaps', 'events.events.k8s.io', 'ipaddresses.networking.k8s.io'],
];
/** Called like its node. */
const NODE_LEASE = 'get leases.coordination.k8s.io in kube-node-lease';
/** RBAC knows no names for the others. */
const VERBS_WITH_NAMES = ['get', 'update', 'patch', 'delete'];

async function hours(tracker: string): Promise<{ data?: Record<string, string> }[]> {
  const labels = `podtrail.dev/tracker=${tracker}`;
  return (await cluster.kubectlJson(['-n', 'podtrail', 'get', 'cm', '-l', labels])).items;
}

/** A tracker with slices, ConfigMaps and an event: everything that the operator ever writes. */
async function busyTracker(hand: Hand, name: string): Promise<void> {
  const configMaps = { enabled: true, retention: '48h' };
  await hand.createTracker(name, { footprints: { log: false, configMaps } });
  await until('it is sliced', async () => (await hand.slicesOf(name)).length > 0);
  // What comes later is then a patch of it.
  await until('the hour is stored', async () => (await hours(name)).length > 0);
}

test('the rights that are granted are those that are used', { skip, timeout: 360_000 }, async (t) => {
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(t, plane);
  await hand.createNode('node-1');
  // Only of a node that is ready is the Lease of use.
  const now = new Date().toISOString();
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const body = { status: { conditions: [ready] } };
  await hand.client.nodes().patch('node-1', { kind: 'merge', body }, { subresource: 'status' });
  const pods = Array.from({ length: 120 }, (_, i) => i);
  await forEach(pods, (i) => hand.createPod('default', `web-${i}`, 'node-1', `10.0.0.${i}`));
  const { operator } = await serveHistory(t, plane, 'one', { words: ['--conversion-url', 'https://127.0.0.1'] });
  await operator.untilLeads();
  await until('the history API answers', async () => (await cluster.kubectl(['get', 'tenures', '-A'])) !== '');
  const old = { name: 'of-an-earlier-build', finalizers: ['podtrail.dev/cleanup'] };
  await hand.trackers.create({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: old, spec: {} });
  await until('nothing waits for a finalizer of ours', async () => {
    return (await hand.trackers.get(old.name)).metadata.finalizers === undefined;
  });
  await hand.trackers.delete(old.name);
  await busyTracker(hand, 'all');
  // An address that goes over to another pod is an event; pods that come and go are patches of slices and ConfigMaps.
  await hand.deletePod('default', 'web-0');
  await hand.createPod('default', 'again', 'node-1', '10.0.0.0');
  await until('the event is there', async () => {
    const { items } = await cluster.kubectlJson(['-n', 'default', 'get', 'events.events.k8s.io']);
    return items.some(({ reason }: { reason: string }) => reason === 'IPReused');
  });
  await until('it is listed', async () => [...(await hand.listed('all')).values()].some((p) => p.podName === 'again'));
  await until('the server was asked how far it is', async () => {
    return (await usesBy(plane, OPERATOR_USER)).some(({ verb, resource }) => verb === 'list' && resource === 'pods');
  });
  await until('the Lease of the node was asked for', async () => {
    const uses = await usesBy(plane, OPERATOR_USER);
    return uses.some(({ verb, namespace }) => verb === 'get' && namespace === 'kube-node-lease');
  });
  // Back into status: slices are deleted.
  await forEach(pods.slice(1, 60), (i) => hand.deletePod('default', `web-${i}`));
  await until('it is in status again', async () => (await hand.slicesOf('all')).length === 0);
  await until('v1alpha1 is served', async () => {
    return (await plane.request('/apis/podtrail.dev/v1alpha1/podtrackers')).status === 200;
  });
  await until('the ConfigMap has the new pod', async () => {
    return (await hours('all')).some(({ data }) => data?.['default_again'] === 'node-1');
  });
  assert.equal((await operator.process.end('SIGTERM')).code, 0);
  const grants = await grantsOf(plane, SERVICE_ACCOUNT);
  const uses = await usesBy(plane, OPERATOR_USER);
  const all = (which: readonly { readonly verb: string }[]) => [...new Set((which as Grant[]).map(spelled))].sort();
  assert.deepEqual(all(uses.filter(({ refused }) => refused)), [], 'refused');
  assert.deepEqual(
    all(uses.filter((use) => !grants.some((grant) => covers(grant, use)))),
    [],
    'used and not granted by the roles of podtrail',
  );
  const unused = all(grants.filter((grant) => !uses.some((use) => covers(grant, use))));
  assert.deepEqual(
    unused.filter((grant) => !SELDOM.includes(grant)),
    [],
    'granted and not used',
  );
  const everywhere = grants.filter((grant) => grant.namespace === undefined);
  const inOnePlace = everywhere.filter(({ resource }) => {
    const where = uses.filter((use) => use.resource === resource);
    return where.length > 0 && where.every(({ namespace }) => namespace !== undefined && resource !== 'namespaces');
  });
  assert.deepEqual(all(inOnePlace), [], 'granted everywhere and used only in namespaces: bind it there');
  const nameless = grants.filter((grant) => {
    const isNamedByOthers = NAMED_BY_OTHERS.includes(grant.resource) || spelled(grant) === NODE_LEASE;
    return grant.name === undefined && VERBS_WITH_NAMES.includes(grant.verb) && !isNamedByOthers;
  });
  assert.deepEqual(all(nameless), [], 'granted on objects of any name, though the name is known');
  t.diagnostic(`${all(grants).length} granted; not used today: ${unused.join(', ')}`);
});

test('fault 25: with the definitions deleted under it the recorder goes on; with them back, so do PodTrackers', {
  skip,
  timeout: 360_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  const operator = await OperatorReplica.start(t, plane, 'one');
  await operator.untilLeads();
  await until('the tracker lists its pods', async () => (await hand.listed('all')).size > 0);
  await cluster.kubectl(['delete', '-f', CRDS, '--timeout=120s']);
  await operator.process.untilSaid('PodTrackers cannot be served; recording goes on');
  await hand.createPod('default', 'later', 'node-1', '10.9.9.9');
  const at = epochMillis(Date.now());
  const ledger = await openStore(operator.store, { access: 'read' });
  t.after(() => ledger.close());
  await until('it is recorded', async () => {
    const [recorded] = await ledger.clusters();
    const { holders } = await withSnapshot(ledger, recorded?.id ?? '', (snapshot) =>
      who(snapshot, { ip: parseIp('10.9.9.9')!, at }),
    );
    return holders[0]?.name === 'later';
  });
  assert.equal((await fetch(operator.address('health'))).status, 200, 'still ready');
  await install(plane);
  await hand.createTracker('again');
  await until(
    'the new tracker lists its pods',
    async () => {
      return [...(await hand.listed('again')).values()].some(({ podName }) => podName === 'later');
    },
    { withinMs: 60_000 },
  );
  await hand.trackers.delete('again');
  assert.equal((await operator.process.end('SIGTERM')).code, 0);
});

// Why pods ended, on a real control plane: each cause that controllers and simulated nodes can provoke is provoked, and the
// verdict of a recorder that watched is compared with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, openStore, readCase, type Verdict, withSnapshot } from '@podtrail/history';
import { until, useCluster } from './controlplane/index.ts';
import { monitored } from './recorder-stage.ts';

const cluster = await useCluster({ controllerManager: true, scheduler: true, kwok: { nodes: 3 } });
const IMAGE = 'registry.k8s.io/pause:3.10';

/** Simulated nodes complete the pods of Jobs at once; these stay pending. */
const NOWHERE = { restartPolicy: 'Never', nodeSelector: { nowhere: 'yes' } };

const PENDING = new Set(['halted', 'late']);

interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string };
  spec: { nodeName?: string };
  status: { phase: string };
}

test('each cause that is provoked is the one that is found', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const { store, recorder } = await monitored(t, cluster.kubeconfig);
  const namespace = 'causes';
  await cluster.kubectl(['create', 'namespace', namespace]);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  const apply = (...items: object[]) =>
    cluster.kubectl(['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
  const expected = new Map<string, string>();
  const expect = (pods: readonly Pod[], cause: string) => {
    for (const { metadata } of pods) expected.set(metadata.uid, cause);
  };
  const meta = (name: string) => ({ name, namespace, labels: { app: name } });
  const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'app', image: IMAGE }] };
  const template = (name: string, more: object = {}) => ({
    metadata: { labels: { app: name } },
    spec: { ...spec, ...more },
  });
  const apps = (kind: string, name: string, more: object) => ({
    ...{ apiVersion: 'apps/v1', kind, metadata: meta(name) },
    spec: { selector: { matchLabels: { app: name } }, template: template(name), ...more },
  });
  const podsOf = async (app: string): Promise<Pod[]> =>
    (await cluster.kubectlJson(['-n', namespace, 'get', 'pods', '-l', `app=${app}`])).items;
  const running = (app: string, count: number, not: readonly Pod[] = []) =>
    until(
      `${count} pods of ${app} run`,
      async () => {
        const pods = await podsOf(app);
        const old = new Set(not.map(({ metadata }) => metadata.uid));
        const isRight =
          pods.length === count &&
          pods.every(
            ({ metadata, status }) =>
              status.phase === (PENDING.has(app) ? 'Pending' : 'Running') &&
              metadata.deletionTimestamp === undefined &&
              !old.has(metadata.uid),
          );
        return isRight && pods;
      },
      { withinMs: 120_000, everyMs: 300 },
    );

  await apply(
    ...['rolled', 'restarted', 'scaled', 'deleted', 'owner', 'tainted', 'drained'].map((name) =>
      apps('Deployment', name, { replicas: 2 }),
    ),
    apps('StatefulSet', 'set', { replicas: 2, serviceName: 'set' }),
    apps('StatefulSet', 'small', { replicas: 2, serviceName: 'small' }),
    apps('DaemonSet', 'agent', { updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } }),
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: meta('halted'),
      spec: { template: template('halted', NOWHERE) },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: meta('late'),
      spec: { activeDeadlineSeconds: 25, template: template('late', NOWHERE) },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: meta('bare'), spec },
  );
  const [rolled, restarted, scaled, deleted, owner, set, small, agent, halted, late, bare] = await Promise.all([
    ...[
      running('rolled', 2),
      running('restarted', 2),
      running('scaled', 2),
      running('deleted', 2),
      running('owner', 2),
    ],
    ...[running('set', 2), running('small', 2), running('agent', 3)],
    ...[running('halted', 1), running('late', 1), running('bare', 1)],
  ]);
  expect(late!, 'JobDeadline');
  await kubectl('set', 'env', 'deployment/rolled', 'A=B');
  expect(rolled!, 'Rollout');
  await kubectl('rollout', 'restart', 'deployment/restarted');
  expect(restarted!, 'Restarted');
  await kubectl('scale', 'deployment/scaled', '--replicas=0');
  expect(scaled!, 'ScaledDown');
  await kubectl('delete', 'pod', deleted![0]!.metadata.name, bare![0]!.metadata.name, '--wait=false');
  expect([deleted![0]!, bare![0]!], 'DeletedOnRequest');
  await kubectl('delete', 'deployment', 'owner', '--wait=false');
  expect(owner!, 'OwnerDeleted');
  await kubectl('set', 'env', 'statefulset/set', 'A=B');
  expect(set!, 'StatefulSetUpdate');
  await kubectl('scale', 'statefulset/small', '--replicas=0');
  expect(small!, 'ScaledDown');
  await kubectl('set', 'env', 'daemonset/agent', 'A=B');
  expect(agent!, 'DaemonSetUpdate');
  await kubectl('patch', 'job', 'halted', '--type=merge', '-p', '{"spec":{"suspend":true}}');
  expect(halted!, 'Suspended');
  await Promise.all([
    running('rolled', 2, rolled),
    running('restarted', 2, restarted),
    running('set', 2, set),
    running('agent', 3, agent),
    running('deleted', 2),
  ]);
  // Nodes.
  const drained = await running('drained', 2);
  const node = drained[0]!.spec.nodeName!;
  t.after(() => cluster.kubectl(['uncordon', node]));
  expect(
    drained.filter((pod) => pod.spec.nodeName === node),
    'Evicted',
  );
  await cluster.kubectl(['drain', node, '--ignore-daemonsets', '--pod-selector=app=drained', '--force']);
  const tainted = await running('tainted', 2);
  const other = tainted.find((pod) => pod.spec.nodeName !== node)?.spec.nodeName ?? node;
  expect(
    tainted.filter((pod) => pod.spec.nodeName === other),
    'Taint',
  );
  const stays = (await cluster.kubectlJson(['-n', namespace, 'get', 'pods'])).items as Pod[];
  expect(
    stays.filter(
      (pod) => pod.spec.nodeName === other && !expected.has(pod.metadata.uid) && !pod.metadata.name.startsWith('agent'),
    ),
    'Taint',
  );
  await cluster.kubectl(['taint', 'node', other, 'maintenance=now:NoExecute']);
  await until('the deadline', async () => (await podsOf('late')).length === 0, { withinMs: 90_000, everyMs: 500 });
  await until(
    'the pods of the tainted node go',
    async () => {
      const all = (await cluster.kubectlJson(['-n', namespace, 'get', 'pods'])).items as Pod[];
      return all.every((pod) => expected.get(pod.metadata.uid) !== 'Taint');
    },
    { withinMs: 90_000, everyMs: 500 },
  );
  await cluster.kubectl(['taint', 'node', other, 'maintenance-']);
  const rest = (await cluster.kubectlJson(['-n', namespace, 'get', 'pods'])).items as Pod[];
  expect(
    rest.filter((pod) => !expected.has(pod.metadata.uid) || pod.metadata.deletionTimestamp === undefined),
    'NamespaceDeleted',
  );
  await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
  await until(
    'the namespace is empty',
    async () =>
      ((await cluster.kubectlJson(['get', 'pods', '-A'])).items as Pod[]).every(
        (pod) => !expected.has(pod.metadata.uid),
      ),
    { withinMs: 90_000, everyMs: 500 },
  );
  // Events come after what they are about: the last ones may still be on their way.
  const isRight = (found: Awaited<ReturnType<typeof verdicts>>) =>
    found.every(([uid, verdict]) => verdict?.cause === expected.get(uid));
  let found = await verdicts(store, expected);
  await until(
    'the verdicts are right',
    async () => {
      found = await verdicts(store, expected);
      return isRight(found);
    },
    { withinMs: 30_000, everyMs: 1000 },
  ).catch(() => undefined);
  for (const [uid, verdict] of found)
    t.diagnostic(`${expected.get(uid)} | ${verdict?.cause} ${verdict?.certainty} | ${verdict?.sentence}`);
  assert.deepEqual(
    found.map(([, verdict]) => verdict?.cause),
    found.map(([uid]) => expected.get(uid)),
  );
  await recorder.end('SIGTERM');
});

async function verdicts(store: string, expected: ReadonlyMap<string, string>) {
  const engine = await openStore(store, { access: 'read' });
  try {
    const found: [string, Verdict | undefined][] = [];
    const [one] = await engine.clusters();
    await withSnapshot(engine, one!.id, async (snapshot) => {
      for (const uid of expected.keys()) {
        const known = await readCase(snapshot, uid);
        found.push([uid, known && explain(known)]);
      }
    });
    return found;
  } finally {
    await engine.close();
  }
}

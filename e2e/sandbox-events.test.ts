// The Events of controllers on the real control plane and on the sandbox: the same things are done to both, and what the
// controllers, the scheduler and the taint manager say of it is compared word by word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer, SimulatedCluster, VirtualClock } from '@podtrail/sandbox';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({
  needs: ['own control plane', 'simulated nodes'],
  controllerManager: true,
  scheduler: true,
  kwok: { nodes: 3 },
});

interface CoreEvent {
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string };
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly source: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** What is done to a cluster, and what it then says. */
interface Ground {
  create(object: Manifest): Promise<void>;
  scale(kind: 'deployment' | 'statefulset', name: string, replicas: number): Promise<void>;
  restart(kind: 'deployment' | 'daemonset', name: string): Promise<void>;
  taint(node: string): Promise<void>;
  pods(app: string): Promise<readonly Pod[]>;
  events(): Promise<readonly CoreEvent[]>;
  /** Until it holds. */
  wait(what: string, holds: () => Promise<boolean>): Promise<void>;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string; readonly conditions?: readonly { type: string; status: string }[] };
}

/** Who speaks of pods and of their owners; kwok is no kubelet. */
const SPEAKERS = [
  ...['replicaset-controller', 'deployment-controller', 'statefulset-controller', 'daemonset-controller'],
  ...['job-controller', 'taint-eviction-controller', 'default-scheduler'],
];

function workload(kind: string, name: string, spec: object = {}, more: object = {}): Manifest {
  const labels = { app: name };
  const annotations = { 'sandbox.podtrail.dev/runs-for-seconds': kind === 'Job' ? '1' : '1000000' };
  const containers = [{ name: 'main', image: 'registry.example/main:1' }];
  const template = { metadata: { labels, annotations }, spec: { containers, ...more } };
  const selector = kind === 'Job' ? {} : { selector: { matchLabels: labels } };
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  return { apiVersion, kind, metadata: { name }, spec: { ...selector, template, ...spec } };
}

async function happen(ground: Ground): Promise<string[]> {
  const isReady = ({ metadata, status }: Pod) =>
    metadata.deletionTimestamp === undefined &&
    (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');
  const run = (app: string, count: number) =>
    ground.wait(`${count} pods of ${app} run`, async () => {
      const pods = await ground.pods(app);
      return pods.length === count && pods.every(isReady);
    });
  const restart = async (kind: 'deployment' | 'daemonset', app: string, count: number) => {
    const before = new Set((await ground.pods(app)).map(({ metadata }) => metadata.name));
    await ground.restart(kind, app);
    await ground.wait(`${app} is restarted`, async () => {
      const pods = await ground.pods(app);
      return pods.length === count && pods.every((pod) => isReady(pod) && !before.has(pod.metadata.name));
    });
  };
  await ground.create(workload('Deployment', 'web', { replicas: 2 }));
  await run('web', 2);
  await ground.scale('deployment', 'web', 4);
  await run('web', 4);
  await ground.scale('deployment', 'web', 2);
  await run('web', 2);
  await restart('deployment', 'web', 2);
  await ground.create(workload('StatefulSet', 'db', { replicas: 2, serviceName: 'db' }));
  await run('db', 2);
  await ground.scale('statefulset', 'db', 1);
  await run('db', 1);
  await ground.create(workload('DaemonSet', 'agent'));
  await run('agent', 3);
  // Before the taint, after which two controllers delete its pods, whichever is first.
  await restart('daemonset', 'agent', 3);
  await ground.create(workload('Job', 'load', {}, { restartPolicy: 'Never' }));
  await ground.wait('the job is done', async () =>
    (await ground.events()).some(({ reason }) => reason === 'Completed'),
  );
  const [victim] = await ground.pods('db');
  await ground.taint(victim?.spec.nodeName ?? '');
  await ground.wait('the taint manager says so', async () =>
    (await ground.events()).some(({ reason, involvedObject }) => {
      return reason === 'TaintManagerEviction' && involvedObject.name === 'db-0';
    }),
  );
  return [...new Set((await ground.events()).flatMap(lineOf))].sort();
}

/** Without what is drawn by lot. */
function lineOf({ involvedObject, reason, type, message, source, reportingComponent }: CoreEvent): string[] {
  const component = source.component ?? reportingComponent ?? '';
  if (!SPEAKERS.includes(component) || reason === 'FailedScheduling') return [];
  const words = message
    .replace(/\b[a-z0-9-]+\/(?=[a-z])/g, 'NAMESPACE/')
    .replace(/\bweb-[a-z0-9]+-[a-z0-9]{5}\b/g, 'web-HASH-ID')
    .replace(/\bweb-[a-z0-9]{6,}\b/g, 'web-HASH')
    .replace(/\b(agent|load)-[a-z0-9]{5}\b/g, '$1-ID')
    .replace(/\bnode-\d+\b/g, 'NODE');
  if (reason === 'TaintManagerEviction' && !words.includes('db-0')) return [];
  const byUid = involvedObject.uid === undefined || involvedObject.uid === '' ? 'by name' : 'by UID';
  return [`${component}: ${involvedObject.kind} ${byUid}, ${type} ${reason}: ${words}`];
}

function realGround(namespace: string): Ground {
  const kubectl = (...words: string[]) => cluster.kubectl(['-n', namespace, ...words]);
  return {
    create: async (object) =>
      void (await cluster.kubectl(['-n', namespace, 'create', '-f', '-'], { input: JSON.stringify(object) })),
    scale: async (kind, name, replicas) => void (await kubectl('scale', `${kind}/${name}`, `--replicas=${replicas}`)),
    restart: async (kind, name) => void (await kubectl('rollout', 'restart', `${kind}/${name}`)),
    taint: async (node) => void (await cluster.kubectl(['taint', 'nodes', node, 'maintenance=now:NoExecute'])),
    pods: async (app) => (await cluster.kubectlJson(['-n', namespace, 'get', 'pods', '-l', `app=${app}`])).items,
    events: async () => (await cluster.kubectlJson(['-n', namespace, 'get', 'events'])).items,
    wait: async (what, holds) => void (await until(what, holds, { withinMs: 120_000, everyMs: 300 })),
  };
}

function sandboxGround(): Ground {
  const clock = new VirtualClock(Date.UTC(2026, 10, 16, 12));
  const api = new ApiServer({ clock, seed: 7 });
  const simulated = new SimulatedCluster({ api, clock, nodes: 3, seed: 7, events: 'all' });
  const resources: Readonly<Record<string, string>> = {
    ...{
      Deployment: 'deployments.apps',
      StatefulSet: 'statefulsets.apps',
      DaemonSet: 'daemonsets.apps',
      Job: 'jobs.batch',
    },
  };
  return {
    create: async (object) => {
      const metadata = { ...object.metadata, namespace: 'default' };
      api.create(resources[object.kind] ?? '', { ...object, metadata } as never);
    },
    scale: async (kind, name, replicas) => simulated.scale('default', name, replicas, `${kind}s.apps`),
    restart: async (kind, name) => simulated.rollout('default', name, `${kind}s.apps`),
    taint: async (node) => {
      const taints = [{ key: 'maintenance', value: 'now', effect: 'NoExecute' }];
      api.mergePatch('nodes', undefined, node, { spec: { taints } });
    },
    pods: async (app) =>
      api.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === app) as unknown as readonly Pod[],
    events: async () => api.list('events') as unknown as readonly CoreEvent[],
    wait: async (what, holds) => {
      for (let second = 0; !(await holds()); second++) {
        if (second > 600) throw new Error(`${what}: not within ten minutes`);
        clock.advanceBy(1_000);
      }
    },
  };
}

test('controllers, scheduler and taint manager of the sandbox say what the real ones say', {
  skip: cluster.skip,
  timeout: 300_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  t.after(() => cluster.kubectl(['taint', 'nodes', '--all', 'maintenance:NoExecute-']).catch(() => ''));
  const real = await happen(realGround(namespace));
  t.diagnostic(`${real.length} different lines`);
  for (const line of real) t.diagnostic(line);
  assert.deepEqual(await happen(sandboxGround()), real);
});

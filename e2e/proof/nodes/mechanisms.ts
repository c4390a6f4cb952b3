// Every way in which a pod comes by its network and loses it again, one function each: a life from creation to the end.
// What a function does not do itself (a Job's pod, an eviction) the real controllers and kubelets do.
import { type ChurnWorld, type CreatedPod, MECHANISM_LABEL, NAMESPACE, type PodRequest } from './churn-world.ts';

export type Mechanism = (world: ChurnWorld) => Promise<void>;

const NEVER = { restartPolicy: 'Never' };
const PATIENT = { terminationGracePeriodSeconds: 10 };
const DEAF = { containers: [{ args: ['-deaf'] }] };

/** Creates the pod, lets it live once it has its address, and gives it to `end`. */
function life(
  name: string,
  request: PodRequest | ((world: ChurnWorld) => PodRequest),
  end: (world: ChurnWorld, pod: CreatedPod) => Promise<void>,
  seconds: readonly [number, number] = [2, 9],
): Mechanism {
  return async (world) => {
    const made = typeof request === 'function' ? request(world) : request;
    const pod = await world.create(world.pod(name, world.nextName(name), made));
    await world.started(pod);
    await world.pause(...seconds);
    await end(world, pod);
    await world.gone(pod);
  };
}

const deleteWith =
  (grace: number) =>
  (world: ChurnWorld, pod: CreatedPod): Promise<void> =>
    world.delete(pod, grace);

const slowPull = (world: ChurnWorld): string => world.plane.realNodes.slowImage(Math.round(world.chance.between(2, 7)));

export const MECHANISMS: Readonly<Record<string, Mechanism>> = {
  graceful: life('graceful', {}, deleteWith(4)),
  forced: life('forced', {}, deleteWith(0)),
  'forced-deaf': life('forced-deaf', DEAF, deleteWith(0)),
  deaf: life('deaf', DEAF, deleteWith(3)),
  'slow-term': life('slow-term', { containers: [{ args: ['-term', '3s'] }] }, deleteWith(8)),
  'graceful-then-forced': life(
    'graceful-then-forced',
    { containers: [{ args: ['-term', '9s'] }] },
    async (world, pod) => {
      await world.delete(pod, 15);
      await world.pause(0.5, 4);
      await world.delete(pod, 0);
    },
  ),
  'pre-stop': life(
    'pre-stop',
    { containers: [{ lifecycle: { preStop: { sleep: { seconds: 3 } } } }], spec: PATIENT },
    deleteWith(8),
  ),
  'pre-stop-forced': life(
    'pre-stop-forced',
    { containers: [{ lifecycle: { preStop: { sleep: { seconds: 5 } } } }], spec: PATIENT },
    deleteWith(0),
  ),
  'crash-loop': life('crash-loop', { containers: [{ args: ['-after', '2s', '-code', '1'] }] }, deleteWith(2), [8, 15]),
  'ends-at-once': life(
    'ends-at-once',
    { containers: [{ args: ['-after', '150ms'] }], spec: NEVER },
    deleteWith(0),
    [3, 8],
  ),
  'slow-image': life('slow-image', (world) => ({ containers: [{ image: slowPull(world) }] }), deleteWith(4), [2, 6]),
  'absent-image': life(
    'absent-image',
    (world) => ({ containers: [{ image: world.plane.realNodes.absentImage }] }),
    deleteWith(0),
    [3, 8],
  ),
  'slow-init': life('slow-init', { init: [{ args: ['-after', '4s'] }] }, deleteWith(4), [5, 9]),
  'failed-init': life(
    'failed-init',
    { init: [{ args: ['-after', '1s', '-code', '1'] }], spec: NEVER },
    deleteWith(0),
    [4, 8],
  ),
  'two-containers': life(
    'two-containers',
    (world) => ({ containers: [{}, { image: slowPull(world) }] }),
    deleteWith(4),
    [4, 9],
  ),
  'failed-post-start': life(
    'failed-post-start',
    { containers: [{ lifecycle: { postStart: { exec: { command: ['/app', 'false'] } } } }] },
    deleteWith(3),
    [4, 9],
  ),
  'slow-post-start': life(
    'slow-post-start',
    { containers: [{ lifecycle: { postStart: { sleep: { seconds: 4 } } } }] },
    deleteWith(4),
    [5, 8],
  ),
  'storage-evicted': life(
    'storage-evicted',
    {
      containers: [{ args: ['-fill', '8'], mounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
      spec: { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
    },
    deleteWith(0),
    [14, 22],
  ),
  'api-evicted': life('api-evicted', {}, (world, pod) => world.evict(pod)),
  deadline: life('deadline', { spec: { ...NEVER, activeDeadlineSeconds: 5 } }, deleteWith(0), [8, 11]),

  'deleted-early': async (world) => {
    const pod = await world.create(world.pod('deleted-early', world.nextName('deleted-early')));
    await world.pause(0, 0.8);
    await world.delete(pod, world.chance.next() < 0.5 ? 0 : 2);
    await world.gone(pod);
  },
  'deleted-while-pulling': async (world) => {
    const request = { containers: [{ image: slowPull(world) }] };
    const pod = await world.create(
      world.pod('deleted-while-pulling', world.nextName('deleted-while-pulling'), request),
    );
    await world.pause(0.8, 2.5);
    await world.delete(pod, world.chance.next() < 0.5 ? 0 : 2);
    await world.gone(pod);
  },
  'sandbox-killed': async (world) => {
    const pod = await world.create(world.pod('sandbox-killed', world.nextName('sandbox-killed')));
    await world.started(pod);
    for (let times = world.chance.next() < 0.4 ? 2 : 1; times > 0; times--) {
      await world.pause(3, 6);
      const sandbox = await world.sandboxOf(pod.uid);
      if (sandbox === undefined) break;
      world.log({ what: 'sandbox killed', pod: pod.name, node: sandbox.node });
      // It may be going already, or its node be off.
      await world.plane.realNodes
        .node(sandbox.node)
        .killSandbox(sandbox.sandbox)
        .catch(() => undefined);
    }
    await world.pause(4, 8);
    await world.delete(pod, world.chance.next() < 0.5 ? 0 : 3);
    await world.gone(pod);
  },
  'same-name': async (world) => {
    const name = world.nextName('same-name');
    for (let times = 3; times > 0 && !world.stopped; times--) {
      const pod = await world.create(world.pod('same-name', name));
      await world.started(pod);
      await world.pause(1, 4);
      await world.delete(pod, world.chance.next() < 0.5 ? 0 : 2);
      // A forced delete frees the name at once, while the old network still stands.
      await world.gone(pod);
    }
  },
  job: (world) => job(world, 'job', 0),
  'failed-job': (world) => job(world, 'failed-job', 1),
  rollout: async (world) => {
    const name = world.nextName('rollout');
    const { spec } = world.pod('rollout', name);
    const labels = { app: name, [MECHANISM_LABEL]: 'rollout' };
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
    const template = { metadata: { labels }, spec };
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
    };
    await world.request(path, { body });
    await world.pause(6, 10);
    world.log({ what: 'rolled out', pod: name });
    const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
    await world.request(`${path}/${name}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/strategic-merge-patch+json' },
      body: { spec: { template: { metadata: { annotations } } } },
    });
    await world.pause(8, 14);
    await world.request(`${path}/${name}?propagationPolicy=Background`, { method: 'DELETE' });
    await world.pause(6);
  },
  static: async (world) => {
    const { nodes } = world.plane.realNodes;
    const node = world.chance.pick(nodes);
    const name = world.nextName('static');
    await node.writeStaticPod(name, world.pod('static', name));
    await world.pause(6, 12);
    if (world.chance.next() < 0.5) {
      world.log({ what: 'mirror deleted by force', pod: `${name}-${node.name}` });
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}-${node.name}`;
      await world.request(path, { method: 'DELETE', body: { gracePeriodSeconds: 0 } });
      await world.pause(4, 8);
    }
    if (world.chance.next() < 0.6) {
      world.log({ what: 'static pod changed', pod: name, node: node.name });
      await node.writeStaticPod(name, world.pod('static', name, { spec: { terminationGracePeriodSeconds: 3 } }));
      await world.pause(6, 12);
    }
    world.log({ what: 'static pod removed', pod: name, node: node.name });
    await node.removeStaticPod(name);
    await world.pause(8);
  },
};

async function job(world: ChurnWorld, mechanism: string, code: number): Promise<void> {
  const name = world.nextName(mechanism);
  const after = `${world.chance.between(1, 6).toFixed(1)}s`;
  const request = { containers: [{ args: ['-after', after, '-code', String(code)] }], spec: NEVER };
  const { metadata, spec } = world.pod(mechanism, name, request);
  const body = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { backoffLimit: 0, ttlSecondsAfterFinished: 12, template: { metadata: { labels: metadata.labels }, spec } },
  };
  await world.request(`/apis/batch/v1/namespaces/${NAMESPACE}/jobs`, { body });
  await world.pause(12, 20);
}

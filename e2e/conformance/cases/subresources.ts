// Scale, eviction, binding, and the kinds that clients lean on most: events and leases.
import { until } from '../../controlplane/index.ts';
import type { Area, Stage } from '../case.ts';
import { aNode, aPod, apps, aWorkload, core } from '../objects.ts';
import type { Json } from '../raw-client.ts';

const POLICY = (namespace: string) => `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
const eviction = (name: string, more: Json = {}): Json => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...more,
});

/** Ready pods with a label, and a budget that has counted them: on the real server a controller does that. */
async function budgetedPods(server: Stage, count: number, minAvailable: number) {
  const namespace = await server.namespace();
  const path = core(namespace, 'pods');
  for (let i = 0; i < count; i++) {
    await server.client.create(path, aPod(`p${i}`, { nodeName: 'node-x' }, { labels: { app: 'web' } }));
    await server.client.patch(`${path}/p${i}/status`, 'merge', {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'budget' },
    spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
  };
  await server.client.create(POLICY(namespace), budget);
  await until('the budget has counted its pods', async () => {
    const { json } = await server.client.post(`${path}/p0/eviction?dryRun=All`, eviction('p0'));
    const reported: string = json.details?.causes?.[0]?.message ?? '';
    return reported === '' || reported.endsWith(`has ${count} currently`);
  });
  return { namespace, path };
}

export const scale: Area = {
  area: 'scale',
  cases: [
    {
      name: 'a Deployment is read and set through its scale',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${apps(namespace, 'deployments')}/web`;
        const { metadata } = await server.client.create(
          apps(namespace, 'deployments'),
          aWorkload('Deployment', 'web', 2),
        );
        const read = (await server.client.get(`${path}/scale`)).json;
        assert.equal(`${read.apiVersion} ${read.kind}`, 'autoscaling/v1 Scale', 'kind');
        assert.deepEqual(read.spec, { replicas: 2 }, 'spec');
        assert.deepEqual(read.status, { replicas: 0, selector: 'app=web' }, 'status');
        assert.equal(read.metadata.uid, metadata.uid, 'uid');
        assert.equal(read.metadata.resourceVersion, metadata.resourceVersion, 'resourceVersion');
        const put = await server.client.put(`${path}/scale`, { ...read, spec: { replicas: 5 } });
        assert.equal(`${put.status} ${put.json.spec?.replicas}`, '200 5', 'update');
        const patched = await server.client.patch(`${path}/scale`, 'merge', { spec: { replicas: 3 } });
        assert.equal(`${patched.status} ${patched.json.kind} ${patched.json.spec?.replicas}`, '200 Scale 3', 'patch');
        const whole = (await server.client.get(path)).json;
        assert.equal(whole.spec.replicas, 3, 'the Deployment');
        assert.equal(whole.metadata.generation, 3, 'its generation');
      },
    },
    {
      name: 'a scale with an old resourceVersion is 409, a negative one 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${apps(namespace, 'statefulsets')}/web`;
        await server.client.create(apps(namespace, 'statefulsets'), aWorkload('StatefulSet', 'web', 1));
        const old = (await server.client.get(`${path}/scale`)).json;
        await server.client.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
        const stale = await server.client.put(`${path}/scale`, { ...old, spec: { replicas: 2 } });
        assert.refused(
          stale,
          {
            code: 409,
            reason: 'Conflict',
            message: /^Operation cannot be fulfilled on statefulsets\.apps "web": the object has been modified/,
          },
          'an old one',
        );
        const negative = await server.client.patch(`${path}/scale`, 'merge', { spec: { replicas: -1 } });
        assert.refused(
          negative,
          {
            code: 422,
            reason: 'Invalid',
            message: /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/,
          },
          'a negative one',
        );
      },
    },
    {
      name: 'the scale of a workload that is not there is 404',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.get(`${apps(namespace, 'replicasets')}/none/scale`),
          { code: 404, reason: 'NotFound', message: 'replicasets.apps "none" not found' },
          'the scale',
        );
      },
    },
    {
      name: 'replicas are 1 unless given, and pods have no scale',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(apps(namespace, 'replicasets'), aWorkload('ReplicaSet', 'web'));
        const { json } = await server.client.get(`${apps(namespace, 'replicasets')}/web/scale`);
        assert.equal(json.spec.replicas, 1, 'replicas');
        assert.equal((await server.client.get(`${core(namespace, 'pods')}/web/scale`)).status, 404, 'pods');
      },
    },
  ],
};

export const evictions: Area = {
  area: 'eviction and binding',
  cases: [
    {
      name: 'an eviction deletes the pod and answers with a Status',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        await server.client.create(path, aPod('one', { nodeName: 'node-x' }));
        const answer = await server.client.post(`${path}/one/eviction`, eviction('one'));
        assert.equal(answer.status, 201, 'HTTP status');
        const { kind, status, code } = answer.json;
        assert.deepEqual({ kind, status, code }, { kind: 'Status', status: 'Success', code: 201 }, 'the answer');
        const { json } = await server.client.get(`${path}/one`);
        assert.ok(json.metadata.deletionTimestamp, 'the pod is ending');
        assert.equal(json.metadata.deletionGracePeriodSeconds, 30, 'with its grace');
        const target = json.status.conditions?.find(({ type }: Json) => type === 'DisruptionTarget') ?? {};
        assert.equal(
          `${target.status} ${target.reason}`,
          'True EvictionByEvictionAPI',
          'and a condition that says why',
        );
        await server.client.delete(`${path}/one`, { gracePeriodSeconds: 0 });
      },
    },
    {
      name: 'an eviction passes its delete options on',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        await server.client.create(path, aPod('one', { nodeName: 'node-x' }));
        const body = eviction('one', { deleteOptions: { gracePeriodSeconds: 7 } });
        await server.client.post(`${path}/one/eviction`, body);
        const { json } = await server.client.get(`${path}/one`);
        assert.equal(json.metadata.deletionGracePeriodSeconds, 7, 'grace');
        await server.client.delete(`${path}/one`, { gracePeriodSeconds: 0 });
      },
    },
    {
      name: 'an eviction that a budget forbids is 429 with the exact text',
      async run(server, assert) {
        const { path } = await budgetedPods(server, 2, 2);
        const answer = await server.client.post(`${path}/p0/eviction`, eviction('p0'));
        assert.refused(
          answer,
          {
            code: 429,
            reason: 'TooManyRequests',
            message: "Cannot evict pod as it would violate the pod's disruption budget.",
            details: {
              causes: [
                {
                  reason: 'DisruptionBudget',
                  message: 'The disruption budget budget needs 2 healthy pods and has 2 currently',
                },
              ],
            },
          },
          'the eviction',
        );
        const { json } = await server.client.get(`${path}/p0`);
        assert.equal(json.metadata.deletionTimestamp, undefined, 'the pod stays');
      },
    },
    {
      name: 'a budget allows evictions until it is used up',
      async run(server, assert) {
        const { path } = await budgetedPods(server, 3, 2);
        const first = await server.client.post(`${path}/p0/eviction`, eviction('p0'));
        assert.equal(first.status, 201, 'the first');
        const second = await server.client.post(`${path}/p1/eviction`, eviction('p1'));
        assert.equal(second.status, 429, 'the second');
        for (const name of ['p0', 'p1', 'p2']) await server.client.delete(`${path}/${name}`, { gracePeriodSeconds: 0 });
      },
    },
    {
      name: 'an eviction of a pod that is not there is 404, with another name 400',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        assert.refused(
          await server.client.post(`${path}/none/eviction`, eviction('none')),
          { code: 404, reason: 'NotFound', message: 'pods "none" not found' },
          'a missing pod',
        );
        await server.client.create(path, aPod('one'));
        assert.refused(
          await server.client.post(`${path}/one/eviction`, eviction('two')),
          { code: 400, reason: 'BadRequest', message: /name in URL does not match name in Eviction object/ },
          'another name',
        );
      },
    },
    {
      name: 'a binding sets the node, the condition and answers with a Status',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        const node = server.unique('node');
        await server.client.create('/api/v1/nodes', aNode(node));
        await server.client.create(path, aPod('one'));
        const binding = {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'one', annotations: { by: 'binding' } },
          target: { apiVersion: 'v1', kind: 'Node', name: node },
        };
        const answer = await server.client.post(`${path}/one/binding`, binding);
        assert.equal(`${answer.status} ${answer.json.kind} ${answer.json.status}`, '201 Status Success', 'the answer');
        const { json } = await server.client.get(`${path}/one`);
        assert.equal(json.spec.nodeName, node, 'nodeName');
        assert.equal(json.metadata.annotations?.by, 'binding', 'its annotations');
        const scheduled = json.status.conditions?.find(({ type }: Json) => type === 'PodScheduled') ?? {};
        assert.equal(scheduled.status, 'True', 'PodScheduled');
        assert.refused(
          await server.client.post(`${path}/one/binding`, binding),
          {
            code: 409,
            reason: 'Conflict',
            message: `Operation cannot be fulfilled on pods/binding "one": pod one is already assigned to node "${node}"`,
          },
          'a second binding',
        );
        await server.client.delete(`/api/v1/nodes/${node}`);
      },
    },
    {
      name: 'a binding of a pod that is not there is 404',
      async run(server, assert) {
        const namespace = await server.namespace();
        const binding = { metadata: { name: 'none' }, target: { kind: 'Node', name: 'node-x' } };
        assert.refused(
          await server.client.post(`${core(namespace, 'pods')}/none/binding`, binding),
          { code: 404, reason: 'NotFound', message: 'pods "none" not found' },
          'the binding',
        );
      },
    },
  ],
};

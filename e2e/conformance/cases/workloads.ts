// Defaults and rules of the kinds that the simulated controllers read: workloads, jobs, services, nodes.
import type { Area } from '../case.ts';
import { aNode, apps, aWorkload, CONTAINER, core } from '../objects.ts';

const JOBS = (namespace: string) => `/apis/batch/v1/namespaces/${namespace}/jobs`;

export const workloads: Area = {
  area: 'workloads, jobs, services, nodes',
  cases: [
    {
      name: 'a Deployment gets its defaults',
      async run(server, assert) {
        const namespace = await server.namespace();
        const { spec, status } = await server.client.create(
          apps(namespace, 'deployments'),
          aWorkload('Deployment', 'web'),
        );
        assert.equal(spec.replicas, 1, 'replicas');
        assert.deepEqual(
          spec.strategy,
          { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
          'strategy',
        );
        assert.equal(spec.revisionHistoryLimit, 10, 'revisionHistoryLimit');
        assert.equal(spec.progressDeadlineSeconds, 600, 'progressDeadlineSeconds');
        assert.equal(spec.template.spec.restartPolicy, 'Always', 'restartPolicy of its pods');
        assert.equal(spec.template.spec.terminationGracePeriodSeconds, 30, 'grace of its pods');
        assert.deepEqual(status, {}, 'an empty status');
      },
    },
    {
      name: 'StatefulSets and DaemonSets get their defaults',
      async run(server, assert) {
        const namespace = await server.namespace();
        const set = await server.client.create(apps(namespace, 'statefulsets'), aWorkload('StatefulSet', 'db', 3));
        assert.equal(set.spec.podManagementPolicy, 'OrderedReady', 'podManagementPolicy');
        assert.deepEqual(
          set.spec.updateStrategy,
          { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
          'updateStrategy of the StatefulSet',
        );
        const { replicas: _, ...spec } = aWorkload('Deployment', 'agent', 1).spec;
        const body = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec };
        const daemon = await server.client.create(apps(namespace, 'daemonsets'), body);
        assert.deepEqual(
          daemon.spec.updateStrategy,
          { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
          'updateStrategy of the DaemonSet',
        );
        assert.equal(daemon.status.desiredNumberScheduled, 0, 'status of the DaemonSet');
      },
    },
    {
      name: 'a workload whose selector does not match its template is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = aWorkload('Deployment', 'web', 1);
        body.spec.selector.matchLabels.app = 'other';
        assert.refused(
          await server.client.post(apps(namespace, 'deployments'), body),
          {
            code: 422,
            reason: 'Invalid',
            message:
              'Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
          },
          'the Deployment',
        );
      },
    },
    {
      name: 'a status that is left out of its update is an empty one, and no change of a new workload',
      async run(server, assert) {
        const namespace = await server.namespace();
        for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet'] as const) {
          const path = apps(namespace, `${kind.toLowerCase()}s`);
          const { status, ...created } = await server.client.create(path, aWorkload(kind, 'web', 1));
          const { resourceVersion: _, ...metadata } = created.metadata;
          const answer = await server.client.put(`${path}/web/status`, { ...created, metadata });
          assert.equal(answer.status, 200, `${kind}: HTTP status`);
          assert.deepEqual(answer.json.status, status, `${kind}: its status`);
          assert.equal(answer.json.metadata.resourceVersion, created.metadata.resourceVersion, `${kind}: its version`);
        }
      },
    },
    {
      name: 'the selector of a workload cannot be changed',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = apps(namespace, 'deployments');
        await server.client.create(path, aWorkload('Deployment', 'web', 1));
        const answer = await server.client.patch(`${path}/web`, 'merge', {
          spec: { selector: { matchLabels: { more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } },
        });
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message:
              'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"web","more":"x"}}: field is immutable',
          },
          'the patch',
        );
      },
    },
    {
      name: 'a Job gets its defaults, its selector and labels for its pods',
      async run(server, assert) {
        const namespace = await server.namespace();
        const template = { spec: { restartPolicy: 'Never', containers: [CONTAINER] } };
        const body = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once' }, spec: { template } };
        const { metadata, spec } = await server.client.create(JOBS(namespace), body);
        const { parallelism, completions, backoffLimit, suspend, completionMode } = spec;
        assert.deepEqual(
          { parallelism, completions, backoffLimit, suspend, completionMode },
          { parallelism: 1, completions: 1, backoffLimit: 6, suspend: false, completionMode: 'NonIndexed' },
          'defaults',
        );
        const controller = { 'batch.kubernetes.io/controller-uid': metadata.uid };
        assert.deepEqual(spec.selector, { matchLabels: controller }, 'selector');
        assert.deepEqual(
          spec.template.metadata.labels,
          {
            ...controller,
            'batch.kubernetes.io/job-name': 'once',
            'controller-uid': metadata.uid,
            'job-name': 'once',
          },
          'labels of its pods',
        );
        await server.client.delete(`${JOBS(namespace)}/once`, { propagationPolicy: 'Background' });
      },
    },
    {
      name: 'a Job that restarts always is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const spec = { template: { spec: { containers: [CONTAINER] } } };
        assert.refused(
          await server.client.post(JOBS(namespace), { metadata: { name: 'once' }, spec }),
          {
            code: 422,
            reason: 'Invalid',
            message: /spec\.template\.spec\.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
          },
          'the Job',
        );
      },
    },
    {
      name: 'a Service gets an address of its own, a headless one none',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'services');
        const ports = [{ port: 80 }];
        const service = (name: string, spec: object) => ({ metadata: { name }, spec: { ports, ...spec } });
        const one = await server.client.create(path, service('one', { selector: { app: 'web' } }));
        const two = await server.client.create(path, service('two', {}));
        assert.match(one.spec.clusterIP, /^10\.\d+\.\d+\.\d+$/, 'an address');
        assert.deepEqual(one.spec.clusterIPs, [one.spec.clusterIP], 'clusterIPs');
        assert.notEqual(one.spec.clusterIP, two.spec.clusterIP, 'each its own');
        assert.equal(`${one.spec.type} ${one.spec.sessionAffinity}`, 'ClusterIP None', 'defaults');
        assert.deepEqual(one.spec.ports, [{ protocol: 'TCP', port: 80, targetPort: 80 }], 'ports');
        const headless = await server.client.create(path, service('headless', { clusterIP: 'None' }));
        assert.equal(headless.spec.clusterIP, 'None', 'a headless one');
        const moved = await server.client.patch(`${path}/one`, 'merge', { spec: { clusterIP: '10.96.200.200' } });
        assert.equal(moved.status, 422, 'an address cannot be changed');
      },
    },
    {
      name: 'a node that comes gets its own taint only from its controller, and keeps spec and status apart',
      async run(server, assert) {
        const name = server.unique('node');
        const body = { ...aNode(name), spec: { podCIDR: '10.8.0.0/24', podCIDRs: ['10.8.0.0/24'] } };
        const node = await server.client.create('/api/v1/nodes', { ...body, status: { capacity: { cpu: '4' } } });
        assert.equal(node.spec.podCIDR, '10.8.0.0/24', 'podCIDR');
        assert.deepEqual(node.status.capacity, { cpu: '4' }, 'a kubelet registers with a status');
        const patched = await server.client.patch(`/api/v1/nodes/${name}`, 'merge', {
          status: { capacity: { cpu: '8' } },
        });
        assert.deepEqual(patched.json.status.capacity, { cpu: '4' }, 'later it is written through the subresource');
        const moved = await server.client.patch(`/api/v1/nodes/${name}`, 'merge', {
          spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] },
        });
        assert.equal(moved.status, 422, 'podCIDR cannot be changed');
        await server.client.delete(`/api/v1/nodes/${name}`);
      },
    },
    {
      name: 'a pod with requests and limits has a QoS class',
      async run(server, assert) {
        const namespace = await server.namespace();
        const pod = async (name: string, resources: object) => {
          const body = { metadata: { name }, spec: { containers: [{ ...CONTAINER, resources }] } };
          return (await server.client.create(core(namespace, 'pods'), body)).status.qosClass;
        };
        assert.equal(await pod('best-effort', {}), 'BestEffort', 'nothing');
        assert.equal(await pod('burstable', { requests: { cpu: '100m' } }), 'Burstable', 'requests');
        const all = { cpu: '100m', memory: '64Mi' };
        assert.equal(await pod('guaranteed', { requests: all, limits: all }), 'Guaranteed', 'requests and limits');
      },
    },
  ],
};

// Create, get, list and update: what a server adds to an object, and what it keeps.
import type { Area } from '../case.ts';
import { aConfigMap, aPod, apps, aWorkload, core } from '../objects.ts';
import type { Json } from '../raw-client.ts';

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export const objects: Area = {
  area: 'create, get, list, update',
  cases: [
    {
      name: 'a created object gets uid, resourceVersion, creationTimestamp and its namespace',
      async run(server, assert) {
        const namespace = await server.namespace();
        const answer = await server.client.post(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        assert.equal(answer.status, 201, 'HTTP status');
        assert.match(answer.headers['content-type'], /^application\/json/, 'content type');
        const { metadata, data, kind, apiVersion } = answer.json;
        assert.equal(`${apiVersion} ${kind}`, 'v1 ConfigMap', 'kind');
        assert.match(metadata.uid, UID, 'uid');
        assert.match(metadata.resourceVersion, /^[1-9]\d*$/, 'resourceVersion');
        assert.match(metadata.creationTimestamp, TIME, 'creationTimestamp');
        assert.equal(metadata.namespace, namespace, 'namespace');
        assert.equal('generation' in metadata, false, 'a ConfigMap has no generation');
        assert.deepEqual(data, { a: '1' }, 'data');
        const read = await server.client.get(`${core(namespace, 'configmaps')}/one`);
        assert.deepEqual(read.json, answer.json, 'get gives the same');
      },
    },
    {
      name: 'what the server owns is not taken from the client',
      async run(server, assert) {
        const namespace = await server.namespace();
        const uid = '11111111-2222-3333-4444-555555555555';
        const created = await server.client.create(
          core(namespace, 'configmaps'),
          aConfigMap('one', {}, { uid, creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 }),
        );
        assert.notEqual(created.metadata.uid, uid, 'uid');
        assert.notEqual(created.metadata.creationTimestamp, '2001-01-01T00:00:00Z', 'creationTimestamp');
      },
    },
    {
      name: 'creating with a resourceVersion is refused',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = aConfigMap('one', {}, { resourceVersion: '5' });
        const answer = await server.client.post(core(namespace, 'configmaps'), body);
        assert.refused(
          answer,
          { code: 500, message: 'resourceVersion should not be set on objects to be created' },
          'create',
        );
      },
    },
    {
      name: 'creating what exists is 409 AlreadyExists',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        const again = await server.client.post(core(namespace, 'configmaps'), aConfigMap('one'));
        assert.refused(
          again,
          {
            code: 409,
            reason: 'AlreadyExists',
            message: 'configmaps "one" already exists',
            details: { name: 'one', kind: 'configmaps' },
          },
          'the second create',
        );
      },
    },
    {
      name: 'a missing object is 404 NotFound, with the group in the text',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.get(`${core(namespace, 'pods')}/none`),
          {
            code: 404,
            reason: 'NotFound',
            message: 'pods "none" not found',
            details: { name: 'none', kind: 'pods' },
          },
          'a pod',
        );
        assert.refused(
          await server.client.get(`${apps(namespace, 'deployments')}/none`),
          {
            code: 404,
            reason: 'NotFound',
            message: 'deployments.apps "none" not found',
            details: { name: 'none', group: 'apps', kind: 'deployments' },
          },
          'a deployment',
        );
      },
    },
    {
      name: 'generateName appends five characters of an alphabet without vowels',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } };
        const names = [];
        for (let i = 0; i < 3; i++)
          names.push((await server.client.create(core(namespace, 'configmaps'), body)).metadata);
        for (const { name } of names) assert.match(name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/, 'the name');
        assert.equal(new Set(names.map(({ name }) => name)).size, 3, 'different names');
        assert.equal(names[0].generateName, 'gen-', 'generateName stays');
      },
    },
    {
      name: 'a list has a kind, a resourceVersion and items without kind, by name',
      async run(server, assert) {
        const namespace = await server.namespace();
        for (const name of ['b', 'c', 'a']) await server.client.create(core(namespace, 'configmaps'), aConfigMap(name));
        const { json } = await server.client.get(core(namespace, 'configmaps'));
        assert.equal(json.kind, 'ConfigMapList', 'kind');
        assert.equal(json.apiVersion, 'v1', 'apiVersion');
        const items: Json[] = json.items;
        assert.deepEqual(
          items.map((item) => item.metadata.name),
          ['a', 'b', 'c'],
          'order',
        );
        assert.deepEqual(
          items.map((item) => [item.kind, item.apiVersion]),
          Array(3).fill([undefined, undefined]),
          'no kind',
        );
        const newest = Math.max(...items.map((item) => Number(item.metadata.resourceVersion)));
        assert.ok(Number(json.metadata.resourceVersion) >= newest, 'its resourceVersion is not older than its items');
      },
    },
    {
      name: 'an empty list has an empty array of items',
      async run(server, assert) {
        const namespace = await server.namespace();
        const { json } = await server.client.get(core(namespace, 'pods'));
        assert.deepEqual(json.items, [], 'items');
        assert.equal(json.metadata.continue, undefined, 'no continue token');
      },
    },
    {
      name: 'a list over all namespaces is ordered by namespace and name',
      async run(server, assert) {
        const spaces = [await server.namespace(), await server.namespace()].toSorted();
        const labels = { order: server.unique('order') };
        for (const [namespace, name] of [
          [spaces[1], 'a'],
          [spaces[0], 'z'],
          [spaces[0], 'b'],
        ]) {
          await server.client.create(
            core(namespace as string, 'configmaps'),
            aConfigMap(name as string, {}, { labels }),
          );
        }
        const { json } = await server.client.get(`/api/v1/configmaps?labelSelector=order%3D${labels.order}`);
        assert.deepEqual(
          json.items.map(({ metadata }: Json) => `${metadata.namespace}/${metadata.name}`),
          [`${spaces[0]}/b`, `${spaces[0]}/z`, `${spaces[1]}/a`],
          'order',
        );
      },
    },
    {
      name: 'an update gives a larger resourceVersion and keeps uid and creationTimestamp',
      async run(server, assert) {
        const namespace = await server.namespace();
        const created = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const { status, json } = await server.client.put(`${core(namespace, 'configmaps')}/one`, {
          ...created,
          data: { a: '2' },
        });
        assert.equal(status, 200, 'HTTP status');
        assert.ok(Number(json.metadata.resourceVersion) > Number(created.metadata.resourceVersion), 'resourceVersion');
        assert.equal(json.metadata.uid, created.metadata.uid, 'uid');
        assert.equal(json.metadata.creationTimestamp, created.metadata.creationTimestamp, 'creationTimestamp');
        assert.deepEqual(json.data, { a: '2' }, 'data');
      },
    },
    {
      name: 'an update that changes nothing keeps the resourceVersion',
      async run(server, assert) {
        const namespace = await server.namespace();
        const created = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const { status, json } = await server.client.put(`${core(namespace, 'configmaps')}/one`, created);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.metadata.resourceVersion, created.metadata.resourceVersion, 'resourceVersion');
      },
    },
    {
      name: 'an update with an old resourceVersion is 409 Conflict with the exact text',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const old = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        await server.client.put(path, { ...old, data: { a: '2' } });
        const answer = await server.client.put(path, { ...old, data: { a: '3' } });
        assert.refused(
          answer,
          {
            code: 409,
            reason: 'Conflict',
            message:
              'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
            details: { name: 'one', kind: 'configmaps' },
          },
          'the stale update',
        );
        assert.deepEqual((await server.client.get(path)).json.data, { a: '2' }, 'what was written before stays');
      },
    },
    {
      name: 'an update without a resourceVersion overwrites a ConfigMap',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const { status, json } = await server.client.put(path, aConfigMap('one', { b: '2' }));
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(json.data, { b: '2' }, 'data');
      },
    },
    {
      name: 'an update of a lease or custom kind without a resourceVersion is refused where the kind asks for it',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
        const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' }, spec: {} };
        await server.client.create(path, lease);
        const answer = await server.client.put(`${path}/one`, lease);
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message:
              'leases.coordination.k8s.io "one" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
          },
          'the update',
        );
      },
    },
    {
      name: 'an update of a missing ConfigMap is 404',
      async run(server, assert) {
        const namespace = await server.namespace();
        const answer = await server.client.put(`${core(namespace, 'configmaps')}/none`, aConfigMap('none'));
        assert.refused(answer, { code: 404, reason: 'NotFound', message: 'configmaps "none" not found' }, 'the update');
      },
    },
    {
      name: 'an update with the uid of another object is 409',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        const uid = '11111111-2222-3333-4444-555555555555';
        const answer = await server.client.put(`${core(namespace, 'configmaps')}/one`, aConfigMap('one', {}, { uid }));
        assert.refused(
          answer,
          { code: 409, reason: 'Conflict', message: /Precondition failed: UID in precondition: 11111111-2222/ },
          'the update',
        );
      },
    },
    {
      name: 'generation counts changes of the spec and not of labels or status',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${apps(namespace, 'deployments')}/web`;
        const created = await server.client.create(apps(namespace, 'deployments'), aWorkload('Deployment', 'web', 1));
        assert.equal(created.metadata.generation, 1, 'at the start');
        const labelled = await server.client.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
        assert.equal(labelled.json.metadata.generation, 1, 'after a label');
        const scaled = await server.client.patch(path, 'merge', { spec: { replicas: 2 } });
        assert.equal(scaled.json.metadata.generation, 2, 'after a change of the spec');
        const status = await server.client.patch(`${path}/status`, 'merge', { status: { observedGeneration: 2 } });
        assert.equal(status.json.metadata.generation, 2, 'after a change of the status');
      },
    },
    {
      name: 'status is written through the subresource alone',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        const made = { ...aPod('one'), status: { phase: 'Running', message: 'from the client' } };
        const created = await server.client.create(core(namespace, 'pods'), made);
        assert.equal(created.status.phase, 'Pending', 'phase of a new pod');
        assert.equal(created.status.message, undefined, 'status of a new pod');
        const spec = await server.client.patch(path, 'merge', { status: { phase: 'Running' } });
        assert.equal(spec.json.status.phase, 'Pending', 'a patch of the object leaves the status');
        assert.equal(spec.json.metadata.resourceVersion, created.metadata.resourceVersion, 'and is no change');
        const status = await server.client.patch(`${path}/status`, 'merge', {
          metadata: { labels: { by: 'status' } },
          spec: { nodeName: 'elsewhere' },
          status: { phase: 'Running', podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] },
        });
        assert.equal(status.status, 200, 'HTTP status of the patch of the status');
        assert.equal(status.json.status.phase, 'Running', 'phase');
        assert.deepEqual(status.json.status.podIPs, [{ ip: '10.0.0.7' }], 'addresses');
        assert.equal(status.json.spec.nodeName, undefined, 'the spec stays');
        assert.deepEqual(
          (await server.client.get(`${path}/status`)).json,
          status.json,
          'get of the status is the object',
        );
      },
    },
    {
      name: 'a pod gets the defaults that clients read',
      async run(server, assert) {
        const namespace = await server.namespace();
        const { spec, status } = await server.client.create(core(namespace, 'pods'), aPod('one'));
        assert.equal(spec.restartPolicy, 'Always', 'restartPolicy');
        assert.equal(spec.terminationGracePeriodSeconds, 30, 'terminationGracePeriodSeconds');
        assert.equal(spec.dnsPolicy, 'ClusterFirst', 'dnsPolicy');
        assert.equal(spec.schedulerName, 'default-scheduler', 'schedulerName');
        assert.equal(spec.containers[0].imagePullPolicy, 'IfNotPresent', 'imagePullPolicy');
        assert.equal(status.phase, 'Pending', 'phase');
        assert.equal(status.qosClass, 'BestEffort', 'qosClass');
      },
    },
    {
      name: 'a pod is invalid without containers',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec: {} };
        assert.refused(
          await server.client.post(core(namespace, 'pods'), body),
          { code: 422, reason: 'Invalid', message: 'Pod "one" is invalid: spec.containers: Required value' },
          'the pod',
        );
      },
    },
    {
      name: 'a name that is no DNS name is 422 with the rule in the text',
      async run(server, assert) {
        const namespace = await server.namespace();
        const answer = await server.client.post(core(namespace, 'configmaps'), aConfigMap('Not_A_Name'));
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message:
              /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of/,
          },
          'the name',
        );
        assert.equal(answer.json.details.causes[0].reason, 'FieldValueInvalid', 'reason of the cause');
        assert.equal(answer.json.details.causes[0].field, 'metadata.name', 'field of the cause');
      },
    },
    {
      name: 'most of the spec of a pod cannot be changed',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(core(namespace, 'pods'), aPod('one'));
        const answer = await server.client.patch(`${core(namespace, 'pods')}/one`, 'merge', {
          spec: { restartPolicy: 'Never' },
        });
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message:
              /^Pod "one" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/,
          },
          'the patch',
        );
      },
    },
    {
      name: 'a namespace object gets a phase, a finalizer and its name as a label',
      async run(server, assert) {
        const name = await server.namespace();
        const { json } = await server.client.get(`/api/v1/namespaces/${name}`);
        assert.deepEqual(json.spec, { finalizers: ['kubernetes'] }, 'spec');
        assert.deepEqual(json.status, { phase: 'Active' }, 'status');
        assert.equal(json.metadata.labels['kubernetes.io/metadata.name'], name, 'label');
      },
    },
    {
      name: 'deletecollection deletes what the selector matches',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        for (const [name, kind] of [
          ['a', 'x'],
          ['b', 'x'],
          ['c', 'y'],
        ]) {
          await server.client.create(path, aConfigMap(name as string, {}, { labels: { kind } }));
        }
        const answer = await server.client.delete(`${path}?labelSelector=kind%3Dx`);
        assert.equal(answer.status, 200, 'HTTP status');
        assert.equal(answer.json.kind, 'ConfigMapList', 'kind of the answer');
        const { json } = await server.client.get(`${path}?labelSelector=kind`);
        assert.deepEqual(
          json.items.map((item: Json) => item.metadata.name),
          ['c'],
          'what is left',
        );
      },
    },
  ],
};

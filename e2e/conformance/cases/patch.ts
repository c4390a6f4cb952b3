// JSON patch, merge patch, and strategic merge where clients of nodes and pods use it.
import type { Area } from '../case.ts';
import { aConfigMap, aNode, aPod, apps, aWorkload, CONTAINER, core } from '../objects.ts';

export const patch: Area = {
  area: 'patch',
  cases: [
    {
      name: 'a JSON patch adds, replaces, removes, moves, copies and tests',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const labels = { 'slash/label': 'x' };
        await server.client.create(
          core(namespace, 'configmaps'),
          aConfigMap('one', { a: '1', b: '2', c: '3' }, { labels }),
        );
        const { status, json } = await server.client.patch(path, 'json', [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'add', path: '/data/new', value: 'n' },
          { op: 'replace', path: '/data/a', value: '11' },
          { op: 'remove', path: '/data/b' },
          { op: 'copy', from: '/data/a', path: '/data/copied' },
          { op: 'move', from: '/data/c', path: '/data/moved' },
          { op: 'replace', path: '/metadata/labels/slash~1label', value: 'y' },
        ]);
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(json.data, { a: '11', copied: '11', moved: '3', new: 'n' }, 'data');
        assert.equal(json.metadata.labels['slash/label'], 'y', 'a key with a slash');
      },
    },
    {
      name: 'a JSON patch whose test fails is 422 and changes nothing',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const answer = await server.client.patch(path, 'json', [
          { op: 'replace', path: '/data/a', value: '2' },
          { op: 'test', path: '/data/a', value: 'x' },
        ]);
        assert.refused(
          answer,
          { code: 422, reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
          'the patch',
        );
        assert.deepEqual((await server.client.get(path)).json.data, { a: '1' }, 'data');
      },
    },
    {
      name: 'a JSON patch that removes what is not there is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const answer = await server.client.patch(path, 'json', [{ op: 'remove', path: '/data/none' }]);
        assert.refused(answer, { code: 422, reason: 'Invalid' }, 'the patch');
      },
    },
    {
      name: 'a JSON patch that is no array is 400',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const answer = await server.client.patch(path, 'json', { op: 'remove', path: '/data/a' });
        assert.refused(answer, { code: 400, reason: 'BadRequest' }, 'the patch');
      },
    },
    {
      name: 'a JSON patch inserts into an array and appends with a dash',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const finalizers = ['example.com/b'];
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', {}, { finalizers }));
        const { json } = await server.client.patch(path, 'json', [
          { op: 'add', path: '/metadata/finalizers/0', value: 'example.com/a' },
          { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' },
        ]);
        assert.deepEqual(json.metadata.finalizers, ['example.com/a', 'example.com/b', 'example.com/c'], 'finalizers');
        const cleared = await server.client.patch(path, 'json', [{ op: 'remove', path: '/metadata/finalizers' }]);
        assert.equal(cleared.json.metadata.finalizers, undefined, 'removed');
      },
    },
    {
      name: 'a merge patch adds, replaces and removes with null, and replaces arrays whole',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const metadata = { labels: { x: '1', y: '2' }, finalizers: ['example.com/a', 'example.com/b'] };
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1', b: '2' }, metadata));
        const { status, json } = await server.client.patch(path, 'merge', {
          metadata: { labels: { x: null, z: '3' }, finalizers: ['example.com/b'] },
          data: { a: null, b: '22', c: '3' },
        });
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(json.data, { b: '22', c: '3' }, 'data');
        assert.deepEqual(json.metadata.labels, { y: '2', z: '3' }, 'labels');
        assert.deepEqual(json.metadata.finalizers, ['example.com/b'], 'finalizers');
      },
    },
    {
      name: 'a patch that changes nothing keeps the resourceVersion',
      async run(server, assert) {
        const namespace = await server.namespace();
        const created = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const answer = await server.client.patch(`${core(namespace, 'configmaps')}/one`, 'merge', { data: { a: '1' } });
        assert.equal(answer.status, 200, 'HTTP status');
        assert.equal(answer.json.metadata.resourceVersion, created.metadata.resourceVersion, 'resourceVersion');
      },
    },
    {
      name: 'a resourceVersion in a patch is a precondition',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const { metadata } = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }));
        const { resourceVersion } = metadata;
        const first = await server.client.patch(path, 'merge', { metadata: { resourceVersion }, data: { a: '2' } });
        assert.equal(first.status, 200, 'with the current one');
        const second = await server.client.patch(path, 'merge', { metadata: { resourceVersion }, data: { a: '3' } });
        assert.refused(
          second,
          {
            code: 409,
            reason: 'Conflict',
            message:
              'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
          },
          'with an old one',
        );
      },
    },
    {
      name: 'a patch cannot change the name, the uid or the namespace',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        const name = await server.client.patch(path, 'merge', { metadata: { name: 'two' } });
        assert.refused(
          name,
          {
            code: 400,
            reason: 'BadRequest',
            message: 'the name of the object (two) does not match the name on the URL (one)',
          },
          'the name',
        );
        const uid = await server.client.patch(path, 'merge', {
          metadata: { uid: '11111111-2222-3333-4444-555555555555' },
        });
        assert.refused(
          uid,
          {
            code: 422,
            reason: 'Invalid',
            message:
              'ConfigMap "one" is invalid: metadata.uid: Invalid value: "11111111-2222-3333-4444-555555555555": field is immutable',
          },
          'the uid',
        );
        const space = await server.client.patch(path, 'merge', { metadata: { namespace: 'other' } });
        assert.refused(
          space,
          {
            code: 400,
            reason: 'BadRequest',
            message: 'the namespace of the provided object does not match the namespace sent on the request',
          },
          'the namespace',
        );
      },
    },
    {
      name: 'a patch of a missing object is 404',
      async run(server, assert) {
        const namespace = await server.namespace();
        for (const type of ['json', 'merge', 'strategic'] as const) {
          const body = type === 'json' ? [] : {};
          const answer = await server.client.patch(`${core(namespace, 'configmaps')}/none`, type, body);
          assert.refused(answer, { code: 404, reason: 'NotFound', message: 'configmaps "none" not found' }, type);
        }
      },
    },
    {
      name: 'a strategic merge patch cordons a node and lets it go',
      async run(server, assert) {
        const name = server.unique('node');
        const path = `/api/v1/nodes/${name}`;
        await server.client.create('/api/v1/nodes', aNode(name));
        const cordoned = await server.client.patch(path, 'strategic', { spec: { unschedulable: true } });
        assert.equal(cordoned.status, 200, 'HTTP status');
        assert.equal(cordoned.json.spec.unschedulable, true, 'cordoned');
        const free = await server.client.patch(path, 'strategic', { spec: { unschedulable: null } });
        assert.equal(free.json.spec.unschedulable, undefined, 'free again');
        await server.client.delete(path);
      },
    },
    {
      name: 'a strategic merge patch merges conditions by type and containers by name',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        const second = { ...CONTAINER, name: 'second' };
        await server.client.create(core(namespace, 'pods'), aPod('one', { containers: [CONTAINER, second] }));
        const condition = (type: string, status: string) => ({ type, status });
        await server.client.patch(`${path}/status`, 'strategic', {
          status: { conditions: [condition('Ready', 'False'), condition('PodScheduled', 'True')] },
        });
        const { status, json } = await server.client.patch(`${path}/status`, 'strategic', {
          status: { conditions: [condition('Ready', 'True')] },
        });
        assert.equal(status, 200, 'HTTP status');
        const states = json.status.conditions.map(
          (found: { type: string; status: string }) => `${found.type}=${found.status}`,
        );
        assert.deepEqual(states.toSorted(), ['PodScheduled=True', 'Ready=True'], 'conditions');
        const image = await server.client.patch(path, 'strategic', {
          spec: { containers: [{ name: 'second', image: 'registry.k8s.io/pause:3.9' }] },
        });
        assert.deepEqual(
          image.json.spec.containers.map((found: { name: string; image: string }) => `${found.name} ${found.image}`),
          ['main registry.k8s.io/pause:3.10', 'second registry.k8s.io/pause:3.9'],
          'containers',
        );
      },
    },
    {
      name: 'a strategic merge patch restarts a Deployment as kubectl does',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(apps(namespace, 'deployments'), aWorkload('Deployment', 'web', 1));
        const annotations = { 'kubectl.kubernetes.io/restartedAt': '2024-01-01T00:00:00Z' };
        const { json } = await server.client.patch(`${apps(namespace, 'deployments')}/web`, 'strategic', {
          spec: { template: { metadata: { annotations } } },
        });
        assert.deepEqual(json.spec?.template.metadata.annotations, annotations, 'annotations of the template');
        assert.equal(json.spec?.template.spec.containers.length, 1, 'containers stay');
        assert.equal(json.metadata.generation, 2, 'generation');
      },
    },
    {
      name: 'a patch of a type that is not known is 415',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        const answer = await server.client.request('PATCH', path, {
          body: {},
          headers: { 'Content-Type': 'application/json' },
        });
        assert.refused(answer, { code: 415, reason: 'UnsupportedMediaType', details: {} }, 'the patch');
      },
    },
  ],
};

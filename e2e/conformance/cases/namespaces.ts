// Namespaces: what may be created where, and how one ends with all it holds.
import type { Area } from '../case.ts';
import { aConfigMap, aPod, core } from '../objects.ts';

const isNamed =
  (wanted: string, kind: string) =>
  ({ type, object }: { type: string; object: { metadata: { name: string } } }) =>
    type === kind && object.metadata.name === wanted;

export const namespaces: Area = {
  area: 'namespaces',
  cases: [
    {
      name: 'creating in a namespace that is not there is 404 of the namespace',
      async run(server, assert) {
        const answer = await server.client.post(core('no-such-namespace', 'configmaps'), aConfigMap('one'));
        assert.refused(
          answer,
          {
            code: 404,
            reason: 'NotFound',
            message: 'namespaces "no-such-namespace" not found',
            details: { name: 'no-such-namespace', kind: 'namespaces' },
          },
          'the creation',
        );
      },
    },
    {
      name: 'reading in a namespace that is not there is an empty list and a 404 of the object',
      async run(server, assert) {
        const list = await server.client.get(core('no-such-namespace', 'configmaps'));
        assert.equal(list.status, 200, 'HTTP status of the list');
        assert.deepEqual(list.json.items, [], 'items');
        const one = await server.client.get(`${core('no-such-namespace', 'configmaps')}/one`);
        assert.refused(one, { code: 404, message: 'configmaps "one" not found' }, 'the object');
      },
    },
    {
      name: 'a deleted namespace is Terminating, empties itself and is gone',
      slow: true,
      async run(server, assert) {
        const name = await server.namespace();
        await server.client.create(core(name, 'configmaps'), aConfigMap('one'));
        await server.client.create(core(name, 'pods'), aPod('one'));
        const { json: found } = await server.client.get(`/api/v1/namespaces/${name}`);
        const { resourceVersion } = found.metadata;
        const filter = `fieldSelector=metadata.name%3D${name}`;
        const watch = await server.client.watch(`/api/v1/namespaces?${filter}&resourceVersion=${resourceVersion}`);
        const { status, json } = await server.client.delete(`/api/v1/namespaces/${name}`);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.kind, 'Namespace', 'the answer is the namespace');
        assert.equal(json.status.phase, 'Terminating', 'phase');
        assert.ok(json.metadata.deletionTimestamp, 'deletionTimestamp');
        assert.deepEqual(json.spec.finalizers, ['kubernetes'], 'finalizers');
        await watch.until(isNamed(name, 'DELETED'));
        watch.close();
        assert.equal((await server.client.get(`/api/v1/namespaces/${name}`)).status, 404, 'it is gone');
        assert.equal((await server.client.get(`${core(name, 'configmaps')}/one`)).status, 404, 'with what it held');
        assert.deepEqual((await server.client.get(core(name, 'pods'))).json.items, [], 'and its pods');
      },
    },
    {
      name: 'in a Terminating namespace nothing can be created, and it waits for finalizers',
      slow: true,
      async run(server, assert) {
        const name = await server.namespace();
        const finalizers = ['example.com/hold'];
        const held = await server.client.create(core(name, 'configmaps'), aConfigMap('held', {}, { finalizers }));
        const { json: found } = await server.client.get(`/api/v1/namespaces/${name}`);
        const filter = `fieldSelector=metadata.name%3D${name}`;
        const watch = await server.client.watch(
          `/api/v1/namespaces?${filter}&resourceVersion=${found.metadata.resourceVersion}`,
        );
        const inside = await server.client.watch(
          `${core(name, 'configmaps')}?fieldSelector=metadata.name%3Dheld&resourceVersion=${held.metadata.resourceVersion}`,
        );
        await server.client.delete(`/api/v1/namespaces/${name}`);
        const [marked] = await inside.take(1);
        assert.ok(marked?.object.metadata.deletionTimestamp, 'what it holds is marked');
        const refused = await server.client.post(core(name, 'configmaps'), aConfigMap('late'));
        assert.refused(
          refused,
          {
            code: 403,
            reason: 'Forbidden',
            message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
          },
          'a late creation',
        );
        const cause = {
          reason: 'NamespaceTerminating',
          message: `namespace ${name} is being terminated`,
          field: 'metadata.namespace',
        };
        assert.deepEqual(refused.json.details, { name: 'late', kind: 'configmaps', causes: [cause] }, 'its details');
        await server.client.patch(`${core(name, 'configmaps')}/held`, 'merge', { metadata: { finalizers: null } });
        await watch.until(isNamed(name, 'DELETED'));
        watch.close();
        inside.close();
        assert.equal((await server.client.get(`/api/v1/namespaces/${name}`)).status, 404, 'it is gone');
      },
    },
    {
      name: 'default, kube-system and kube-public are there',
      async run(server, assert) {
        for (const name of ['default', 'kube-system', 'kube-public']) {
          const { status, json } = await server.client.get(`/api/v1/namespaces/${name}`);
          assert.equal(`${status} ${json.status.phase}`, '200 Active', name);
        }
      },
    },
    {
      name: 'default cannot be deleted',
      async run(server, assert) {
        assert.refused(
          await server.client.delete('/api/v1/namespaces/default'),
          {
            code: 403,
            reason: 'Forbidden',
            message: 'namespaces "default" is forbidden: this namespace may not be deleted',
          },
          'the deletion',
        );
      },
    },
    {
      name: 'a namespace with an uppercase name is 422',
      async run(server, assert) {
        assert.refused(
          await server.client.post('/api/v1/namespaces', { metadata: { name: 'Upper' } }),
          {
            code: 422,
            reason: 'Invalid',
            message:
              /^Namespace "Upper" is invalid: .*metadata\.name: Invalid value: "Upper": a lowercase RFC 1123 label must consist of/,
          },
          'the creation',
        );
      },
    },
  ],
};

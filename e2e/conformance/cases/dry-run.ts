// dryRun=All: answered as if, and nothing is kept.
import type { Area } from '../case.ts';
import { aConfigMap, aPod, core } from '../objects.ts';

export const dryRun: Area = {
  area: 'dry run',
  cases: [
    {
      name: 'a dry creation answers like a real one and stores nothing',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        const { status, json } = await server.client.post(`${path}?dryRun=All`, aConfigMap('one', { a: '1' }));
        assert.equal(status, 201, 'HTTP status');
        assert.ok(json.metadata.uid, 'a uid');
        assert.equal(json.metadata.resourceVersion, undefined, 'no resourceVersion');
        assert.equal((await server.client.get(`${path}/one`)).status, 404, 'nothing is stored');
        const versioned = aConfigMap('one', {}, { resourceVersion: '7' });
        const kept = await server.client.post(`${path}?dryRun=All`, versioned);
        assert.equal(kept.json.metadata?.resourceVersion, '7', 'a resourceVersion that should not be there stays');
      },
    },
    {
      name: 'a dry creation is refused as a real one is',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        await server.client.create(path, aConfigMap('one'));
        const again = await server.client.post(`${path}?dryRun=All`, aConfigMap('one'));
        assert.refused(
          again,
          { code: 409, reason: 'AlreadyExists', message: 'configmaps "one" already exists' },
          'again',
        );
        const invalid = await server.client.post(`${path}?dryRun=All`, aConfigMap('Not_A_Name'));
        assert.refused(invalid, { code: 422, reason: 'Invalid' }, 'an invalid name');
      },
    },
    {
      name: 'dry updates, patches and deletions leave the object and no event',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        const created = await server.client.create(path, aConfigMap('one', { a: '1' }));
        const stream = await server.client.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
        const put = await server.client.put(`${path}/one?dryRun=All`, { ...created, data: { a: '2' } });
        assert.equal(`${put.status} ${put.json.data?.a}`, '200 2', 'an update');
        const patch = await server.client.patch(`${path}/one?dryRun=All`, 'merge', { data: { a: '3' } });
        assert.equal(`${patch.status} ${patch.json.data?.a}`, '200 3', 'a patch');
        const deleted = await server.client.delete(`${path}/one?dryRun=All`);
        assert.equal(`${deleted.status} ${deleted.json.status}`, '200 Success', 'a deletion');
        const inBody = await server.client.delete(`${path}/one`, { dryRun: ['All'] });
        assert.equal(inBody.status, 200, 'a deletion that says so in its body');
        assert.deepEqual((await server.client.get(`${path}/one`)).json, created, 'the object stays');
        await server.client.create(path, aConfigMap('real'));
        assert.equal((await stream.take(1))[0]?.object.metadata.name, 'real', 'the first event is a real one');
        stream.close();
      },
    },
    {
      name: 'a dry eviction leaves the pod',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        await server.client.create(path, aPod('one'));
        const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'one' } };
        const answer = await server.client.post(`${path}/one/eviction?dryRun=All`, eviction);
        assert.equal(answer.status, 201, 'HTTP status');
        assert.equal((await server.client.get(`${path}/one`)).status, 200, 'it stays');
      },
    },
    {
      name: 'any other value of dryRun is refused',
      async run(server, assert) {
        const namespace = await server.namespace();
        const answer = await server.client.post(`${core(namespace, 'configmaps')}?dryRun=Some`, aConfigMap('one'));
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message:
              'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
          },
          'the creation',
        );
      },
    },
  ],
};

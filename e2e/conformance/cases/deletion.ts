// Deletion: what is answered, preconditions, finalizers, and the grace that pods are given.
import type { Area } from '../case.ts';
import { aConfigMap, aNode, aPod, apps, aWorkload, core } from '../objects.ts';

const ELSEWHERE = '11111111-2222-3333-4444-555555555555';

export const deletion: Area = {
  area: 'deletion',
  cases: [
    {
      name: 'deleting a ConfigMap answers with a Status of success and its uid',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const { metadata } = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        const { status, json } = await server.client.delete(path);
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(
          json,
          {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Success',
            details: { name: 'one', kind: 'configmaps', uid: metadata.uid },
          },
          'the answer',
        );
        assert.equal((await server.client.get(path)).status, 404, 'it is gone');
      },
    },
    {
      name: 'deleting a Deployment names the group in the answer',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${apps(namespace, 'deployments')}/web`;
        const { metadata } = await server.client.create(
          apps(namespace, 'deployments'),
          aWorkload('Deployment', 'web', 0),
        );
        const { json } = await server.client.delete(path);
        assert.deepEqual(
          json.details,
          { name: 'web', group: 'apps', kind: 'deployments', uid: metadata.uid },
          'details',
        );
      },
    },
    {
      name: 'deleting what is not there is 404',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.delete(`${core(namespace, 'pods')}/none`),
          { code: 404, reason: 'NotFound', message: 'pods "none" not found', details: { name: 'none', kind: 'pods' } },
          'the deletion',
        );
      },
    },
    {
      name: 'a uid as precondition protects the object that has another',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const { metadata } = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        assert.refused(
          await server.client.delete(path, { preconditions: { uid: ELSEWHERE } }),
          {
            code: 409,
            reason: 'Conflict',
            message: `Operation cannot be fulfilled on ConfigMap "one": the UID in the precondition (${ELSEWHERE}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
            details: { name: 'one', kind: 'ConfigMap' },
          },
          'another uid',
        );
        assert.equal(
          (await server.client.delete(path, { preconditions: { uid: metadata.uid } })).status,
          200,
          'its uid',
        );
      },
    },
    {
      name: 'a resourceVersion as precondition protects the object that has changed',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const { metadata } = await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        const { resourceVersion } = metadata;
        const changed = await server.client.patch(path, 'merge', { data: { a: '1' } });
        const now = changed.json.metadata.resourceVersion;
        assert.refused(
          await server.client.delete(path, { preconditions: { resourceVersion } }),
          {
            code: 409,
            reason: 'Conflict',
            message: `Operation cannot be fulfilled on ConfigMap "one": the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${now}). The object might have been modified`,
          },
          'an old resourceVersion',
        );
        assert.equal(
          (await server.client.delete(path, { preconditions: { resourceVersion: now } })).status,
          200,
          'its own',
        );
      },
    },
    {
      name: 'a finalizer keeps an object, marked, until it is removed',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const finalizers = ['example.com/hold'];
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1' }, { finalizers }));
        const deleted = await server.client.delete(path);
        assert.equal(deleted.status, 200, 'HTTP status');
        assert.equal(deleted.json.kind, 'ConfigMap', 'the answer is the object');
        assert.match(deleted.json.metadata.deletionTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'deletionTimestamp');
        assert.equal(deleted.json.metadata.deletionGracePeriodSeconds, 0, 'deletionGracePeriodSeconds');
        const again = await server.client.delete(path);
        assert.equal(again.status, 200, 'deleting it again');
        assert.equal(
          again.json.metadata.resourceVersion,
          deleted.json.metadata.resourceVersion,
          'a second deletion changes nothing',
        );
        const changed = await server.client.patch(path, 'merge', { data: { a: '2' } });
        assert.equal(changed.status, 200, 'it can still be changed');
        const added = await server.client.patch(path, 'merge', {
          metadata: { finalizers: ['example.com/hold', 'example.com/late'] },
        });
        assert.refused(
          added,
          {
            code: 422,
            reason: 'Invalid',
            message:
              'ConfigMap "one" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
          },
          'no finalizer can be added',
        );
        const released = await server.client.patch(path, 'merge', { metadata: { finalizers: null } });
        assert.equal(released.status, 200, 'the last finalizer is removed');
        assert.equal((await server.client.get(path)).status, 404, 'and the object with it');
      },
    },
    {
      name: 'deletionTimestamp can be neither set nor removed by a client',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const set = await server.client.create(
          core(namespace, 'configmaps'),
          aConfigMap('one', {}, { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['example.com/hold'] }),
        );
        assert.equal(set.metadata.deletionTimestamp, undefined, 'not at creation');
        await server.client.delete(path);
        const { json } = await server.client.patch(path, 'merge', { metadata: { deletionTimestamp: null } });
        assert.ok(json.metadata.deletionTimestamp, 'it stays');
        await server.client.patch(path, 'merge', { metadata: { finalizers: null } });
      },
    },
    {
      name: 'a pod on no node is gone at once',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        await server.client.create(core(namespace, 'pods'), aPod('one'));
        const { status, json } = await server.client.delete(path);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.kind, 'Pod', 'the answer is the pod');
        assert.equal((await server.client.get(path)).status, 404, 'it is gone');
      },
    },
    {
      name: 'a pod on a node is given its grace period and stays until its kubelet deletes it with grace 0',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        const created = await server.client.create(core(namespace, 'pods'), aPod('one', { nodeName: 'nowhere' }));
        const { status, json } = await server.client.delete(path);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.metadata.deletionGracePeriodSeconds, 30, 'grace');
        const wait = Date.parse(json.metadata.deletionTimestamp) - Date.parse(created.metadata.creationTimestamp);
        assert.ok(wait >= 30_000 && wait <= 50_000, 'deletionTimestamp lies the grace ahead');
        assert.equal(json.metadata.generation, 2, 'generation');
        assert.equal((await server.client.get(path)).status, 200, 'it is still there');
        const last = await server.client.delete(path, { gracePeriodSeconds: 0 });
        assert.equal(last.status, 200, 'HTTP status of the second deletion');
        assert.equal((await server.client.get(path)).status, 404, 'it is gone');
      },
    },
    {
      name: 'the grace of a pod can be chosen, and shortened but not lengthened',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        await server.client.create(
          core(namespace, 'pods'),
          aPod('one', { nodeName: 'nowhere', terminationGracePeriodSeconds: 60 }),
        );
        const first = await server.client.delete(path);
        assert.equal(first.json.metadata.deletionGracePeriodSeconds, 60, 'its own');
        const longer = await server.client.delete(`${path}?gracePeriodSeconds=100`);
        assert.equal(longer.json.metadata.deletionGracePeriodSeconds, 60, 'not longer');
        const shorter = await server.client.delete(`${path}?gracePeriodSeconds=5`);
        assert.equal(shorter.json.metadata.deletionGracePeriodSeconds, 5, 'shorter');
        assert.ok(
          Date.parse(shorter.json.metadata.deletionTimestamp) < Date.parse(first.json.metadata.deletionTimestamp),
          'deletionTimestamp moves',
        );
        await server.client.delete(path, { gracePeriodSeconds: 0 });
      },
    },
    {
      name: 'a pod that has ended is gone at once',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        await server.client.create(core(namespace, 'pods'), aPod('one', { nodeName: 'nowhere' }));
        await server.client.patch(`${path}/status`, 'merge', { status: { phase: 'Succeeded' } });
        await server.client.delete(path);
        assert.equal((await server.client.get(path)).status, 404, 'it is gone');
      },
    },
    {
      name: 'grace and finalizers together: grace 0 leaves the pod to its finalizer',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        const finalizers = ['example.com/hold'];
        await server.client.create(core(namespace, 'pods'), aPod('one', { nodeName: 'nowhere' }, { finalizers }));
        const { json } = await server.client.delete(path, { gracePeriodSeconds: 0 });
        assert.equal(json.metadata.deletionGracePeriodSeconds, 0, 'grace');
        assert.equal((await server.client.get(path)).status, 200, 'it is still there');
        await server.client.patch(path, 'merge', { metadata: { finalizers: null } });
        assert.equal((await server.client.get(path)).status, 404, 'it is gone');
      },
    },
    {
      name: 'a negative grace period is taken as 1',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'pods')}/one`;
        await server.client.create(core(namespace, 'pods'), aPod('one', { nodeName: 'nowhere' }));
        const { status, json } = await server.client.delete(path, { gracePeriodSeconds: -5 });
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.metadata?.deletionGracePeriodSeconds, 1, 'grace');
        await server.client.delete(path, { gracePeriodSeconds: 0 });
      },
    },
    {
      name: 'a node is deleted at once, whatever grace is asked for',
      async run(server, assert) {
        const name = server.unique('node');
        await server.client.create('/api/v1/nodes', aNode(name));
        const { status, json } = await server.client.delete(`/api/v1/nodes/${name}`, { gracePeriodSeconds: 30 });
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.status, 'Success', 'a Status');
        assert.equal((await server.client.get(`/api/v1/nodes/${name}`)).status, 404, 'it is gone');
      },
    },
    {
      name: 'an unknown propagation policy is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one'));
        assert.refused(
          await server.client.delete(path, { propagationPolicy: 'Sideways' }),
          { code: 422, reason: 'Invalid', message: /propagationPolicy: Unsupported value: "Sideways"/ },
          'the deletion',
        );
        assert.equal((await server.client.get(path)).status, 200, 'it stays');
      },
    },
  ],
};

// What happens to the owned when the owner goes: background, foreground, orphan. On the real server a controller does
// it some time later, so everything is awaited by a watch.
import type { Area, Stage } from '../case.ts';
import { aConfigMap, core, ownedBy } from '../objects.ts';
import type { Json } from '../raw-client.ts';
import type { WatchStream } from '../watch-stream.ts';

async function family(server: Stage, reference: Record<string, unknown> = {}) {
  const namespace = await server.namespace();
  const path = core(namespace, 'configmaps');
  const owner = await server.client.create(path, aConfigMap('owner'));
  const owned = await server.client.create(path, aConfigMap('owned', {}, ownedBy(owner, reference)));
  const watch = await server.client.watch(`${path}?resourceVersion=${owned.metadata.resourceVersion}`);
  return { namespace, path, owner, owned, watch };
}

const deleted = (watch: WatchStream, name: string) =>
  watch.until(({ type, object }) => type === 'DELETED' && object.metadata.name === name);

export const garbageCollection: Area = {
  area: 'garbage collection',
  cases: [
    {
      name: 'in the background the owned go after their owner',
      async run(server, assert) {
        const { path, watch } = await family(server);
        const answer = await server.client.delete(`${path}/owner`, { propagationPolicy: 'Background' });
        assert.equal(answer.json.status, 'Success', 'the owner is gone at once');
        const events = await deleted(watch, 'owned');
        const gone = events.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.name);
        assert.deepEqual(gone, ['owner', 'owned'], 'order');
        watch.close();
      },
    },
    {
      name: 'without a policy a ConfigMap goes in the background too',
      async run(server, assert) {
        const { path, watch } = await family(server);
        await server.client.delete(`${path}/owner`);
        await deleted(watch, 'owned');
        assert.equal((await server.client.get(`${path}/owned`)).status, 404, 'the owned is gone');
        watch.close();
      },
    },
    {
      name: 'in the foreground the owner waits, marked, for those who block its deletion',
      async run(server, assert) {
        const { path, watch } = await family(server, { blockOwnerDeletion: true });
        const answer = await server.client.delete(`${path}/owner`, { propagationPolicy: 'Foreground' });
        assert.equal(answer.json.kind, 'ConfigMap', 'the answer is the owner');
        assert.deepEqual(answer.json.metadata.finalizers, ['foregroundDeletion'], 'its finalizer');
        assert.ok(answer.json.metadata.deletionTimestamp, 'its deletionTimestamp');
        const events = await deleted(watch, 'owner');
        const gone = events.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.name);
        assert.deepEqual(gone, ['owned', 'owner'], 'order');
        watch.close();
      },
    },
    {
      name: 'orphaned objects lose the reference and stay',
      async run(server, assert) {
        const { path, owned, watch } = await family(server);
        const answer = await server.client.delete(`${path}/owner`, { propagationPolicy: 'Orphan' });
        assert.equal(answer.status, 200, 'HTTP status');
        await deleted(watch, 'owner');
        const { json } = await server.client.get(`${path}/owned`);
        assert.equal(json.metadata.uid, owned.metadata.uid, 'the owned is still there');
        assert.equal(json.metadata.ownerReferences, undefined, 'without a reference');
        watch.close();
      },
    },
    {
      name: 'an object with two owners goes with the last one',
      async run(server, assert) {
        const { path, owner, watch } = await family(server);
        const second = await server.client.create(path, aConfigMap('second'));
        const ownerReferences = [...ownedBy(owner).ownerReferences, ...ownedBy(second).ownerReferences];
        await server.client.patch(`${path}/owned`, 'merge', { metadata: { ownerReferences } });
        await server.client.delete(`${path}/owner`);
        await watch.until(
          ({ type, object }) =>
            type === 'MODIFIED' && object.metadata.name === 'owned' && object.metadata.ownerReferences.length === 1,
        );
        const { json } = await server.client.get(`${path}/owned`);
        assert.deepEqual(
          json.metadata.ownerReferences?.map(({ name }: Json) => name),
          ['second'],
          'the other owner is left',
        );
        await server.client.delete(`${path}/second`);
        await deleted(watch, 'owned');
        assert.equal((await server.client.get(`${path}/owned`)).status, 404, 'gone with the last one');
        watch.close();
      },
    },
    {
      name: 'grandchildren go too',
      async run(server, assert) {
        const { path, owned, watch } = await family(server);
        await server.client.create(path, aConfigMap('grandchild', {}, ownedBy(owned)));
        await server.client.delete(`${path}/owner`);
        const events = await deleted(watch, 'grandchild');
        const gone = events.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.name);
        assert.deepEqual(gone, ['owner', 'owned', 'grandchild'], 'order');
        watch.close();
      },
    },
    {
      name: 'an object whose owner never was is collected',
      async run(server, assert) {
        const { path, owner, watch } = await family(server);
        const absent = { ...owner, metadata: { name: 'absent', uid: '11111111-2222-3333-4444-555555555555' } };
        await server.client.create(path, aConfigMap('stray', {}, ownedBy(absent)));
        await deleted(watch, 'stray');
        assert.equal((await server.client.get(`${path}/stray`)).status, 404, 'the stray is gone');
        assert.equal((await server.client.get(`${path}/owned`)).status, 200, 'the others stay');
        watch.close();
      },
    },
    {
      name: 'an owner reference without a uid is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '' }];
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), aConfigMap('one', {}, { ownerReferences })),
          {
            code: 422,
            reason: 'Invalid',
            message: 'ConfigMap "one" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
          },
          'the object',
        );
      },
    },
  ],
};

// Two kinds that every controller writes: events and leases.
import type { Area } from '../case.ts';
import { core } from '../objects.ts';
import type { Json } from '../raw-client.ts';

const LEASES = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

const anEvent = (namespace: string, name: string, about: string, more: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name: about, uid: `uid-of-${about}` },
  reason: 'Scheduled',
  message: 'put somewhere',
  type: 'Normal',
  source: { component: 'conformance' },
  firstTimestamp: '2024-01-01T00:00:00Z',
  lastTimestamp: '2024-01-01T00:00:00Z',
  count: 1,
  ...more,
});

const aLease = (name: string, spec: Json): Json => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec,
});

export const eventsAndLeases: Area = {
  area: 'events and leases',
  cases: [
    {
      name: 'events are stored, counted up by a patch and found by their object',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'events');
        const created = await server.client.create(path, anEvent(namespace, 'a.1', 'a'));
        assert.equal(created.count, 1, 'count');
        await server.client.create(path, anEvent(namespace, 'b.1', 'b', { type: 'Warning', reason: 'Failed' }));
        const { json } = await server.client.patch(`${path}/a.1`, 'strategic', {
          count: 2,
          lastTimestamp: '2024-01-01T00:01:00Z',
        });
        assert.equal(`${json.count} ${json.lastTimestamp}`, '2 2024-01-01T00:01:00Z', 'after a patch');
        for (const [fieldSelector, expected] of [
          ['involvedObject.name=a', ['a.1']],
          ['involvedObject.uid=uid-of-b', ['b.1']],
          ['involvedObject.kind=Pod', ['a.1', 'b.1']],
          ['type=Warning', ['b.1']],
          ['reason!=Failed', ['a.1']],
          ['source=conformance', ['a.1', 'b.1']],
          [`involvedObject.namespace=${namespace},involvedObject.name=b`, ['b.1']],
        ] as const) {
          const query = new URLSearchParams({ fieldSelector });
          const list = (await server.client.get(`${path}?${query}`)).json;
          assert.deepEqual(
            list.items?.map((item: Json) => item.metadata.name),
            expected,
            `"${fieldSelector}"`,
          );
        }
      },
    },
    {
      name: 'an event about an object of another namespace is refused',
      async run(server, assert) {
        const namespace = await server.namespace();
        const answer = await server.client.post(core(namespace, 'events'), anEvent('elsewhere', 'a.1', 'a'));
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message:
              'Event "a.1" is invalid: involvedObject.namespace: Invalid value: "elsewhere": does not match event.namespace',
          },
          'the event',
        );
      },
    },
    {
      name: 'a lease is taken with a compare and swap',
      async run(server, assert) {
        const namespace = await server.namespace();
        const spec = {
          holderIdentity: 'first',
          leaseDurationSeconds: 15,
          acquireTime: '2024-01-01T00:00:00.000000Z',
          renewTime: '2024-01-01T00:00:00.123456Z',
          leaseTransitions: 0,
        };
        const created = await server.client.create(LEASES(namespace), aLease('one', spec));
        assert.deepEqual(created.spec, spec, 'microseconds are kept');
        const taken = await server.client.put(`${LEASES(namespace)}/one`, {
          ...created,
          spec: { ...spec, holderIdentity: 'second', leaseTransitions: 1 },
        });
        assert.equal(`${taken.status} ${taken.json.spec?.holderIdentity}`, '200 second', 'taken');
        const late = await server.client.put(`${LEASES(namespace)}/one`, {
          ...created,
          spec: { ...spec, holderIdentity: 'third' },
        });
        assert.refused(
          late,
          {
            code: 409,
            reason: 'Conflict',
            message:
              'Operation cannot be fulfilled on leases.coordination.k8s.io "one": the object has been modified; please apply your changes to the latest version and try again',
            details: { name: 'one', group: 'coordination.k8s.io', kind: 'leases' },
          },
          'too late',
        );
      },
    },
    {
      name: 'of many who create one lease at once one wins',
      async run(server, assert) {
        const namespace = await server.namespace();
        const racers = Array.from({ length: 8 }, (_, index) => `racer-${index}`);
        const answers = await Promise.all(
          racers.map((holderIdentity) => server.client.post(LEASES(namespace), aLease('race', { holderIdentity }))),
        );
        const created = answers.filter(({ status }) => status === 201);
        assert.equal(created.length, 1, 'one creation');
        assert.equal(answers.filter(({ status }) => status === 409).length, 7, 'seven refusals');
        const { json } = await server.client.get(`${LEASES(namespace)}/race`);
        assert.equal(json.spec.holderIdentity, created[0]?.json.spec.holderIdentity, 'the winner holds it');
        const moves = await Promise.all(
          racers.map((holderIdentity) =>
            server.client.put(`${LEASES(namespace)}/race`, {
              ...json,
              spec: { holderIdentity: `${holderIdentity}-again` },
            }),
          ),
        );
        assert.equal(moves.filter(({ status }) => status === 200).length, 1, 'one update');
        assert.equal(moves.filter(({ status }) => status === 409).length, 7, 'seven conflicts');
      },
    },
    {
      name: 'a lease of no time is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.post(LEASES(namespace), aLease('one', { leaseDurationSeconds: 0 })),
          {
            code: 422,
            reason: 'Invalid',
            message:
              'Lease.coordination.k8s.io "one" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
          },
          'the lease',
        );
      },
    },
  ],
};

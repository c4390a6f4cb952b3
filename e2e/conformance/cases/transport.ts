// What lies around the API itself: protocols, headers, identities, kinds beyond those of workloads.
import { connect } from 'node:tls';
import { type Area, LIMITED_USER } from '../case.ts';

export const transport: Area = {
  area: 'transport and further kinds',
  cases: [
    {
      name: 'HTTP/2 is offered',
      async run({ address }, assert) {
        const { hostname, port } = new URL(address.url);
        const chosen = await new Promise((resolve, reject) => {
          const socket = connect({
            host: hostname,
            port: Number(port),
            ca: address.ca,
            ALPNProtocols: ['h2', 'http/1.1'],
          });
          socket.on('secureConnect', () => {
            resolve(socket.alpnProtocol);
            socket.destroy();
          });
          socket.on('error', reject);
        });
        assert.equal(chosen, 'h2', 'the protocol that the server chooses');
      },
    },
    {
      name: 'HTTP/1.1 is enough, and one connection serves many requests',
      async run({ client }, assert) {
        const first = await client.get('/version');
        assert.equal(first.status, 200, 'HTTP status');
        assert.notEqual(first.headers['connection'], 'close', 'the connection stays');
      },
    },
    {
      name: 'every answer has an Audit-Id and is not to be cached',
      async run({ client }, assert) {
        const { headers } = await client.get('/api/v1/namespaces/default');
        assert.match(headers['audit-id'], /^[0-9a-f-]{36}$/, 'Audit-Id');
        assert.equal(headers['cache-control'], 'no-cache, private', 'Cache-Control');
      },
    },
    {
      name: 'an administrator may speak as somebody else',
      async run({ client }, assert) {
        assert.refused(
          await client.get('/api/v1/nodes', { 'Impersonate-User': LIMITED_USER }),
          {
            code: 403,
            message: `nodes is forbidden: User "${LIMITED_USER}" cannot list resource "nodes" in API group "" at the cluster scope`,
          },
          'the list',
        );
      },
    },
    {
      name: 'secrets, endpoints, volumes and policies are there',
      async run({ client }, assert) {
        for (const path of [
          '/api/v1/secrets',
          '/api/v1/endpoints',
          '/api/v1/persistentvolumes',
          '/api/v1/serviceaccounts',
          '/apis/networking.k8s.io/v1/networkpolicies',
          '/apis/rbac.authorization.k8s.io/v1/roles',
          '/apis/discovery.k8s.io/v1/endpointslices',
        ]) {
          assert.equal((await client.get(path)).status, 200, path);
        }
      },
    },
    {
      name: 'the events of events.k8s.io are those of the core group',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(`/api/v1/namespaces/${namespace}/events`, {
          metadata: { name: 'a.1' },
          involvedObject: { kind: 'Pod', namespace, name: 'a' },
          reason: 'Tested',
        });
        const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
        const { status, json } = await server.client.get(`${path}/a.1`);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(
          `${json?.apiVersion} ${json?.regarding?.name} ${json?.reason}`,
          'events.k8s.io/v1 a Tested',
          'read',
        );
        const created = await server.client.post(path, {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: 'b.1' },
          eventTime: '2024-01-01T00:00:00.123456Z',
          reportingController: 'example.com/tester',
          reportingInstance: 'tester-1',
          action: 'Testing',
          reason: 'Tested',
          regarding: { kind: 'Pod', namespace, name: 'b' },
          note: 'it was tested',
          type: 'Normal',
        });
        assert.equal(`${created.status} ${created.json?.note}`, '201 it was tested', 'written');
        const series = { count: 2, lastObservedTime: '2024-01-01T00:01:00.000000Z' };
        const patched = await server.client.patch(`${path}/b.1`, 'merge', { series });
        assert.deepEqual(patched.json?.series, series, 'a series');
        const core = (await server.client.get(`/api/v1/namespaces/${namespace}/events/b.1`)).json;
        assert.equal(`${core.involvedObject?.name} ${core.message}`, 'b it was tested', 'seen in the core group');
        assert.equal(core.reportingComponent, 'example.com/tester', 'who reported it');
        const stream = await server.client.watch(path);
        const names = (await stream.take(2)).map(({ object }) => object.regarding?.name);
        stream.close();
        assert.deepEqual(names.toSorted(), ['a', 'b'], 'watched');
      },
    },
  ],
};

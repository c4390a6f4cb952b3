// How large an object, a ConfigMap and a request may be, and what a refusal says.
import type { Area } from '../case.ts';
import { aConfigMap, aPod, core } from '../objects.ts';

const MIB = 1024 * 1024;

export const sizes: Area = {
  area: 'size limits',
  cases: [
    {
      name: 'a ConfigMap of exactly 1 MiB is accepted, one byte more is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        const fits = await server.client.post(path, aConfigMap('fits', { v: 'x'.repeat(MIB) }));
        assert.equal(fits.status, 201, 'HTTP status of what fits');
        const larger = await server.client.post(path, aConfigMap('larger', { v: 'x'.repeat(MIB + 1) }));
        assert.refused(
          larger,
          {
            code: 422,
            reason: 'Invalid',
            message: 'ConfigMap "larger" is invalid: []: Too long: may not be more than 1048576 bytes',
          },
          'what does not',
        );
        assert.deepEqual(
          larger.json.details,
          {
            name: 'larger',
            kind: 'ConfigMap',
            causes: [
              { reason: 'FieldValueTooLong', message: 'Too long: may not be more than 1048576 bytes', field: '[]' },
            ],
          },
          'details',
        );
      },
    },
    {
      name: 'annotations of more than 256 KiB are 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const annotations = { note: 'x'.repeat(256 * 1024) };
        const answer = await server.client.post(core(namespace, 'configmaps'), aConfigMap('one', {}, { annotations }));
        assert.refused(
          answer,
          {
            code: 422,
            reason: 'Invalid',
            message: 'ConfigMap "one" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
          },
          'the object',
        );
      },
    },
    {
      name: 'an object of more than 1.5 MiB does not fit into the store',
      async run(server, assert) {
        const namespace = await server.namespace();
        const value = 'x'.repeat(1.6 * MIB);
        const container = { name: 'main', image: 'registry.k8s.io/pause:3.10', env: [{ name: 'LARGE', value }] };
        const answer = await server.client.post(core(namespace, 'pods'), aPod('one', { containers: [container] }));
        assert.refused(answer, { code: 500, message: 'etcdserver: request is too large' }, 'the object');
      },
    },
    {
      name: 'a request of more than 3 MiB is 413',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = aConfigMap('one', { v: 'x'.repeat(3 * MIB) });
        const answer = await server.client.post(core(namespace, 'configmaps'), body);
        assert.refused(
          answer,
          { code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' },
          'the request',
        );
      },
    },
  ],
};

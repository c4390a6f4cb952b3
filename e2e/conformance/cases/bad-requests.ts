// What is refused before it reaches an object: paths, methods, media types, bodies.
import type { Area } from '../case.ts';
import { aConfigMap, core } from '../objects.ts';

export const badRequests: Area = {
  area: 'bad requests',
  cases: [
    {
      name: 'an unknown resource of a known version is 404 with a Status',
      async run({ client }, assert) {
        for (const path of ['/api/v1/things', '/apis/apps/v1/namespaces/default/things/one']) {
          assert.refused(
            await client.get(path),
            { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} },
            path,
          );
        }
      },
    },
    {
      name: 'a method that a path does not have is 405',
      async run({ client }, assert) {
        for (const [method, path] of [
          ['PUT', '/api/v1/pods'],
          ['POST', '/api/v1/configmaps'],
          ['POST', '/api/v1/namespaces/default/pods/one'],
          ['PUT', '/api/v1/namespaces/default/pods'],
        ] as const) {
          assert.refused(
            await client.request(method, path, { body: {} }),
            {
              code: 405,
              reason: 'MethodNotAllowed',
              message: 'the server does not allow this method on the requested resource',
              details: {},
            },
            `${method} ${path}`,
          );
        }
      },
    },
    {
      name: 'a body that is no JSON is 400',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), '{"a":'),
          {
            code: 400,
            reason: 'BadRequest',
            message:
              /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: /,
          },
          'the body',
        );
      },
    },
    {
      name: 'a body of another kind is 400',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), { ...aConfigMap('one'), kind: 'Pod' }),
          { code: 400, reason: 'BadRequest', message: /^Pod in version "v1" cannot be handled as a ConfigMap: / },
          'a known kind',
        );
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), { ...aConfigMap('one'), kind: 'Thing' }),
          {
            code: 400,
            reason: 'BadRequest',
            message:
              /^Thing in version "v1" cannot be handled as a ConfigMap: no kind "Thing" is registered for version "v1"/,
          },
          'an unknown kind',
        );
      },
    },
    {
      name: 'a body without kind and apiVersion is taken as the kind of the path',
      async run(server, assert) {
        const namespace = await server.namespace();
        const { status, json } = await server.client.post(core(namespace, 'configmaps'), { metadata: { name: 'one' } });
        assert.equal(status, 201, 'HTTP status');
        assert.equal(`${json.apiVersion} ${json.kind}`, 'v1 ConfigMap', 'kind');
      },
    },
    {
      name: 'a body without a name is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), { metadata: {} }),
          {
            code: 422,
            reason: 'Invalid',
            message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
            details: {
              kind: 'ConfigMap',
              causes: [
                {
                  reason: 'FieldValueRequired',
                  message: 'Required value: name or generateName is required',
                  field: 'metadata.name',
                },
              ],
            },
          },
          'the body',
        );
      },
    },
    {
      name: 'name and namespace of the body must be those of the path',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), aConfigMap('one', {}, { namespace: 'other' })),
          {
            code: 400,
            reason: 'BadRequest',
            message: 'the namespace of the provided object does not match the namespace sent on the request',
          },
          'another namespace',
        );
        assert.refused(
          await server.client.put(`${core(namespace, 'configmaps')}/one`, aConfigMap('two')),
          {
            code: 400,
            reason: 'BadRequest',
            message: 'the name of the object (two) does not match the name on the URL (one)',
          },
          'another name',
        );
        assert.refused(
          await server.client.put(`${core(namespace, 'configmaps')}/one`, { metadata: {} }),
          {
            code: 400,
            reason: 'BadRequest',
            message: 'the name of the object (one based on URL) was undeterminable: name must be provided',
          },
          'no name',
        );
      },
    },
    {
      name: 'a media type that the server cannot read is 415',
      async run(server, assert) {
        const namespace = await server.namespace();
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), 'x', { 'Content-Type': 'text/plain' }),
          {
            code: 415,
            reason: 'UnsupportedMediaType',
            message:
              /^the body of the request was in an unknown format - accepted media types include: application\/json/,
          },
          'the body',
        );
      },
    },
    {
      name: 'a media type that the server cannot write is 406',
      async run({ client }, assert) {
        const answer = await client.get('/api/v1/namespaces/default/configmaps', { Accept: 'application/xml' });
        assert.equal(answer.status, 406, 'HTTP status');
        assert.match(
          answer.json?.message,
          /^406: Not Acceptable\n\nAvailable representations: application\/json, /,
          'message',
        );
        assert.equal(answer.json?.reason, 'NotAcceptable', 'reason');
      },
    },
    {
      name: 'a field of a wrong type is 400',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 5 } };
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), body),
          { code: 400, reason: 'BadRequest', message: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: / },
          'a number for a name',
        );
      },
    },
    {
      name: 'a limit or resourceVersion that is no number is 400',
      async run({ client }, assert) {
        assert.refused(
          await client.get('/api/v1/namespaces/default/pods?limit=x'),
          { code: 400, reason: 'BadRequest', message: 'strconv.ParseInt: parsing "x": invalid syntax' },
          'limit',
        );
        assert.refused(
          await client.get('/api/v1/namespaces/default/pods?resourceVersion=abc'),
          {
            code: 400,
            reason: 'BadRequest',
            message: /^invalid resource version: resourceVersion: Invalid value: "abc"/,
          },
          'resourceVersion',
        );
      },
    },
    {
      name: 'an unknown field is dropped, and refused with fieldValidation=Strict',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = { ...aConfigMap('one'), nonsense: true };
        const strict = await server.client.post(`${core(namespace, 'configmaps')}?fieldValidation=Strict`, body);
        assert.refused(
          strict,
          {
            code: 400,
            reason: 'BadRequest',
            message: /strict decoding error: unknown field "nonsense"/,
          },
          'strict',
        );
        const warned = await server.client.post(`${core(namespace, 'configmaps')}?fieldValidation=Warn`, body);
        assert.equal(warned.status, 201, 'HTTP status');
        assert.equal(warned.json.nonsense, undefined, 'the field is gone');
        assert.match(warned.headers['warning'], /299 - "unknown field \\"nonsense\\""/, 'a warning');
      },
    },
  ],
};

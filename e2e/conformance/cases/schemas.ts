// What a real server does because it knows the schema of every kind: owned fields, apply, pruning, validation.
import type { Area } from '../case.ts';
import { aConfigMap, core } from '../objects.ts';
import type { Json } from '../raw-client.ts';
import { aDefinition, CRDS, define } from './custom-definition.ts';

const STRICT_SCHEMA = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: { size: { type: 'integer', minimum: 1 }, color: { type: 'string', default: 'red' } },
      },
    },
  },
};

export const schemas: Area = {
  area: 'schemas, apply, managedFields',
  cases: [
    {
      name: 'managedFields tell who wrote what',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}?fieldManager=tester`;
        const { metadata } = await server.client.create(path, aConfigMap('one', { a: '1' }));
        const [entry] = metadata.managedFields ?? [];
        assert.equal(`${entry?.manager} ${entry?.operation}`, 'tester Update', 'the manager');
        assert.deepEqual(entry?.fieldsV1, { 'f:data': { '.': {}, 'f:a': {} } }, 'its fields');
      },
    },
    {
      name: 'server-side apply creates, merges and meets conflicts',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/one`;
        const apply = (manager: string, data: Record<string, string>) =>
          server.client.patch(`${path}?fieldManager=${manager}`, 'apply', aConfigMap('one', data));
        const created = await apply('first', { a: '1' });
        assert.equal(created.status, 201, 'creation');
        const merged = await apply('second', { b: '2' });
        assert.deepEqual(merged.json?.data, { a: '1', b: '2' }, 'two managers');
        const conflict = await apply('second', { a: '9' });
        assert.equal(conflict.status, 409, 'a conflict');
      },
    },
    {
      name: 'custom objects are pruned, defaulted and validated by their schema',
      async run(server, assert) {
        const { group, remove } = await define(server, { version: { schema: STRICT_SCHEMA } });
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        const widget = (name: string, spec: Json) => ({
          apiVersion: `${group}/v1`,
          kind: 'Widget',
          metadata: { name },
          spec,
        });
        const created = await server.client.create(path, widget('one', { size: 1, other: true }));
        assert.deepEqual(created.spec, { size: 1, color: 'red' }, 'pruned and defaulted');
        assert.refused(
          await server.client.post(path, widget('two', { size: 0 })),
          {
            code: 422,
            reason: 'Invalid',
            message: `Widget.${group} "two" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1`,
          },
          'validated',
        );
        await remove();
      },
    },
    {
      name: 'a label value that is no label value is 422',
      async run(server, assert) {
        const namespace = await server.namespace();
        const body = aConfigMap('one', {}, { labels: { app: 'not a value' } });
        assert.refused(
          await server.client.post(core(namespace, 'configmaps'), body),
          {
            code: 422,
            reason: 'Invalid',
            message:
              /^ConfigMap "one" is invalid: metadata\.labels: Invalid value: "not a value": a valid label must be an empty string or consist of/,
          },
          'the object',
        );
      },
    },
    {
      name: 'the fields of a definition have types',
      async run(server, assert) {
        const definition = aDefinition(server);
        const body = { ...definition, spec: { ...definition.spec, preserveUnknownFields: 'no' } };
        const answer = await server.client.post(CRDS, body);
        assert.refused(
          answer,
          {
            code: 400,
            message:
              'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal string into Go struct field CustomResourceDefinitionSpec.spec.preserveUnknownFields of type bool',
          },
          'the definition',
        );
        if (answer.status === 201) await server.client.delete(`${CRDS}/${definition.metadata.name}`);
      },
    },
    {
      name: 'YAML is read and written',
      async run(server, assert) {
        const namespace = await server.namespace();
        const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: "1"\n';
        const answer = await server.client.post(core(namespace, 'configmaps'), yaml, {
          'Content-Type': 'application/yaml',
        });
        assert.equal(answer.status, 201, 'HTTP status');
        const read = await server.client.get(`${core(namespace, 'configmaps')}/one`, { Accept: 'application/yaml' });
        assert.equal(read.headers['content-type'], 'application/yaml', 'content type');
        assert.match(read.text, /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\n/, 'the object');
      },
    },
  ],
};

// CustomResourceDefinitions and what they bring: paths, discovery, status, columns, versions, and their end.
import { until } from '../../controlplane/index.ts';
import type { Area } from '../case.ts';
import type { Json } from '../raw-client.ts';
import { aDefinition, CRDS, define, SCHEMA } from './custom-definition.ts';

const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const aWidget = (group: string, name: string, more: Json = {}, version = 'v1'): Json => ({
  apiVersion: `${group}/${version}`,
  kind: 'Widget',
  metadata: { name },
  ...more,
});

export const customResources: Area = {
  area: 'custom resources',
  cases: [
    {
      name: 'a definition is established and its names are accepted',
      async run(server, assert) {
        const { path, remove } = await define(server);
        const { json } = await server.client.get(path);
        const conditions = Object.fromEntries(json.status.conditions.map(({ type, status }: Json) => [type, status]));
        assert.equal(conditions['Established'], 'True', 'Established');
        assert.equal(conditions['NamesAccepted'], 'True', 'NamesAccepted');
        assert.deepEqual(json.status.storedVersions, ['v1'], 'storedVersions');
        assert.equal(json.status.acceptedNames.kind, 'Widget', 'acceptedNames');
        assert.deepEqual(json.spec.conversion, { strategy: 'None' }, 'conversion');
        await remove();
      },
    },
    {
      name: 'the metadata of a custom object has types, as any metadata has',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const path = `/apis/${group}/v1/namespaces/${await server.namespace()}/widgets`;
        const words = 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
        const metadata = { name: 'one', labels: { a: 5 } };
        assert.refused(
          await server.client.post(path, aWidget(group, 'one', { metadata })),
          {
            code: 400,
            reason: 'BadRequest',
            message: `Widget in version "v1" cannot be handled as a Widget: ${words}`,
          },
          'created',
        );
        await server.client.create(path, aWidget(group, 'one', { spec: { size: 1 } }));
        const patched = await server.client.patch(`${path}/one`, 'merge', { metadata: { labels: { a: 5 } } });
        assert.refused(patched, { code: 422, reason: 'Invalid' }, 'patched');
        assert.ok(patched.json?.message?.endsWith(words), 'its words');
        const unknown = await server.client.patch(`${path}/one`, 'merge', {
          metadata: { nonsense: 1 },
          spec: { size: 'x' },
        });
        assert.equal(unknown.status, 200, 'a field that metadata does not have: HTTP status');
        assert.equal(unknown.json.metadata.nonsense, undefined, 'it is gone');
        assert.equal(unknown.headers['warning'], '299 - "unknown field \\"metadata.nonsense\\""', 'with a warning');
        assert.equal(unknown.json.spec.size, 'x', 'the rest has no types');
        await remove();
      },
    },
    {
      name: 'a custom kind is in discovery',
      async run(server, assert) {
        const { group, remove } = await define(server, { version: { subresources: { status: {} } } });
        const { status, json } = await server.client.get(`/apis/${group}/v1`);
        assert.equal(status, 200, 'HTTP status');
        const widgets = json.resources?.find(({ name }: Json) => name === 'widgets') ?? {};
        assert.equal(`${widgets.kind} ${widgets.singularName} ${widgets.namespaced}`, 'Widget widget true', 'names');
        assert.deepEqual(widgets.shortNames, ['wd'], 'short names');
        assert.deepEqual(
          widgets.verbs?.toSorted(),
          ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
          'verbs',
        );
        assert.ok(
          json.resources?.some(({ name }: Json) => name === 'widgets/status'),
          'its status',
        );
        const found = await server.client.get(`/apis/${group}`);
        assert.equal(found.json?.preferredVersion?.groupVersion, `${group}/v1`, 'its group');
        await remove();
      },
    },
    {
      name: 'custom objects are created, read, listed, changed, watched and deleted',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        const list = (await server.client.get(path)).json;
        assert.equal(`${list.apiVersion} ${list.kind}`, `${group}/v1 WidgetList`, 'kind of the list');
        const stream = await server.client.watch(`${path}?resourceVersion=${list.metadata.resourceVersion}`);
        const created = await server.client.post(path, aWidget(group, 'one', { spec: { size: 1, deep: { a: [1] } } }));
        assert.equal(created.status, 201, 'HTTP status of the creation');
        assert.equal(created.json.metadata.generation, 1, 'generation');
        assert.deepEqual(created.json.spec, { size: 1, deep: { a: [1] } }, 'spec');
        const patched = await server.client.patch(`${path}/one`, 'merge', { spec: { size: 2 } });
        assert.equal(`${patched.json.spec.size} ${patched.json.metadata.generation}`, '2 2', 'a patch');
        const labelled = await server.client.patch(`${path}/one`, 'json', [
          { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
        ]);
        assert.equal(labelled.json.metadata.generation, 2, 'a label leaves the generation');
        const items = (await server.client.get(`${path}?labelSelector=a%3Db`)).json.items;
        assert.equal(
          `${items[0].apiVersion} ${items[0].kind}`,
          `${group}/v1 Widget`,
          'items of custom lists have a kind',
        );
        const gone = await server.client.delete(`${path}/one`);
        assert.deepEqual(
          gone.json.details,
          { name: 'one', group, kind: 'widgets', uid: created.json.metadata.uid },
          'the answer to the deletion',
        );
        assert.deepEqual(
          (await stream.take(4)).map(({ type }) => type),
          ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'],
          'events',
        );
        stream.close();
        assert.refused(
          await server.client.get(`${path}/one`),
          { code: 404, message: `widgets.${group} "one" not found`, details: { name: 'one', group, kind: 'widgets' } },
          'after it',
        );
        await remove();
      },
    },
    {
      name: 'a custom update needs the resourceVersion, and an old one is 409',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        const created = await server.client.create(path, aWidget(group, 'one', { spec: { size: 1 } }));
        assert.refused(
          await server.client.put(`${path}/one`, aWidget(group, 'one', { spec: { size: 2 } })),
          {
            code: 422,
            reason: 'Invalid',
            message: `widgets.${group} "one" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
          },
          'without',
        );
        await server.client.patch(`${path}/one`, 'merge', { spec: { size: 3 } });
        assert.refused(
          await server.client.put(`${path}/one`, { ...created, spec: { size: 4 } }),
          {
            code: 409,
            reason: 'Conflict',
            message: new RegExp(
              `^Operation cannot be fulfilled on widgets\\.${group} "one": the object has been modified`,
            ),
          },
          'with an old one',
        );
        await remove();
      },
    },
    {
      name: 'with a status subresource spec and status are written apart',
      async run(server, assert) {
        const { group, remove } = await define(server, { version: { subresources: { status: {} } } });
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        const created = await server.client.create(
          path,
          aWidget(group, 'one', { spec: { size: 1 }, status: { ready: true } }),
        );
        assert.equal(created.status, undefined, 'no status at creation');
        const status = await server.client.patch(`${path}/one/status`, 'merge', {
          spec: { size: 9 },
          status: { ready: true },
        });
        assert.equal(status.status, 200, 'HTTP status');
        assert.deepEqual(status.json.status, { ready: true }, 'status');
        assert.deepEqual(status.json.spec, { size: 1 }, 'spec stays');
        assert.equal(status.json.metadata.generation, 1, 'generation stays');
        const spec = await server.client.patch(`${path}/one`, 'merge', { spec: { size: 2 }, status: { ready: false } });
        assert.deepEqual(spec.json.status, { ready: true }, 'status stays');
        assert.equal(spec.json.metadata.generation, 2, 'generation');
        await remove();
      },
    },
    {
      name: 'without a status subresource the status is a field like others',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        const created = await server.client.create(path, aWidget(group, 'one', { status: { ready: true } }));
        assert.deepEqual(created.status, { ready: true }, 'status at creation');
        const { json } = await server.client.patch(`${path}/one`, 'merge', { status: { ready: false } });
        assert.equal(`${json.status.ready} ${json.metadata.generation}`, 'false 2', 'a change counts as a generation');
        assert.equal((await server.client.get(`${path}/one/status`)).status, 404, 'no subresource');
        await remove();
      },
    },
    {
      name: 'printer columns are in the Table',
      async run(server, assert) {
        const additionalPrinterColumns = [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ];
        const { group, remove } = await define(server, { version: { additionalPrinterColumns } });
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        await server.client.create(path, aWidget(group, 'one', { spec: { size: 7 } }));
        const { json } = await server.client.get(path, TABLE);
        assert.equal(json.kind, 'Table', 'kind');
        assert.deepEqual(
          json.columnDefinitions?.map(({ name, type, priority }: Json) => `${name} ${type} ${priority}`),
          ['Name string 0', 'Size integer 0', 'Color string 1', 'Age date 0'],
          'columns',
        );
        assert.deepEqual(json.rows?.[0].cells.slice(0, 3), ['one', 7, null], 'cells');
        assert.match(json.rows?.[0].cells[3], /^\d+s$/, 'a date is an age');
        await remove();
      },
    },
    {
      name: 'without printer columns the Table has name and age',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        await server.client.create(path, aWidget(group, 'one'));
        const { json } = await server.client.get(path, TABLE);
        assert.deepEqual(
          json.columnDefinitions?.map(({ name }: Json) => name),
          ['Name', 'Age'],
          'columns',
        );
        await remove();
      },
    },
    {
      name: 'several versions show the same objects',
      async run(server, assert) {
        const { group, remove } = await define(server, {
          versions: [
            { name: 'v1', served: true, storage: true, schema: SCHEMA },
            { name: 'v1beta1', served: true, storage: false, schema: SCHEMA },
            { name: 'v1alpha1', served: false, storage: false, schema: SCHEMA },
          ],
        });
        const namespace = await server.namespace();
        const at = (version: string) => `/apis/${group}/${version}/namespaces/${namespace}/widgets`;
        const created = await server.client.create(
          at('v1beta1'),
          aWidget(group, 'one', { spec: { size: 1 } }, 'v1beta1'),
        );
        assert.equal(created.apiVersion, `${group}/v1beta1`, 'created in one version');
        const read = (await server.client.get(`${at('v1')}/one`)).json;
        assert.equal(read.apiVersion, `${group}/v1`, 'read in another');
        assert.equal(read.metadata.uid, created.metadata.uid, 'it is the same');
        assert.equal((await server.client.get(at('v1alpha1'))).status, 404, 'what is not served');
        const { json } = await server.client.get(`/apis/${group}`);
        assert.deepEqual(
          json.versions?.map(({ version }: Json) => version),
          ['v1', 'v1beta1'],
          'versions in discovery',
        );
        assert.equal(json.preferredVersion?.version, 'v1', 'the preferred one');
        const stream = await server.client.watch(`${at('v1')}?resourceVersion=${created.metadata.resourceVersion}`);
        await server.client.patch(`${at('v1beta1')}/one`, 'merge', { spec: { size: 2 } });
        const [event] = await stream.take(1);
        stream.close();
        assert.equal(event?.object.apiVersion, `${group}/v1`, 'a watch speaks its own version');
        await remove();
      },
    },
    {
      name: 'a kind without namespace lives at the top',
      async run(server, assert) {
        const { group, remove } = await define(server, { scope: 'Cluster' });
        const path = `/apis/${group}/v1/widgets`;
        const created = await server.client.create(path, aWidget(group, 'one'));
        assert.equal(created.metadata.namespace, undefined, 'no namespace');
        const inside = await server.client.get(`/apis/${group}/v1/namespaces/default/widgets`);
        assert.equal(inside.status, 404, 'not in a namespace');
        await remove();
      },
    },
    {
      name: 'a custom kind can have a scale',
      async run(server, assert) {
        const subresources = {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          status: {},
        };
        const { group, remove } = await define(server, { version: { subresources } });
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        await server.client.create(path, aWidget(group, 'one', { spec: { replicas: 2 } }));
        const { status, json } = await server.client.get(`${path}/one/scale`);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json?.spec?.replicas, 2, 'replicas');
        const patched = await server.client.patch(`${path}/one/scale`, 'merge', { spec: { replicas: 5 } });
        assert.equal(patched.json?.spec?.replicas, 5, 'after a patch');
        assert.equal((await server.client.get(`${path}/one`)).json.spec.replicas, 5, 'the object');
        await remove();
      },
    },
    {
      name: 'a strategic merge patch of a custom object is 415',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        await server.client.create(path, aWidget(group, 'one'));
        const answer = await server.client.patch(`${path}/one`, 'strategic', { spec: { size: 1 } });
        assert.refused(answer, { code: 415, reason: 'UnsupportedMediaType' }, 'the patch');
        await remove();
      },
    },
    {
      name: 'custom objects in protobuf are 406, and JSON where it is allowed too',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const path = `/apis/${group}/v1/widgets`;
        const only = await server.client.get(path, { Accept: 'application/vnd.kubernetes.protobuf' });
        assert.equal(only.status, 406, 'protobuf alone');
        const either = await server.client.get(path, {
          Accept: 'application/vnd.kubernetes.protobuf,application/json',
        });
        assert.equal(either.status, 200, 'or JSON');
        assert.match(either.headers['content-type'], /^application\/json/, 'content type');
        await remove();
      },
    },
    {
      name: 'deleting a definition deletes its objects, ends its watches and its paths',
      slow: true,
      async run(server, assert) {
        const { group, path: definition, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        const created = await server.client.create(path, aWidget(group, 'one'));
        const stream = await server.client.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
        const crd = (await server.client.get(definition)).json;
        const name = encodeURIComponent(`metadata.name=${crd.metadata.name}`);
        const above = await server.client.watch(
          `${CRDS}?fieldSelector=${name}&resourceVersion=${crd.metadata.resourceVersion}`,
        );
        const answer = await remove();
        assert.equal(answer.status, 200, 'HTTP status');
        assert.equal((await stream.take(1))[0]?.type, 'DELETED', 'the object goes');
        await above.until(({ type }) => type === 'DELETED');
        above.close();
        stream.close();
        const after = await server.client.get(definition);
        assert.refused(
          after,
          {
            code: 404,
            message: `customresourcedefinitions.apiextensions.k8s.io "${crd.metadata.name}" not found`,
          },
          'the definition',
        );
        await until('its path is gone', async () => (await server.client.get(path)).status === 404);
        const { status, text } = await server.client.get(path);
        assert.equal(`${status} ${text}`, '404 404 page not found\n', 'its path');
      },
    },
    {
      name: 'a definition whose name is not plural and group is 422',
      async run(server, assert) {
        const definition = aDefinition(server);
        const { group } = definition.spec;
        const body = { ...definition, metadata: { name: `gadgets.${group}` } };
        assert.refused(
          await server.client.post(CRDS, body),
          {
            code: 422,
            reason: 'Invalid',
            message: `CustomResourceDefinition.apiextensions.k8s.io "gadgets.${group}" is invalid: metadata.name: Invalid value: "gadgets.${group}": must be spec.names.plural+"."+spec.group`,
          },
          'the definition',
        );
      },
    },
    {
      name: 'a field selector of a custom kind knows name and namespace alone',
      async run(server, assert) {
        const { group, remove } = await define(server);
        const namespace = await server.namespace();
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
        await server.client.create(path, aWidget(group, 'one'));
        const found = await server.client.get(`${path}?fieldSelector=metadata.name%3Done`);
        assert.equal(found.json.items?.length, 1, 'by name');
        assert.refused(
          await server.client.get(`${path}?fieldSelector=spec.size%3D1`),
          { code: 400, reason: 'BadRequest', message: 'field label not supported: spec.size' },
          'by another field',
        );
        await remove();
      },
    },
  ],
};

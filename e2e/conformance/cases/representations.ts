// The same objects in other forms: Table, metadata only, protobuf, compressed.
import type { Area, Stage } from '../case.ts';
import { aConfigMap, aNode, aPod, apps, aWorkload, core } from '../objects.ts';
import { MAGIC, openEnvelope, readFields } from '../protobuf-fields.ts';
import type { Json } from '../raw-client.ts';

const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const METADATA = { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json' };
const METADATA_LIST = { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json' };
const PROTOBUF = { Accept: 'application/vnd.kubernetes.protobuf' };
const PROTOBUF_WATCH = { Accept: 'application/vnd.kubernetes.protobuf;stream=watch' };

const columns = (table: Json): string[] =>
  table.columnDefinitions?.map((column: Json) => `${column.name}${column.priority ? '+' : ''}`);

/** The resourceVersion of its last change. */
async function aRunningPod(server: Stage, namespace: string): Promise<string> {
  const path = core(namespace, 'pods');
  await server.client.create(path, aPod('one', { nodeName: 'node-x' }, { labels: { app: 'web' } }));
  const { json } = await server.client.patch(`${path}/one/status`, 'merge', {
    status: {
      phase: 'Running',
      podIP: '10.0.0.7',
      podIPs: [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }],
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'main',
          ready: true,
          restartCount: 3,
          image: 'registry.k8s.io/pause:3.10',
          imageID: '',
          state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
        },
      ],
    },
  });
  return json.metadata.resourceVersion;
}

export const representations: Area = {
  area: 'Table, metadata, protobuf, gzip',
  cases: [
    {
      name: 'a Table of pods has the columns that kubectl prints',
      async run(server, assert) {
        const namespace = await server.namespace();
        await aRunningPod(server, namespace);
        const { status, json } = await server.client.get(core(namespace, 'pods'), TABLE);
        assert.equal(status, 200, 'HTTP status');
        assert.equal(`${json.apiVersion} ${json.kind}`, 'meta.k8s.io/v1 Table', 'kind');
        assert.match(json.metadata.resourceVersion, /^\d+$/, 'resourceVersion');
        assert.deepEqual(
          columns(json),
          ['Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP+', 'Node+', 'Nominated Node+', 'Readiness Gates+'],
          'columns',
        );
        assert.equal(json.columnDefinitions[0].format, 'name', 'format of the name');
        const [row] = json.rows;
        assert.deepEqual(
          row.cells.toSpliced(4, 1),
          ['one', '1/1', 'Running', '3', '10.0.0.7', 'node-x', '<none>', '<none>'],
          'cells',
        );
        assert.match(row.cells[4], /^\d+s$/, 'age');
        assert.equal(row.object.kind, 'PartialObjectMetadata', 'each row carries the metadata');
        assert.equal(row.object.metadata.name, 'one', 'with its name');
        assert.equal('spec' in row.object, false, 'and no spec');
      },
    },
    {
      name: 'the status column of pods tells Pending, Terminating, Completed and reasons of waiting',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        const show = async (name: string) =>
          (await server.client.get(`${path}/${name}`, TABLE)).json.rows[0].cells.slice(1, 3);
        await server.client.create(path, aPod('pending'));
        assert.deepEqual(await show('pending'), ['0/1', 'Pending'], 'Pending');
        await server.client.create(path, aPod('crashing', { nodeName: 'node-x' }));
        const waiting = { reason: 'CrashLoopBackOff' };
        const container = { name: 'main', ready: false, restartCount: 4, image: 'x', imageID: '' };
        await server.client.patch(`${path}/crashing/status`, 'merge', {
          status: { phase: 'Running', containerStatuses: [{ ...container, state: { waiting } }] },
        });
        assert.deepEqual(await show('crashing'), ['0/1', 'CrashLoopBackOff'], 'CrashLoopBackOff');
        await server.client.create(path, aPod('done', { nodeName: 'node-x', restartPolicy: 'Never' }));
        const terminated = { reason: 'Completed', exitCode: 0 };
        await server.client.patch(`${path}/done/status`, 'merge', {
          status: { phase: 'Succeeded', containerStatuses: [{ ...container, state: { terminated } }] },
        });
        assert.deepEqual(await show('done'), ['0/1', 'Completed'], 'Completed');
        await server.client.create(path, aPod('evicted', { nodeName: 'node-x' }));
        await server.client.patch(`${path}/evicted/status`, 'merge', {
          status: { phase: 'Failed', reason: 'Evicted' },
        });
        assert.deepEqual(await show('evicted'), ['0/1', 'Evicted'], 'Evicted');
        await server.client.create(path, aPod('going', { nodeName: 'node-x' }));
        await server.client.delete(`${path}/going`);
        assert.deepEqual(await show('going'), ['0/1', 'Terminating'], 'Terminating');
      },
    },
    {
      name: 'a Table of one object, and without objects',
      async run(server, assert) {
        const namespace = await server.namespace();
        await server.client.create(core(namespace, 'configmaps'), aConfigMap('one', { a: '1', b: '2' }));
        const one = (await server.client.get(`${core(namespace, 'configmaps')}/one`, TABLE)).json;
        assert.equal(one.kind, 'Table', 'kind');
        assert.deepEqual(columns(one), ['Name', 'Data', 'Age'], 'columns');
        assert.deepEqual(one.rows[0].cells.slice(0, 2), ['one', 2], 'cells');
        const bare = (await server.client.get(`${core(namespace, 'configmaps')}?includeObject=None`, TABLE)).json;
        assert.equal(bare.rows[0].object, null, 'no object');
        const whole = (await server.client.get(`${core(namespace, 'configmaps')}?includeObject=Object`, TABLE)).json;
        assert.deepEqual(whole.rows[0].object.data, { a: '1', b: '2' }, 'the whole object');
        assert.refused(
          await server.client.get(`${core(namespace, 'configmaps')}?includeObject=Foo`, TABLE),
          {
            code: 400,
            reason: 'BadRequest',
            message:
              "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must be 'Metadata', 'Object', 'None', or empty",
          },
          'anything else',
        );
      },
    },
    {
      name: 'Tables of nodes and workloads',
      async run(server, assert) {
        const namespace = await server.namespace();
        const name = server.unique('node');
        const node = aNode(name, { 'node-role.kubernetes.io/worker': '' });
        await server.client.create('/api/v1/nodes', { ...node, spec: { unschedulable: true } });
        await server.client.patch(`/api/v1/nodes/${name}/status`, 'merge', {
          status: {
            conditions: [{ type: 'Ready', status: 'True' }],
            nodeInfo: { kubeletVersion: 'v1.30.0' },
            addresses: [{ type: 'InternalIP', address: '192.168.0.7' }],
          },
        });
        const nodes = (await server.client.get(`/api/v1/nodes/${name}`, TABLE)).json;
        const wide = ['Internal-IP+', 'External-IP+', 'OS-Image+', 'Kernel-Version+', 'Container-Runtime+'];
        assert.deepEqual(columns(nodes), ['Name', 'Status', 'Roles', 'Age', 'Version', ...wide], 'columns of nodes');
        const cells = nodes.rows[0].cells;
        assert.deepEqual(
          [cells[1], cells[2], cells[4], cells[5]],
          ['Ready,SchedulingDisabled', 'worker', 'v1.30.0', '192.168.0.7'],
          'cells of a node',
        );
        await server.client.delete(`/api/v1/nodes/${name}`);
        await server.client.create(apps(namespace, 'deployments'), aWorkload('Deployment', 'web', 2));
        const deployments = (await server.client.get(apps(namespace, 'deployments'), TABLE)).json;
        assert.deepEqual(
          columns(deployments),
          ['Name', 'Ready', 'Up-to-date', 'Available', 'Age', 'Containers+', 'Images+', 'Selector+'],
          'columns of deployments',
        );
        assert.deepEqual(
          deployments.rows[0].cells.toSpliced(4, 1),
          ['web', '0/2', 0, 0, 'main', 'registry.k8s.io/pause:3.10', 'app=web'],
          'cells of a deployment',
        );
        for (const [resource, expected] of [
          ['replicasets', ['Name', 'Desired', 'Current', 'Ready', 'Age', 'Containers+', 'Images+', 'Selector+']],
          ['statefulsets', ['Name', 'Ready', 'Age', 'Containers+', 'Images+']],
          [
            'daemonsets',
            [
              'Name',
              'Desired',
              'Current',
              'Ready',
              'Up-to-date',
              'Available',
              'Node Selector',
              'Age',
              'Containers+',
              'Images+',
              'Selector+',
            ],
          ],
        ] as const) {
          const table = (await server.client.get(apps(namespace, resource), TABLE)).json;
          assert.deepEqual(columns(table), expected, `columns of ${resource}`);
        }
      },
    },
    {
      name: 'a Table can be watched; only the first event carries the columns',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        await server.client.create(path, aPod('one'));
        const stream = await server.client.watch(path, TABLE);
        const [first] = await stream.take(1);
        await server.client.patch(`${path}/one`, 'merge', { metadata: { labels: { a: 'b' } } });
        const [second] = await stream.take(1);
        stream.close();
        assert.equal(`${first?.type} ${first?.object.kind}`, 'ADDED Table', 'the first event');
        assert.equal(first?.object.columnDefinitions?.length, 9, 'with columns');
        assert.equal(first?.object.rows[0].cells[0], 'one', 'and a row');
        assert.equal(second?.type, 'MODIFIED', 'the second event');
        assert.equal(second?.object.columnDefinitions, null, 'without columns');
        assert.equal(second?.object.rows[0].cells[0], 'one', 'with a row');
      },
    },
    {
      name: 'PartialObjectMetadata of one, of a list, of a watch',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        const pod = await server.client.create(path, aPod('one', {}, { labels: { a: 'b' } }));
        const one = (await server.client.get(`${path}/one`, METADATA)).json;
        assert.equal(`${one.apiVersion} ${one.kind}`, 'meta.k8s.io/v1 PartialObjectMetadata', 'kind of one');
        assert.deepEqual(Object.keys(one).toSorted(), ['apiVersion', 'kind', 'metadata'], 'metadata and nothing else');
        assert.equal(one.metadata.uid, pod.metadata.uid, 'uid');
        const list = (await server.client.get(path, METADATA_LIST)).json;
        assert.equal(`${list.apiVersion} ${list.kind}`, 'meta.k8s.io/v1 PartialObjectMetadataList', 'kind of a list');
        assert.deepEqual(list.items[0].metadata.labels, { a: 'b' }, 'labels');
        assert.equal(list.items[0].spec, undefined, 'no spec');
        const stream = await server.client.watch(path, METADATA);
        const [event] = await stream.take(1);
        stream.close();
        assert.equal(event?.object.kind, 'PartialObjectMetadata', 'kind in a watch');
      },
    },
    {
      name: 'a form that the server does not know is 406',
      async run({ client }, assert) {
        const answer = await client.get('/api/v1/namespaces/default/pods', {
          Accept: 'application/json;as=Table;v=v7;g=meta.k8s.io',
        });
        assert.refused(
          answer,
          {
            code: 406,
            reason: 'NotAcceptable',
            message: /^only the following media types are accepted: application\/json/,
          },
          'the list',
        );
      },
    },
    {
      name: 'a pod in protobuf has the envelope, the magic and the content type',
      async run(server, assert) {
        const namespace = await server.namespace();
        await aRunningPod(server, namespace);
        const answer = await server.client.get(`${core(namespace, 'pods')}/one`, PROTOBUF);
        assert.equal(answer.status, 200, 'HTTP status');
        assert.equal(answer.headers['content-type'], 'application/vnd.kubernetes.protobuf', 'content type');
        assert.ok(answer.bytes.subarray(0, 4).equals(MAGIC), 'magic');
        const { apiVersion, kind, object } = openEnvelope(answer.bytes);
        assert.equal(`${apiVersion} ${kind}`, 'v1 Pod', 'kind');
        const [metadata, spec, status] = [1, 2, 3].map((field) => readFields(object.bytes(field) ?? Buffer.alloc(0)));
        assert.equal(`${metadata?.text(3)}/${metadata?.text(1)}`, `${namespace}/one`, 'name');
        assert.equal(spec?.text(10), 'node-x', 'nodeName');
        assert.equal(readFields(spec?.bytes(2) ?? Buffer.alloc(0)).text(1), 'main', 'the container');
        assert.equal(status?.text(1), 'Running', 'phase');
        assert.equal(status?.text(6), '10.0.0.7', 'podIP');
        assert.deepEqual(
          status?.all(12).map((ip) => readFields(ip).text(1)),
          ['10.0.0.7', 'fd00::7'],
          'podIPs',
        );
      },
    },
    {
      name: 'a list of pods in protobuf',
      async run(server, assert) {
        const namespace = await server.namespace();
        await aRunningPod(server, namespace);
        await server.client.create(core(namespace, 'pods'), aPod('two'));
        const answer = await server.client.get(core(namespace, 'pods'), PROTOBUF);
        const { apiVersion, kind, object } = openEnvelope(answer.bytes);
        assert.equal(`${apiVersion} ${kind}`, 'v1 PodList', 'kind');
        const names = object.all(2).map((item) => readFields(readFields(item).bytes(1) ?? Buffer.alloc(0)).text(1));
        assert.deepEqual(names, ['one', 'two'], 'items');
        const version = readFields(object.bytes(1) ?? Buffer.alloc(0)).text(2);
        assert.match(version, /^[1-9]\d*$/, 'resourceVersion');
      },
    },
    {
      name: 'a watch of pods in protobuf is framed by lengths',
      slow: true,
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        // A watch begins with what the server's cache has; after this, that is the pod as it was changed last.
        await server.client.get(`${path}?resourceVersion=${await aRunningPod(server, namespace)}`);
        const answer = await server.client.get(`${path}?watch=true&timeoutSeconds=2`, PROTOBUF_WATCH);
        assert.equal(
          answer.headers['content-type'],
          'application/vnd.kubernetes.protobuf;stream=watch',
          'content type',
        );
        const length = answer.bytes.readUInt32BE(0);
        assert.equal(answer.bytes.length, length + 4, 'one frame');
        const event = readFields(answer.bytes.subarray(4));
        assert.equal(event.text(1), 'ADDED', 'type');
        const pod = openEnvelope(readFields(event.bytes(2) ?? Buffer.alloc(0)).bytes(1) ?? Buffer.alloc(0));
        assert.equal(`${pod.apiVersion} ${pod.kind}`, 'v1 Pod', 'kind of the object');
      },
    },
    {
      name: 'a refusal to one who asks for protobuf is protobuf',
      async run(server, assert) {
        const namespace = await server.namespace();
        const answer = await server.client.get(`${core(namespace, 'pods')}/none`, PROTOBUF);
        assert.equal(answer.status, 404, 'HTTP status');
        const { apiVersion, kind, object } = openEnvelope(answer.bytes);
        assert.equal(`${apiVersion} ${kind}`, 'v1 Status', 'kind');
        assert.equal(object.text(3), 'pods "none" not found', 'message');
        assert.equal(object.text(4), 'NotFound', 'reason');
      },
    },
    {
      name: 'who lists protobuf before JSON gets protobuf for pods',
      async run(server, assert) {
        const namespace = await server.namespace();
        const Accept = 'application/vnd.kubernetes.protobuf,application/json';
        const { headers } = await server.client.get(core(namespace, 'pods'), { Accept });
        assert.equal(headers['content-type'], 'application/vnd.kubernetes.protobuf', 'content type');
      },
    },
    {
      name: 'large lists are compressed for those who can read it, small ones are not',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        const gzip = { 'Accept-Encoding': 'gzip' };
        const small = await server.client.get(path, gzip);
        assert.equal(small.headers['content-encoding'], undefined, 'a small answer');
        await server.client.create(path, aConfigMap('one', { text: 'x'.repeat(300_000) }));
        const large = await server.client.get(path, gzip);
        assert.equal(large.headers['content-encoding'], 'gzip', 'a large answer');
        assert.equal(large.json.items[0].data.text.length, 300_000, 'is whole');
        const plain = await server.client.get(path, { 'Accept-Encoding': 'identity' });
        assert.equal(plain.headers['content-encoding'], undefined, 'only for those who ask');
      },
    },
  ],
};

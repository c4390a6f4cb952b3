// What a patch may not do: the types of its result, its own form, and what belongs to the object alone.
import type { Refusal } from '../assertions.ts';
import type { Area, Stage } from '../case.ts';
import { aConfigMap, aPod, apps, aWorkload, CONTAINER, core } from '../objects.ts';
import type { Answer } from '../raw-client.ts';

/** The refusal shows the whole object that a JSON or merge patch would have made, which no two servers write alike. */
function unfit(words: string): Refusal {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    code: 422,
    reason: 'Invalid',
    message: new RegExp(`^ "" is invalid: patch: Invalid value: "\\{.*\\}": ${escaped}$`),
  };
}

/** A strategic merge patch is shown itself, as Go prints it. */
function unfitPatch(shown: string, words: string): Refusal {
  return { code: 422, reason: 'Invalid', message: ` "" is invalid: patch: Invalid value: "${shown}": ${words}` };
}

const NOT_APPLICABLE: Refusal = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

/** A Deployment and its path. */
async function aDeployment(server: Stage): Promise<string> {
  const path = apps(await server.namespace(), 'deployments');
  await server.client.create(path, aWorkload('Deployment', 'web', 1));
  return `${path}/web`;
}

async function aMap(server: Stage, data: Record<string, string>, metadata = {}): Promise<string> {
  const path = core(await server.namespace(), 'configmaps');
  await server.client.create(path, aConfigMap('one', data, metadata));
  return `${path}/one`;
}

const badRequest = (message: string): Refusal => ({ code: 400, reason: 'BadRequest', message });

function causesOf(answer: Answer): unknown {
  const { causes, ...rest } = answer.json?.details ?? {};
  return {
    ...rest,
    causes: causes?.map(({ reason, field }: { reason: string; field: string }) => ({ reason, field })),
  };
}

const PATCH_CAUSE = { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] };

export const patchRefusals: Area = {
  area: 'patch: what is refused',
  cases: [
    {
      name: 'a merge patch with a value of a wrong type is 422 and names the field',
      async run(server, assert) {
        const path = await aDeployment(server);
        const before = (await server.client.get(path)).json;
        for (const [change, words] of [
          [
            { spec: { replicas: 'many' } },
            'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
          ],
          [
            { spec: { replicas: 1.5 } },
            'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
          ],
          [
            { spec: { paused: 1 } },
            'json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool',
          ],
          [
            { metadata: { labels: { app: 5 } } },
            'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
          ],
          [
            { spec: { template: { spec: { restartPolicy: true } } } },
            'json: cannot unmarshal bool into Go struct field PodSpec.spec.template.spec.restartPolicy of type v1.RestartPolicy',
          ],
          [
            { spec: { template: { spec: { containers: [{ ...CONTAINER, image: 5 }] } } } },
            'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.image of type string',
          ],
          [
            { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
            'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
          ],
          [
            { spec: { template: { spec: { terminationGracePeriodSeconds: 'long' } } } },
            'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.terminationGracePeriodSeconds of type int64',
          ],
          [
            { metadata: { creationTimestamp: 'yesterday' } },
            'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
          ],
          [
            {
              spec: { template: { spec: { containers: [{ ...CONTAINER, resources: { limits: { cpu: 'much' } } }] } } },
            },
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
          ],
        ] as const) {
          const answer = await server.client.patch(path, 'merge', change);
          assert.refused(answer, unfit(words), JSON.stringify(change));
          assert.deepEqual(causesOf(answer), PATCH_CAUSE, `${JSON.stringify(change)}: details`);
        }
        assert.deepEqual((await server.client.get(path)).json, before, 'nothing has changed');
      },
    },
    {
      name: 'a merge patch with an object where a list belongs, or the other way round, is 422',
      async run(server, assert) {
        const path = await aDeployment(server);
        for (const [change, words] of [
          [
            { spec: { template: { spec: { containers: { name: 'main' } } } } },
            'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
          ],
          [
            { spec: { template: { spec: { containers: ['main'] } } } },
            'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
          ],
          [
            { metadata: { labels: ['app'] } },
            'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
          ],
          [
            { metadata: { finalizers: 'example.com/a' } },
            'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string',
          ],
          [
            { spec: { template: 'none' } },
            'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec',
          ],
          [{ spec: [] }, 'json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec'],
          [
            { spec: { template: { spec: { volumes: [{ name: 'v', hostPath: '/' }] } } } },
            'json: cannot unmarshal string into Go struct field Volume.spec.template.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource',
          ],
        ] as const) {
          assert.refused(await server.client.patch(path, 'merge', change), unfit(words), JSON.stringify(change));
        }
      },
    },
    {
      name: 'a JSON patch whose result has a value of a wrong type is 422',
      async run(server, assert) {
        const path = await aDeployment(server);
        for (const [operation, words] of [
          [
            { op: 'replace', path: '/spec/replicas', value: 'many' },
            'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
          ],
          [
            { op: 'add', path: '/metadata/annotations', value: [] },
            'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.annotations of type map[string]string',
          ],
          [
            { op: 'copy', from: '/metadata/name', path: '/spec/template/spec' },
            'json: cannot unmarshal string into Go struct field PodTemplateSpec.spec.template.spec of type v1.PodSpec',
          ],
        ] as const) {
          assert.refused(await server.client.patch(path, 'json', [operation]), unfit(words), JSON.stringify(operation));
        }
      },
    },
    {
      name: 'a strategic merge patch with a value of a wrong type is 422 and shows the patch',
      async run(server, assert) {
        const path = await aDeployment(server);
        for (const [change, shown, words] of [
          [{ spec: { replicas: 'many' } }, 'map[spec:map[replicas:many]]', 'unrecognized type: int32'],
          [{ spec: { replicas: 1.5 } }, 'map[spec:map[replicas:1.5]]', 'cannot convert float64 to int32'],
          [{ spec: { paused: 'yes' } }, 'map[spec:map[paused:yes]]', 'unrecognized type: bool'],
          [
            { metadata: { labels: { app: 5 } } },
            'map[metadata:map[labels:map[app:5]]]',
            'cannot convert int64 to string',
          ],
          [
            { metadata: { labels: { app: true } } },
            'map[metadata:map[labels:map[app:true]]]',
            'unrecognized type: string',
          ],
          [{ metadata: { labels: 'web' } }, 'map[metadata:map[labels:web]]', 'cannot restore map from string'],
          [
            { spec: { strategy: { type: 5 } } },
            'map[spec:map[strategy:map[type:5]]]',
            'cannot convert int64 to v1.DeploymentStrategyType',
          ],
          [
            { spec: { template: { spec: { containers: { name: 'main' } } } } },
            'map[spec:map[template:map[spec:map[containers:map[name:main]]]]]',
            'cannot restore slice from map',
          ],
          [{ spec: { template: ['none'] } }, 'map[spec:map[template:[none]]]', 'cannot restore struct from: slice'],
          [
            { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
            'map[spec:map[strategy:map[rollingUpdate:map[maxSurge:true]]]]',
            'json: cannot unmarshal bool into Go value of type int32',
          ],
        ] as const) {
          const answer = await server.client.patch(path, 'strategic', change);
          assert.refused(answer, unfitPatch(shown, words), JSON.stringify(change));
        }
      },
    },
    {
      name: 'a strategic merge patch that cannot merge a list is 500',
      async run(server, assert) {
        const path = `${core(await server.namespace(), 'pods')}`;
        await server.client.create(path, aPod('one'));
        const merge = (containers: unknown) =>
          server.client.patch(`${path}/one`, 'strategic', { spec: { containers } });
        assert.refused(
          await merge([{ image: 'registry.k8s.io/pause:3.9' }]),
          {
            code: 500,
            message: 'map: map[image:registry.k8s.io/pause:3.9] does not contain declared merge key: name',
          },
          'without the key',
        );
        assert.refused(
          await merge(['main']),
          { code: 500, message: /^list element types are not identical: / },
          'a text',
        );
      },
    },
    {
      name: 'a patch of a status and of a scale is checked too',
      async run(server, assert) {
        const path = await aDeployment(server);
        assert.refused(
          await server.client.patch(`${path}/status`, 'merge', { status: { readyReplicas: 'all' } }),
          unfit(
            'json: cannot unmarshal string into Go struct field DeploymentStatus.status.readyReplicas of type int32',
          ),
          'the status',
        );
        assert.refused(
          await server.client.patch(`${path}/scale`, 'merge', { spec: { replicas: 'many' } }),
          unfit('json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32'),
          'the scale',
        );
        assert.refused(
          await server.client.patch(`${path}/scale`, 'merge', { metadata: { name: 'other' } }),
          badRequest('the name of the object (other) does not match the name on the URL (web)'),
          'the name of the scale',
        );
      },
    },
    {
      name: 'a patch loses fields that the kind does not have, with a warning, and is 422 with fieldValidation=Strict',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        for (const type of ['merge', 'strategic'] as const) {
          const warned = await server.client.patch(path, type, { nonsense: true, data: { b: type } });
          assert.equal(warned.status, 200, `${type}: HTTP status`);
          assert.equal(warned.json.nonsense, undefined, `${type}: the field is gone`);
          assert.equal(warned.json.data?.b, type, `${type}: the rest is done`);
          assert.equal(warned.headers['warning'], '299 - "unknown field \\"nonsense\\""', `${type}: a warning`);
        }
        assert.refused(
          await server.client.patch(`${path}?fieldValidation=Strict`, 'merge', { nonsense: true }),
          unfit('strict decoding error: unknown field "nonsense"'),
          'merge, strict',
        );
        assert.refused(
          await server.client.patch(`${path}?fieldValidation=Strict`, 'strategic', { nonsense: true }),
          unfitPatch('map[nonsense:true]', 'strict decoding error: unknown field "nonsense"'),
          'strategic, strict',
        );
        const ignored = await server.client.patch(`${path}?fieldValidation=Ignore`, 'merge', { nonsense: true });
        assert.equal(ignored.status, 200, 'ignored: HTTP status');
        assert.equal(ignored.headers['warning'], undefined, 'ignored: no warning');
      },
    },
    {
      name: 'an operation or a pointer of a JSON patch that leads nowhere is 422',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' }, { finalizers: ['example.com/a'] });
        for (const operation of [
          { op: 'twist', path: '/data/a' },
          { path: '/data/a', value: '2' },
          { op: 'add', value: '2' },
          { op: 'add', path: '', value: {} },
          { op: 'remove', path: '' },
          { op: 'replace', path: '', value: 'text' },
          { op: 'add', path: 'data', value: '2' },
          { op: 'add', path: '/none/a', value: '2' },
          { op: 'add', path: '/data/a/b', value: '2' },
          { op: 'replace', path: '/data/a/b', value: '2' },
          { op: 'remove', path: '/data/b' },
          { op: 'remove', path: '/metadata/finalizers/1' },
          { op: 'add', path: '/metadata/finalizers/2', value: 'example.com/b' },
          { op: 'add', path: '/metadata/finalizers/x', value: 'example.com/b' },
          { op: 'replace', path: '/metadata/finalizers/-', value: 'example.com/b' },
          { op: 'replace', path: '/metadata/finalizers/1', value: 'example.com/b' },
          { op: 'add', path: '/metadata/finalizers/-3', value: 'example.com/b' },
          { op: 'move', path: '/data/b' },
          { op: 'move', from: '/data/none', path: '/data/b' },
          { op: 'copy', from: '/none/a', path: '/data/b' },
          { op: 'test', path: '/data/a', value: 1 },
          { op: 'test', path: '/data/a' },
          { op: 'test', path: '', value: {} },
        ]) {
          assert.refused(
            await server.client.patch(path, 'json', [operation]),
            NOT_APPLICABLE,
            JSON.stringify(operation),
          );
        }
        assert.deepEqual((await server.client.get(path)).json.data, { a: '1' }, 'nothing has changed');
      },
    },
    {
      name: 'a JSON patch counts from the end of a list, tests what is not there, and copies nothing from it',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' }, { finalizers: ['example.com/a', 'example.com/c'] });
        const { status, json } = await server.client.patch(path, 'json', [
          { op: 'add', path: '/metadata/finalizers/-2', value: 'example.com/b' },
          { op: 'test', path: '/metadata/finalizers/-1', value: 'example.com/c' },
          { op: 'replace', path: '/metadata/finalizers/-1', value: 'example.com/d' },
          { op: 'remove', path: '/metadata/finalizers/0' },
          { op: 'test', path: '/data/none', value: null },
          { op: 'copy', from: '/data/none', path: '/nothing' },
          { op: 'add', path: 'x/immutable', value: false },
          { op: 'add', path: '/data/b~0~1', value: '2' },
          { op: 'remove', path: '/data/b~0~1' },
        ]);
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(json.metadata.finalizers, ['example.com/b', 'example.com/d'], 'finalizers');
        assert.equal(json.immutable, false, 'what stands before the first slash is not looked at');
        assert.deepEqual(json.data, { a: '1' }, 'data');
      },
    },
    {
      name: 'a body that is no patch of its type is 400',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        for (const [type, body, message] of [
          ['json', { op: 'add' }, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
          ['json', '"text"', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
          ['json', [5], 'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
          ['json', [{ op: 5 }], 'json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string'],
          [
            'json',
            [{ op: 'add', path: {} }],
            'json: cannot unmarshal object into Go struct field jsonPatchOp.path of type string',
          ],
          ['json', '[', 'unexpected end of JSON input'],
          ['merge', [1], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
          ['merge', '5', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
          ['merge', '{', 'unexpected end of JSON input'],
        ] as const) {
          const answer = await server.client.patch(path, type, body);
          assert.refused(answer, badRequest(`error decoding patch: ${message}`), `${type} ${JSON.stringify(body)}`);
        }
        for (const [body, message] of [
          [[1], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
          ['{', 'unexpected end of JSON input'],
        ] as const) {
          const answer = await server.client.patch(path, 'strategic', body);
          assert.refused(answer, badRequest(message), `strategic ${JSON.stringify(body)}`);
        }
        assert.refused(
          await server.client.patch(path, 'merge', 'null'),
          badRequest('Invalid JSON Patch'),
          'merge null',
        );
        assert.equal((await server.client.patch(path, 'json', 'null')).status, 200, 'json null');
        assert.equal((await server.client.patch(path, 'strategic', 'null')).status, 200, 'strategic null');
      },
    },
    {
      name: 'a JSON patch of more than 10000 operations is 413',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        const operation = { op: 'test', path: '/data/a', value: '1' };
        assert.equal((await server.client.patch(path, 'json', new Array(10_000).fill(operation))).status, 200, '10000');
        assert.refused(
          await server.client.patch(path, 'json', new Array(10_001).fill(operation)),
          {
            code: 413,
            reason: 'RequestEntityTooLarge',
            message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
          },
          '10001',
        );
      },
    },
    {
      name: 'a patch that makes another kind of an object is 422, but a strategic one goes by the path',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        assert.refused(
          await server.client.patch(path, 'merge', { kind: 'Thing' }),
          { code: 422, reason: 'Invalid', message: /: no kind "Thing" is registered for version "v1" in scheme "/ },
          'an unknown kind',
        );
        assert.refused(
          await server.client.patch(path, 'merge', { kind: 'Pod' }),
          unfit('converting (v1.Pod) to (core.ConfigMap): unknown conversion'),
          'another kind',
        );
        assert.refused(
          await server.client.patch(path, 'json', [{ op: 'replace', path: '', value: [] }]),
          {
            code: 422,
            reason: 'Invalid',
            message: /: couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value/,
          },
          'no object at all',
        );
        const strategic = await server.client.patch(path, 'strategic', { kind: 'Pod', data: { b: '2' } });
        assert.equal(strategic.status, 200, 'strategic: HTTP status');
        assert.equal(strategic.json.kind, 'ConfigMap', 'strategic: kind');
      },
    },
    {
      name: 'what is wrong with a patch is reported in an order: type, namespace, name, version, uid',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        const uid = '11111111-2222-3333-4444-555555555555';
        const metadata = { namespace: 'elsewhere', name: 'other', resourceVersion: '1', uid };
        const type = { data: { a: 5 } };
        const patch = (change: unknown) => server.client.patch(path, 'merge', change);
        assert.refused(
          await patch({ metadata, ...type }),
          unfit('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
          'the type',
        );
        const { namespace: _, ...named } = metadata;
        const { name: __, ...versioned } = named;
        const words = 'the namespace of the provided object does not match the namespace sent on the request';
        assert.refused(await patch({ metadata }), badRequest(words), 'the namespace');
        const other = 'the name of the object (other) does not match the name on the URL (one)';
        assert.refused(await patch({ metadata: named }), badRequest(other), 'the name');
        assert.refused(await patch({ metadata: versioned }), { code: 409, reason: 'Conflict' }, 'the version');
        assert.refused(await patch({ metadata: { uid } }), { code: 422, reason: 'Invalid' }, 'the uid');
        const dropped = await patch({ metadata: { uid: null, creationTimestamp: '2001-01-01T00:00:00Z' } });
        assert.equal(dropped.status, 200, 'a uid that is left out, and another creation: HTTP status');
        assert.notEqual(dropped.json.metadata.creationTimestamp, '2001-01-01T00:00:00Z', 'the creation stays');
      },
    },
    {
      name: 'name, namespace and uid cannot be changed by a JSON patch and a strategic one either',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        const uid = '11111111-2222-3333-4444-555555555555';
        for (const [field, value, refusal] of [
          ['name', 'two', badRequest('the name of the object (two) does not match the name on the URL (one)')],
          [
            'namespace',
            'other',
            badRequest('the namespace of the provided object does not match the namespace sent on the request'),
          ],
          [
            'uid',
            uid,
            {
              code: 422,
              message: `ConfigMap "one" is invalid: metadata.uid: Invalid value: "${uid}": field is immutable`,
            },
          ],
        ] as const) {
          const json = [{ op: 'replace', path: `/metadata/${field}`, value }];
          assert.refused(await server.client.patch(path, 'json', json), refusal, `json: ${field}`);
          const strategic = { metadata: { [field]: value } };
          assert.refused(await server.client.patch(path, 'strategic', strategic), refusal, `strategic: ${field}`);
        }
      },
    },
    {
      name: 'an old resourceVersion in a patch is 409, whatever its type',
      async run(server, assert) {
        const path = await aMap(server, { a: '1' });
        const { resourceVersion } = (await server.client.get(path)).json.metadata;
        await server.client.patch(path, 'merge', { data: { a: '2' } });
        const patches = {
          json: [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }],
          merge: { metadata: { resourceVersion }, data: { a: '3' } },
          strategic: { metadata: { resourceVersion }, data: { a: '3' } },
        };
        for (const type of ['json', 'merge', 'strategic'] as const) {
          assert.refused(await server.client.patch(path, type, patches[type]), STALE, type);
        }
        assert.deepEqual((await server.client.get(path)).json.data, { a: '2' }, 'data');
      },
    },
    {
      name: 'a missing object is 404 before its patch is looked at',
      async run(server, assert) {
        const path = `${core(await server.namespace(), 'configmaps')}/none`;
        for (const type of ['json', 'merge', 'strategic'] as const) {
          const answer = await server.client.patch(path, type, '{{');
          assert.refused(answer, { code: 404, reason: 'NotFound', message: 'configmaps "none" not found' }, type);
        }
      },
    },
    {
      name: 'the deadline of a pod comes nearer only, its tolerations become more only, its images have no spaces',
      async run(server, assert) {
        const pods = core(await server.namespace(), 'pods');
        const tolerations = [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }];
        await server.client.create(pods, aPod('one', { activeDeadlineSeconds: 100, tolerations }));
        const patch = (spec: unknown) => server.client.patch(`${pods}/one`, 'merge', { spec });
        const refused = async (spec: unknown, words: string) =>
          assert.refused(
            await patch(spec),
            { code: 422, reason: 'Invalid', message: `Pod "one" is invalid: ${words}` },
            JSON.stringify(spec),
          );
        const deadline = 'spec.activeDeadlineSeconds: Invalid value';
        await refused({ activeDeadlineSeconds: 101 }, `${deadline}: 101: must be less than or equal to previous value`);
        await refused(
          { activeDeadlineSeconds: null },
          `${deadline}: null: must not update from a positive integer to nil value`,
        );
        await refused(
          { activeDeadlineSeconds: -1 },
          `[${deadline}: -1: must be between 1 and 2147483647, inclusive, ${deadline}: -1: must be between 0 and 2147483647, inclusive]`,
        );
        await refused(
          { tolerations: [] },
          'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
        );
        assert.refused(
          await patch({ containers: [{ ...CONTAINER, image: ' x' }] }),
          {
            code: 422,
            message: /spec\.containers\[0\]\.image: Invalid value: " x": must not have leading or trailing whitespace/,
          },
          'an image',
        );
        assert.refused(
          await patch({ containers: [CONTAINER, { ...CONTAINER, name: 'second' }] }),
          {
            code: 422,
            message: 'Pod "one" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers',
          },
          'a container',
        );
        const { status, json } = await patch({
          activeDeadlineSeconds: 50,
          tolerations: [
            ...(await server.client.get(`${pods}/one`)).json.spec.tolerations,
            { key: 'b', operator: 'Exists' },
          ],
          containers: [{ ...CONTAINER, image: 'registry.k8s.io/pause:3.9' }],
        });
        assert.equal(`${status} ${json.spec?.activeDeadlineSeconds}`, '200 50', 'what may be changed');
      },
    },
    {
      name: 'fields that are fixed cannot be patched',
      async run(server, assert) {
        const namespace = await server.namespace();
        const map = `${core(namespace, 'configmaps')}/fixed`;
        await server.client.create(core(namespace, 'configmaps'), {
          ...aConfigMap('fixed', { a: '1' }),
          immutable: true,
        });
        const detail = 'Forbidden: field is immutable when `immutable` is set';
        assert.refused(
          await server.client.patch(map, 'merge', { data: { a: '2' } }),
          { code: 422, reason: 'Invalid', message: `ConfigMap "fixed" is invalid: data: ${detail}` },
          'the data of an immutable ConfigMap',
        );
        assert.refused(
          await server.client.patch(map, 'strategic', { immutable: null }),
          { code: 422, reason: 'Invalid', message: `ConfigMap "fixed" is invalid: immutable: ${detail}` },
          'that it is immutable',
        );
        const services = core(namespace, 'services');
        const service = {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web' },
          spec: { ports: [{ port: 80 }] },
        };
        await server.client.create(services, service);
        assert.refused(
          await server.client.patch(`${services}/web`, 'merge', { spec: { clusterIP: '10.96.0.99' } }),
          {
            code: 422,
            reason: 'Invalid',
            message: /spec\.clusterIPs\[0\]: Invalid value: \["10\.96\.0\.99"\]: may not change once set/,
          },
          'the address of a Service',
        );
        const pods = core(namespace, 'pods');
        await server.client.create(pods, aPod('one'));
        const replaced = [{ op: 'replace', path: '/spec/restartPolicy', value: 'Never' }];
        assert.refused(
          await server.client.patch(`${pods}/one`, 'json', replaced),
          {
            code: 422,
            reason: 'Invalid',
            message: /^Pod "one" is invalid: spec: Forbidden: pod updates may not change fields other than /,
          },
          'the spec of a pod',
        );
      },
    },
  ],
};

const STALE: Refusal = {
  code: 409,
  reason: 'Conflict',
  message:
    'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
};

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeProblem } from './go-time.ts';
import { readTyped, readTypedMetadata } from './typed-object.ts';
import { CONVERTING, DECODING } from './words.ts';

for (const [sentence, kind, object, decoding, converting] of [
  [
    'a text for a number',
    'Deployment',
    { spec: { replicas: 'many' } },
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    'unrecognized type: int32',
  ],
  [
    'a fraction for a whole number',
    'Deployment',
    { spec: { replicas: 1.5 } },
    'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    'cannot convert float64 to int32',
  ],
  [
    'a number for a text of a named type',
    'Pod',
    { status: { phase: 5 } },
    'json: cannot unmarshal number into Go struct field PodStatus.status.phase of type v1.PodPhase',
    'cannot convert int64 to v1.PodPhase',
  ],
  [
    'an object for a list',
    'Pod',
    { spec: { containers: {} } },
    'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    'cannot restore slice from map',
  ],
  [
    'a text for an item of a list',
    'Pod',
    { spec: { containers: ['main'] } },
    'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container',
    'cannot restore struct from: string',
  ],
  [
    'a list for a map',
    'Pod',
    { metadata: { labels: [] } },
    'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    'cannot restore map from slice',
  ],
  [
    'a boolean where a number or a text may stand',
    'Deployment',
    { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
    'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    'json: cannot unmarshal bool into Go value of type int32',
  ],
  [
    'a field of a struct that JSON does not show',
    'Pod',
    { spec: { volumes: [{ name: 'v', emptyDir: { medium: 1 } }] } },
    'json: cannot unmarshal number into Go struct field EmptyDirVolumeSource.spec.volumes.VolumeSource.emptyDir.medium of type v1.StorageMedium',
    'cannot convert int64 to v1.StorageMedium',
  ],
] as const) {
  test(`${sentence} is reported in the words of both ways in`, () => {
    assert.throws(() => readTyped(kind, object, DECODING), { name: 'UnfitValue', message: decoding });
    assert.throws(() => readTyped(kind, object, CONVERTING), { name: 'UnfitValue', message: converting });
  });
}

test('an object that fits comes out as it is, also with nulls and with kinds inside', () => {
  const set = {
    kind: 'StatefulSet',
    metadata: { name: 'db', creationTimestamp: null, labels: { a: 'b' } },
    spec: {
      replicas: 2,
      template: { spec: { containers: [{ name: 'x', resources: { limits: { cpu: '500m', memory: 1024 } } }] } },
      volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'data' } }],
    },
  };
  assert.deepEqual(readTyped('StatefulSet', set, DECODING), { object: set, unknown: [] });
});

test('fields that a kind does not have are dropped and reported with their places', () => {
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'x', colour: 'red' }] }, nonsense: 1 };
  assert.deepEqual(readTyped('Pod', { kind: 'Pod', apiVersion: 'v1', ...pod }, DECODING), {
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: { containers: [{ name: 'x' }] } },
    unknown: ['spec.containers[0].colour', 'nonsense'],
  });
});

test('a kind that is not in the table is not looked at', () => {
  const definition = { spec: { scope: 5 } };
  assert.deepEqual(readTyped('CustomResourceDefinition', definition, DECODING), { object: definition, unknown: [] });
});

test('of a custom object only the metadata has types', () => {
  const words = 'json: cannot unmarshal bool into Go struct field ObjectMeta.annotations of type string';
  assert.throws(() => readTypedMetadata({ metadata: { annotations: { a: true } } }, DECODING), { message: words });
  const widget = { metadata: { name: 'a', nonsense: 1 }, spec: { nonsense: 1 } };
  assert.deepEqual(readTypedMetadata(widget, DECODING), {
    object: { metadata: { name: 'a' }, spec: { nonsense: 1 } },
    unknown: ['metadata.nonsense'],
  });
});

test('a text that is no time is reported where it goes wrong', () => {
  for (const [text, problem] of [
    ['2026-11-15T10:00:00Z', undefined],
    ['2026-11-15T10:00:00.123+02:00', undefined],
    ['2024-02-29T10:00:00Z', undefined],
    ['2026-02-29T10:00:00Z', 'parsing time "2026-02-29T10:00:00Z": day out of range'],
    ['2026-11-15T24:00:00Z', 'parsing time "2026-11-15T24:00:00Z": hour out of range'],
    ['x', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
  ] as const) {
    assert.equal(timeProblem(text, false), problem);
  }
  assert.equal(timeProblem('2026-11-15T10:00:00.000001Z', true), undefined);
  assert.match(timeProblem('2026-11-15T10:00:00.1Z', true) ?? '', /: cannot parse "\.1Z" as "\.000000"$/);
});

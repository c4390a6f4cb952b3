import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInResources } from '../../api/built-in-resources.ts';
import type { KubeObject } from '../../api/cluster-api.ts';
import type { ResourceType } from '../../api/resource-type.ts';
import { unseal } from './envelope.ts';
import { protobufEncoder } from './protobuf-encoder.ts';

const PODS = builtInResources().find((type) => type.plural === 'pods') as ResourceType;
const encoder = protobufEncoder(PODS, 'v1');
const hex = (bytes: string | Uint8Array) => Buffer.from(bytes as Uint8Array).toString('hex');
const text = (value: string) => Buffer.from(value).toString('hex');

const POD: KubeObject = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z', labels: { k: 'v' } },
  spec: {
    nodeName: 'n1',
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'c',
        image: 'x',
        resources: { limits: { cpu: '100m' } },
        livenessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
      },
    ],
    volumes: [{ name: 'e', emptyDir: {} }],
    tolerations: [{ operator: 'Exists', tolerationSeconds: 300 }],
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.7',
    podIPs: [{ ip: '10.0.0.7' }],
    containerStatuses: [{ name: 'c', restartCount: 3 }],
  },
};

test('a small pod is exactly the bytes that the published message numbers demand', () => {
  const tiny = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, status: { podIP: '10.0.0.7' } };
  const metadata = `0a03 0a01${text('a')}`;
  const status = `1a0a 3208${text('10.0.0.7')}`;
  const envelope = `${text('k8s\0')} 0a09 0a02${text('v1')} 1203${text('Pod')} 1211 ${metadata} ${status} 1a00 2200`;
  assert.equal(hex(encoder.object(tiny)), envelope.replaceAll(' ', ''));
});

test('a pod is read back as it was written', () => {
  assert.deepEqual(unseal(encoder.object(POD) as Uint8Array, 'Pod'), POD);
});

test('times keep their microseconds where the message has them', () => {
  const type = builtInResources().find(({ plural }) => plural === 'leases') as ResourceType;
  const lease = {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: 'l' },
    spec: { renewTime: '2026-01-01T00:00:00.123456Z', leaseTransitions: 0 },
  };
  assert.deepEqual(unseal(protobufEncoder(type, 'v1').object(lease) as Uint8Array, 'Lease'), lease);
});

test('a frame of a watch begins with its length and holds type and object', () => {
  const frame = Buffer.from(encoder.event('MODIFIED', POD));
  assert.equal(frame.readUInt32BE(0), frame.length - 4);
  assert.equal(frame.subarray(4, 14).toString('latin1'), '\n\u0008MODIFIED');
  const object = encoder.object(POD) as Uint8Array;
  assert.deepEqual(frame.subarray(-object.length), Buffer.from(object));
});

test('negative numbers and long texts survive', () => {
  const pod = { ...POD, metadata: { name: 'x'.repeat(300) }, spec: { priority: -5, containers: [] } };
  const { metadata, spec } = unseal(encoder.object(pod) as Uint8Array, 'Pod');
  assert.deepEqual([metadata, spec], [{ name: 'x'.repeat(300) }, { priority: -5 }]);
});

test('what is no protobuf, or broken off, is a bad request', () => {
  assert.throws(() => unseal(Buffer.from('{}'), 'Pod'), { code: 400 });
  const bytes = encoder.object(POD) as Uint8Array;
  assert.throws(() => unseal(bytes.subarray(0, 40), 'Pod'), { code: 400 });
});

test('fault 30: a key called __proto__ of a map is written and read like any other', () => {
  const labels = JSON.parse('{"__proto__":"p","constructor":"c"}');
  const pod: KubeObject = { ...POD, metadata: { ...POD.metadata, labels } };
  const read = unseal(Buffer.from(encoder.object(pod)), 'Pod') as { metadata?: { labels?: unknown } };
  assert.equal(JSON.stringify(read.metadata?.labels), JSON.stringify(labels));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '../codec/codec.ts';
import { metadataCodec } from '../codec/metadata-codec.ts';
import { ownedBy } from './owner-keys.ts';

const owner = (apiVersion: string, kind: string, name: string, controller = true) => ({
  ...{ apiVersion, kind, name, uid: `uid-${name}`, controller },
});
const owned = (...ownerReferences: object[]) => ({
  metadata: { name: 'a', namespace: 'shop', uid: 'u', ownerReferences },
});
const keys = ownedBy({ group: 'apps', kind: 'ReplicaSet' });

test('an object asks for a pass over the controller that made it, by group and kind, whatever the version', () => {
  assert.deepEqual(keys(podCodec.fromJson(owned(owner('apps/v1', 'ReplicaSet', 'web')))), ['shop/web']);
  assert.deepEqual(keys(podCodec.fromJson(owned(owner('apps/v2', 'ReplicaSet', 'web')))), ['shop/web']);
  assert.deepEqual(keys(metadataCodec.fromJson(owned(owner('other.dev/v1', 'ReplicaSet', 'web')))), []);
  assert.deepEqual(keys(metadataCodec.fromJson(owned(owner('apps/v1', 'DaemonSet', 'web')))), []);
});

test('an owner that is not the controller asks for nothing, and neither does an object without owners', () => {
  assert.deepEqual(keys(podCodec.fromJson(owned(owner('apps/v1', 'ReplicaSet', 'web', false)))), []);
  assert.deepEqual(keys({ metadata: { name: 'a', uid: 'u', resourceVersion: '1' } }), []);
});

test('the key of a cluster-scoped owner has no namespace', () => {
  const cluster = ownedBy({ group: 'example.dev', kind: 'Fleet', isClusterScoped: true });
  assert.deepEqual(cluster(podCodec.fromJson(owned(owner('example.dev/v1', 'Fleet', 'all')))), ['all']);
});

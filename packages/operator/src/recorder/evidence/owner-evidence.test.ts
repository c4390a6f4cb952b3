import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history';
import { type MetadataOnlyView, metadataOf, type ObjectDelta } from '@podtrail/machinery';
import { OwnerEvidence } from './owner-evidence.ts';
import { REVISION, slimMetadata } from './slim-metadata.ts';

const CREATED = '2026-11-10T08:00:00Z';
const NOW = epochMillis(Date.parse('2026-11-16T10:00:00Z'));
const TODAY = Math.floor(NOW / 86_400_000);
const { codec } = metadataOf({ group: 'apps', version: 'v1', resource: 'replicasets' });
const OWNER = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'deploy', controller: true };

function replicaSet(fields: Record<string, unknown> = {}): MetadataOnlyView {
  const metadata = { name: 'web-1', namespace: 'shop', uid: 'rs', resourceVersion: '7', generation: 1 };
  const annotations = { [REVISION]: '3', 'example.com/large': 'x'.repeat(1000) };
  const whole = { ...metadata, creationTimestamp: CREATED, annotations, ownerReferences: [OWNER], ...fields };
  return slimMetadata(codec.fromJson({ metadata: whole }));
}

const added = (object: MetadataOnlyView, initial: boolean): ObjectDelta<MetadataOnlyView> => ({
  ...{ kind: 'added', object, source: initial ? 'list' : 'watch', initial, observedAt: NOW },
});
const updated = (previous: MetadataOnlyView, object: MetadataOnlyView): ObjectDelta<MetadataOnlyView> => ({
  ...{ kind: 'updated', object, previous, source: 'watch', resync: false, observedAt: NOW },
});
const deleted = (object: MetadataOnlyView, finalStateUnknown: boolean): ObjectDelta<MetadataOnlyView> => ({
  ...{ kind: 'deleted', object, source: finalStateUnknown ? 'list' : 'watch', finalStateUnknown, observedAt: NOW },
});
const brief = (evidence: ReturnType<OwnerEvidence['observe']>) =>
  evidence.map(({ what, reason, at, id }) =>
    `${what} ${reason} ${new Date(at).toISOString().slice(0, 10)} ${id}`.trim(),
  );

test('what is listed at the start says whose it is and its revision, under the day of today', () => {
  const [owned, ...others] = new OwnerEvidence('ReplicaSet').observe(added(replicaSet(), true), NOW);
  assert.deepEqual(others, []);
  assert.deepEqual(owned, {
    id: `rs/owned/${TODAY}`,
    what: 'owned',
    about: { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1', uid: 'rs' },
    related: { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'deploy' },
    at: TODAY * 86_400_000,
    reason: '3',
    message: '',
    by: '',
    count: 1,
    source: 'list',
    resourceVersion: '7',
  });
});

test('whose it is, is said once a day and not with every change of status', () => {
  const owners = new OwnerEvidence('ReplicaSet');
  assert.equal(owners.observe(updated(replicaSet(), replicaSet({ resourceVersion: '8' })), NOW).length, 1);
  assert.equal(owners.observe(updated(replicaSet(), replicaSet({ resourceVersion: '9' })), NOW).length, 0);
  const tomorrow = epochMillis(NOW + 86_400_000);
  assert.equal(owners.observe(updated(replicaSet(), replicaSet({ resourceVersion: '9' })), tomorrow).length, 1);
});

test('one that is made is created, owned, and has a revision', () => {
  assert.deepEqual(brief(new OwnerEvidence('ReplicaSet').observe(added(replicaSet(), false), NOW)), [
    'created  2026-11-10 rs/created',
    `owned 3 2026-11-16 rs/owned/${TODAY}`,
    'revision 3 2026-11-10 rs/revision/3/1',
  ]);
});

test('a change of the revision or of the generation is evidence, a change of status is none', () => {
  const owners = new OwnerEvidence('ReplicaSet');
  owners.observe(added(replicaSet(), true), NOW);
  const grown = replicaSet({
    generation: 2,
    annotations: { [REVISION]: '3', 'deployment.kubernetes.io/desired-replicas': '5' },
  });
  const [found, ...others] = owners.observe(updated(replicaSet(), grown), NOW);
  assert.deepEqual([found?.what, found?.reason, found?.message], ['revision', '3', 'generation 2, 5 replicas desired']);
  assert.deepEqual(others, []);
  const shrunk = replicaSet({
    generation: 3,
    annotations: { [REVISION]: '3', 'deployment.kubernetes.io/desired-replicas': '2' },
  });
  const [again] = owners.observe(updated(grown, shrunk), NOW);
  assert.equal(again?.message, 'generation 3, 2 replicas desired, 5 before');
  const revised = replicaSet({ annotations: { [REVISION]: '4' } });
  assert.deepEqual(brief(owners.observe(updated(replicaSet(), revised), NOW)), [
    'revision 4 2026-11-16 rs/revision/4/1',
  ]);
});

test('a workload without a revision has its generation', () => {
  const bare = { annotations: {}, ownerReferences: [] };
  const owners = new OwnerEvidence('StatefulSet');
  const found = owners.observe(updated(replicaSet(bare), replicaSet({ ...bare, generation: 2 })), NOW);
  assert.deepEqual(brief(found), ['revision 2 2026-11-16 rs/revision//2']);
});

test('its deletion is evidence when it is requested, and when it is gone; one that a listing lacks was inferred', () => {
  const owners = new OwnerEvidence('ReplicaSet');
  owners.observe(added(replicaSet(), true), NOW);
  const going = replicaSet({ deletionTimestamp: '2026-11-16T09:59:00Z' });
  assert.deepEqual(brief(owners.observe(updated(replicaSet(), going), NOW)), [
    'terminating  2026-11-16 rs/terminating',
  ]);
  assert.deepEqual(owners.observe(updated(going, going), NOW), []);
  const [gone] = owners.observe(deleted(going, true), NOW);
  assert.deepEqual([gone?.what, gone?.id, gone?.source], ['deleted', 'rs/deleted', 'inferred']);
});

test('the cache holds of an owner no labels, no finalizers and no other annotations', () => {
  const { metadata } = replicaSet({ labels: { a: 'b' }, finalizers: ['foregroundDeletion'] });
  assert.deepEqual([...metadata.annotations.keys()], [REVISION]);
  assert.equal(metadata.labels.size + metadata.finalizers.length, 0);
});
